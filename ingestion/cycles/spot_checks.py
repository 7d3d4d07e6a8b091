"""Spot checks of `run --follow`: every so many cycles some rows are compared with the source.

A row that differs may be on its way. It is a finding once gold is complete up to a time after the
moment at which it first differed, and source and gold have kept their rows since.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from pyspark.sql import SparkSession

from ingestion.config.feeds import Config, Feed
from ingestion.cycles.explaining import explained
from ingestion.cycles.spot_findings import Found, open_keys, record
from ingestion.errors import UserError, log_trace
from ingestion.gold_models.declared import declared_models
from ingestion.gold_models.models import Model
from ingestion.progress import complain
from ingestion.reconcile.both_sides import Comparison, Key
from ingestion.reconcile.comparisons import comparison_of
from ingestion.reconcile.completeness import complete_up_to
from ingestion.reconcile.differences import lines_of_row
from ingestion.reconcile.sources import source_of
from ingestion.reconcile.spot_check import MOST, Look, Pair, look_at_some
from ingestion.report.cycle import Cycle

# Seconds that a cycle has for spot checks: no table is begun later.
SECONDS = 1.0
# At most this many rows of a table are explained per check: dbt takes a second for each.
EXPLAINED = 3
# project, gold table and key (in the model's order) -> what explain_row reports of the row
Explain = Callable[[Path, str, Key], str | None]


@dataclass(frozen=True)
class Suspect:
    """A row that differed: what both sides had then, and when that was, by the source's clock."""

    at_source: str | None
    in_gold: tuple[str, int, int] | None
    since: datetime

    def is_as(self, pair: Pair) -> bool:
        """Return whether both sides have now what they had then."""
        return self.at_source == pair.at_source and self.in_gold == pair.in_gold


@dataclass
class Checked:
    """A table: as what it is checked, and what its checks have found."""

    model: Model
    feed: Feed
    compared: Comparison
    # keys with an open finding
    reported: set[Key]
    # its differing rows
    suspects: dict[Key, Suspect] = field(default_factory=dict)


@dataclass
class SpotChecks:
    """What is kept from one check to the next."""

    spark: SparkSession
    explain: Explain = lambda *_: None
    tables: dict[str, Checked] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)
    # the tables that were checked last come after the others
    order: list[str] = field(default_factory=list)


def spot_checks(spark: SparkSession, every: int) -> Callable[[Config, Cycle], None]:
    """Return what is called with each cycle; after every `every` cycles it checks some rows."""
    checks = SpotChecks(spark, explained)

    def check_some_rows(config: Config, cycle: Cycle) -> None:
        has_source = any(feed.source for feed in config.feeds.values())
        if every and cycle.number % every == 0 and has_source:
            check(checks, config)

    return check_some_rows


def check(checks: SpotChecks, config: Config) -> None:
    """Check tables of feeds with a declared source in turn, as many as there is time for."""
    models = {
        model.name: model
        for model in declared_models(config.project_dir)
        if model.key
        and model.feed in config.feeds
        and config.feeds[model.feed].source
        and not any(isinstance(part, dict) for part in model.place)
        and (config.tables_of("gold") / model.table / "_delta_log").exists()
    }
    waiting = [name for name in checks.order if name in models]
    checks.order = waiting + [name for name in models if name not in waiting]
    began = time.monotonic()
    for name in list(checks.order):
        if time.monotonic() - began >= SECONDS:
            return
        checks.order.remove(name)
        checks.order.append(name)
        try:
            _check_table(checks, config, models[name])
        except Exception as error:
            # another table may be as it should
            checks.tables.pop(name, None)
            _say_once(checks, config, name, error)


