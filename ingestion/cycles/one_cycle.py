"""One cycle: what is new of all feeds is loaded, and built and tested."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

from pyspark.sql import SparkSession

from ingestion.bronze.tables import bronze_version
from ingestion.config.feeds import Config
from ingestion.cycles import building, loading
from ingestion.cycles.ages import Newest, gold_tables, note_newest
from ingestion.cycles.building import Built
from ingestion.cycles.loading import Loaders
from ingestion.cycles.project import Project, read_again
from ingestion.cycles.troubles import Sentences, Standing, keep
from ingestion.errors import UNEXPECTED, UserError
from ingestion.progress import Batch, complain
from ingestion.report.cycle import Cycle

NO_FEEDS = "No feed is configured: add one under vars.feeds of dbt_project.yml (docs/feeds.md)."


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    # seconds from the beginning of one cycle to that of the next
    interval: float
    # seconds between two runs of the tests
    test_every: float
    accept_gaps: bool = False
    # cycles between two spot checks against the sources; 0: none
    spot_check_every: int = 0
    # where the metrics go: a file for the node exporter, a port to scrape
    metrics_file: Path | None = None
    metrics_port: int | None = None


@dataclass(frozen=True)
class Progress:
    """How far the cycles have come."""

    newest: Newest = field(default_factory=Newest)
    standing: Standing = field(default_factory=dict)
    # bronze's version at the last run of dbt, and the result of that run
    built_version: int = -1
    built: Built = field(default_factory=Built)
    tested: Built = field(default_factory=Built)
    tested_version: int = -1
    tested_at: float = field(default_factory=time.monotonic)


def run_cycle(
    spark: SparkSession,
    project: Project,
    progress: Progress,
    options: Options,
    loaders: Loaders,
    number: int,
) -> tuple[Project, Progress, Cycle]:
    """Load what is new, and build and test what follows from it."""
    started_at, started = datetime.now(UTC), time.monotonic()
    _require_spark(spark)
    project, is_read_again = read_again(spark, project)
    config = project.config
    feeds = [feed for feed in config.feeds.values() if feed.name not in project.doubts]
    batches = loading.load_side_by_side(
        loaders, config, feeds, options.accept_gaps, max(options.interval, 5.0)
    )
    version = bronze_version(spark, config.bronze)
    is_due = is_read_again or version != progress.built_version or not progress.built.is_whole
    is_built = is_due and project.manifest is not None and bool(config.feeds)
    changed: tuple[str, ...] = ()
    if is_built:
        built = building.run_models(config.project_dir, project.manifest, project.feeds)
        changed = built.changed
        progress = replace(progress, built=built, built_version=version)
        tables = gold_tables(project.manifest)
        note_newest(spark, progress.newest, tables, built, version)
    tests: Mapping[str, int] = {}
    if _are_tests_due(progress, project, options, loaders.stopping):
        tested = building.run_tests(config.project_dir, project.manifest, project.feeds)
        tests = tested.tests
        for name, sentence in tested.found.items():
            complain(f"Test {name} {sentence}")
        progress = replace(
            progress,
            tested=tested,
            tested_version=progress.built_version,
            tested_at=time.monotonic(),
        )
    keep(progress.standing, _sentences(project, progress, loaders), started_at)
    cycle = Cycle(
        number=number,
        started_at=started_at,
        seconds=time.monotonic() - started,
        records=_by_feed(config, batches, "records"),
        bytes=_by_feed(config, batches, "bytes"),
        lag={name: dict(lag) for name, lag in list(loaders.lag.items())},
        tables_changed=changed,
        newest_changes=dict(progress.newest.in_gold),
        is_built=is_built,
        tests=tests,
        troubles=tuple(progress.standing.values()),
    )
    return project, progress, cycle


def _are_tests_due(progress: Progress, project: Project, options: Options, stopping: Event) -> bool:
    """Return whether something was built after the tests ran, and they ran long enough ago."""
    return (
        project.manifest is not None
        and progress.built_version > progress.tested_version
        and time.monotonic() - progress.tested_at >= options.test_every
        and not stopping.is_set()
    )


def _require_spark(spark: SparkSession) -> None:
    try:
        stopped = spark.sparkContext._jsc.sc().isStopped()
    except Exception:
        # its JVM has ended
        stopped = True
    if stopped:
        raise UserError(
            "Spark has ended; its last words are in lakehouse/logs/spark.log and jvm.log: start "
            "the command again, with more LAKEHOUSE_DRIVER_MEMORY if memory was short.",
            UNEXPECTED,
        )


def _sentences(project: Project, progress: Progress, loaders: Loaders) -> Sentences:
    """Return the troubles of now: a sentence for each."""
    now = dict(project.troubles)
    if not project.config.feeds:
        now.setdefault(("project", "project"), NO_FEEDS)
    for sentences in (project.doubts, loaders.failing, loaders.remarks):
        for name, sentence in list(sentences.items()):
            now.setdefault(("feed", name), sentence)
    for name, sentence in progress.built.failed.items():
        now["model", name] = f"Model {name} failed: {sentence}"
    stopped = progress.built.stopped or progress.tested.stopped
    if stopped is not None:
        now["dbt", "dbt"] = stopped
    return now


def _by_feed(config: Config, batches: list[Batch], what: str) -> dict[str, int]:
    counts = dict.fromkeys(config.feeds, 0)
    for batch in batches:
        counts[batch.feed] = counts.get(batch.feed, 0) + getattr(batch, what)
    return counts
