"""`python -m ingestion load`: lands what is new in the feeds."""

import argparse
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Event

from pyspark.sql import SparkSession

from ingestion.bronze.feeds import check_feeds
from ingestion.bronze.tables import create_tables
from ingestion.config.arguments import seconds
from ingestion.config.feeds import Config, Feed, choose, read_config
from ingestion.config.secrets import resolve
from ingestion.errors import OK, UserError
from ingestion.files.loading import load_files
from ingestion.kafka.loading import Loading, failure, new_batches, start_loading, stop_loading
from ingestion.kafka.offsets import prepare
from ingestion.loader.follow import follow
from ingestion.locks import feed_lock
from ingestion.progress import Batch, complain, say, show_batch
from ingestion.spark.session import session


def add_parser(
    subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    """Describe the command line of `load`."""
    parser = subparsers.add_parser("load", parents=[common], help="land what is new in bronze")
    parser.add_argument("feeds", nargs="*", metavar="FEED", help="only these feeds (default: all)")
    parser.add_argument("--follow", action="store_true", help="go on until stopped")
    parser.add_argument(
        "--interval", type=seconds, default=10.0, metavar="SECONDS", help="with --follow (10)"
    )
    parser.add_argument(
        "--accept-gaps", action="store_true", help="go on after records lost at the source"
    )
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int:
    """Load the feeds that the command line names."""
    config = read_config(args.project_dir)
    feeds = choose(config, args.feeds)
    if not feeds:
        say("No feeds are configured: add one under vars.feeds of dbt_project.yml.")
        return OK
    for feed in feeds:
        resolve(feed.name, feed.kafka)
    with ExitStack() as stack:
        locks = config.lakehouse / "locks"
        held = [stack.enter_context(feed_lock(locks, feed.name)) for feed in feeds]
        spark = session(config.project_dir, inherited=held)
        create_tables(spark, config.bronze)
        check_feeds(spark, config, args.feeds)
        stopping = stack.enter_context(stop_signals())
        if args.follow:
            return follow(spark, config, feeds, args.accept_gaps, args.interval, stopping)
        return load_once(spark, config, feeds, args.accept_gaps, stopping)


def load_once(
    spark: SparkSession, config: Config, feeds: list[Feed], accept_gaps: bool, stopping: Event
) -> int:
    """Load what there is now, feed after feed; if one is in trouble, the others go on."""
    first = OK
    for feed in feeds:
        if stopping.is_set():
            break
        try:
            code = load_feed(spark, config, feed, accept_gaps, stopping)
            if code is None:
                say(f"{feed.name}: {'no new files' if feed.files else 'nothing new'}")
        except UserError as error:
            complain(str(error))
            code = error.exit_code
        first = first or code or OK
    return first


def load_feed(
    spark: SparkSession,
    config: Config,
    feed: Feed,
    accept_gaps: bool,
    stopping: Event,
    landed_batch: Callable[[Batch], None] = show_batch,
    remark: Callable[[str], None] = complain,
) -> int | None:
    """Load what there is now of one feed; return the exit code, None if nothing is new.

    `landed_batch` is called with each batch that has landed, `remark` with what is wrong and does
    not stop the load. A UserError says why the feed cannot be loaded.
    """
    if feed.files:
        return load_files(spark, config, feed, landed_batch)
    while True:
        prepared = prepare(spark, config, feed, accept_gaps)
        if not prepared[0].offsets:
            say(f"{feed.name}: no topic matches {feed.topic_pattern} yet")
            return OK
        loading = start_loading(spark, config, feed, prepared, None, remark)
        while loading.query.isActive and not stopping.wait(0.2):
            _hand_on(loading, landed_batch)
        if stopping.is_set():
            stop_loading(loading)
            _hand_on(loading, landed_batch)
            return OK
        _hand_on(loading, landed_batch)
        if loading.query.exception() is None:
            return OK if loading.shown else None
        error = failure(spark, config, loading)
        if error is not None:
            raise error


def _hand_on(loading: Loading, landed_batch: Callable[[Batch], None]) -> None:
    for batch in new_batches(loading):
        landed_batch(batch)


@contextmanager
def stop_signals() -> Iterator[Event]:
    """Yield an event that Ctrl-C and SIGTERM set to let a batch end; a second one stops at once."""
    stopping = Event()

    def stop(*_: object) -> None:
        if stopping.is_set():
            raise KeyboardInterrupt
        stopping.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
