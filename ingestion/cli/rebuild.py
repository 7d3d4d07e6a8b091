"""`rebuild` and `reparse`: silver and gold made again from bronze."""

import argparse
import json

from pyspark.sql import SparkSession

from ingestion.bronze.feeds import check_feeds, record_feed
from ingestion.bronze.tables import create_tables
from ingestion.config.feeds import Config, Feed, choose, read_config
from ingestion.dbt.running import run_dbt
from ingestion.errors import OK
from ingestion.locks import metastore_lock
from ingestion.progress import say
from ingestion.spark.session import session


def add_parser(
    subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    """Describe the command lines of `rebuild` and `reparse`."""
    rebuild = subparsers.add_parser(
        "rebuild", parents=[common], help="accept a feed's changed settings and build again"
    )
    rebuild.add_argument("feed", metavar="FEED")
    rebuild.set_defaults(main=main, command=_rebuild)
    reparse = subparsers.add_parser(
        "reparse", parents=[common], help="parse a feed again, after its format's macro was mended"
    )
    reparse.add_argument("feed", metavar="FEED")
    reparse.add_argument("--unknown", action="store_true", help="only its unknown messages")
    reparse.set_defaults(main=main, command=_reparse)


def main(args: argparse.Namespace) -> int:
    """Run one of the two commands with the metastore held."""
    config = read_config(args.project_dir)
    feed = choose(config, [args.feed])[0]
    with metastore_lock(config.lakehouse / "locks") as held:
        spark = session(config.project_dir, hive=True, inherited=[held])
        create_tables(spark, config.bronze)
        return int(args.command(spark, config, feed, args))


def _rebuild(spark: SparkSession, config: Config, feed: Feed, _: argparse.Namespace) -> int:
    """Parse every message of the feed's format again; gold follows by itself."""
    say(f"Building silver of {feed.format} again from bronze, and gold after it ...")
    values = json.dumps({"feed": feed.name})
    code = run_dbt(config.project_dir, "run-operation", "forget_silver", "--args", values)
    if code != OK:
        return code
    # only now: with new settings and old marks, a run would go on from the old meaning
    record_feed(spark, config.bronze, feed)
    return run_dbt(config.project_dir, "build")


def _reparse(spark: SparkSession, config: Config, feed: Feed, args: argparse.Namespace) -> int:
    """Parse the feed's messages again, or only its unknown ones, and replace their rows."""
    check_feeds(spark, config, [feed.name])
    say(f"Parsing {'the unknown messages' if args.unknown else 'all messages'} of {feed.name} ...")
    values = json.dumps({"feed": feed.name, "unknown_only": args.unknown})
    code = run_dbt(config.project_dir, "run-operation", "reparse", "--args", values)
    return code if code != OK else run_dbt(config.project_dir, "build")
