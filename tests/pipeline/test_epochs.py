"""A second full load, a failover to another server and rows without a position: in one load or in many."""

import json

import pytest

from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import (
    canal_ddl,
    canal_record,
    debezium_record,
    explained,
    postgres_source,
)

pytestmark = pytest.mark.long

# the tables of a feed as shards of one gold table: one model costs a fourth of four
SHARDS = """{{{{ cdc.current_state(
    feed='{feed}', table={{'pattern': '[a-z]+'}}, key=['table_name', 'id'],
    columns={{'table_name': {{'type': 'string', 'source': '@table'}}, 'id': 'int', 'value': 'string'}}
) }}}}
"""
MODEL = """{{{{ cdc.current_state(
    feed='{feed}', database='shop', table='{table}', key=['id'],
    columns={{'id': 'int', 'value': 'string'}}
) }}}}
"""


def mysql(table, op, row, file, pos, server=1, snapshot="false"):
    source = {"connector": "mysql", "db": "shop", "table": table, "snapshot": snapshot}
    source |= {"server_id": server, "file": file, "pos": pos, "row": 0, "ts_ms": 1}
    return op, row, source


def postgres(table, op, row, sequence, snapshot="false"):
    return op, row, postgres_source(table, sequence, snapshot)


def reloaded(op, row, pos, snapshot="false"):
    server = 1 if snapshot == "false" else 0
    return mysql("reloaded", op, row, "bin.000002", pos, server, snapshot)


def quiet(row, position, snapshot):
    return postgres("quiet", "r", row, json.dumps([None, str(position)]), snapshot)


STREAM = [
    # the connector was away, took a second snapshot and goes on: 2 and 3 are gone meanwhile
    reloaded("r", {"id": 1, "value": "first load"}, 10, "first"),
    reloaded("r", {"id": 2, "value": "first load"}, 10, "true"),
    reloaded("r", {"id": 3, "value": "first load"}, 10, "last"),
    reloaded("u", {"id": 2, "value": "streamed"}, 20),
    reloaded("c", {"id": 4, "value": "streamed"}, 30),
    reloaded("r", {"id": 1, "value": "second load"}, 90, "first"),
    reloaded("r", {"id": 4, "value": "second load"}, 90, "last"),
    reloaded("u", {"id": 4, "value": "after the second load"}, 100),
    # another server begins its log files anew: its positions are lower and yet later
    mysql("moved", "c", {"id": 1, "value": "old server"}, "bin.000007", 500),
    mysql("moved", "c", {"id": 2, "value": "old server"}, "bin.000007", 600),
    mysql("moved", "c", {"id": 3, "value": "old server"}, "bin.000007", 700),
    mysql("moved", "u", {"id": 1, "value": "new server"}, "bin.000001", 100, server=2),
    mysql("moved", "d", {"id": 2, "value": "old server"}, "bin.000001", 200, server=2),
    # an incremental snapshot has no position: it stands behind what its table's stream has brought
    postgres("interleaved", "c", {"id": 1, "value": "streamed"}, '["100","110"]'),
    postgres("interleaved", "c", {"id": 2, "value": "streamed"}, '["100","120"]'),
    postgres("interleaved", "r", {"id": 1, "value": "read again"}, None, "incremental"),
    postgres("interleaved", "u", {"id": 2, "value": "streamed later"}, '["200","210"]'),
    postgres("interleaved", "r", {"id": 3, "value": "read"}, None, "incremental"),
    postgres("interleaved", "r", {"id": 2, "value": "read later still"}, None, "incremental"),
    # a connector that starts again repeats what it had sent
    postgres("interleaved", "c", {"id": 1, "value": "streamed"}, '["100","110"]'),
    postgres("interleaved", "c", {"id": 2, "value": "streamed"}, '["100","120"]'),
    postgres("interleaved", "u", {"id": 2, "value": "streamed later"}, '["200","210"]'),
    # a TRUNCATE without a position, as OMS sends it, empties what stands before it
    postgres("emptied", "c", {"id": 1, "value": "before"}, '["100","110"]'),
    postgres("emptied", "c", {"id": 2, "value": "before"}, '["100","120"]'),
    postgres("emptied", "t", None, None),
    postgres("emptied", "c", {"id": 3, "value": "after"}, '["200","210"]'),
    postgres("emptied", "c", {"id": 1, "value": "before"}, '["100","110"]'),
    postgres("emptied", "c", {"id": 2, "value": "before"}, '["100","120"]'),
    # nothing changed between two full loads, which the second one's mark and position tell apart
    quiet({"id": 1, "value": "first load"}, 100, "first_in_data_collection"),
    quiet({"id": 2, "value": "first load"}, 100, "true"),
    quiet({"id": 3, "value": "first load"}, 100, "last_in_data_collection"),
    # sent again
    quiet({"id": 1, "value": "first load"}, 100, "first_in_data_collection"),
    quiet({"id": 1, "value": "second load"}, 900, "first_in_data_collection"),
    quiet({"id": 3, "value": "second load"}, 900, "last_in_data_collection"),
    # what a topic that was made anew brings is later, and its offsets lower
    postgres("recreated", "c", {"id": 1, "value": "streamed"}, '["100","110"]'),
    postgres("recreated", "r", {"id": 1, "value": "read"}, None, "incremental"),
    postgres("recreated", "r", {"id": 1, "value": "read later"}, None, "incremental"),
]
MADE_ANEW = len(STREAM) - 1
EXPECTED = {
    "reloaded": {1: "second load", 4: "after the second load"},
    "moved": {1: "new server", 3: "old server"},
    "emptied": {3: "after"},
    "quiet": {1: "second load", 3: "second load"},
    "interleaved": {1: "read again", 2: "read later still", 3: "read"},
    "recreated": {1: "read later"},
}


