"""`python -m ingestion`: the project's commands."""

import argparse
import os
import sys
import traceback
from pathlib import Path

from ingestion.cli import init, rebuild, retire, run, schemas
from ingestion.config.project_files import default_project
from ingestion.errors import OK, UNEXPECTED, UserError, log_trace
from ingestion.gold_models import generate
from ingestion.loader import load
from ingestion.progress import complain
from ingestion.reconcile import command as reconcile
from ingestion.report import command as report
from ingestion.sniff import inspect

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
        # the reader of a pipe, such as head, has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except Exception as error:
        log = log_trace(args.project_dir or default_project(), error)
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


if __name__ == "__main__":
    sys.exit(main())
