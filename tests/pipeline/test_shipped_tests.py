"""Each shipped test is shown to fail on data made for it, and to name the place."""

import json

import pytest

from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import (
    canal_record,
    debezium_record,
    explained,
    postgres_source,
    shown,
)

GOLD = "orders"


def result_of(shop, test):
    # after `shop` nothing is new: the tests must look at everything
    outcome = shop.dbt("test", "--select", test, "--vars", "check_all_history: true")
    (result,) = (one for one in outcome.result if one.node.name.startswith(test))
    return result


CANAL, DEBEZIUM = "silver.canal_json_changes", "silver.debezium_json_changes"
# one damage for each test, in tables and rows that no other one looks at
DAMAGES = {
    "key_is_unique_orders_": (
        "gold.orders",
        "insert into gold.orders select * from gold.orders where id = 1001",
        "fail",
    ),
    "newest_change_wins_carts_": (
        "gold.carts",
        "update gold.carts set _change.sequence.offset = 0",
        "warn",
    ),
    "every_value_fits_its_type_customers_": (
        "gold.customers",
        "update gold.customers set _change.misfits = array(named_struct("
        "'column_name', 'total', 'value', 'x', 'wanted_type', 'int', 'topic', 't', 'partition', 0))",
        "warn",
    ),
    "key_is_the_sources_key": (
        CANAL,
        f"update {CANAL} set key_columns = array('name') where table_name = 'products'",
        "fail",
    ),
    "changes_have_keys": (
        CANAL,
        # of a table without a gold model
        f"update {CANAL} set row_key = null, table_name = 'nowhere' where table_name = 'order_items'",
        "warn",
    ),
    "order_is_decided": (
        DEBEZIUM,
        f"update {DEBEZIUM} set change_sequence.position = array(1, 1)"
        " where table_name = 'stock' and operation = 'update'",
        "warn",
    ),
    "columns_follow_the_source": (
        CANAL,
        f"update {CANAL} set after_image = map_concat(after_image, map('added', '1'))"
        " where table_name = 'customers' and operation = 'insert'",
        "warn",
    ),
    "images_follow_each_other": (
        CANAL,
        f"update {CANAL} set after_image = map('id', '1001', 'status', 'lost')"
        " where table_name = 'orders' and operation = 'insert' and row_key = array('1001')",
        "warn",
    ),
    "every_record_is_in_silver": (CANAL, f"delete from {CANAL} where offset = 5", "fail"),
    "tables_and_models_match": (
        "silver.source_tables",
        "update silver.source_tables set table_name = 'parcel' where table_name = 'parcel_events'",
        "warn",
    ),
}


def test_each_of_them_fails_on_data_made_for_it(shop, damaged):
    """All at once, each in a place of its own; ALONE has more, one by one."""
    undamaged = shop.statuses(shop.build)
    assert {undamaged[test] for test in DAMAGES} == {"pass"}
    for table, statement, _ in DAMAGES.values():
        damaged(table, statement)
    outcome = shop.dbt("test", "--select", *DAMAGES, "--vars", "check_all_history: true")
    found = {name: str(status) for name, status in shop.statuses(outcome).items()}
    assert found == {test: status for test, (*_, status) in DAMAGES.items()}
    kept = shop.sql("select distinct test, finding from silver.findings where resolved_at is null")
    assert set(DAMAGES) <= {row.test for row in kept}
    # rows that are taken for older have outlived what emptied their table, too
    of_carts = [row.finding for row in kept if row.test == "newest_change_wins_carts_"]
    assert any(finding.startswith("an older change won") for finding in of_carts)