def load(lakehouse, feed, number, offsets):
    records = [debezium_record(offset, *STREAM[offset]) for offset in offsets]
    for record in records:
        if record["offset"] >= MADE_ANEW:
            record |= {"topic_generation": 1, "offset": record["offset"] - MADE_ANEW}
    lakehouse.land(Feed(name=feed, format="debezium_json"), number, records)


def gold(lakehouse, feed, table):
    rows = lakehouse.sql(f"select * from gold.{feed} where table_name = '{table}'")
    return {row.id: row.value for row in rows}


@pytest.fixture(scope="module")
def built(project):
    """The stream in one load, and in a load and run of its own for every seven messages."""
    before = project.feeds
    models = ["at_once", "in_parts"]
    for feed in models:
        project.add_feed(feed, format="debezium_json", files=f"in/{feed}")
        project.write_model(feed, SHARDS.format(feed=feed))
    load(project, "at_once", 0, range(len(STREAM)))
    for number, start in enumerate(range(0, len(STREAM), 7)):
        load(project, "in_parts", number, range(start, min(start + 7, len(STREAM))))
        project.run("--select", "silver", *models)
    yield project
    project.set_feeds(before)
    for model in models:
        (project.root / "models" / "gold" / f"{model}.sql").unlink()


@pytest.mark.parametrize("feed", ["at_once", "in_parts"])
@pytest.mark.parametrize("table", EXPECTED)
def test_gold_follows_epochs_and_inherited_positions(built, feed, table):
    assert gold(built, feed, table) == EXPECTED[table]


def test_rows_that_a_new_full_load_does_not_bring_are_reported_once_it_has_ended(built):
    """No message says whether it was of the whole table; what a TRUNCATE had removed, or another server has, is not asked for."""
    outcome = built.dbt("show", "--select", "order_is_decided", "--limit", "1000")
    (result,) = outcome.result.results
    found = [row.dict() for row in result.agate_table.rows]
    reported = {
        (row["feed"], row["table_name"]) for row in found if "did not bring" in row["finding"]
    }
    feeds = ("at_once", "in_parts")
    assert {one for one in reported if one[0] in feeds} == {
        (feed, table) for feed in feeds for table in ("reloaded", "quiet")
    }


def verdicts(lakehouse, table, row_key):
    rows = explained(lakehouse, table, row_key)
    return [(row["operation"], row["offset"], row["verdict"]) for row in rows]


def test_what_made_a_row_void_is_listed_with_its_place(built):
    def listed(table, key):
        return verdicts(built, "at_once", [table, key])

    new_load = "a new full load: what it does not send again is superseded"
    assert listed("reloaded", "2") == [
        ("full_load", 5, new_load),
        ("update", 3, "superseded: a new full load began"),
        ("snapshot", 1, "superseded: a new full load began"),
    ]
    truncated = "superseded: a later truncate removed what was before"
    assert listed("emptied", "1") == [
        ("truncate", 24, "it cleared the table"),
        ("insert", 26, truncated),
        ("insert", 22, truncated),
    ]
    assert [verdict for *_, verdict in listed("emptied", "3")] == [
        "gold shows it",
        "it cleared the table",
    ]


