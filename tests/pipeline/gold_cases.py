"""Every rule of gold once: what comes in each of three loads, and what gold and its history show then, written by hand.

A case that clears nothing has ten keys of a table that all such cases of its order share. A case that clears, drops or
loads its table again has a source table of its own, which one gold table reads as a shard.
"""

import json
from dataclasses import dataclass
from decimal import Decimal

from tests.pipeline.shop_records import (
    UNAVAILABLE,
    canal_ddl,
    canal_record,
    change,
    ddl,
    mysql,
    oms_record,
    postgres,
    postgres_source,
    schema,
)

LOADS = 3
FIRST, LAST = "first_in_data_collection", "last_in_data_collection"
SECOND_2 = "1970-01-01 00:00:02Z"
# a column that the message does not carry
KEPT = object()
COLUMNS = ("amount", "note", "body")
TYPES = {"id": "int", "amount": "int", "note": "varchar(9)", "body": "text"}
SHARD = "'shard': {'type': 'string', 'source': '@table'}"


@dataclass(frozen=True)
class Table:
    """A gold table, and the columns of it that cases show; with `versions` it has a history."""

    feed: str
    source: str
    key: str
    columns: str
    shown: tuple[str, ...]
    versions: bool = False
    more: str = ""

    def model(self, macro: str) -> str:
        key = f"key={self.key}, " if self.key else ""
        more = self.more if macro == "current_state" else ""
        return (
            f"{{{{ {macro}(feed='{self.feed}', {self.source}, {key}columns={{{self.columns}}}{more}) }}}}"
            + "\n"
        )

    @property
    def macro(self) -> str:
        return "current_state" if self.key else "current_rows"

    @property
    def is_sharded(self) -> bool:
        return "shard" in self.columns


FEEDS = {
    "gold_positions": {"format": "debezium_json"},
    "gold_offsets": {"format": "canal_json", "time_zone": "UTC"},
    "gold_cleared_positions": {
        "format": "debezium_json",
        "cut_overs": {"shop.cut_over_1": SECOND_2},
    },
    "gold_cleared_offsets": {"format": "canal_json", "cut_overs": {"shop.cut_over_2": SECOND_2}},
    "gold_without_key": {"format": "debezium_json", "before_images": "complete"},
    "gold_kept": {"format": "canal_json", "on_drop": "keep"},
    "gold_loaded": {"format": "oms_default"},
    "gold_trail": {"format": "ogg_json"},
}
SHARED = "'id': 'int', 'amount': 'int', 'note': 'string', 'body': 'string'"
VALUE = f"{SHARD}, 'id': 'int', 'value': 'string'"
SHARDS = "database='shop', table={'pattern': '[a-z_]+'}"
TABLES = {
    "by_position": Table(
        "gold_positions",
        "database='shop', table='by_position'",
        "['id']",
        SHARED,
        ("id", *COLUMNS),
        versions=True,
    ),
    "by_offset": Table(
        "gold_offsets",
        "database='shop', table='by_offset'",
        "['id']",
        SHARED,
        ("id", *COLUMNS),
        versions=True,
    ),
    "cleared_by_position": Table(
        "gold_cleared_positions", SHARDS, "['shard', 'id']", VALUE, ("id", "value"), versions=True
    ),
    "cleared_by_offset": Table(
        "gold_cleared_offsets", SHARDS, "['shard', 'id']", VALUE, ("id", "value")
    ),
    "loaded_beside_the_stream": Table(
        "gold_loaded", SHARDS, "['shard', 'id']", VALUE, ("id", "value")
    ),
    "without_key": Table("gold_without_key", SHARDS, "", f"{SHARD}, 'value': 'string'", ("value",)),
    "cut_over_1": Table(
        "gold_cleared_positions",
        "database='shop', table='cut_over_1'",
        "['id']",
        "'id': 'int', 'value': 'string'",
        ("id", "value"),
    ),
    "cut_over_2": Table(
        "gold_cleared_offsets",
        "database='shop', table='cut_over_2'",
        "['id']",
        "'id': 'int', 'value': 'string'",
        ("id", "value"),
        versions=True,
    ),
    "kept_on_drop": Table(
        "gold_kept",
        "database='shop', table='kept_on_drop'",
        "['id']",
        "'id': 'int', 'value': 'string'",
        ("id", "value"),
    ),
    "with_added_columns": Table(
        "gold_offsets",
        "database='shop', table='grown'",
        "['id']",
        "'id': 'int'",
        ("id", "amount", "value"),
        more=", left_out=['note'], new_columns='add'",
    ),
    "with_other_types": Table(
        "gold_positions",
        "database='shop', schema='public', table='retyped'",
        "['id']",
        "'id': 'int', 'paid_on': 'date', 'body': 'string'",
        ("id", "paid_on", "body"),
        versions=True,
    ),
    "respelled": Table(
        "gold_positions",
        "database='shop', table='respelled'",
        "['id']",
        "'id': 'int', 'pay': 'decimal(6,2)', 'job': 'string'",
        ("id", "pay", "job"),
    ),
    "of_documents": Table(
        "gold_positions",
        "database='shop', table='documents'",
        "['id']",
        "'id': {'type': 'int', 'source': '_id'}, 'value': 'string'",
        ("id", "value"),
    ),
    "countries": Table(
        "gold_positions",
        "database='shop', schema='public', table='countries'",
        "['id']",
        "'id': 'int', 'value': 'string'",
        ("id", "value"),
    ),
    "trail": Table(
        "gold_trail",
        "schema='shop', table='trail'",
        "['id']",
        "'id': 'int', 'value': 'string'",
        ("id", "value"),
    ),
    "large_with_same_keys": Table(
        "gold_positions",
        "database='shop', table='large'",
        "['id']",
        "'id': 'int', 'value': 'string'",
        ("id", "value"),
        more=", large=true",
    ),
    "large_with_other_keys": Table(
        "gold_positions",
        "database='shop', table='large_with_other_keys'",
        "['id']",
        "'id': 'int', 'value': 'string'",
        ("id", "value"),
        more=", large=true",
    ),
}


