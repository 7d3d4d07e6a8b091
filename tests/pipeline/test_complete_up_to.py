"""What silver.complete_up_to claims of a table, and that it never claims what is still on its way."""

import json

import pytest

from ingestion.config.feeds import Feed, read_config
from ingestion.gold_models.declared import declared_models
from ingestion.reconcile.completeness import complete_up_to
from tests.pipeline.shop_records import oms_record

SILVER = "silver.debezium_json_changes"
ROW = """
    feed string, offset bigint, operation string, second bigint, table_name string, topic string,
    `partition` int, topic_generation int, phase int, snapshot_mark string, source_type string,
    read_second bigint
"""


def told(operation, second, table="a", topic="all", partition=0, **more):
    """A row of silver with the source's time in seconds, of a table or of none."""
    told = {"operation": operation, "second": second, "table_name": table, "topic": topic}
    told |= {"partition": partition, "topic_generation": 0, "phase": 1, "snapshot_mark": None}
    return told | {"source_type": None, "read_second": None} | more


def read(second, mark, **more):
    """A row of a full load."""
    return told("snapshot", second, phase=0, snapshot_mark=mark, **more)


def bootstrap(mark, second, **more):
    """A message of Maxwell's bootstrap, which tells no time of the source."""
    operation = "snapshot" if mark == "bootstrap-insert" else "ignored"
    return told(operation, None, snapshot_mark=mark, read_second=second, **more)


STREAM = [told("insert", second) for second in (1, 2, 3)]
BOOTSTRAP = [bootstrap(f"bootstrap-{word}", 5) for word in ("start", "insert")]
HALVES = [
    read(9, "first_in_data_collection"),
    told("insert", 3, partition=1),
    read(9, "last_in_data_collection"),
]
WITH_DDL_TOPIC = [
    told("schema_change", 1, topic="srv", phase=0),
    read(1, "last"),
    told("update", 6),
]

# what silver has of a feed, in the order of offsets, and the time of each partition of table a
CASES = {
    "streamed": (STREAM, [3]),
    "streamed, once with microseconds as milliseconds": ([told("insert", 10**12), *STREAM], [3]),
    "full load begun": ([*STREAM, read(9, "first")], [None]),
    "full load that tells no time of the source": ([*STREAM, read(None, "INIT")], [None]),
    "full load done": ([*STREAM, read(9, "first"), read(9, "last")], [9]),
    "full load followed by the stream": ([*STREAM, read(9, "true"), told("update", 10, "b")], [10]),
    "full load followed by what was before it": ([*STREAM, read(9, "true"), STREAM[2]], [None]),
    "full load of which one partition lags": (HALVES, [9, None]),
    "full load of which one partition lagged": (
        [*HALVES, told("insert", 11, "b", partition=1)],
        [9, 11],
    ),
    "table described by a full load": (
        [told("schema_change", 5, phase=0), read(5, "INIT"), told("schema_change", 6, phase=0)],
        [None],
    ),
    "transaction begun": ([*STREAM, told("transaction_begin", 5, None)], [3]),
    "transaction begun with a GTID": ([*STREAM, told("ignored", 5, None)], [3]),
    "transaction ended": ([*STREAM, told("transaction_end", 5, None)], [5]),
    "partition without a row of the table": (
        [told("insert", 12), told("insert", 10, "b", partition=1)],
        [12, 10],
    ),
    "partition without a time": (
        [told("insert", 12), told("unknown", 11, None, partition=1)],
        [12, None],
    ),
    "partition that the topic has no longer": (
        [*STREAM, told("insert", 2, partition=1), told("insert", 4, "b", topic_generation=1)],
        [4],
    ),
    "topic of schema changes": (WITH_DDL_TOPIC, [6]),
    "TiCDC without a watermark": ([told("insert", 3, source_type="tidb")], [None]),
    "TiCDC": (
        [
            told("insert", 1, source_type="tidb"),
            told("heartbeat", 2, None, source_type="tidb"),
            told("insert", 9, "b", source_type="tidb"),
        ],
        [2],
    ),
    "bootstrap begun": ([*STREAM, *BOOTSTRAP, told("insert", 9, "b")], [None]),
    "bootstrap done": ([*STREAM, *BOOTSTRAP, bootstrap("bootstrap-complete", 8)], [None]),
    "bootstrap followed by what waited for it": (
        [*STREAM, *BOOTSTRAP, bootstrap("bootstrap-complete", 8), told("update", 6)],
        [None],
    ),
    "bootstrap followed by the stream": (
        [*STREAM, *BOOTSTRAP, bootstrap("bootstrap-complete", 8), told("update", 9)],
        [9],
    ),
}