def test_offsets_of_a_topic_that_was_created_again_are_shown_with_its_generation(built):
    rows = explained(built, "at_once", ["recreated", "1"])
    newest, *older = [(row["topic_generation"], row["offset"]) for row in rows]
    assert newest == (1, 0)
    assert older
    assert {generation for generation, _ in older} == {0}


def test_a_cut_over_begins_anew_where_no_message_tells(project):
    """Nothing marks the second full load; the feed says when it began."""
    before = project.feeds
    project.add_feed(
        "cut",
        format="canal_json",
        files="in/cut",
        cut_overs={"shop.again": "1970-01-01 00:00:02Z"},
    )
    text = MODEL.format(feed="cut", table="again")
    for name, macro in (("cut_again", "current_state"), ("cut_again_history", "history")):
        project.write_model(name, text.replace("current_state", macro))
    records = [
        canal_record("again", 0, "INSERT", {"id": "1", "value": "first load"}, 1000),
        canal_record("again", 1, "INSERT", {"id": "2", "value": "first load"}, 1000),
        # behind the cut-over, but it tells nothing of rows
        canal_ddl("again", 2, "CINDEX", "create index x on again (value)") | {"timestamp": 2000},
        canal_record("again", 3, "INSERT", {"id": "1", "value": "second load"}, 2000),
        canal_record("again", 4, "INSERT", {"id": "3", "value": "second load"}, 2500),
    ]
    feed = Feed(name="cut", format="canal_json")
    for load, part in enumerate((records[:3], records[3:])):
        project.land(feed, load, part)
        project.run("--select", "silver", "cut_again", *([] if load else ["cut_again_history"]))
        if load == 0:
            # what has not begun yet voids nothing
            rows = {row.id: row.value for row in project.sql("select * from gold.cut_again")}
            assert rows == {1: "first load", 2: "first load"}
            assert project.sql("select 1 from gold.cut_again_history where not is_current") == []
            assert verdicts(project, "cut_again", ["2"]) == [("insert", 1, "gold shows it")]
    rows = {row.id: row.value for row in project.sql("select * from gold.cut_again")}
    assert rows == {1: "second load", 3: "second load"}
    versions = project.sql("select id, value, is_current from gold.cut_again_history")
    assert sorted(map(tuple, versions)) == [
        (1, "first load", False),
        (1, "second load", True),
        (2, "first load", False),
        (3, "second load", True),
    ]
    assert verdicts(project, "cut_again", ["2"]) == [
        ("full_load", None, "a new full load: what it does not send again is superseded"),
        ("insert", 1, "superseded: a new full load began"),
    ]
    project.set_feeds(before)
    for name in ("cut_again", "cut_again_history"):
        (project.root / "models" / "gold" / f"{name}.sql").unlink()


