"""A feed's settings when its records landed; settings that change their meaning are refused."""

import hashlib
import json
import re
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from ingestion.bronze.tables import append_rows, landed_batches, read_table, small_table
from ingestion.config.feeds import Config, Feed, choose
from ingestion.config.settings import nearest
from ingestion.errors import CHANGED, UserError

RETIRED = "retired"


def record_feed(spark: SparkSession, bronze: str, feed: Feed) -> None:
    """Note these settings as those with which the feed's records have landed."""
    settings = settings_json(feed)
    append_rows(spark, bronze, "feeds", [(feed.name, settings, fingerprint(settings))])


def retire_feed(spark: SparkSession, bronze: str, name: str) -> None:
    """Note that the feed may be missing from the configuration; its records stay in bronze."""
    recorded = _recorded(spark, bronze)
    if name not in recorded and not _has_records(spark, bronze, name):
        raise UserError(
            f"There is no feed {name} in bronze{nearest(name, recorded)}: the feeds are "
            f"{', '.join(sorted(recorded)) or 'none'}."
        )
    settings = recorded.get(name, (None, ""))[0]
    append_rows(spark, bronze, "feeds", [(name, settings, RETIRED)])


def check_feeds(spark: SparkSession, config: Config, names: list[str]) -> None:
    """Refuse feeds whose meaning changed after records landed, and note the new ones.

    Without names all feeds are checked, also those that are missing from the configuration.
    """
    for error in feeds_in_doubt(spark, config, names).values():
        raise error


def feeds_in_doubt(
    spark: SparkSession, config: Config, names: list[str] | None = None
) -> dict[str, UserError]:
    """Return why these feeds must not be loaded, by name, and note the settings of the new ones.

    Without names all feeds are checked, also those that are missing from the configuration.
    """
    recorded = _recorded(spark, config.bronze)
    doubts: dict[str, UserError] = {}
    for name, (_, mark) in recorded.items():
        gone = not names and name not in config.feeds and mark != RETIRED
        if gone and _has_records(spark, config.bronze, name):
            doubts[name] = UserError(
                f"Feed {name} has records in bronze but is missing from dbt_project.yml: put it "
                f"back, or run `python -m ingestion retire {name}`.",
                CHANGED,
            )
    for feed in choose(config, names or []):
        settings = settings_json(feed)
        landed = recorded.get(feed.name)
        if landed is not None and landed[1] == fingerprint(settings):
            continue
        changed = landed is not None and landed[0] != settings
        if changed and _has_landed(spark, config.bronze, feed.name):
            before = json.loads(landed[0] or "{}")
            doubts[feed.name] = UserError(_changed(feed.name, before, settings), CHANGED)
        else:
            record_feed(spark, config.bronze, feed)
    return doubts


def landed_settings(spark: SparkSession, bronze: str, name: str) -> dict[str, Any]:
    """Return the settings that the feed's records have landed with, as dbt reads them."""
    settings = json.loads(_recorded(spark, bronze)[name][0] or "{}")
    return {key: value for key, value in settings.items() if key not in ("input", "lines")}


def settings_json(feed: Feed) -> str:
    """Return what decides the meaning of the feed's records; it holds no secrets."""
    own = {"format": feed.format, "input": feed.input_kind}
    if feed.files:
        own["lines"] = feed.lines
    return json.dumps(own | feed.meaning, sort_keys=True, default=str)


def fingerprint(settings: str) -> str:
    """Return a hash that differs where settings differ."""
    return hashlib.sha256(settings.encode("utf-8")).hexdigest()


def _recorded(spark: SparkSession, bronze: str) -> dict[str, tuple[str | None, str]]:
    latest = sorted(small_table(spark, bronze, "feeds"), key=lambda row: row.recorded_at)
    return {row.feed: (row.settings, row.fingerprint) for row in latest}


def _has_landed(spark: SparkSession, bronze: str, name: str) -> bool:
    """Return whether records have ever landed: those that were trimmed may be in silver still."""
    loads = landed_batches(spark, bronze).keySet().mkString("\n")
    landed = re.search(f"^(files|kafka)/{re.escape(name)}/", loads, re.MULTILINE)
    return landed is not None or _has_records(spark, bronze, name)


def _has_records(spark: SparkSession, bronze: str, name: str) -> bool:
    return not read_table(spark, bronze, "messages").where(F.col("feed") == name).isEmpty()


def _changed(name: str, before: dict[str, object], settings: str) -> str:
    now = json.loads(settings)
    keys = sorted(key for key in before | now if before.get(key) != now.get(key))
    changes = " and ".join(
        f"{key} was {_shown(before.get(key))} when its records landed and is "
        f"{_shown(now.get(key))} now"
        for key in keys
    )
    if {"input", "lines"} & set(keys):
        return f"Feed {name}: {changes}. Bronze keeps what landed: {under_a_new_name(name)}."
    return (
        f"Feed {name}: {changes}. Silver and gold of this feed must be rebuilt: "
        f"run `python -m ingestion rebuild {name}`."
    )


def under_a_new_name(name: str) -> str:
    """Return the way on for a feed that cannot, as the end of a sentence."""
    return (
        "give the feed a new name in dbt_project.yml and in its gold models, under which "
        f"everything is read from its beginning, and run `python -m ingestion retire {name}`"
    )


def _shown(value: object) -> str:
    if value is None:
        return "not set"
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
