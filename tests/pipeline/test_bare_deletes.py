"""A record without a value has no schema block, but its key is written as those of rows are that have one."""

import json

import pytest

from ingestion.config.feeds import Feed

pytestmark = pytest.mark.long

FEED = Feed(name="bare_deletes", format="debezium_smt")
MODELS = {
    "by_day": """{{ cdc.current_state(
    feed='bare_deletes', table='by_day', key=['day'], columns={'day': 'date', 'v': 'string'}
) }}
""",
    "by_tag": """{{ cdc.current_state(
    feed='bare_deletes', table='by_tag', key=['tag'], columns={'tag': 'binary', 'v': 'string'}
) }}
""",
}
KEYS = {
    "by_day": ({"type": "int32", "name": "io.debezium.time.Date", "field": "day"}, 19723, 19724),
    "by_tag": ({"type": "bytes", "field": "tag"}, "AQI=", "AQM="),
}


def records():
    for table, (column, gone, kept) in KEYS.items():
        block = {"type": "struct", "fields": [column, {"type": "string", "field": "v"}]}
        told = [(gone, "a"), (kept, "b"), (gone, None)]
        for offset, (key, v) in enumerate(told):
            row = {column["field"]: key, "v": v, "__op": "c"}
            of_key = {column["field"]: key}
            yield {
                "topic": f"shop.{table}",
                "partition": 0,
                "offset": offset,
                "timestamp": offset,
                "headers": [],
                "key": json.dumps(
                    {"schema": {"type": "struct", "fields": [column]}, "payload": of_key}
                ),
                "value": v and json.dumps({"schema": block, "payload": row}),
            }


def test_it_removes_the_row(project):
    before = project.feeds
    project.add_feed(FEED.name, format=FEED.format, files="in/bare_deletes")
    for name, text in MODELS.items():
        project.write_model(name, text)
    project.land(FEED, 0, list(records()))
    project.run("--select", "silver", *MODELS)
    found = {
        name: [
            (row.v, row.key)
            for row in project.sql(f"select v, _change.row_key as key from gold.{name}")
        ]
        for name in MODELS
    }
    project.set_feeds(before)
    for name in MODELS:
        (project.root / "models" / "gold" / f"{name}.sql").unlink()
    assert [[v for v, _ in rows] for rows in found.values()] == [["b"]] * len(MODELS), found