def _say_once(checks: SpotChecks, config: Config, name: str, error: Exception) -> None:
    is_known = isinstance(error, UserError)
    # the text of an unexpected error has numbers that are others each time
    what = str(error) if is_known else f"unexpected {type(error).__name__}"
    sentence = f"Spot check of {name}: {what}"
    if sentence in checks.shown:
        return
    checks.shown.add(sentence)
    if not is_known:
        first = (str(error).strip().splitlines() or [""])[0]
        sentence += f": {first[:300]} (see {log_trace(config.project_dir, error)})."
    complain(sentence)


def _as_it_is_now(checks: SpotChecks, config: Config, model: Model) -> Checked:
    """Return what is known of a table; nothing where its model or its feed has changed since."""
    known, feed = checks.tables.get(model.name), config.feeds[model.feed]
    if known is None or (known.model, known.feed) != (model, feed):
        compared = comparison_of(checks.spark, config, model, source_of(feed))
        # findings of an earlier process, or of the model as it was
        found = open_keys(config, model.name)
        of_another_key = [key for key in found if len(key) != len(model.key)]
        if of_another_key:
            record(checks.spark, config, [], model.name, of_another_key)
        reported = {_in_order(compared, model, key) for key in found if key not in of_another_key}
        known = checks.tables[model.name] = Checked(model, feed, compared, reported)
    return known


def _check_table(checks: SpotChecks, config: Config, model: Model) -> None:
    known, name = _as_it_is_now(checks, config, model), model.name
    feed, compared, suspects, reported = known.feed, known.compared, known.suspects, known.reported
    again = list(dict.fromkeys([*suspects, *reported]))[:MOST]
    silver = config.tables_of("silver") / f"{feed.format}_changes"
    look = look_at_some(compared, model, silver, again)
    proven = _proven(suspects, look)
    if proven:
        complete = complete_up_to(checks.spark, config, feed, model)
        proven = [key for key in proven if complete is not None and complete > suspects[key].since]
    found = [_found(compared, model, key, look.pairs[key]) for key in proven]
    new = [number for number, key in enumerate(proven) if key not in reported]
    for number in new[:EXPLAINED]:
        words = checks.explain(config.project_dir, name, found[number].key)
        found[number] = found[number]._replace(explanation=words)
    for number in new:
        sentence = "; ".join(filter(None, (found[number].finding, found[number].explanation)))
        complain(f"Spot check: {name} {sentence}")
    equal = [key for key in reported if key in look.pairs and not look.pairs[key].differs]
    if found or equal:
        resolved = [_as_declared(compared, model, key) for key in equal]
        record(checks.spark, config, found, name, resolved)
    known.reported = (reported | set(proven)) - set(equal)


def _proven(suspects: dict[Key, Suspect], look: Look) -> list[Key]:
    """Return the keys that differ as they did before, and update the suspects from this look.

    Where gold shows another change than before, the source may have had it in the meantime.
    """
    proven = []
    for key, pair in look.pairs.items():
        before = suspects.get(key)
        if not pair.differs:
            suspects.pop(key, None)
        elif before is not None and before.is_as(pair):
            proven.append(key)
        elif before is not None or len(suspects) < MOST:
            suspects[key] = Suspect(pair.at_source, pair.in_gold, look.at)
    return proven


def _found(compared: Comparison, model: Model, key: Key, pair: Pair) -> Found:
    sentence = "; ".join(lines_of_row(compared, key, pair.source, pair.gold))
    topic, partition, offset, _ = pair.gold.change if pair.gold else (None, None, None, None)
    declared = _as_declared(compared, model, key)
    return Found(model.name, model.feed, topic, partition, offset, declared, sentence)


def _as_declared(compared: Comparison, model: Model, key: Key) -> Key:
    """Return the key in the order that the model declares, as gold and explain_row have it."""
    names = [column.source_name for column in compared.key]
    return tuple(key[names.index(name)] for name in model.key)


def _in_order(compared: Comparison, model: Model, key: Key) -> Key:
    """Return the model's key in the order of the source's index."""
    return tuple(key[model.key.index(column.source_name)] for column in compared.key)
