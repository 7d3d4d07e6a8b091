"""`python -m ingestion`: the project's commands."""

import argparse
import os
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path

from ingestion import (
    generate,
    init,
    inspect,
    load,
    rebuild,
    reconcile,
    report,
    retire,
    run,
    schemas,
)
from ingestion.errors import OK, UNEXPECTED, UserError
from ingestion.progress import complain
from ingestion.project_files import default_project

COMMANDS = (init, run, load, report, inspect, schemas, generate, rebuild, retire, reconcile)


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    args = _parser().parse_args(arguments)
    try:
        return args.main(args)
    except UserError as error:
        complain(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        complain("Stopped.")
        return 130
    except BrokenPipeError:
        # the reader of a pipe, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except Exception as error:
        log = _log_trace(args.project_dir or default_project())
        first = (str(error).strip().splitlines() or [""])[0]
        complain(f"Unexpected {type(error).__name__}: {first[:300]} (see {log}).")
        if args.debug:
            traceback.print_exc()
        return UNEXPECTED


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--debug", action="store_true", help="print the stack trace of a defect")
    common.add_argument("--project-dir", type=Path, metavar="DIR", help="the project's root")
    parser = argparse.ArgumentParser(prog="python -m ingestion", description=__doc__)
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_parser(subparsers, common)
    return parser


def _log_trace(project_dir: Path) -> Path:
    log = project_dir / "lakehouse" / "logs" / "ingestion.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as output:
        output.write(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}\n{traceback.format_exc()}\n")
    return log


if __name__ == "__main__":
    sys.exit(main())
