"""`python -m ingestion run`: loads what is new, builds and tests the tables, and reports.

With --follow it does so cycle after cycle, until it is stopped.
"""

import argparse
from contextlib import ExitStack
from pathlib import Path
from threading import Event

from ingestion.bronze.feeds import check_feeds
from ingestion.bronze.tables import create_tables
from ingestion.config.arguments import port, seconds, whole
from ingestion.config.feeds import Config, Feed, choose, read_config
from ingestion.config.secrets import resolve
from ingestion.cycles.loop import follow
from ingestion.cycles.one_cycle import Options
from ingestion.dbt.running import run_dbt
from ingestion.errors import OK
from ingestion.gold_models.new_models import models_for_new_tables
from ingestion.loader.load import load_once
from ingestion.locks import feed_lock, metastore_lock
from ingestion.progress import say
from ingestion.report import text
from ingestion.report.gathering import gather
from ingestion.report.publishing import page_path, publish, recorded
from ingestion.spark.session import session


def add_parser(
    subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    """Describe the command line of `run`."""
    parser = subparsers.add_parser(
        "run", parents=[common], help="load, build, test and report in one Spark session"
    )
    parser.add_argument(
        "--follow", action="store_true", help="go on, cycle after cycle, until stopped"
    )
    parser.add_argument(
        "--interval",
        type=seconds,
        default=15.0,
        metavar="SECONDS",
        help="with --follow: from the beginning of a cycle to that of the next (15)",
    )
    parser.add_argument(
        "--test-every",
        type=seconds,
        default=600.0,
        metavar="SECONDS",
        help="with --follow: run the tests so often, where something was built (600)",
    )
    parser.add_argument(
        "--spot-check-every",
        type=whole,
        default=20,
        metavar="CYCLES",
        help="with --follow: compare some rows with their sources so often (20); 0: never",
    )
    parser.add_argument(
        "--accept-gaps", action="store_true", help="go on after records lost at the source"
    )
    parser.add_argument(
        "--metrics", type=Path, metavar="FILE", help="write metrics in Prometheus' text format"
    )
    parser.add_argument(
        "--metrics-port",
        type=port,
        metavar="PORT",
        help="with --follow: serve the metrics at http://this-machine:PORT/metrics",
    )
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int:
    """Update every table to what the feeds have now."""
    config = read_config(args.project_dir)
    # dbt changes into the project's folder
    metrics = args.metrics and args.metrics.absolute()
    if args.follow:
        options = Options(
            interval=args.interval,
            test_every=args.test_every,
            accept_gaps=args.accept_gaps,
            spot_check_every=args.spot_check_every,
            metrics_file=metrics,
            metrics_port=args.metrics_port,
        )
        return follow(config, options)
    feeds = choose(config, [])
    for feed in feeds:
        resolve(feed.name, feed.kafka)
    locks = config.lakehouse / "locks"
    with ExitStack() as stack:
        held = [stack.enter_context(metastore_lock(locks))]
        held += [stack.enter_context(feed_lock(locks, feed.name)) for feed in feeds]
        with recorded(config, "run") as codes:
            codes.append(_update(config, feeds, held, args.accept_gaps))
        facts = gather(config)
        text.show(facts)
        publish(config, facts, metrics)
        say(f"\nThe same as a page: {page_path(config)}")
    return codes[0]


def _update(config: Config, feeds: list[Feed], held: list[int], accept_gaps: bool) -> int:
    """Load, build and test; return the first exit code that is not OK."""
    say("Starting Spark ...")
    spark = session(config.project_dir, hive=True, inherited=held)
    create_tables(spark, config.bronze)
    check_feeds(spark, config, [])
    say("Loading what is new into bronze ...")
    loaded = load_once(spark, config, feeds, accept_gaps, Event())
    built = build(config)
    return loaded if loaded != OK else built


def build(config: Config) -> int:
    """Build and test what is new, then the models of tables that are new; return the exit code."""
    say("Building and testing silver and gold (dbt build) ...")
    built = run_dbt(config.project_dir, "build")
    new = models_for_new_tables(config, set())
    if new:
        say("Building the models of new tables (dbt build) ...")
        names = [path.stem for path in new]
        # the tests read these changes before there was a table to compare them with
        everything = ("--vars", "check_all_history: true")
        of_new = run_dbt(config.project_dir, "build", "--select", *names, *everything)
        return built if built != OK else of_new
    return built