# what DAMAGES has not, one by one, as each would show in another's place
ALONE = [
    (
        # under a row_key of its own
        "key_is_unique_orders_",
        "gold.orders",
        "update gold.orders set id = 1001 where id = 1002",
        "fail",
    ),
    (
        "newest_change_wins_orders_",
        "gold.orders",
        "delete from gold.orders where id = 1001",
        "warn",
    ),
    (
        # of rows that were there before
        "newest_change_wins_orders_",
        "silver.canal_json_changes",
        "update silver.canal_json_changes set operation = 'truncate', row_key = null"
        " where table_name = 'orders' and operation = 'delete'",
        "warn",
    ),
    (
        # of rows that were there before
        "newest_change_wins_orders_",
        "silver.canal_json_changes",
        "update silver.canal_json_changes set operation = 'schema_change', ddl_kind = 'drop', row_key = null"
        " where table_name = 'orders' and operation = 'delete'",
        "warn",
    ),
    (
        "changes_have_keys",
        "silver.canal_json_changes",
        "update silver.canal_json_changes set row_key = null where table_name = 'orders'",
        "warn",
    ),
    (
        "order_is_decided",
        "silver.canal_json_changes",
        "update silver.canal_json_changes set partition = 1 where table_name = 'orders' and operation = 'update'",
        "warn",
    ),
    (
        "order_is_decided",
        "silver.canal_json_changes",
        "update silver.canal_json_changes set partition = 1 where operation = 'truncate'",
        "warn",
    ),
    (
        # as rows of one message
        "order_is_decided",
        "silver.debezium_json_changes",
        "update silver.debezium_json_changes set change_sequence.position = array(1, 1),"
        " row_index = cast(offset as int), offset = 5"
        " where table_name = 'stock' and operation = 'update'",
        "warn",
    ),
    (
        "columns_follow_the_source",
        "silver.canal_json_changes",
        "update silver.canal_json_changes set after_image = map_filter(after_image, (name, text) -> name <> 'status')"
        " where table_name = 'orders'",
        "warn",
    ),
    (
        "every_record_is_in_silver",
        "silver.canal_json_changes",
        "insert into silver.canal_json_changes select * from silver.canal_json_changes where offset = 5",
        "fail",
    ),
]


@pytest.fixture(scope="module")
def undamaged(shop):
    """How many findings each of these tests has before any damage: each damage is put back."""
    tests = sorted({test for test, *_ in ALONE})
    outcome = shop.dbt("test", "--select", *tests, "--vars", "check_all_history: true")
    return {one.node.name: one.failures for one in outcome.result}


@pytest.mark.long
@pytest.mark.parametrize(("test", "table", "statement", "status"), ALONE)
def test_it_fails_on_data_made_for_it(shop, undamaged, damaged, test, table, statement, status):
    """It may find what other tests have left in tables of their own: here it finds more."""
    damaged(table, statement)
    after = result_of(shop, test)
    assert after.failures > undamaged[after.node.name]
    assert after.status == status


@pytest.mark.long
def test_a_type_that_became_another_one_is_reported(shop, damaged):
    """The id of customers has another type than that of orders."""
    changes = "silver.canal_json_changes"
    (other,) = shop.sql(f"select max(schema_id) from {changes} where table_name = 'customers'")
    statement = f"update {changes} set schema_id = '{other[0]}' where table_name = 'orders'"
    damaged(changes, f"{statement} and operation = 'update'")
    assert result_of(shop, "columns_follow_the_source").status == "warn"


MISPLACED = """{{ config(alias='misplaced_rows') }}
{{ cdc.current_state(
    feed='misplaced', database='shop', schema='public', table='misplaced', key=['id'],
    columns={'id': 'int', 'amount': 'int', 'note': 'string'}
) }}
"""


@pytest.mark.long
def test_a_misfit_is_placed_where_its_value_came_from(project):
    """The row is newer, and of another partition: its later image lacks the column."""
    before = project.feeds
    feed = Feed(name="misplaced", format="debezium_json")
    project.add_feed(feed.name, format=feed.format, files="in/misplaced")
    project.write_model("misplaced", MISPLACED)
    rows = [("c", "many", "a", 100), ("u", "__debezium_unavailable_value", "b", 200)]
    for load, (operation, amount, note, position) in enumerate(rows):
        source = postgres_source("misplaced", f'["{position}","{position}"]')
        row = {"id": 1, "amount": amount, "note": note}
        record = debezium_record(7 - load, operation, row, source)
        project.land(feed, load, [record | {"partition": load}])
        project.run("--select", "silver", "misplaced")
    query = "select column_name, value, wanted_type, topic, partition, offset from silver.misfits"
    merged = project.sql(f"{query} where gold_table = 'misplaced'")
    project.run("--full-refresh", "--select", "misplaced")
    built = project.sql(f"{query} where gold_table = 'misplaced'")
    verdicts = [row["verdict"] for row in explained(project, "misplaced", ["1"])]
    project.set_feeds(before)
    (project.root / "models" / "gold" / "misplaced.sql").unlink()
    assert [tuple(row) for row in merged] == [("amount", "many", "int", "shop.misplaced", 0, 7)]
    assert built == merged
    assert verdicts == ["gold shows it", "gold still shows its amount"]


