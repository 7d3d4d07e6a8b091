"""What comes again from Debezium's MongoDB connector behind the stream, where no position tells a full load: what leaves gold by it."""

import json

import pytest

from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import shown

pytestmark = pytest.mark.long

FEED = Feed(name="documents", format="debezium_json")
MODEL = """{{ cdc.current_state(
    feed='documents', database='shop', table={'pattern': '[a-z_]+'}, key=['shard', 'id'],
    columns={
        'shard': {'type': 'string', 'source': '@table'}, 'id': {'type': 'int', 'source': '_id'}, 'value': 'string'
    }
) }}
"""
# before 3.4 a change has a position, from then on none
VERSIONS = {"old": "2.5.4.Final", "new": "3.4.0.Final"}
# operation, key, value, second, mark of a full load; the second in Kafka where it is another one
FIRST = [
    ("r", 1, "loaded", 10, "true"),
    ("r", 2, "loaded", 10, "true"),
    ("r", 3, "loaded", 10, "true"),
    ("u", 2, "streamed", 20, "false"),
    ("c", 4, "streamed", 30, "false"),
]
STREAMED = {1: "loaded", 2: "streamed", 3: "loaded", 4: "streamed"}
# what comes in a second load, behind these, and gold then
CASES = {
    "incremental_snapshot": (
        [
            ("r", 1, "read again", 30, "incremental"),
            ("u", 3, "streamed", 40, "false"),
            ("r", 4, "read again", 40, "incremental"),
        ],
        {1: "read again", 2: "streamed", 3: "streamed", 4: "read again"},
    ),
    "incremental_row": (
        [("r", 1, "read again", 30, "incremental"), ("u", 1, "streamed", 60, "false")],
        STREAMED | {1: "streamed"},
    ),
    "full_load": (
        [
            ("r", 1, "loaded again", 50, "true"),
            ("r", 4, "loaded again", 50, "true"),
            ("u", 4, "streamed", 60, "false"),
        ],
        {1: "loaded again", 4: "streamed"},
    ),
    # as other connectors mark its ends; that of MongoDB marks all rows alike
    "full_load_with_ends": (
        [
            ("r", 1, "loaded again", 50, "first"),
            ("r", 4, "loaded again", 50, "last"),
            ("u", 4, "streamed", 60, "false"),
        ],
        {1: "loaded again", 4: "streamed"},
    ),
    # keys from 3 on have a partition of their own
    "full_load_of_one_partition": (
        [("r", 1, "loaded again", 50, "true"), ("u", 1, "streamed", 60, "false")],
        {1: "streamed", 3: "loaded", 4: "streamed"},
    ),
    "full_load_of_one_row": (
        [("r", 1, "loaded again", 50, "true"), ("u", 1, "streamed", 60, "false")],
        {1: "streamed"},
    ),
    "row_sent_again": (
        [FIRST[2], ("u", 3, "streamed", 60, "false")],
        STREAMED | {3: "streamed"},
    ),
    "full_load_behind_a_row_sent_again": (
        [FIRST[2], ("r", 1, "loaded again", 50, "true"), ("u", 1, "streamed", 60, "false")],
        {1: "streamed", 3: "loaded"},
    ),
    "row_sent_again_with_the_brokers_time": (
        [(*FIRST[2], 50), ("u", 3, "streamed", 60, "false")],
        {3: "streamed"},
    ),
}
NOT_BROUGHT = "a full load that began again did not bring this row, and perhaps others: was it of the whole table?"
INCREMENTAL = [case for case in CASES if case.startswith("incremental")]
FULL = [case for case in CASES if case.startswith("full_load")]


def document(case, version, offset, told):
    """A record of MongoDB's connector."""
    operation, key, value, second, mark, *in_kafka = told
    source = {"version": VERSIONS[version], "connector": "mongodb", "db": "shop", "snapshot": mark}
    source |= {"collection": f"{case}_{version}", "ts_ms": second * 1000, "ord": 1}
    message = {"before": None, "after": json.dumps({"_id": key, "value": value}), "op": operation}
    return {
        "topic": f"shop.{case}_{version}",
        "partition": 1 if case == "full_load_of_one_partition" and key > 2 else 0,
        "offset": offset,
        "timestamp": (in_kafka or [second])[0] * 1000,
        "headers": [],
        "key": json.dumps({"id": str(key)}),
        "value": json.dumps(message | {"source": source, "ts_ms": second * 1000 + 1}),
    }


@pytest.fixture(scope="module")
def built(project):
    """Gold behind each of the two loads, and what order_is_decided says of each table then."""
    before, rows = project.feeds, []
    project.add_feed(FEED.name, format=FEED.format, files="in/documents")
    project.write_model("documents", MODEL)
    for load in (0, 1):
        records = [
            document(case, version, offset, told)
            for case, (again, _) in CASES.items()
            for version in VERSIONS
            for offset, told in enumerate([FIRST, again][load], load * len(FIRST))
        ]
        project.land(FEED, load, records)
        project.run("--select", "silver", "documents")
        rows.append(project.sql("select shard, id, value from gold.documents"))
    reported = shown(project, "--select", "order_is_decided")
    yield rows, [(row["table_name"], row["finding"]) for row in reported]
    project.set_feeds(before)
    (project.root / "models" / "gold" / "documents.sql").unlink()


def shows(built, case, version):
    """Gold is what the case says behind each load."""
    _, expected = CASES[case]
    found = [
        {row.id: row.value for row in load if row.shard == f"{case}_{version}"} for load in built[0]
    ]
    assert found == [STREAMED, expected]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("case", INCREMENTAL)
def test_an_incremental_snapshot_removes_nothing(built, case, version):
    shows(built, case, version)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("case", FULL)
def test_a_full_load_that_begins_again_removes_what_it_does_not_bring(built, case, version):
    """In the partitions that see it, and however few rows it brings."""
    shows(built, case, version)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_row_of_a_full_load_that_is_sent_again_removes_nothing(built, version):
    """It has the time in Kafka that it had, before the stream."""
    shows(built, "row_sent_again", version)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_row_that_is_sent_again_with_the_brokers_time_counts_as_a_full_load(built, version):
    shows(built, "row_sent_again_with_the_brokers_time", version)


def test_rows_that_a_full_load_did_not_bring_again_are_reported(built):
    _, reported = built
    loads = (*FULL, "row_sent_again_with_the_brokers_time")
    tables = [f"{case}_{version}" for case in loads for version in VERSIONS]
    assert sorted(reported) == sorted((table, NOT_BROUGHT) for table in tables)