@pytest.fixture
def claimed(shop, damaged):
    rows = [
        {"feed": feed, "offset": offset} | row
        for feed, (told_rows, _) in CASES.items()
        for offset, row in enumerate(told_rows)
    ]
    shop.spark.createDataFrame(rows, ROW).createOrReplaceTempView("told")
    damaged(
        SILVER,
        f"""
        insert into {SILVER} by name
        select
            * except (second, read_second, phase),
            timestamp_seconds(second) as changed_at,
            timestamp_seconds(read_second) as captured_at,
            named_struct(
                'phase', phase,
                'position', cast(array() as array<decimal(38, 0)>),
                'offset', offset,
                'row_index', 0
            ) as change_sequence
        from told
        """,
    )
    return shop.sql(
        "select feed, unix_seconds(complete_up_to) as second from silver.complete_up_to"
        " where table_name = 'a' order by feed, topic, partition"
    )


def test_no_more_is_claimed_than_the_messages_prove(claimed):
    seconds = {feed: [row.second for row in claimed if row.feed == feed] for feed in CASES}
    assert seconds == {feed: expected for feed, (_, expected) in CASES.items()}


def oms(table, offset, kind, row, **told):
    """A message of OMS with these times in its metadata, and no other."""
    record = oms_record(table, offset, kind, row)
    message = json.loads(record["value"])
    del message["allMetaData"]["timestamp"]
    message["allMetaData"] |= told
    return record | {"value": json.dumps(message)}


@pytest.mark.long
def test_a_heartbeat_of_oms_that_tells_its_checkpoint_alone_counts(project):
    """A row's checkpoint, of a reading that has gone on meanwhile, does not."""
    before = project.feeds
    formats = ("oms_default", "oms_default_ext")
    for name in formats:
        records = [
            oms(name, 0, "INSERT", {"id": 1}, timestamp="1671177200", checkpoint="1671177299"),
            oms("other", 0, "INSERT", {"id": 1}, timestamp="1671177200", checkpoint="1671177299"),
            oms(name, 1, "HEARTBEAT", None, checkpoint="1671177280"),
        ]
        project.add_feed(f"beating_{name}", format=name, files=f"in/{name}")
        project.land(Feed(name=f"beating_{name}", format=name), 0, records)
    project.run("--select", "silver")
    rows = project.sql(
        "select feed, table_name, unix_seconds(complete_up_to) as second from silver.complete_up_to"
        " where feed like 'beating_%'"
    )
    project.set_feeds(before)
    assert {(row.feed, row.table_name): row.second for row in rows} == {
        (f"beating_{name}", table): second
        for name in formats
        for table, second in ((name, 1671177280), ("other", 1671177200))
    }


def test_reconcile_reads_the_view_without_dbt(shop):
    config = read_config(shop.root)
    (model,) = [model for model in declared_models(config.project_dir) if model.name == "orders"]
    (row,) = shop.sql(
        "select cast(min(complete_up_to) as string) as until from silver.complete_up_to"
        f" where feed = '{model.feed}' and table_name = 'orders'"
    )
    told_time = complete_up_to(shop.spark, config, config.feeds[model.feed], model)
    assert str(told_time)[:19] == row.until[:19]
