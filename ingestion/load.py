"""`python -m ingestion load`: lands what is new in the feeds."""

import argparse
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Event

from pyspark.sql import SparkSession

from ingestion.bronze import create_tables
from ingestion.config import Config, Feed, choose, read_config
from ingestion.errors import OK, UserError
from ingestion.feeds import check_feeds
from ingestion.files import load_files
from ingestion.follow import follow
from ingestion.kafka import failure, show_progress, start_loading, stop_loading
from ingestion.locks import feed_lock
from ingestion.offsets import prepare
from ingestion.progress import complain, say
from ingestion.secrets import resolve
from ingestion.session import session


def add_parser(
    subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    """Describe the command line of `load`."""
    parser = subparsers.add_parser("load", parents=[common], help="land what is new in bronze")
    parser.add_argument("feeds", nargs="*", metavar="FEED", help="only these feeds (default: all)")
    parser.add_argument("--follow", action="store_true", help="go on until stopped")
    parser.add_argument(
        "--interval", type=_seconds, default=10.0, metavar="SECONDS", help="with --follow (10)"
    )
    parser.add_argument(
        "--accept-gaps", action="store_true", help="go on after records lost at the source"
    )
    parser.set_defaults(main=main)


def _seconds(text: str) -> float:
    seconds = float(text)
    if seconds <= 0:
        raise argparse.ArgumentTypeError("SECONDS must be above 0")
    return seconds


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
    """Load what there is now, feed after feed; one feed's trouble does not keep the others back."""
    first = OK
    for feed in feeds:
        if stopping.is_set():
            break
        try:
            if feed.files:
                code = load_files(spark, config, feed)
                if code is None:
                    say(f"{feed.name}: no new files")
            else:
                code = _load_topics(spark, config, feed, accept_gaps, stopping)
        except UserError as error:
            complain(str(error))
            code = error.exit_code
        first = first or code or OK
    return first


def _load_topics(
    spark: SparkSession, config: Config, feed: Feed, accept_gaps: bool, stopping: Event
) -> int:
    while True:
        prepared = prepare(spark, config, feed, accept_gaps)
        if not prepared[0].offsets:
            say(f"{feed.name}: no topic matches {feed.topic_pattern} yet")
            return OK
        loading = start_loading(spark, config, feed, prepared, interval=None)
        while loading.query.isActive and not stopping.wait(0.2):
            show_progress(loading)
        if stopping.is_set():
            stop_loading(loading)
            return OK
        show_progress(loading)
        if loading.query.exception() is None:
            if not loading.shown:
                say(f"{feed.name}: nothing new")
            return OK
        error = failure(spark, config, loading)
        if error is not None:
            raise error


@contextmanager
def stop_signals() -> Iterator[Event]:
    """Yield an event that Ctrl-C and SIGTERM set, so that a batch can end; the second is hard."""
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