# a key that goes to another partition, one that is deleted at the position of its insert: each in a later load
# (of an earlier time, and another type)
WANDERING = [
    canal_record(
        "wandering", 5, "INSERT", {"id": "1"}, time, partition=load, types={"id": type_text}
    )
    for load, (time, type_text) in enumerate([(1000, "bigint"), (900, "int")])
]
# what the late partition tells of types was known of another table
KNOWN_ELSEWHERE = canal_record("elsewhere", 0, "INSERT", {"id": "1"}, 800, types={"id": "int"})
WANDERED = """{{ cdc.current_state(
    feed='wandering', database='shop', table='wandering', key=['id'], columns={'id': 'bigint'}
) }}
"""
TIED = [
    debezium_record(load, operation, {"id": 1}, postgres_source("tied", '["100","100"]'))
    | {"partition": load}
    for load, operation in enumerate("cd")
]
# rows as they are left, and changes that find them otherwise
LEFT = [("INSERT", key, "a", None) for key in range(1, 6)] + [("DELETE", 3, "a", None)]
FOUND = [
    ("UPDATE", 1, "c", "b"),
    ("INSERT", 2, "b", None),
    ("UPDATE", 3, "b", "a"),
    ("UPDATE", 4, "b", "a"),
    # sent again: it changes nothing
    ("INSERT", 5, "a", None),
    ("TRUNCATE", None, None, None),
    ("INSERT", 4, "c", None),
    ("DELETE", 4, "d", None),
    ("INSERT", 6, "a", None),
    # as a full load that began again brings it
    ("INSERT", 7, "b", None),
]
# what came before a cut-over counts no more, once a change has reached it
CUT_OVERS = {"reached": "1970-01-01 00:00:03Z", "unreached": "2100-01-01 00:00:00Z"}
# positions that begin again lower: of a restored source; sent again; after a full load, which says so
STREAMED = [("c", 1, 1000), ("c", 2, 1010)]
LOWER = {
    "restored": [("c", 2, 1010), ("u", 1, 20), ("d", 2, 30), ("c", 3, 40), ("c", 4, 2000)],
    "repeated": [("c", 1, 1000), ("c", 2, 1010), ("u", 1, 1020)],
    "reloaded": [("r", 1, 10), ("r", 2, 10), ("u", 1, 20), ("c", 3, 30)],
}
# a feed that names keys, with Kafka keys that are no JSON: a delete with the record behind it, and a record whose delete is gone
DELETED = [(0, "c", 1), (1, "d", 1), (2, None, 1), (3, "c", 2), (7, None, 2)]
# only a swap through a third key tells which row went where; the last move is sent again
HELD = [("INSERT", [str(key)], None) for key in range(1, 5)]
SWAPPED = [("UPDATE", ["2", "1"], ["1", "2"])]
SWAPPED += [
    ("UPDATE", [new], [old]) for old, new in (("3", "9"), ("4", "3"), ("9", "4"), ("9", "4"))
]


