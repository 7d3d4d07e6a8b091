"""`python -m ingestion retire`: lets a feed leave the configuration."""

import argparse

from ingestion.bronze.feeds import retire_feed
from ingestion.bronze.tables import create_tables
from ingestion.config.feeds import read_config
from ingestion.errors import OK, UserError
from ingestion.progress import say
from ingestion.spark.session import session


def add_parser(
    subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    """Describe the command line of `retire`."""
    parser = subparsers.add_parser("retire", parents=[common], help="let a feed go; keep bronze")
    parser.add_argument("feed", metavar="FEED", help="the feed that dbt_project.yml no longer has")
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int:
    """Note that the feed has left; its records stay in bronze."""
    config = read_config(args.project_dir)
    if args.feed in config.feeds:
        raise UserError(f"Feed {args.feed} is still in dbt_project.yml: remove it there first.")
    spark = session(config.project_dir, brief=True)
    create_tables(spark, config.bronze)
    retire_feed(spark, config.bronze, args.feed)
    say(f"{args.feed}: retired; its records stay in bronze")
    return OK