def test_a_marked_full_load_behind_a_cut_over_begins_anew_too(project):
    """And tells the history until when its rows were there."""
    before = project.feeds
    places = ("shop.later", "shop.later_[0-9]+", "shop.la$t[er", "public.of_schema")
    at = dict.fromkeys(places, "1970-01-01 00:00:20Z")
    project.add_feed("marked", format="debezium_json", files="in/marked", cut_overs=at)
    text = MODEL.format(feed="marked", table="later")
    for name, macro in (("later", "current_state"), ("later_history", "history")):
        project.write_model(name, text.replace("current_state", macro))
    shards = text.replace("table='later'", "table={'pattern': 'later_[0-9]+'}")
    shards = shards.replace(
        "'id': 'int'", "'id': 'int', 'shard': {'type': 'string', 'source': '@table'}"
    )
    project.write_model("later_shards", shards.replace("key=['id']", "key=['shard', 'id']"))
    told = [
        ("r", 1, "first", 10, "first"),
        ("r", 2, "first", 11, "true"),
        # behind the cut-over
        ("c", 1, "second", 21, "false"),
        ("c", 3, "second", 22, "false"),
        ("c", 4, "second", 23, "false"),
        ("r", 5, "third", 30, "first"),
        ("r", 1, "third", 31, "last"),
        ("u", 5, "fourth", 40, "false"),
    ]
    records = []
    for offset, (op, key, value, second, mark) in enumerate(told):
        # rows of a full load are read one after another, all as of its position
        position = second - 1 if mark in ("true", "last") else second
        source = postgres_source("later", json.dumps([str(position)] * 2), mark)
        source |= {"ts_ms": second * 1000}
        record = debezium_record(offset, op, {"id": key, "value": value}, source)
        records.append(record | {"timestamp": second * 1000})
    named = {"shop_later": 0, "later_": 0, "later_12": 1, "la$t[er": 1, "of_schema": 1}
    for table in named:
        source = postgres_source(table, '["100", "110"]')
        record = debezium_record(0, "c", {"id": 1, "value": "x"}, source)
        records.append(record | {"timestamp": 21_000})
    for load, part in enumerate((records[:4], records[4:])):
        project.land(Feed(name="marked", format="debezium_json"), load, part)
        project.run("--select", "silver", "later")
    project.run("--select", "later_history")
    rows = {row.id: row.value for row in project.sql("select * from gold.later")}
    assert rows == {1: "third", 5: "fourth"}
    assert {second: rows_at(project, second) for second in (9, 15, 20, 25, 30, 31, 41)} == {
        9: {},
        15: {1: "first", 2: "first"},
        20: {},
        25: {1: "second", 3: "second", 4: "second"},
        # 1 is still to be read
        30: {1: "second", 5: "third"},
        31: {1: "third", 5: "third"},
        41: {1: "third", 5: "fourth"},
    }
    # a name means itself, and that of a sharded model its patterns
    passed = project.sql(
        "select table_name, cut_overs_passed from silver.order_marks"
        " where feed = 'marked' and table_name <> 'later'"
    )
    assert dict(passed) == named
    project.set_feeds(before)
    for name in ("later", "later_history", "later_shards"):
        (project.root / "models" / "gold" / f"{name}.sql").unlink()


def rows_at(lakehouse, second):
    """Ask as docs/gold/history.md does."""
    time = f"timestamp '1970-01-01 00:00:{second:02}Z'"
    begun = f"(valid_from <= {time} or valid_from is null)"
    rows = lakehouse.sql(
        f"select * from gold.later_history where {begun} and (valid_to > {time} or is_current)"
    )
    return {row.id: row.value for row in rows}


def test_the_ranges_do_not_depend_on_the_loads(built):
    ranges = "select * except (feed) from silver.sequence_ranges where feed = '{}' order by all"
    columns = "topic, offset, epoch, inherited_position"
    joined = """
        select {columns} from bronze.messages join silver.sequence_ranges as ranges
        using (feed, topic, topic_generation, partition)
        where feed = '{feed}' and offset between from_offset and coalesce(to_offset, offset)
        order by all"""
    assert built.sql(ranges.format("at_once")) != []
    assert built.sql(joined.format(columns=columns, feed="at_once")) == built.sql(
        joined.format(columns=columns, feed="in_parts")
    )


def test_merged_marks_tell_the_same_ranges_and_no_table_is_built_anew(built):
    told = """
        select feed, table_name, offset, epoch, later_epochs, inherited_position
        from bronze.messages join silver.sequence_ranges as ranges
        using (feed, topic, topic_generation, partition)
        where offset between from_offset and coalesce(to_offset, offset)
        order by all"""
    loads = """
        select feed, table_name, from_offset, epoch, load_position
        from silver.sequence_ranges where starts_full_load order by all"""
    count = "select count(*) as rows, max(bronze_version) as newest from silver.order_marks"
    built.run("--select", "silver", "at_once", "in_parts")
    (marks,), ranges, begun = (built.sql(query) for query in (count, told, loads))
    assert built.dbt("run-operation", "merge_order_marks").success
    (merged,) = built.sql(count)
    assert merged.rows < marks.rows and merged.newest == marks.newest
    assert (built.sql(told), built.sql(loads)) == (ranges, begun)
    versions = versions_of_data(built)
    built.run("--select", "silver", "at_once", "in_parts")
    assert (built.sql(told), built.sql(loads)) == (ranges, begun)
    assert changed(versions, versions_of_data(built)) == {"silver.db/sequence_ranges"}
    versions = versions_of_data(built)
    assert built.dbt("run-operation", "merge_order_marks").success
    built.run("--select", "silver", "at_once", "in_parts")
    assert versions_of_data(built) == versions


def changed(before, after):
    return {name for name in after if after[name] != before.get(name)}


def versions_of_data(lakehouse):
    """Without the marks, in which a run writes down what it has asked anew."""
    return lakehouse.versions() | {"silver.db/applied_versions": None}
