"""The cycles of `run --follow`, one after the other in one process and one Spark."""

import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from threading import Event
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

from ingestion.bronze import bronze_version, create_tables
from ingestion.config import Config, read_config, read_vars
from ingestion.cycle import Cycle
from ingestion.cycles import building, loading
from ingestion.cycles.ages import Newest, gold_tables, note_newest
from ingestion.cycles.building import Built
from ingestion.cycles.ending import end_cycle
from ingestion.cycles.loading import Loaders
from ingestion.cycles.project import Files, files_of_project
from ingestion.cycles.troubles import Sentences, Standing, keep
from ingestion.errors import OK, UNEXPECTED, UserError
from ingestion.feeds import feeds_in_doubt, landed_settings
from ingestion.load import stop_signals
from ingestion.locks import metastore_lock
from ingestion.progress import Batch, complain, say
from ingestion.session import session

if TYPE_CHECKING:
    from dbt.contracts.graph.manifest import Manifest


@dataclass(frozen=True)
class Options:
    """What the command line asks of the cycles."""

    # seconds from the beginning of one cycle to that of the next
    interval: float
    # seconds between two runs of the tests
    test_every: float
    accept_gaps: bool = False


@dataclass(frozen=True)
class Project:
    """The project as it was read last, and what of it could not be read."""

    config: Config
    files: Files | None = None
    manifest: "Manifest | None" = None
    # feeds that are not loaded, each with the reason
    doubts: Mapping[str, str] = field(default_factory=dict)
    # the feeds as dbt_project.yml had them when it could be read
    read: Mapping[str, Any] = field(default_factory=dict)
    # what dbt is told of the feeds, where that is not what dbt_project.yml says
    feeds: Mapping[str, Any] | None = None
    troubles: Sentences = field(default_factory=dict)


@dataclass(frozen=True)
class Progress:
    """How far the cycles have come."""

    newest: Newest = field(default_factory=Newest)
    standing: Standing = field(default_factory=dict)
    # bronze's version when dbt last began and came to its end, and what it could not do
    built_version: int = -1
    built: Built = field(default_factory=Built)
    tested: Built = field(default_factory=Built)
    tested_version: int = -1
    tested_at: float = field(default_factory=time.monotonic)


def follow(config: Config, options: Options) -> int:
    """Load and build what is new, cycle after cycle, until Ctrl-C or SIGTERM.

    Other feeds and models go on where one is in trouble; a UserError says why none can.
    """
    held: dict[str, ExitStack] = {}
    with ExitStack() as stack:
        inherited = [stack.enter_context(metastore_lock(config.lakehouse / "locks"))]
        for name in config.feeds:
            try:
                inherited.append(loading.hold(held, config, name))
            except UserError:
                # said by the first cycle, which tries again
                continue
        say("Starting Spark ...")
        spark = session(config.project_dir, hive=True, inherited=inherited)
        create_tables(spark, config.bronze)
        stopping = stack.enter_context(stop_signals())
        loaders = loading.loaders_of(spark, stopping, held)
        stack.callback(loading.close, loaders)
        run_cycles(spark, config, options, loaders, stopping)
    say("Stopped; the next run goes on where this one ended.")
    return OK


def run_cycles(
    spark: SparkSession, config: Config, options: Options, loaders: Loaders, stopping: Event
) -> None:
    """Run one cycle after the other until stopped; the one at work is ended."""
    project, progress, number = Project(config), Progress(), 0
    while not stopping.is_set():
        number += 1
        started = time.monotonic()
        project, progress, cycle = run_cycle(spark, project, progress, options, loaders, number)
        end_cycle(project.config, cycle)
        stopping.wait(max(0.0, options.interval - (time.monotonic() - started)))


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
    project, is_read_again = _read_again(spark, project)
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
    """Tell whether something has been built since the tests ran, and that long enough ago."""
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
        # its Java has gone
        stopped = True
    if stopped:
        raise UserError(
            "Spark has ended; its last words are in lakehouse/logs/spark.log and jvm.log: start "
            "the command again, with more LAKEHOUSE_DRIVER_MEMORY if memory was short.",
            UNEXPECTED,
        )


def _read_again(spark: SparkSession, project: Project) -> tuple[Project, bool]:
    """Return the project as its files are now, and whether it is another one than before.

    What cannot be read stays as it was read last, with a trouble that says so.
    """
    files = files_of_project(project.config.project_dir)
    same = files == project.files
    if same and not project.doubts:
        return project, False
    config, read, troubles = project.config, project.read, {}
    try:
        config = read_config(project.config.project_dir)
        read = read_vars(project.config.project_dir).get("feeds") or {}
    except UserError as error:
        troubles["project", "project"] = str(error)
    doubts = {name: str(error) for name, error in feeds_in_doubt(spark, config).items()}
    if same and doubts == project.doubts:
        return project, False
    # A feed whose settings have changed, or that is gone, is not loaded; what has landed of it
    # keeps its meaning, so that it keeps no other feed's tables back.
    landed = {name: landed_settings(spark, config.bronze, name) for name in doubts}
    feeds = {**read, **landed} if doubts or troubles else None
    manifest = project.manifest
    try:
        manifest = building.parse_project(config.project_dir, feeds)
    except UserError as error:
        troubles.setdefault(("project", "project"), str(error))
    return Project(config, files, manifest, doubts, read, feeds, troubles), True


def _sentences(project: Project, progress: Progress, loaders: Loaders) -> Sentences:
    """Return what is in the way now."""
    now = dict(project.troubles)
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
