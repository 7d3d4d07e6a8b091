"""What a run publishes: the page, the metrics, the messages, its record."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from deltalake import DeltaTable

from ingestion.bronze.tables import table_path
from ingestion.config.feeds import Config, Offsets
from ingestion.errors import OK, UserError
from ingestion.kafka.lag import note_ends, read_up_to
from ingestion.local_files import now, replace_file
from ingestion.progress import complain
from ingestion.report.cycle import Cycle
from ingestion.report.facts import Facts, Run
from ingestion.report.gathering import gather
from ingestion.report.gold import size_of
from ingestion.report.metrics import metrics
from ingestion.report.metrics_server import MetricsServer
from ingestion.report.page import page
from ingestion.report.runs import record_path, record_run
from ingestion.report.webhook import send_findings

PUBLISHED_EVERY = 60.0


def publish(config: Config, facts: Facts, metrics_file: Path | None = None) -> None:
    """Write lakehouse/report.html, and the metrics if asked for; send findings that are new.

    The tables are right without them: a failure is shown, and fails no run.
    """
    _try("The page", lambda: replace_file(page_path(config), page(facts).encode()))
    if metrics_file:
        _try("The metrics", lambda: replace_file(metrics_file, metrics(facts).encode()))
    _try("The webhook", lambda: send_findings(config, facts.findings))


def page_path(config: Config) -> Path:
    """Return where runs write the page."""
    return config.lakehouse / "report.html"


def publish_cycle(
    config: Config,
    cycle: Cycle,
    metrics_file: Path | None = None,
    server: MetricsServer | None = None,
) -> None:
    """Record a cycle of `run --follow`; publish what is new once a minute, and after each test run.

    Gathering the facts reads silver's history: more often, it would be most of a cycle's work.
    Where nothing happens, only metrics change, as they contain ages.
    """
    for feed, topics in cycle.lag.items():
        note_ends(config, feed, _ends(read_up_to(config, feed), topics))
    landed = sum(cycle.records.values())
    if landed or cycle.is_built:
        failed = "; ".join(trouble.sentence for trouble in cycle.troubles) or None
        record_run(config, Run("run --follow", cycle.started_at, cycle.seconds, landed, failed))
    serves_none = server is not None and not server.text
    shows_ages = server is not None or metrics_file is not None
    if cycle.tests or serves_none or _is_due(config, shows_ages):
        try:
            facts = gather(config)
        except UserError:
            # nothing was loaded yet
            return
        publish(config, facts, metrics_file)
        if server:
            server.text = metrics(facts)


def _is_due(config: Config, shows_ages: bool) -> bool:
    shown, happened = _written_at(page_path(config)), _written_at(record_path(config))
    return time.time() - shown > PUBLISHED_EVERY and (shows_ages or happened > shown)


def _written_at(path: Path) -> float:
    return path.stat().st_mtime if path.exists() else 0.0


def _ends(read: Offsets, lag: Mapping[str, Mapping[int, int]]) -> Offsets:
    return {
        topic: {
            partition: read.get(topic, {}).get(partition, 0) + unread
            for partition, unread in partitions.items()
        }
        for topic, partitions in lag.items()
    }


@contextmanager
def recorded(config: Config, command: str) -> Iterator[list[int]]:
    """Add the run of the block to the record of runs; the block adds its exit code to the list.

    A run whose record cannot be written has not failed.
    """
    started, clock, before = now(), time.monotonic(), _bronze_rows(config)
    codes: list[int] = []
    failed: str | None = None
    try:
        yield codes
        failed = f"exit code {codes[0]}" if codes[0] != OK else None
    except BaseException as error:
        failed = str(error) or type(error).__name__
        raise
    finally:
        run = Run(command, started, time.monotonic() - clock, _landed(config, before), failed)
        _try("The record of runs", lambda: record_run(config, run))


def _bronze_rows(config: Config) -> int | None:
    """Return how many records bronze has by its log; None where that cannot be read."""
    messages = table_path(config.bronze, "messages")
    if "://" in messages:
        return None
    try:
        return size_of(DeltaTable(messages))[0] if DeltaTable.is_deltatable(messages) else 0
    except Exception:
        # the run itself reports what is wrong with bronze
        return None


def _landed(config: Config, before: int | None) -> int | None:
    after = _bronze_rows(config)
    return None if before is None or after is None else max(0, after - before)


def _try(what: str, act: Callable[[], None]) -> None:
    try:
        act()
    except Exception as error:
        complain(f"{what} failed: {type(error).__name__}: {error}")
