"""TiCDC writes an UPDATE of a unique key as a DELETE and an INSERT of one commit, which may lie in two partitions."""

import json

import pytest

from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import canal_record

pytestmark = pytest.mark.long

COMMIT = 447349421563248641
TYPES = {"id": "bigint", "email": "varchar(40)"}
MODEL = """{{{{ cdc.current_state(
    feed='{name}', database='shop', table='customers', key=['id'],
    columns={{'id': 'bigint', 'email': 'string'}}
) }}}}
"""
# number of the commit, kind, row, partition, offset
FIRST = [
    (0, "INSERT", 1, "a", 0, 40),
    (1, "INSERT", 2, "b", 1, 3),
    (2, "INSERT", 3, "c", 1, 4),
]
THEN = [
    # the halves of an UPDATE, the delete in the lower partition and in the higher one
    (3, "DELETE", 1, "a", 0, 41),
    (3, "INSERT", 1, "z", 1, 5),
    (4, "INSERT", 3, "y", 0, 42),
    (4, "DELETE", 3, "c", 1, 6),
    (5, "DELETE", 2, "b", 1, 7),
]


def text(value):
    return json.dumps(value, separators=(",", ":"))


def framed(value):
    """A message of the open protocol: its length in eight bytes, here below 128, and its text."""
    return "\0" * 7 + chr(len(text(value))) + text(value)


def canal_json_ticdc(commit, kind, row):
    told = json.loads(canal_record("customers", 0, kind, row, 1, types=TYPES)["value"])
    return None, text(told | {"_tidb": {"commitTs": commit}})


def ticdc_simple(commit, kind, row):
    told = {"version": 1, "database": "shop", "table": "customers", "tableID": 1, "type": kind}
    told |= {"commitTs": commit, "buildTs": 1, "schemaVersion": 1}
    return None, text(told | {"old" if kind == "DELETE" else "data": row})


def ticdc_debezium(commit, kind, row):
    source = {"connector": "TiCDC", "db": "shop", "table": "customers", "commit_ts": commit}
    images = {"before": row, "after": None} if kind == "DELETE" else {"before": None, "after": row}
    told = {"op": "d" if kind == "DELETE" else "c", "source": source, "ts_ms": 1} | images
    return text({"payload": {"id": row["id"]}}), text({"payload": told})


def ticdc_open(commit, kind, row):
    columns = {
        "id": {"t": 3, "h": True, "f": 11, "v": int(row["id"])},
        "email": {"t": 15, "f": 64, "v": row["email"]},
    }
    key = {"ts": commit, "scm": "shop", "tbl": "customers", "t": 1}
    return "\0" * 7 + "\1" + framed(key), framed({"d" if kind == "DELETE" else "u": columns})


FORMATS = (canal_json_ticdc, ticdc_simple, ticdc_debezium, ticdc_open)
KEYED = ("ticdc_simple",)


def records(writer, changes):
    for number, kind, key, email, partition, offset in changes:
        told_key, value = writer(COMMIT + 1000 * number, kind, {"id": str(key), "email": email})
        yield {
            "topic": "customers",
            "partition": partition,
            "offset": offset,
            "timestamp": 1_760_000_000_000 + offset,
            "headers": [],
            "key": told_key,
            "value": value,
        }


@pytest.fixture(scope="module")
def commits(project):
    """Gold of the four formats, after the first changes and after all."""
    before, names = project.feeds, [writer.__name__ for writer in FORMATS]
    for name in names:
        keys = {"key_columns": {"shop.customers": ["id"]}} if name in KEYED else {}
        project.add_feed(f"split_{name}", format=name, files=f"in/{name}", **keys)
        project.write_model(f"split_{name}", MODEL.format(name=f"split_{name}"))
    found = []
    for load, changes in enumerate((FIRST, THEN)):
        for writer in FORMATS:
            feed = Feed(name=f"split_{writer.__name__}", format=writer.__name__)
            project.land(feed, load, list(records(writer, changes)))
        project.run("--select", "silver", *(f"split_{name}" for name in names))
        found.append({name: rows_of(project, name) for name in names})
    yield found
    project.set_feeds(before)
    for name in names:
        (project.root / "models" / "gold" / f"split_{name}.sql").unlink()


def rows_of(project, name):
    return {row.id: row.email for row in project.sql(f"select id, email from gold.split_{name}")}


@pytest.mark.parametrize("name", [writer.__name__ for writer in FORMATS])
def test_the_row_that_an_update_leaves_is_there_in_whichever_partitions_its_halves_are(
    commits, name
):
    assert [found[name] for found in commits] == [
        {1: "a", 2: "b", 3: "c"},
        {1: "z", 3: "y"},
    ]