@dataclass(frozen=True)
class Change:
    """A change of a row in a shared table, at a position or an offset, which is its time in seconds too."""

    operation: str
    key: int | None
    at: int
    values: tuple | None = None
    partition: int = 0
    old_key: int | None = None
    second: int | None = None

    @property
    def time(self) -> int:
        return self.at if self.second is None else self.second

    def row(self) -> dict | None:
        """As the message carries it."""
        if self.key is None:
            return None
        values = self.values or (None,) * len(COLUMNS)
        return {"id": self.key} | dict(zip(COLUMNS, values, strict=True))


@dataclass(frozen=True)
class Case:
    """What comes in each load, and what is there after all of them: rows, versions (with their times in seconds)."""

    table: str
    # of a shared table changes, else records
    loads: tuple[list, ...]
    rows: list[tuple]
    versions: list[tuple] | None = None

    @property
    def keys(self) -> range | None:
        """The keys that are this case's in a shared table."""
        changes = [one for load in self.loads for one in load if isinstance(one, Change)]
        decades = {one.key // 10 for one in changes if one.key is not None}
        assert len(decades) <= 1, "a case has ten keys"
        return next((range(10 * one, 10 * one + 10) for one in decades), None)

    @property
    def shard(self) -> str | None:
        """The source table that is this case's own."""
        if not TABLES[self.table].is_sharded:
            return None
        (shard,) = {
            one["topic"] for load in self.loads for one in load if "_ddl" not in one["topic"]
        }
        return shard.removeprefix("shop.")

    def records(self, load: int) -> list[dict]:
        """What lands in the load."""
        if self.keys is None:
            return [one for part in self.loads[load : load + 1] for one in part]
        write = by_position if self.table == "by_position" else by_offset
        before = sum(map(len, self.loads[:load]))
        return [
            write(one, self.keys.start * 10 + before + number)
            for part in self.loads[load : load + 1]
            for number, one in enumerate(part)
        ]


def by_position(one: Change, offset: int) -> dict:
    """A record of Debezium, whose offset says nothing."""
    row = one.row()
    row = row and {name: UNAVAILABLE if value is KEPT else value for name, value in row.items()}
    source = postgres("by_position", one.at, second=one.time)
    if one.operation == "tombstone":
        return change(offset, "d", row, source, one.partition) | {"value": None}
    told = {} if one.old_key is None else {"old_key": {"id": one.old_key}}
    return change(offset, one.operation, row, source, one.partition, **told)


def by_offset(one: Change, _: int) -> dict:
    """A record of Canal, whose offset is all that orders it."""
    if one.operation == "TRUNCATE":
        record = canal_record("by_offset", one.at, "TRUNCATE", None, one.time * 1000, one.partition)
        told = json.loads(record["value"]) | {"isDdl": True, "sql": "TRUNCATE TABLE by_offset"}
        return record | {"value": json.dumps(told)}
    row = {name: value for name, value in one.row().items() if value is not KEPT}
    row = {name: value if value is None else str(value) for name, value in row.items()}
    # an update that does not tell its old values may leave out columns
    is_whole = KEPT not in (one.values or ())
    old = {"note": "older"} if one.operation == "UPDATE" and is_whole else None
    old = {"id": str(one.old_key)} if one.old_key is not None else old
    return canal_record(
        "by_offset", one.at, one.operation, row, one.time * 1000, one.partition, TYPES, old
    )


A, B, C = (1, "a", "x"), (2, "b", "x"), (3, "c", "x")
# rows of a table that clears nothing: the newest change of each key, by position
POSITIONS = {
    "a_late_change_replaces_nothing_newer": Case(
        "by_position",
        (
            [Change("c", 10, 100, A), Change("u", 10, 120, C)],
            [Change("u", 10, 110, B)],
        ),
        [(10, *C)],
        [(10, *A, 100, 110), (10, *B, 110, 120), (10, *C, 120, None)],
    ),
    "changes_in_any_order_end_as_at_the_source": Case(
        "by_position",
        (
            [Change("u", 20, 120, C), Change("c", 20, 100, A), Change("d", 21, 130)],
            [Change("c", 21, 100, A)],
            [Change("u", 20, 110, B)],
        ),
        [(20, *C)],
        [
            (20, *A, 100, 110),
            (20, *B, 110, 120),
            (20, *C, 120, None),
            (21, *A, 100, 130),
        ],
    ),
    "a_key_change_moves_the_row": Case(
        "by_position",
        (
            [Change("c", 30, 100, A)],
            [Change("d", 30, 110), Change("c", 31, 110, A, old_key=30)],
        ),
        [(31, *A)],
        [(30, *A, 100, 110), (31, *A, 110, None)],
    ),
    "a_key_change_keeps_the_values_that_it_does_not_carry": Case(
        # one of which comes late
        "by_position",
        (
            [Change("c", 40, 100, A)],
            [Change("d", 40, 110), Change("c", 41, 110, (1, "a", KEPT), old_key=40)],
            [Change("u", 40, 105, (1, "a", "late"))],
        ),
        [(41, 1, "a", "late")],
        [(40, *A, 100, 105), (40, 1, "a", "late", 105, 110), (41, 1, "a", "late", 110, None)],
    ),
    "two_rows_exchange_their_keys": Case(
        "by_position",
        (
            [Change("c", 50, 100, A), Change("c", 51, 101, (2, "b", "y"))],
            [
                Change("d", 50, 110),
                Change("c", 55, 110, (1, KEPT, KEPT), old_key=50),
                Change("d", 51, 120),
                Change("c", 50, 120, (2, KEPT, KEPT), old_key=51),
                Change("d", 55, 130),
                Change("c", 51, 130, (1, KEPT, KEPT), old_key=55),
            ],
        ),
        [(50, 2, "b", "y"), (51, *A)],
        [
            (50, *A, 100, 110),
            (50, 2, "b", "y", 120, None),
            (51, 2, "b", "y", 101, 120),
            (51, *A, 130, None),
            (55, *A, 110, 130),
        ],
    ),
    "a_partial_image_changes_the_columns_that_it_carries": Case(
        "by_position",
        (
            [Change("c", 60, 100, A)],
            [Change("u", 60, 120, (3, KEPT, KEPT))],
            [Change("u", 60, 110, (2, "b", KEPT))],
        ),
        [(60, 3, "b", "x")],
        [(60, *A, 100, 110), (60, *B, 110, 120), (60, 3, "b", "x", 120, None)],
    ),
    "an_update_older_than_a_delete_revives_nothing": Case(
        "by_position",
        ([Change("c", 70, 100, A)], [Change("d", 70, 120)], [Change("u", 70, 110, B)]),
        [],
        [(70, *A, 100, 110), (70, *B, 110, 120)],
    ),
    "a_key_that_is_inserted_again_has_nothing_of_the_deleted_row": Case(
        "by_position",
        (
            [Change("c", 80, 100, A)],
            [Change("d", 80, 110)],
            [Change("c", 80, 120, (2, "b", KEPT))],
        ),
        [(80, 2, "b", None)],
        [(80, *A, 100, 110), (80, 2, "b", None, 120, None)],
    ),
    "a_truncate_clears_what_is_older_in_every_partition": Case(
        # all other cases of the table are newer
        "by_position",
        (
            [Change("c", 90, 10, A), Change("c", 91, 11, A, partition=1)],
            [Change("t", None, 20)],
            [Change("c", 92, 15, A, partition=1), Change("c", 93, 30, A, partition=1)],
        ),
        [(93, *A)],
        [(90, *A, 10, 20), (91, *A, 11, 20), (92, *A, 15, 20), (93, *A, 30, None)],
    ),
    "a_value_that_does_not_fit_is_null_until_one_fits": Case(
        "by_position",
        (
            [
                Change("c", 100, 100, ("many", "a", "x"), partition=1),
                Change("c", 101, 100, ("few", "a", "x")),
            ],
            [Change("u", 100, 110, (KEPT, "b", "x")), Change("u", 101, 110, A)],
        ),
        [(100, None, "b", "x"), (101, *A)],
        [
            (100, None, "a", "x", 100, 110),
            (100, None, "b", "x", 110, None),
            (101, None, "a", "x", 100, 110),
            (101, *A, 110, None),
        ],
    ),
    "records_that_are_sent_again_count_once": Case(
        "by_position",
        (
            [Change("c", 110, 100, A), Change("u", 110, 110, B)],
            [Change("c", 110, 100, A), Change("u", 110, 110, B)],
        ),
        [(110, *B)],
        [(110, *A, 100, 110), (110, *B, 110, None)],
    ),
    "positions_order_the_changes_of_two_partitions": Case(
        "by_position",
        (
            [Change("c", 120, 100, A), Change("u", 120, 120, C, partition=1)],
            [Change("u", 120, 110, B)],
        ),
        [(120, *C)],
        [(120, *A, 100, 110), (120, *B, 110, 120), (120, *C, 120, None)],
    ),
    "a_row_that_is_deleted_at_the_position_of_its_insert_is_deleted": Case(
        # in another partition: nothing says which was first
        "by_position",
        ([Change("c", 140, 100, A)], [Change("d", 140, 100, partition=1)]),
        [],
    ),
    "a_tombstone_removes_nothing_and_is_no_second_change": Case(
        # of a compacted topic the delete is gone; 131: behind its delete; 132: sent again with it, behind a newer insert;
        # 133: sent again late, the insert is in another partition; 134: the key was inserted again
        "by_position",
        (
            [Change("c", key, 100, A) for key in range(130, 135)],
            [
                Change("tombstone", 130, 0),
                Change("d", 131, 110),
                Change("tombstone", 131, 0),
                Change("d", 132, 110),
                Change("tombstone", 132, 0),
                Change("c", 132, 120, B),
                Change("d", 132, 110),
                Change("tombstone", 132, 0),
                Change("d", 133, 110),
                Change("tombstone", 133, 0),
                Change("c", 133, 120, B, partition=1),
                Change("tombstone", 133, 0),
                Change("tombstone", 134, 0),
                Change("c", 134, 120, B),
            ],
        ),
        [(130, *A), (132, *B), (133, *B), (134, *B)],
        [
            (130, *A, 100, None),
            (131, *A, 100, 110),
            (132, *A, 100, 110),
            (132, *B, 120, None),
            (133, *A, 100, 110),
            (133, *B, 120, None),
            (134, *A, 100, 120),
            (134, *B, 120, None),
        ],
    ),
}
# the same where nothing but the offset in its partition orders
OFFSETS = {
    "offsets_order_whatever_the_clocks_say": Case(
        "by_offset",
        (
            [Change("INSERT", 10, 100, A, second=5)],
            [Change("UPDATE", 10, 101, B, second=12), Change("UPDATE", 10, 102, C, second=10)],
        ),
        [(10, *C)],
        [(10, *A, 5, 12), (10, *B, 12, 12), (10, *C, 12, None)],
    ),
    "a_late_offset_replaces_nothing_newer": Case(
        "by_offset",
        (
            [Change("INSERT", 20, 200, A), Change("UPDATE", 20, 202, C)],
            [Change("UPDATE", 20, 201, B)],
        ),
        [(20, *C)],
        [(20, *A, 200, 201), (20, *B, 201, 202), (20, *C, 202, None)],
    ),
    "a_message_with_both_keys_moves_the_row": Case(
        "by_offset",
        (
            [Change("INSERT", 30, 300, A)],
            [Change("UPDATE", 31, 301, A, old_key=30)],
        ),
        [(31, *A)],
        [(30, *A, 300, 301), (31, *A, 301, None)],
    ),
    "a_row_image_without_a_column_keeps_its_value": Case(
        "by_offset",
        (
            [Change("INSERT", 40, 400, A)],
            [Change("UPDATE", 40, 401, (2, "b", KEPT))],
        ),
        [(40, *B)],
        [(40, *A, 400, 401), (40, *B, 401, None)],
    ),
    "an_update_of_a_lower_offset_than_the_delete_revives_nothing": Case(
        "by_offset",
        (
            [Change("INSERT", 50, 500, A)],
            [Change("DELETE", 50, 502, A)],
            [Change("UPDATE", 50, 501, B)],
        ),
        [],
        [(50, *A, 500, 501), (50, *B, 501, 502)],
    ),
    "a_truncate_without_a_position_clears_its_own_partition": Case(
        # in which no other case has keys
        "by_offset",
        (
            [Change("INSERT", 60, 600, A, partition=2), Change("INSERT", 61, 600, A, partition=3)],
            [Change("TRUNCATE", None, 601, partition=2)],
            [Change("INSERT", 62, 602, A, partition=2)],
        ),
        [(61, *A), (62, *A)],
        [(60, *A, 600, 601), (61, *A, 600, None), (62, *A, 602, None)],
    ),
    "a_producer_that_repeats_itself_ends_where_it_was": Case(
        "by_offset",
        (
            [Change("INSERT", 70, 700, A), Change("UPDATE", 70, 701, B)],
            [Change("INSERT", 70, 702, A), Change("UPDATE", 70, 703, B)],
        ),
        [(70, *B)],
    ),
    "rows_of_a_full_load_are_older_than_the_stream": Case(
        "by_offset",
        (
            [Change("UPDATE", 80, 800, B)],
            [Change("ROW", 80, 801, A), Change("ROW", 81, 802, A)],
        ),
        [(80, *B), (81, *A)],
    ),
    "a_key_in_two_partitions_shows_the_change_of_the_higher_offset": Case(
        "by_offset",
        (
            [Change("INSERT", 100, 1000, A, partition=4)],
            [Change("UPDATE", 100, 1001, B, partition=5)],
        ),
        [(100, *B)],
    ),
    "an_update_of_a_row_that_was_another_one_wins": Case(
        # it says that the note was "older"
        "by_offset",
        ([Change("INSERT", 110, 1100, A)], [Change("UPDATE", 110, 1101, (1, "b", "x"))]),
        [(110, 1, "b", "x")],
    ),
    "a_text_that_is_no_number_is_null": Case(
        "by_offset",
        ([Change("INSERT", 90, 900, ("many", "a", "x"))],),
        [(90, None, "a", "x")],
        [(90, None, "a", "x", 900, None)],
    ),
}


def of_mysql(table):
    def record(offset, operation, key, value, file, position, server=1, snapshot="false"):
        source = mysql(table, file, position, server, snapshot)
        return change(offset, operation, {"id": key, "value": value}, source)

    return record


def of_postgres(table):
    def record(offset, operation, key, value, position, second=1, snapshot="false", **told):
        source = postgres(table, position, snapshot, second)
        row = None if operation == "t" else {"id": key, "value": value}
        return change(offset, operation, row, source, second=second, **told)

    return record


RELOADED, BROUGHT, LOADED_ONCE_MORE, TAKEN_OVER, DROPPED = map(
    of_mysql, ("reloaded", "brought", "loaded_once_more", "taken_over", "dropped")
)
READ, CUT, RECREATED, TRUNCATED, BESIDE = map(
    of_postgres, ("read_again", "cut_over_1", "recreated", "truncated", "beside")
)


def loaded_and_streamed(record):
    """A full load of three rows, and a change of one of them."""
    return [
        record(0, "r", 1, "first load", 2, 10, 0, "first"),
        record(1, "r", 2, "first load", 2, 10, 0, "true"),
        record(2, "r", 3, "first load", 2, 10, 0, "last"),
        record(3, "u", 2, "streamed", 2, 20),
    ]


# source tables that are cleared, dropped or loaded again, in the order of positions
CLEARED_BY_POSITION = {
    "a_new_full_load_clears_what_it_does_not_bring": Case(
        "cleared_by_position",
        (
            [
                *loaded_and_streamed(RELOADED),
                RELOADED(4, "c", 4, "streamed", 2, 30),
            ],
            [
                RELOADED(5, "r", 1, "second load", 2, 90, 0, "first"),
                RELOADED(6, "r", 4, "second load", 2, 90, 0, "last"),
            ],
            [RELOADED(7, "u", 4, "newer than the second load", 2, 100)],
        ),
        [(1, "second load"), (4, "newer than the second load")],
    ),
    "a_new_full_load_that_brings_every_row_again_clears_none": Case(
        "cleared_by_position",
        (
            loaded_and_streamed(BROUGHT),
            [
                BROUGHT(4, "r", 1, "second load", 2, 90, 0, "first"),
                BROUGHT(5, "r", 2, "second load", 2, 90, 0, "true"),
                BROUGHT(6, "r", 3, "second load", 2, 90, 0, "last"),
            ],
        ),
        [(1, "second load"), (2, "second load"), (3, "second load")],
    ),
    "a_new_full_load_that_nothing_follows_clears_what_it_does_not_bring": Case(
        "cleared_by_position",
        (
            loaded_and_streamed(LOADED_ONCE_MORE),
            [
                LOADED_ONCE_MORE(4, "r", 1, "second load", 2, 90, 0, "first"),
                LOADED_ONCE_MORE(5, "r", 3, "second load", 2, 90, 0, "last"),
            ],
        ),
        [(1, "second load"), (3, "second load")],
    ),
    "a_server_that_takes_over_is_newer_at_lower_positions": Case(
        "cleared_by_position",
        (
            [TAKEN_OVER(key, "c", key, "old server", 7, 500 + key) for key in (1, 2, 3)],
            [
                TAKEN_OVER(4, "u", 1, "new server", 1, 100, 2),
                TAKEN_OVER(5, "d", 2, "old server", 1, 200, 2),
            ],
        ),
        [(1, "new server"), (3, "old server")],
    ),
    "a_dropped_table_loses_its_rows": Case(
        "cleared_by_position",
        (
            [DROPPED(0, "c", 1, "before", 2, 10)],
            [ddl(0, mysql("dropped", 2, 20), "DROP TABLE dropped")],
            [DROPPED(1, "c", 2, "created again", 2, 30)],
        ),
        [(2, "created again")],
    ),
    "a_row_without_a_position_is_newer_than_its_partition_so_far": Case(
        # what a connector that starts again repeats is older
        "cleared_by_position",
        (
            [
                READ(0, "c", 1, "streamed", 110),
                READ(1, "c", 2, "streamed", 120),
                READ(2, "r", 1, "read again", None, snapshot="incremental"),
            ],
            [
                READ(3, "u", 2, "streamed later", 210),
                READ(4, "r", 3, "read", None, snapshot="incremental"),
                READ(5, "r", 2, "read later still", None, snapshot="incremental"),
            ],
            [READ(6, "c", 1, "streamed", 110), READ(7, "u", 2, "streamed later", 210)],
        ),
        [(1, "read again"), (2, "read later still"), (3, "read")],
    ),
    "a_topic_that_is_created_again_is_newer": Case(
        "cleared_by_position",
        (
            [
                RECREATED(0, "c", 1, "streamed", 110),
                RECREATED(1, "r", 1, "read", None, snapshot="incremental"),
            ],
            [
                RECREATED(0, "r", 1, "read later", None, snapshot="incremental")
                | {"topic_generation": 1}
            ],
        ),
        [(1, "read later")],
    ),
    "a_truncate_clears_its_own_shard": Case(
        "cleared_by_position",
        (
            [TRUNCATED(0, "c", 1, "before", 100, 1)],
            [TRUNCATED(1, "t", None, None, 200, 2)],
            [TRUNCATED(2, "c", 2, "late", 150, 1), TRUNCATED(3, "c", 3, "after", 300, 3)],
        ),
        [(3, "after")],
        [(1, "before", 1, 2), (2, "late", 1, 2), (3, "after", 3, None)],
    ),
    "a_truncate_leaves_other_shards": Case(
        "cleared_by_position",
        ([BESIDE(0, "c", 1, "before", 100)],),
        [(1, "before")],
        [(1, "before", 1, None)],
    ),
}


def inserted(table, offset, key, value, second=1):
    row = {"id": key and str(key), "value": value}
    return canal_record(table, offset, "INSERT", row, second * 1000)


# the same in the order of offsets
CLEARED_BY_OFFSET = {
    "a_drop_without_a_position_clears_its_table": Case(
        "cleared_by_offset",
        (
            [inserted("dropped", 0, 1, "before")],
            [canal_ddl("dropped", 1, "ERASE", "DROP TABLE dropped")],
            [inserted("dropped", 2, 2, "created again", 2)],
        ),
        [(2, "created again")],
    ),
    "a_table_that_is_replaced_loses_its_rows": Case(
        "cleared_by_offset",
        (
            [inserted("replaced", 0, 1, "before")],
            [canal_ddl("replaced", 1, "CREATE", "CREATE OR REPLACE TABLE replaced (id int)")],
        ),
        [],
    ),
    "a_partition_that_is_truncated_leaves_the_table": Case(
        "cleared_by_offset",
        (
            [inserted("in_part", 0, 1, "before")],
            [canal_ddl("in_part", 1, "ALTER", "ALTER TABLE in_part\nTRUNCATE PARTITION old")],
        ),
        [(1, "before")],
    ),
    "a_key_with_null_in_it_names_no_row": Case(
        "cleared_by_offset",
        (
            [inserted("unnamed", 0, 1, "named"), inserted("unnamed", 1, None, "unnamed")],
            [inserted("unnamed", 2, None, "neither")],
        ),
        [(1, "named")],
    ),
}


def of_oms(table):
    def record(offset, kind, key, value, sequence=None, store="s1"):
        row = {"id": key, "value": value}
        sequence = sequence and 160934467150000000 + sequence
        old = row if kind == "UPDATE" else None
        return oms_record(table, offset, kind, row, sequence, store, old=old)

    return record


BETWEEN, SWITCHED = map(of_oms, ("between", "switched"))
# full loads that nothing marks as new ones
LOADED_BESIDE_THE_STREAM = {
    "a_full_load_between_changes_removes_nothing_and_replaces_none": Case(
        "loaded_beside_the_stream",
        (
            [
                BETWEEN(0, "ROW", 1, "loaded"),
                BETWEEN(1, "ROW", 2, "loaded"),
                BETWEEN(2, "UPDATE", 4, "changed", 1),
                BETWEEN(3, "ROW", 3, "loaded"),
            ],
            [
                BETWEEN(4, "DELETE", 5, "loaded", 2),
                BETWEEN(5, "ROW", 4, "loaded"),
                BETWEEN(6, "ROW", 5, "loaded"),
                BETWEEN(7, "UPDATE", 3, "changed", 3),
            ],
            # read once more: only of rows that no change has told
            [BETWEEN(8, "ROW", 1, "read again"), BETWEEN(9, "ROW", 3, "read again")],
        ),
        [(1, "read again"), (2, "loaded"), (3, "changed"), (4, "changed")],
    ),
    "a_full_load_is_older_than_the_changes_of_an_earlier_store": Case(
        "loaded_beside_the_stream",
        (
            [SWITCHED(0, "UPDATE", 1, "changed", 900)],
            [SWITCHED(1, "UPDATE", 2, "changed", 100, "s2")],
            [SWITCHED(2, "ROW", 1, "loaded"), SWITCHED(3, "ROW", 3, "loaded")],
        ),
        [(1, "changed"), (2, "changed"), (3, "loaded")],
    ),
}


def keyless(table):
    def record(offset, operation, value, position, snapshot="false", **told):
        row = None if value is None else {"value": value}
        source = postgres(table, position, snapshot)
        return change(offset, operation, row, source, key=None, **told)

    return record


COUNTED, REPEATED, LOADED, EMPTIED, TAKEN = map(
    keyless, ("counted", "repeated", "loaded", "emptied", "taken")
)
WITHOUT_KEY = {
    "equal_rows_are_there_as_often_as_at_the_source": Case(
        "without_key",
        (
            [COUNTED(0, "c", "a", 100), COUNTED(1, "c", "a", 100), COUNTED(2, "c", "b", 110)],
            [COUNTED(3, "d", "a", 120)],
            [COUNTED(4, "u", "a", 130, before={"value": "b"}), COUNTED(5, "c", "a", 140)],
        ),
        [("a",), ("a",), ("a",)],
    ),
    "a_row_that_is_sent_again_counts_once": Case(
        "without_key",
        (
            [REPEATED(0, "c", "x", 100), REPEATED(1, "c", "y", 110)],
            [REPEATED(2, "c", "x", 100), REPEATED(3, "c", "z", 120)],
        ),
        [("x",), ("y",), ("z",)],
    ),
    "a_new_full_load_counts_its_own_rows": Case(
        "without_key",
        (
            [
                LOADED(0, "r", "a", 10, FIRST),
                LOADED(1, "r", "b", 10, LAST),
                LOADED(2, "c", "c", 20),
            ],
            [
                LOADED(3, "r", "a", 90, FIRST),
                LOADED(4, "r", "a", 90),
                LOADED(5, "r", "c", 90, LAST),
            ],
        ),
        [("a",), ("a",), ("c",)],
    ),
    "a_row_that_is_taken_and_never_came_takes_no_other": Case(
        "without_key",
        ([TAKEN(0, "c", "a", 100)], [TAKEN(1, "d", "never came", 110)]),
        [("a",)],
    ),
    "a_truncate_takes_all_rows": Case(
        "without_key",
        ([EMPTIED(0, "c", "a", 100)], [EMPTIED(1, "t", None, 110)], [EMPTIED(2, "c", "b", 120)]),
        [("b",)],
    ),
}


def grown(load, row, **types):
    known = {"id": "int", "value": "varchar(10)"} | types
    row = {name: row.get(name) for name in known}
    return [canal_record("grown", load, "INSERT", row, 1000 + load, types=known)]


DATE = {"field": "paid_on", "type": "int32", "name": "io.debezium.time.Date", "optional": True}


def retyped(offset, operation, paid_on, body, types):
    row = {"id": 1, "paid_on": paid_on, "body": body}
    at = 100 + offset
    source = postgres_source("retyped", json.dumps([str(at)] * 2)) | {"ts_ms": at * 1000}
    return change(offset, operation, row, source, schema=types)


def with_date(types):
    (image,) = types["fields"]
    fields = [DATE if one["field"] == "paid_on" else one for one in image["fields"]]
    return types | {"fields": [image | {"fields": fields}]}


DECIMAL = {
    "type": "bytes",
    "name": "org.apache.kafka.connect.data.Decimal",
    "parameters": {"scale": "2"},
}


def respelled(offset, operation, **row):
    """A row of which every column but the key is a decimal or a text; decimals are written as bytes, 1.50 as AJY=."""
    types = schema(**dict.fromkeys(row, "string"))
    for field in types["fields"][0]["fields"]:
        if field["field"].lower() == "pay":
            field |= DECIMAL
    return change(offset, operation, row, mysql("respelled", 1, offset), schema=types)


LARGE, UNLIKE = map(of_mysql, ("large", "large_with_other_keys"))


def of_another_row(record, key):
    """The record under the key of another row than its own."""
    return record | {"key": json.dumps({"id": key})}


def document(offset, operation, key, value, second, snapshot="false"):
    """A document of MongoDB, of which no position tells whether it is of a full load."""
    source = {"connector": "mongodb", "version": "3.4.0.Final", "db": "shop", "snapshot": snapshot}
    source |= {"collection": "documents", "ts_ms": second * 1000, "ord": 1}
    record = change(offset, operation, None, mysql("documents", 1, 1), second=second)
    after = json.dumps({"_id": key, "value": value})
    told = {"before": None, "after": after, "op": operation, "source": source, "ts_ms": second}
    return record | {"key": json.dumps({"id": str(key)}), "value": json.dumps(told)}


def country(offset, operation, value, table="countries"):
    """A row of a table that a full load alone has brought, or of one that shares it."""
    position, mark = (1, "true") if operation == "r" else (1 + offset, "false")
    row = {"id": 1 + offset if operation == "r" else 1, "value": value}
    return change(offset, operation, row, postgres(table, position, mark))


def trail(offset, before, after, file, place):
    """A record of GoldenGate, by its place in the files of a trail."""
    told = {"table": "shop.trail", "op_type": "U" if before else "I", "csn": "9"}
    told |= {"pos": f"{file:010}{place:010}", "op_ts": "2026-01-01 00:00:00.000000"}
    rows = [value and {"id": 1, "value": value} for value in (before, after)]
    record = change(offset, "c", None, mysql("trail", 1, 1))
    told |= {"before": rows[0], "after": rows[1], "primary_keys": ["id"]}
    return record | {"value": json.dumps(told)}


AS_TEXT = schema(id="int32", paid_on="string", body="string")
TABLES_OF_THEIR_OWN = {
    # a cut-over is of a gold table, whatever shards it reads
    "a_cut_over_makes_lower_positions_newer": Case(
        "cut_over_1",
        (
            [CUT(0, "r", 1, "old", 9000, 1, FIRST), CUT(1, "c", 3, "old", 9010, 1)],
            [CUT(2, "r", 1, "new", 100, 3, FIRST)],
            [CUT(3, "c", 2, "later", 300, 5), CUT(4, "u", 2, "last", 310, 5)],
        ),
        [(1, "new"), (2, "last")],
    ),
    "a_cut_over_clears_what_is_not_loaded_again": Case(
        "cut_over_2",
        (
            [
                inserted("cut_over_2", 0, 1, "first load"),
                inserted("cut_over_2", 1, 2, "first load"),
            ],
            [
                inserted("cut_over_2", 2, 1, "second load", 2),
                inserted("cut_over_2", 3, 3, "second load", 3),
            ],
        ),
        [(1, "second load"), (3, "second load")],
        [
            (1, "first load", 1, 2),
            (1, "second load", 2, None),
            (2, "first load", 1, 2),
            (3, "second load", 3, None),
        ],
    ),
    "a_dropped_table_keeps_its_rows_where_the_feed_says_so": Case(
        "kept_on_drop",
        (
            [inserted("kept_on_drop", 0, 1, "before")],
            [canal_ddl("kept_on_drop", 1, "ERASE", "DROP TABLE kept_on_drop")],
        ),
        [(1, "before")],
    ),
    "a_column_that_the_source_adds_and_widens_is_in_gold": Case(
        # `note` is left out, `a b` is no name that a table can have
        "with_added_columns",
        (
            grown(0, {"id": "1", "value": "a"}),
            grown(1, {"id": "2", "amount": "7"}, amount="int", note="text", **{"a b": "int"}),
            grown(2, {"id": "3", "amount": "5000000000"}, amount="bigint", note="text"),
        ),
        [(1, None, "a"), (2, 7, None), (3, 5_000_000_000, None)],
    ),
    "a_value_keeps_the_type_that_its_own_message_had": Case(
        # the column has become a text, and the second message does not carry the value
        "with_other_types",
        (
            [retyped(0, "c", 20454, "long", with_date(AS_TEXT))],
            [retyped(1, "u", UNAVAILABLE, "short", AS_TEXT)],
        ),
        [(1, "2026-01-01", "short")],
        [(1, "2026-01-01", "long", 100, 101), (1, "2026-01-01", "short", 101, None)],
    ),
    "a_column_of_mysql_keeps_its_values_when_its_name_changes_its_case": Case(
        "respelled",
        (
            [
                respelled(1, "c", id="1", pay="AJY=", job="a"),
                respelled(2, "c", id="2", pay="AJY=", job="b"),
            ],
            [respelled(3, "u", id="1", PAY="APo=", Job="c")],
        ),
        [(1, Decimal("2.50"), "c"), (2, Decimal("1.50"), "b")],
    ),
    "documents_that_are_loaded_again_clear_those_that_are_not": Case(
        "of_documents",
        (
            [
                document(0, "r", 1, "loaded", 10, "true"),
                document(1, "r", 2, "loaded", 10, "true"),
                document(2, "u", 2, "streamed", 20),
                document(3, "c", 3, "streamed", 30),
            ],
            [
                document(4, "r", 1, "loaded again", 50, "true"),
                document(5, "r", 3, "loaded again", 50, "true"),
            ],
            [document(6, "u", 3, "newer than the second load", 60)],
        ),
        [(1, "loaded again"), (3, "newer than the second load")],
    ),
    "a_table_that_another_shares_a_row_with_has_its_own_alone": Case(
        "countries",
        (
            [
                country(0, "r", "Chile"),
                country(1, "r", "Mali"),
                country(0, "r", "Chile", "visited"),
            ],
            [country(1, "u", "Peru", "visited")],
        ),
        [(1, "Chile"), (2, "Mali")],
    ),
    "a_commit_that_goes_on_in_the_next_file_of_a_trail_is_repeated": Case(
        "trail",
        (
            [trail(0, None, "new", 1, 9000), trail(1, "new", "paid", 2, 100)],
            [
                trail(2, None, "new", 1, 9000),
                trail(3, "new", "paid", 2, 100),
                trail(4, "paid", "sent", 2, 200),
            ],
        ),
        [(1, "sent")],
    ),
    "a_merge_finds_the_row_of_a_large_table_whose_key_is_no_number": Case(
        "large_with_same_keys",
        (
            [LARGE(0, "c", "four apples", "old", 1, 10), LARGE(1, "c", 5, "old", 1, 11)],
            [LARGE(2, "u", "four apples", "new", 1, 12), LARGE(3, "u", 5, "new", 1, 13)],
        ),
        [(None, "new"), (5, "new")],
    ),
    "a_merge_finds_the_row_of_a_large_table_that_says_another_key_than_its_record": Case(
        "large_with_other_keys",
        (
            [UNLIKE(0, "c", 5, "first", 1, 10), UNLIKE(1, "c", 6, "first", 1, 11)],
            [of_another_row(UNLIKE(2, "u", 9999, "second", 1, 12), 5)],
            [UNLIKE(3, "u", 5, "third", 1, 13)],
        ),
        [(5, "third"), (6, "first")],
    ),
}
CASES = (
    POSITIONS
    | OFFSETS
    | CLEARED_BY_POSITION
    | CLEARED_BY_OFFSET
    | LOADED_BESIDE_THE_STREAM
    | WITHOUT_KEY
    | TABLES_OF_THEIR_OWN
)
