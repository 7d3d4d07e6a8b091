"""Two halves of one update are one change: in gold, and one version in the history, whichever half comes first."""

import json
from datetime import UTC, datetime

import pytest

from ingestion.config.feeds import Feed
from tests.pipeline.conftest import ROOT

pytestmark = pytest.mark.long

MODEL = """{{{{ {macro}(
    feed='halved', database='shop', table='orders', key=['id'], columns={{'id': 'int', 'val': 'double'}}
) }}}}
"""
MESSAGES = ROOT / "tests" / "formats" / "streamx" / "messages.jsonl"
# rows of shop.orders: 109 and 110 are halves of one update, 111 and 112 those of a key that changes
LATE = (109, 112, 113)
LOADS = ((100, 101, 107, 108, 110, 111), LATE)


def at(seconds):
    return datetime.fromtimestamp(1731662000 + seconds, UTC)


def test_halves_are_one_version(project):
    before = project.feeds
    feed = Feed(name="halved", format="streamx")
    project.add_feed(feed.name, format=feed.format, files="in/halved")
    project.write_model("halved", MODEL.format(macro="current_state"))
    project.write_model("halved_history", MODEL.format(macro="history"))
    told = [json.loads(line) for line in MESSAGES.read_text().rstrip("\n").split("\n")]
    for load, offsets in enumerate(LOADS):
        records = [one for one in told if "streamx" in one["topic"] and one["offset"] in offsets]
        project.land(feed, load, records)
        project.run("--select", "silver", "halved")
    project.run("--select", "halved_history")
    gold = {row.id: row.val for row in project.sql("select * from gold.halved")}
    versions = project.sql("select * from gold.halved_history order by _change.sequence")
    project.set_feeds(before)
    for name in ("halved", "halved_history"):
        (project.root / "models" / "gold" / f"{name}.sql").unlink()
    assert gold == {3: 3.25, 7: 2.5}
    found = {}
    for row in versions:
        times = (row.valid_from, row.valid_to)
        told_times = [time and time.astimezone(UTC) for time in times]
        found.setdefault(row.id, []).append((row.val, *told_times, row.is_current))
    assert found == {
        # a full load tells no time
        1: [
            (1.1, None, at(97), False),
            (2.2, at(97), at(98), False),
            (2.3, at(98), at(100), False),
        ],
        2: [(2.5, None, at(99), False)],
        3: [(3.25, at(85), None, True)],
        7: [(2.5, at(99), None, True)],
    }
