"""What is done with each cycle when it has ended."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from ingestion.config.feeds import Config
from ingestion.cycles.troubles import called
from ingestion.errors import log_trace
from ingestion.gold_models.new_models import Owner, models_for_new_tables
from ingestion.progress import complain, say
from ingestion.report.cycle import Cycle
from ingestion.report.metrics_server import MetricsServer
from ingestion.report.publishing import publish_cycle

Listeners = tuple[Callable[[Config, Cycle], None], ...]

# Tables that this process has examined, whether they got a model or not.
SEEN: set[Owner] = set()


def show_line(_: Config, cycle: Cycle) -> None:
    """Print the line of the cycle."""
    say(line_of(cycle, datetime.now(UTC)))


def write_models(config: Config, cycle: Cycle) -> None:
    """Write the models of new tables of feeds with `tables: auto`; the next cycle builds them."""
    if cycle.is_built:
        models_for_new_tables(config, SEEN)


def listeners_of(
    metrics_file: Path | None,
    server: MetricsServer | None,
    check_some_rows: Callable[[Config, Cycle], None],
) -> Listeners:
    """Return what is called with every cycle, in this order.

    What is published includes the findings of the check. Models come last: the next cycle finds
    the changed files.
    """

    def publish(config: Config, cycle: Cycle) -> None:
        publish_cycle(config, cycle, metrics_file, server)

    return show_line, check_some_rows, publish, write_models


def end_cycle(config: Config, cycle: Cycle, listeners: Listeners) -> None:
    """Call every listener; one that fails is reported, and stops neither the others nor the run."""
    for listener in listeners:
        try:
            listener(config, cycle)
        except Exception as error:
            log = log_trace(config.project_dir, error)
            complain(f"{listener.__name__} of cycle {cycle.number} failed: {error} (see {log}).")


def line_of(cycle: Cycle, now: datetime) -> str:
    """Return what the cycle did, in one line."""
    parts = [
        f"{_counted(sum(cycle.records.values()), 'record')}",
        f"{_counted(len(cycle.tables_changed), 'table')} changed",
        f"{cycle.seconds:.1f} s",
    ]
    if cycle.newest_changes:
        parts.append(f"newest change {_duration(min(cycle.ages(now).values()))} old")
    if cycle.tests:
        counts = ", ".join(f"{count} {word}" for word, count in sorted(cycle.tests.items()))
        parts.append(f"tests: {counts}")
    if cycle.troubles:
        names = ", ".join(called(trouble.kind, trouble.name) for trouble in cycle.troubles)
        parts.append(f"in trouble: {names}")
    return f"{cycle.started_at:%Y-%m-%d %H:%M:%S}  {', '.join(parts)}"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _duration(seconds: float) -> str:
    """Return an age in its two largest units."""
    whole = round(seconds)
    if abs(whole) < 120:
        return f"{whole} s"
    minutes, seconds_left = divmod(whole, 60)
    if minutes < 120:
        return f"{minutes} min {seconds_left} s"
    hours, minutes_left = divmod(minutes, 60)
    return f"{hours} h {minutes_left} min" if hours < 48 else f"{hours // 24} d {hours % 24} h"
