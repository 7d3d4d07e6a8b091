"""The command line of `report`."""

import argparse
from pathlib import Path

from ingestion.config.feeds import read_config
from ingestion.errors import OK, UserError
from ingestion.local_files import replace_file
from ingestion.progress import say
from ingestion.report import text
from ingestion.report.gathering import gather
from ingestion.report.metrics import metrics
from ingestion.report.page import page
from ingestion.report.webhook import send_findings


def add_parser(
    subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    """Describe the command line of `report`."""
    parser = subparsers.add_parser(
        "report", parents=[common], help="show feeds, gold tables, findings; needs no Spark"
    )
    parser.add_argument("--json", action="store_true", help="print all facts as one JSON object")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write them as one page")
    parser.add_argument(
        "--metrics", type=Path, metavar="FILE", help="write them in Prometheus' text format"
    )
    parser.add_argument(
        "--webhook", action="store_true", help="send new findings to LAKEHOUSE_WEBHOOK"
    )
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int:
    """Show the facts in the forms that were asked for; on the screen where none was."""
    config = read_config(args.project_dir)
    facts = gather(config)
    if args.json:
        say(text.as_json(facts))
    if args.html:
        _write("--html", args.html, page(facts))
    if args.metrics:
        _write("--metrics", args.metrics, metrics(facts))
    if args.webhook:
        send_findings(config, facts.findings)
    if not (args.json or args.html or args.metrics or args.webhook):
        text.show(facts)
    return OK


def _write(option: str, path: Path, content: str) -> None:
    try:
        if path.is_dir():
            raise UserError(f"{option} {path}: this is a folder; name a file in it.")
        replace_file(path, content.encode())
    except OSError as error:
        raise UserError(
            f"{option} {path}: it cannot be written there ({error.strerror}); name another file."
        ) from None
