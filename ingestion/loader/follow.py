"""`load --follow`: all feeds in one process, until it is stopped."""

import time
from threading import Event

from pyspark.sql import SparkSession

from ingestion.config.feeds import Config, Feed
from ingestion.errors import OK, SOURCE, UserError
from ingestion.files.loading import load_files
from ingestion.kafka.loading import Loading, failure, show_progress, start_loading, stop_loading
from ingestion.kafka.offsets import prepare
from ingestion.progress import complain, say


def follow(
    spark: SparkSession,
    config: Config,
    feeds: list[Feed],
    accept_gaps: bool,
    interval: float,
    stopping: Event,
) -> int:
    """Load what comes until stopped; a feed that fails ends, the others go on.

    Once a feed has started, brokers that do not answer are no failure: they are asked again.
    """
    running: dict[str, Loading] = {}
    due = {feed.name: 0.0 for feed in feeds}
    waiting: set[str] = set()
    started: set[str] = set()
    first = OK

    def step(feed: Feed) -> None:
        if feed.files:
            load_files(spark, config, feed)
            due[feed.name] = time.monotonic() + interval
        elif feed.name in running:
            _watch(spark, config, running, feed)
        else:
            prepared = prepare(spark, config, feed, accept_gaps)
            running[feed.name] = start_loading(spark, config, feed, prepared, interval)
            started.add(feed.name)
            if feed.name in waiting:
                waiting.discard(feed.name)
                say(f"{feed.name}: the brokers answer again")

    left = list(feeds)
    while left and not stopping.wait(0.3):
        for feed in [feed for feed in left if due[feed.name] <= time.monotonic()]:
            try:
                step(feed)
            except UserError as error:
                running.pop(feed.name, None)
                if error.exit_code == SOURCE and feed.name in started:
                    due[feed.name] = time.monotonic() + interval
                    if feed.name not in waiting:
                        complain(f"{error} Trying again every {interval:g} seconds.")
                    waiting.add(feed.name)
                    continue
                complain(str(error))
                first = first or error.exit_code
                left.remove(feed)
    for loading in running.values():
        stop_loading(loading)
        show_progress(loading)
    return first


def _watch(spark: SparkSession, config: Config, running: dict[str, Loading], feed: Feed) -> None:
    loading = running[feed.name]
    show_progress(loading)
    if loading.query.isActive:
        return
    del running[feed.name]
    error = failure(spark, config, loading)
    if error is not None:
        raise error