def followed(name, offset, told):
    kind, key, value, old = told
    row = key and {"id": str(key), "value": value}
    time = 1000 * (offset // 5)
    return canal_record(name, offset, kind, row, time, old=old and {"value": old})


def streamed(name, offset, told):
    operation, key, position = told
    snapshot = "true" if operation == "r" else "false"
    source = postgres_source(name, json.dumps([str(position)] * 2), snapshot)
    return debezium_record(offset, operation, {"id": key}, source)


def deleted(offset, operation, key):
    record = debezium_record(
        offset, operation, {"id": key}, postgres_source("deleted", '["1","1"]')
    )
    return record | {"key": str(key)} | ({} if operation else {"value": None})


def swapped(offset, told):
    kind, keys, old = told
    rows, olds = ([{"id": key} for key in ids] if ids else None for ids in (keys, old))
    return canal_record("swapped", offset, kind, rows, 1000 + min(offset, 7), old=olds)


@pytest.fixture(scope="module")
def conflicting(project):
    """What the tests of changes find after each of two loads: all of it is about changes that an earlier run has checked."""
    before = project.feeds
    loads = {
        "wandering": ("canal_json", [KNOWN_ELSEWHERE, *WANDERING], 2),
        "tied": ("debezium_json", TIED, 1),
        "swapped": ("canal_json", [swapped(*one) for one in enumerate(HELD + SWAPPED)], len(HELD)),
    }
    loads["deleted"] = ("debezium_json", [deleted(*one) for one in DELETED], 3)
    for name in ("followed", *CUT_OVERS):
        records = [followed(name, *one) for one in enumerate(LEFT + FOUND)]
        loads[name] = ("canal_json", records, len(LEFT))
    for name, told in LOWER.items():
        records = [streamed(name, *one) for one in enumerate(STREAMED + told)]
        loads[name] = ("debezium_json", records, len(STREAMED))
    for name, (format_name, *_) in loads.items():
        own = {"cut_overs": {f"shop.{name}": CUT_OVERS[name]}} if name in CUT_OVERS else {}
        own |= {"key_columns": {"shop.public.deleted": ["id"]}} if name == "deleted" else {}
        project.add_feed(name, format=format_name, files=f"in/{name}", **own)
    project.write_model("wandering", WANDERED)
    tests = ("order_is_decided", "images_follow_each_other", "every_record_is_in_silver")
    tests += ("columns_follow_the_source", "changes_have_keys")
    statuses = []
    for load in (0, 1):
        for name, (format_name, records, first) in loads.items():
            part = records[first:] if load else records[:first]
            project.land(Feed(name=name, format=format_name), load, part)
        project.run("--select", "silver")
        statuses.append(project.statuses(project.dbt("test", "--select", *tests)))
    # outside a run a test asks for all of its findings, whether anything can have them or not
    found = {test: shown(project, "--select", test) for test in tests[:2]}
    found["changes_have_keys"] = shown(project, "--select", "changes_have_keys")
    everything = project.dbt("test", "--select", *found, "--vars", "check_all_history: true")
    counts = {one.node.name: one.failures for one in everything.result if one.node.name in found}
    project.set_feeds(before)
    (project.root / "models" / "gold" / "wandering.sql").unlink()
    return statuses, found, counts


@pytest.mark.long
def test_conflicts_with_changes_that_were_checked_before_are_reported(conflicting):
    statuses, found, _ = conflicting
    assert {status["every_record_is_in_silver"] for status in statuses} == {"pass"}
    assert [status["order_is_decided"] for status in statuses] == ["pass", "warn"]
    several = "the key is in several partitions"
    tie = "different changes at one position, in several partitions"
    # a statement that swaps keys
    taken = "a row came to a key that another row had"
    assert sorted(
        (row["feed"], *json.loads(row["row_key"]), row["finding"])
        for row in found["order_is_decided"]
        if row["row_key"]
    ) == [("swapped", "2", taken), ("tied", "1", tie), ("wandering", "1", several)]


@pytest.mark.long
def test_a_finding_that_is_not_asked_for_is_none(conflicting):
    """A run asks only for what its tables can have."""
    _, found, counts = conflicting
    assert counts == {test: len(rows) for test, rows in found.items()}


@pytest.mark.long
def test_positions_that_begin_again_lower_are_reported_once_per_partition(conflicting):
    _, found, _ = conflicting
    lower = [row for row in found["order_is_decided"] if not row["row_key"]]
    assert [row["feed"] for row in lower] == ["restored"]


@pytest.mark.long
def test_a_type_that_had_been_another_one_is_reported_when_a_late_partition_tells(conflicting):
    statuses, *_ = conflicting
    assert [status["columns_follow_the_source"] for status in statuses] == ["pass", "warn"]


@pytest.mark.long
def test_a_change_that_does_not_find_the_row_as_it_was_left_is_reported(conflicting):
    statuses, found, _ = conflicting
    assert [status["images_follow_each_other"] for status in statuses] == ["pass", "warn"]
    for feed in ("followed", "unreached"):
        assert sorted(
            (*json.loads(row["row_key"]), row["finding"])
            for row in found["images_follow_each_other"]
            if row["feed"] == feed
        ) == [
            ("1", "the row was another one before"),
            ("2", "the row that is inserted was there already"),
            ("3", "the row was deleted before"),
            ("4", "the row was another one before"),
        ]


# updates of rows that were never as they say: of 2 shortly after its insert, of 1 and 3 not
COLD = (
    [("INSERT", 1, "a", None)],
    [("INSERT", 2, "a", None), ("INSERT", 3, "a", None)],
    [("UPDATE", 1, "c", "b"), ("UPDATE", 2, "c", "b")],
    [("UPDATE", 3, "c", "b")],
)


@pytest.mark.long
def test_a_change_is_compared_with_the_last_ones_and_when_thorough_with_all(project):
    before, test = project.feeds, "images_follow_each_other"
    project.add_feed("cold", format="canal_json", files="in/cold")

    def found(*tests, **settings):
        """The keys of what the test has found up to now, and has not resolved."""
        told = json.dumps({"compared_changes": 2, **settings})
        project.dbt("test", "--select", *tests, "--vars", told)
        return [
            row.key
            for row in project.sql(
                "select row_key[0] as key from silver.findings"
                f" where test = '{test}' and feed = 'cold' and resolved_at is null order by key"
            )
        ]

    def by_day():
        return found(test, "every_record_is_in_silver", "key_is_the_sources_key")

    def at_night():
        return found("tag:thorough", thorough=True)

    landed = []

    def land(told):
        new = [followed("cold", len(landed) + one, change) for one, change in enumerate(told)]
        project.land(Feed(name="cold", format="canal_json"), len(landed), new)
        landed.extend(new)

    # of each its own: a first build takes all that is there for one
    for told in COLD[:2]:
        land(told)
        project.run("--select", "silver")
    assert by_day() == []
    land(COLD[2])
    project.run("--select", "silver")
    assert by_day() == ["2"]
    assert at_night() == ["1", "2"]
    land(COLD[3])
    project.run("--select", "silver")
    assert at_night() == ["1", "2", "3"]
    # what it does not look at it does not resolve
    assert by_day() == ["1", "2", "3"]
    project.set_feeds(before)


@pytest.mark.long
def test_what_was_checked_stays_checked_when_a_feed_of_another_format_comes_and_not_when_one_is_rebuilt(
    project,
):
    before, test = project.feeds, "every_message_is_understood"
    broken = followed("old", 0, ("INSERT", 1, "a", None)) | {"value": "{}"}

    def tested(name, format_name, record, *options):
        project.land(Feed(name=name, format=format_name), record["offset"], [record])
        project.run("--select", "silver", *options)
        told = project.dbt("test", "--select", test, "every_record_is_in_silver")
        return project.statuses(told)[test]

    project.add_feed("old", format="canal_json", files="in/old")
    assert tested("old", "canal_json", broken) == "warn"
    assert tested("old", "canal_json", followed("old", 1, ("INSERT", 1, "a", None))) == "pass"
    project.add_feed("young", format="maxwell", files="in/young")
    young = broken | {"topic": "young", "offset": 2}
    assert tested("young", "maxwell", young) == "warn"
    (found,) = project.sql(
        f"select count(distinct feed), max_by(feed, last_seen) from silver.findings where test = '{test}'"
        " and last_seen = (select max(last_seen) from silver.findings)"
    )
    assert tuple(found) == (1, "young")
    last = followed("old", 3, ("INSERT", 2, "a", None))
    assert tested("old", "canal_json", last, "--full-refresh") == "warn"
    project.set_feeds(before)


@pytest.mark.long
def test_a_record_without_a_value_that_follows_no_delete_is_reported_where_its_key_is_not_read(
    conflicting,
):
    statuses, found, _ = conflicting
    assert [status["changes_have_keys"] for status in statuses] == ["pass", "warn"]
    lost = [row for row in found["changes_have_keys"] if row["feed"] == "deleted"]
    assert [(int(row["offset"]), row["operation"]) for row in lost] == [(7, "tombstone")]
    assert "follows no delete" in lost[0]["finding"]


@pytest.mark.long
def test_what_came_before_a_cut_over_is_no_finding_once_a_change_has_reached_it(conflicting):
    _, found, _ = conflicting
    assert "reached" not in {row["feed"] for rows in found.values() for row in rows}
