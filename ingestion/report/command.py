"""The command line of `report`."""

import argparse
from pathlib import Path

from ingestion.config.feeds import read_config
from ingestion.errors import OK
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
        replace_file(args.html, page(facts).encode())
    if args.metrics:
        replace_file(args.metrics, metrics(facts).encode())
    if args.webhook:
        send_findings(config, facts.findings)
    if not (args.json or args.html or args.metrics or args.webhook):
        text.show(facts)
    return OK
