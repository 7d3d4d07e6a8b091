"""Two rare things in one table, in the same three loads and runs.

Cases whose tables have the same columns and settings are shards of one gold table: a table more is what a run costs.
Where a mechanism depends on its table being no shard, a case of it has a gold table of its own.
"""

import json
from dataclasses import dataclass, field, replace

import pytest

from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import (
    UNAVAILABLE,
    canal_record,
    change,
    ddl,
    mysql,
    oms_record,
    postgres,
    postgres_source,
    schema,
    selected_cases,
    shown,
)

pytestmark = pytest.mark.long
MODEL = """{{{{ {macro}(
    feed='{feed}', {place}{key}columns={columns}{more}
) }}}}
"""
ROW = {"id": "int", "value": "string"}


@dataclass(frozen=True)
class Case:
    loads: list
    rows: list
    columns: dict = field(default_factory=lambda: ROW)
    feed: str = "combined_debezium"
    place: str = "database='shop', "
    key: tuple = ("id",)
    more: str = ""
    history: list | None = None
    # the gold table that reads the case's table as a shard; None: one of its own
    shared: str | None = None

    @property
    def macro(self):
        return "current_state" if self.key else "current_rows"

    def model(self, name, macro):
        place = self.place if "table" in self.place else f"{self.place}table='{name}', "
        return MODEL.format(
            macro=macro,
            feed=self.feed,
            place=place,
            key=f"key={list(self.key)}, " if self.key else "",
            columns=self.columns,
            more=self.more if macro == "current_state" else "",
        )

    def model_of_shards(self, names):
        shard = {"table_name": {"type": "string", "source": "@table"}}
        shards = replace(
            self,
            place=f"{self.place}table={{'pattern': '{'|'.join(names)}'}}, ",
            key=("table_name", *self.key) if self.key else (),
            columns=shard | self.columns,
        )
        return shards.model("", self.macro)


def of_postgres(table):
    """Changes of a row whose value is its position."""

    def record(partition, offset, operation, key, position, snapshot="false"):
        row = {"id": key, "value": str(position)}
        return change(offset, operation, row, postgres(table, position, snapshot), partition)

    return record


def of_mysql(table):
    def record(partition, offset, operation, key, file, position, server=1, snapshot="false"):
        row = None if operation == "t" else {"id": key, "value": f"{file}/{position}"}
        source = mysql(table, file, position, server, snapshot)
        return change(offset, operation, row, source, partition)

    return record


def two_loads(table):
    """Of two partitions the second has no change between two full loads; 3 was deleted meanwhile."""
    record = of_postgres(table)
    return [
        [
            record(0, 0, "r", 0, 10, "first_in_data_collection"),
            record(1, 0, "r", 1, 10, "true"),
            record(1, 1, "r", 3, 10, "last_in_data_collection"),
            record(0, 1, "u", 0, 20),
        ],
        [
            record(0, 2, "r", 0, 90, "first_in_data_collection"),
            record(1, 2, "r", 1, 90, "last_in_data_collection"),
        ],
    ]


def reloaded_with_ddl(table):
    record = of_mysql(table)
    load = f"DROP TABLE IF EXISTS `shop`.`{table}`"
    return [
        [
            ddl(0, mysql(table, 2, 10, 0, "true"), load),
            record(0, 0, "r", 1, 2, 10, 0, "first_in_data_collection"),
            record(0, 1, "u", 1, 2, 20),
        ],
        [
            ddl(1, mysql(table, 2, 90, 0, "true"), load),
            record(0, 2, "r", 1, 2, 90, 0, "first_in_data_collection"),
            record(0, 3, "c", 2, 2, 100),
        ],
        [ddl(2, mysql(table, 2, 200), f"TRUNCATE TABLE {table}"), record(0, 4, "c", 3, 2, 300)],
    ]


def emptied_before_a_load(table):
    """The second full load finds the table empty: only its DDL tells of it."""
    record = of_mysql(table)
    load = f"DROP TABLE IF EXISTS `shop`.`{table}`"
    return [
        [
            ddl(0, mysql(table, 2, 10, 0, "true"), load),
            record(0, 0, "r", 1, 2, 10, 0, "first_in_data_collection"),
            record(0, 1, "c", 2, 2, 15),
        ],
        [
            ddl(1, mysql(table, 2, 20), f"TRUNCATE TABLE {table}"),
            ddl(2, mysql(table, 2, 90, 0, "true"), load),
        ],
        [record(0, 2, "c", 3, 2, 100), record(0, 3, "c", 4, 2, 110)],
    ]


def failed_over(table):
    record = of_mysql(table)
    return [
        [record(0, 0, "c", 1, 7, 500), record(0, 1, "c", 2, 7, 600)],
        [record(0, 2, "u", 1, 1, 100, 2), record(0, 3, "u", 2, 1, 110, 2)],
    ]


def quiet_while_failed_over(table):
    """The second partition has no change from the second server, which empties the table before the first is back."""
    record = of_mysql(table)
    return [
        [record(0, 0, "c", 1, 7, 500), record(1, 0, "c", 5, 7, 510)],
        [record(0, 1, "u", 1, 1, 100, 2), record(0, 2, "t", None, 1, 120, 2)],
        [record(0, 3, "c", 2, 7, 900), record(1, 1, "c", 6, 7, 910)],
    ]


def keyless(table, partition, offset, operation, value, position, snapshot="false"):
    source = postgres(table, position, snapshot)
    return change(offset, operation, {"value": value}, source, partition, key=None)


def moved_in_a_shard(database, first, second):
    """The header writes the old key otherwise than the keys do, and each shard counts its own positions."""

    def record(offset, operation, key, body, position, **told):
        row = {"id": key, "body": body}
        source = postgres("moved", position) | {"db": database}
        return change(offset, operation, row, source, **told) | {"topic": database}

    return [
        record(0, "c", first, "long", 100),
        record(1, "d", first, None, 200),
        record(2, "c", second, UNAVAILABLE, 200, old_key={"id": 20}),
    ]


def without_position(table, partition, offset, operation, key, value):
    row = None if operation == "t" else {"id": key, "value": value}
    return change(offset, operation, row, postgres(table, None), partition)


def two_truncates(table):
    def record(offset, operation, key, position, second):
        row = None if operation == "t" else {"id": key, "value": "a"}
        return change(offset, operation, row, postgres(table, position, second=second))

    return [
        [record(0, "c", 1, 100, 1)],
        [record(1, "t", None, None, 2)],
        [record(2, "t", None, None, 9), record(3, "c", 2, 200, 10)],
    ]


def cut_over_to_lower_positions(table, operation):
    def record(offset, operation, key, value, position, second, snapshot="false"):
        row = None if operation == "t" else {"id": key, "value": value}
        source = postgres(table, position, snapshot)
        return change(offset, operation, row, source, second=second)

    first = "first_in_data_collection"
    return [
        [record(0, "r", 1, "old", 9000, 1, first)],
        [
            record(1, "r", 1, "new", 100, 3, first),
            record(2, operation, 1, "read again", None, 4, "incremental"),
        ],
        [record(3, "c", 2, "later", 300, 5), record(4, "u", 2, "last", 310, 5)],
    ]


def growing(column, kind, values):
    """A column with no type told at first."""
    typed = schema(**{"id": "int32", column: kind})
    return [
        [change(0, "c", {"id": 1, column: values[0]}, postgres("typed_late", 100))],
        [change(1, "c", {"id": 2, column: values[1]}, postgres("typed_late", 110), schema=typed)],
    ]


def oracle(offset, operation, row, scn):
    source = {"connector": "oracle", "db": "shop", "schema": "public", "table": "lobs", "ts_ms": 1}
    source |= {"snapshot": "false", "scn": str(scn), "commit_scn": str(scn + 5)}
    return change(offset, operation, row, source)


def boot(offset, kind, row, second, table="boot"):
    """A record of Maxwell, whose bootstrap tells no time of the source."""
    told = {"database": "shop", "table": table, "type": kind, "ts": second, "data": row}
    record = canal_record(table, offset, kind, row, second * 1000)
    key = {"database": "shop", "table": table, "pk.id": row["id"]}
    return record | {"key": json.dumps(key), "value": json.dumps(told)}


def oceanbase(tenant, offset, kind, key, value, sequence=None, old=None, table="tenants"):
    row = {"ddl": value} if kind == "DDL" else {"id": key, "value": value}
    record = oms_record(table, offset, kind, row, sequence, tenant=tenant, old=old)
    return record | {"topic": f"oms.{table}"}


def partly(tenant, offset, kind, key, value, sequence, old=None):
    return oceanbase(tenant, offset, kind, key, value, SEQUENCE + sequence, old, "partly")


def dropped(tenant, offset, kind, key, value, sequence):
    return oceanbase(tenant, offset, kind, key, value, SEQUENCE + sequence, table="dropped")


SEQUENCE = 160934467150000000
TENANTS = [
    [
        oceanbase("t1", 0, "ROW", 1, "loaded"),
        oceanbase("t1", 1, "ROW", 2, "loaded"),
        oceanbase("t1", 2, "INSERT", 3, "streamed", SEQUENCE + 1),
    ],
    # the first full load of the other tenant is none of this one's
    [
        oceanbase("t2", 3, "ROW", 1, "its own"),
        oceanbase("t2", 4, "INSERT", 3, "its own", SEQUENCE + 2),
        # which has no key in two partitions by this
        oceanbase("t2", 0, "ROW", 2, "its own") | {"partition": 1},
    ],
    [
        oceanbase("t1", 5, "UPDATE", 3, "last", SEQUENCE + 5, old={"id": 3, "value": "streamed"}),
        # and what names no tenant is neither's
        oceanbase(None, 6, "INSERT", 4, "of no tenant", SEQUENCE + 6),
        oceanbase(None, 7, "DELETE", 1, "of no tenant", SEQUENCE + 7),
    ],
]
# whose statements empty it without a tenant
PARTLY = [
    [partly("t1", 0, "INSERT", 9, "gone", 1), partly(None, 1, "INSERT", 8, "gone", 2)],
    [
        partly(None, 2, "DDL", None, "TRUNCATE TABLE partly", 3),
        partly("t1", 3, "INSERT", 1, "its own", 4),
        partly("t1", 4, "INSERT", 3, "its own", 5),
    ],
    [
        partly(None, 5, "UPDATE", 1, "of no tenant", 6, old={"id": 1, "value": "its own"}),
        partly(None, 6, "INSERT", 2, "of no tenant", 7),
        partly(None, 7, "DELETE", 3, "its own", 8),
    ],
]
# whose DROP names no tenant, and a row behind it neither
DROPPED = [
    [dropped("t1", 0, "INSERT", 1, "gone", 1)],
    [
        dropped(None, 1, "DDL", None, "DROP TABLE dropped", 2),
        dropped("t1", 2, "INSERT", 2, "its own", 3),
    ],
    [dropped(None, 3, "INSERT", 3, "of no tenant", 4)],
]
SECOND_2 = "1970-01-01 00:00:02Z"
SECOND_180 = "1970-01-01 00:03:00Z"
FEEDS = {
    "combined_debezium": {
        "format": "debezium_json",
        "cut_overs": {"shop.cut_over_read": SECOND_2, "shop.cut_over_truncate": SECOND_2},
        "key_columns": {"shop.null_in_key": ["code", "part"]},
    },
    "combined_keyless": {"format": "debezium_json", "before_images": "complete"},
    "combined_canal": {"format": "canal_json"},
    "combined_as_sent": {"format": "canal_json", "after_images": "as_sent"},
    "combined_oms": {"format": "oms_default"},
    "combined_maxwell": {"format": "maxwell", "cut_overs": {"shop.whole_boot": SECOND_180}},
}
FIRST, LAST = "first_in_data_collection", "last_in_data_collection"
LATE = of_postgres("late_partition")
LATER = of_postgres("more_partitions")
QUIET = of_mysql("quiet_loads")
EMPTIED = of_mysql("emptied_quietly")
ONE_ROW = of_postgres("one_row")
ELSEWHERE = of_postgres("mark_elsewhere")
STARTED = of_postgres("started_again")
MOVED = of_mysql("moved_server")
OTHER = of_mysql("other_partition")
CASES = {
    "two_loads": Case(two_loads("two_loads"), [(0, "90"), (1, "90")]),
    "truncated_load": Case(
        # the TRUNCATE lands in the partition that saw no second load begin
        [
            *two_loads("truncated_load"),
            [
                change(3, "t", None, postgres("truncated_load", 100), 1),
                of_postgres("truncated_load")(0, 3, "c", 2, 110),
            ],
        ],
        [(2, "110")],
    ),
    "more_partitions": Case(
        # the topic gets a second partition behind a second full load
        [
            [
                LATER(0, 0, "r", 1, 10, FIRST),
                LATER(0, 1, "r", 2, 10, LAST),
                LATER(0, 2, "u", 1, 20),
            ],
            [LATER(0, 3, "r", 1, 90, FIRST), LATER(0, 4, "r", 2, 90, LAST)],
            [LATER(1, 0, "u", 1, 200), LATER(1, 1, "d", 2, 210), LATER(1, 2, "c", 3, 220)],
        ],
        [(1, "200"), (3, "220")],
    ),
    "quiet_loads": Case(
        # no change between two full loads, whose rows name no server
        [
            [QUIET(0, 0, "r", 0, 2, 10, 0, FIRST), QUIET(1, 0, "r", 1, 2, 10, 0, LAST)],
            [QUIET(0, 1, "r", 0, 2, 90, 0, FIRST), QUIET(1, 1, "r", 1, 2, 90, 0, LAST)],
            [
                QUIET(1, 2, "u", 1, 2, 100),
                QUIET(1, 3, "c", 5, 2, 110),
                QUIET(0, 2, "u", 0, 2, 120),
            ],
        ],
        [(0, "2/120"), (1, "2/100"), (5, "2/110")],
    ),
    "emptied_quietly": Case(
        [
            [EMPTIED(0, 0, "r", 1, 2, 10, 0, FIRST), EMPTIED(0, 1, "r", 2, 2, 10, 0, LAST)],
            [EMPTIED(0, 2, "r", 1, 2, 90, 0, FIRST), EMPTIED(0, 3, "r", 2, 2, 90, 0, LAST)],
            [
                ddl(0, mysql("emptied_quietly", 2, 100), "TRUNCATE TABLE emptied_quietly"),
                EMPTIED(0, 4, "c", 3, 2, 110),
            ],
        ],
        [(3, "2/110")],
    ),
    "one_row": Case(
        # the only row of a table is marked as its last
        [[ONE_ROW(0, 0, "r", 1, 10, LAST)], [ONE_ROW(0, 1, "r", 2, 90, LAST)]],
        [(2, "90")],
    ),
    "mark_elsewhere": Case(
        [
            [ELSEWHERE(0, 0, "r", 1, 10, FIRST), ELSEWHERE(0, 1, "r", 2, 10, LAST)],
            [ELSEWHERE(1, 0, "r", 5, 90, FIRST), ELSEWHERE(0, 2, "r", 2, 90, LAST)],
        ],
        [(2, "90"), (5, "90")],
    ),
    "started_again": Case(
        # the first transaction that a connector streams behind a full load began before it, and names no commit
        [
            [STARTED(0, 0, "r", 1, 10, FIRST), STARTED(0, 1, "r", 2, 10, LAST)],
            [
                STARTED(0, 2, "u", 1, 20),
                STARTED(0, 3, "r", 1, 90, FIRST),
                STARTED(0, 4, "r", 2, 90, LAST),
            ],
            [
                change(
                    5,
                    "u",
                    {"id": 1, "value": "behind the load"},
                    postgres_source("started_again", '[null,"85"]'),
                ),
                STARTED(0, 6, "d", 2, 100),
            ],
        ],
        [(1, "behind the load")],
    ),
    "other_topic": Case(
        # a connector made anew under another prefix
        [
            [
                of_postgres("other_topic")(0, offset, operation, key, position, mark)
                for offset, operation, key, position, mark in (
                    (0, "r", 1, 10, FIRST),
                    (1, "r", 2, 10, LAST),
                    (2, "u", 1, 20, "false"),
                    (3, "c", 3, 30, "false"),
                )
            ],
            [
                of_postgres("other_topic")(0, offset, operation, key, position, mark)
                | {"topic": "anew.other_topic"}
                for offset, operation, key, position, mark in (
                    (0, "r", 1, 90, FIRST),
                    (1, "r", 3, 90, LAST),
                    (2, "u", 1, 100, "false"),
                )
            ],
        ],
        [(1, "100"), (3, "90")],
    ),
    "late_partition": Case(
        # what one partition brought behind the full load was in gold before the load came through the other
        [
            [
                LATE(0, 0, "r", 1, 10, FIRST),
                LATE(1, 0, "r", 2, 10, LAST),
                LATE(0, 1, "u", 1, 20),
            ],
            [LATE(1, 1, "u", 2, 200)],
            [LATE(0, 2, "r", 1, 90, FIRST)],
        ],
        [(1, "90"), (2, "200")],
    ),
    "moved_server": Case(
        [
            *failed_over("moved_server"),
            [MOVED(1, 0, "u", 1, 1, 200, 2), MOVED(1, 1, "d", 2, 1, 210, 2)],
        ],
        [(1, "1/200")],
    ),
    "other_partition": Case(
        [
            *failed_over("other_partition"),
            [OTHER(1, 0, "t", None, 1, 200, 2), OTHER(0, 4, "c", 3, 1, 300, 2)],
        ],
        [(3, "1/300")],
    ),
    "quiet_partition": Case(
        quiet_while_failed_over("quiet_partition"), [(2, "7/900"), (6, "7/910")]
    ),
    # in one run, whose marks do not tell the two visits apart
    "quiet_at_once": Case(
        [[record for load in quiet_while_failed_over("quiet_at_once") for record in load]],
        [(2, "7/900"), (6, "7/910")],
    ),
    "ddl_after_failover": Case(
        [
            *failed_over("ddl_after_failover"),
            [
                # of all partitions the first to see the other server is told by Kafka's time
                ddl(0, mysql("ddl_after_failover", 1, 200, 2), "TRUNCATE TABLE ddl_after_failover")
                | {"timestamp": 1},
                of_mysql("ddl_after_failover")(0, 4, "c", 3, 1, 300, 2),
            ],
        ],
        [(3, "1/300")],
    ),
    "ddl_after_load": Case(reloaded_with_ddl("ddl_after_load"), [(3, "2/300")]),
    "empty_load": Case(emptied_before_a_load("empty_load"), [(3, "2/100"), (4, "2/110")]),
    "tenant_1": Case(
        TENANTS,
        [(1, "loaded"), (2, "loaded"), (3, "last")],
        feed="combined_oms",
        place="catalog='t1', database='shop', table='tenants', ",
        history=[
            (1, "loaded", None),
            (2, "loaded", None),
            (3, "last", None),
            (3, "streamed", 1609344671),
        ],
    ),
    "tenant_2": Case(
        # its messages are those of the case above
        [],
        [(1, "its own"), (2, "its own"), (3, "its own")],
        feed="combined_oms",
        place="catalog='t2', database='shop', table='tenants', ",
    ),
    "one_tenant": Case(
        PARTLY,
        [(1, "its own"), (3, "its own")],
        feed="combined_oms",
        place="catalog='t1', database='shop', table='partly', ",
    ),
    "any_tenant": Case(
        # its messages are those of the case above
        [],
        [(1, "of no tenant"), (2, "of no tenant")],
        feed="combined_oms",
        place="database='shop', table='partly', ",
    ),
    "tenant_dropped": Case(
        DROPPED,
        [(2, "its own")],
        feed="combined_oms",
        place="catalog='t1', database='shop', table='dropped', ",
    ),
    "keyless_loads": Case(
        [
            [
                keyless("keyless_loads", 0, 0, "r", "a", 10, FIRST),
                keyless("keyless_loads", 1, 0, "r", "b", 10, LAST),
                keyless("keyless_loads", 0, 1, "c", "c", 20),
            ],
            # equal rows of one full load in two partitions
            [
                keyless("keyless_loads", 0, 2, "r", "a", 90, FIRST),
                keyless("keyless_loads", 1, 1, "r", "a", 90, "true"),
                keyless("keyless_loads", 0, 3, "r", "c", 90, LAST),
            ],
        ],
        [("a",), ("a",), ("c",)],
        {"value": "string"},
        key=(),
        feed="combined_keyless",
    ),
    "keyless_schema": Case(
        # sent again by a connector that meanwhile tells types
        [
            [
                keyless("keyless_schema", 0, 0, "c", "x", 100),
                keyless("keyless_schema", 0, 1, "c", "y", 110),
            ],
            [
                change(
                    2,
                    "c",
                    {"value": "x"},
                    postgres("keyless_schema", 100),
                    key=None,
                    schema=schema(value="string"),
                ),
                keyless("keyless_schema", 0, 3, "c", "z", 120),
            ],
        ],
        [("x",), ("y",), ("z",)],
        {"value": "string"},
        key=(),
        feed="combined_keyless",
    ),
    "cut_over_read": Case(
        cut_over_to_lower_positions("cut_over_read", "r"),
        [(1, "read again"), (2, "last")],
    ),
    "cut_over_truncate": Case(
        cut_over_to_lower_positions("cut_over_truncate", "t"),
        [(2, "last")],
    ),
    "moved_shards": Case(
        [moved_in_a_shard("s1", "FA==", "Hg=="), moved_in_a_shard("s2", "FB==", "Hh==")],
        [("s1", "Hg==", "long"), ("s2", "Hh==", "long")],
        {"shard": {"type": "string", "source": "@database"}, "id": "string", "body": "string"},
        place="database={'pattern': 's[0-9]'}, schema='public', table='moved', ",
        key=("shard", "id"),
    ),
    "null_in_key": Case(
        # a declared key, a part of which was NULL
        [
            [
                change(
                    0,
                    "c",
                    {"code": "x", "part": None, "value": "a"},
                    mysql("null_in_key", 1, 100),
                    key=None,
                )
            ],
            [
                change(
                    1,
                    "u",
                    {"code": "x", "part": 1, "value": "b"},
                    mysql("null_in_key", 1, 110),
                    key=None,
                    before={"code": "x", "part": None, "value": "a"},
                )
            ],
        ],
        [("x", 1, "b")],
        {"code": "string", "part": "int", "value": "string"},
        key=("code", "part"),
    ),
    "named_oddly": Case(
        # names that are values in SQL
        [
            [
                change(
                    0,
                    "c",
                    {"id": 1, "true": "a", "false": "b", "null": "c"},
                    postgres("named_oddly", 100),
                )
            ],
            [
                change(
                    1,
                    "u",
                    {"id": 1, "true": "a", "false": "d", "null": None},
                    postgres("named_oddly", 110),
                )
            ],
        ],
        [(1, "a", "d", None)],
        {"id": "int", "true": "string", "false": "string", "null": "string"},
    ),
    "copied_rows": Case(
        # names that gold's own statement might use
        [
            [
                change(
                    0,
                    "c",
                    {"copies": 2, "newest": "a", "copy_number": 3},
                    postgres("copied_rows", 100),
                    key=None,
                )
            ]
        ],
        [(2, "a", 3)],
        {"copies": "int", "newest": "string", "copy_number": "int"},
        key=(),
        feed="combined_keyless",
    ),
    "typed_late": Case(
        growing("amount", "int32", (5, 6)),
        [(1, 5), (2, 6)],
        {"id": "int"},
        more=", new_columns='add'",
    ),
    "clock_added": Case(
        # a table takes columns without a time zone only if it is told to
        [
            [canal_record("clock_added", 0, "INSERT", {"id": "1"}, 1, types={"id": "int"})],
            [
                canal_record(
                    "clock_added",
                    1,
                    "INSERT",
                    {"id": "2", "at": "2026-01-01 00:00:00"},
                    2,
                    types={"id": "int", "at": "datetime"},
                )
            ],
        ],
        [(1, None), (2, "2026-01-01 00:00:00")],
        {"id": "int"},
        feed="combined_canal",
        more=", new_columns='add'",
    ),
    "casing": Case(
        # MySQL takes both spellings for one column: gold has it once, with the values of either
        [
            [canal_record("casing", 0, "INSERT", {"id": "1", "Amount": "5"}, 1)],
            [canal_record("casing", 1, "INSERT", {"id": "2", "amount": "6"}, 2)],
        ],
        [(1, "5"), (2, "6")],
        {"id": "int"},
        feed="combined_canal",
        more=", new_columns='add'",
    ),
    "noblob": Case(
        # no field says that an update leaves a column out, and the newest row has it: a test says so
        [
            [canal_record("noblob", 0, "INSERT", {"id": "1", "value": "a", "body": "long"}, 1)],
            [
                canal_record(
                    "noblob", 1, "UPDATE", {"id": "1", "value": "b"}, 2, old={"value": "a"}
                ),
                canal_record("noblob", 2, "INSERT", {"id": "2", "value": "c", "body": "x"}, 3),
            ],
        ],
        [(1, "b", None), (2, "c", "x")],
        ROW | {"body": "string"},
        feed="combined_canal",
    ),
    "noblob_as_sent": Case(
        # the feed says it: what an update leaves out is as it was
        [
            [
                canal_record(
                    "noblob_as_sent", 0, "INSERT", {"id": "1", "value": "a", "body": "long"}, 1
                )
            ],
            [
                canal_record(
                    "noblob_as_sent", 1, "UPDATE", {"id": "1", "value": "b"}, 2, old={"value": "a"}
                ),
                canal_record(
                    "noblob_as_sent", 2, "INSERT", {"id": "2", "value": "c", "body": "x"}, 3
                ),
            ],
        ],
        [(1, "b", "long"), (2, "c", "x")],
        ROW | {"body": "string"},
        feed="combined_as_sent",
    ),
    "equal_offsets": Case(
        # a key changed its partition: nothing says which came first, but it ends the same way whichever is read first
        [
            [canal_record("equal_offsets", 5, "INSERT", {"id": "1", "value": "a"}, 1, 0)],
            [canal_record("equal_offsets", 5, "INSERT", {"id": "1", "value": "b"}, 1, 1)],
        ],
        [(1, "b")],
        feed="combined_canal",
    ),
    "equal_offsets_turned": Case(
        [
            [canal_record("equal_offsets_turned", 5, "INSERT", {"id": "1", "value": "b"}, 1, 1)],
            [canal_record("equal_offsets_turned", 5, "INSERT", {"id": "1", "value": "a"}, 1, 0)],
        ],
        [(1, "b")],
        feed="combined_canal",
    ),
    "undecided": Case(
        # no positions, and emptied in the other partition: the higher offset stands behind, and a test says so
        [
            [
                without_position("undecided", 0, 0, "c", 1, "a"),
                without_position("undecided", 1, 7, "c", 3, "a"),
            ],
            [
                without_position("undecided", 1, 8, "t", None, None),
                without_position("undecided", 0, 2, "c", 4, "b"),
            ],
        ],
        [],
    ),
    "lobs": Case(
        # two changes of one row at one position, of which the second tells no LOB
        [
            [oracle(0, "c", {"id": 1, "value": "a", "body": "old"}, 100)],
            [
                oracle(1, "u", {"id": 1, "value": "a", "body": "new"}, 110),
                oracle(2, "u", {"id": 1, "value": "b", "body": UNAVAILABLE}, 110),
            ],
        ],
        [(1, "b", "new")],
        ROW | {"body": "string"},
        history=[(1, "a", "old"), (1, "a", "new"), (1, "b", "new")],
    ),
    "truncates": Case(
        two_truncates("truncates"), [(2, "a")], history=[(1, "a", 2), (2, "a", None)]
    ),
    "boot": Case(
        # the table as it was at a time is complete, whatever the load tells of its own
        [
            [boot(0, "insert", {"id": 3, "value": "streamed"}, 100)],
            [
                boot(1, "bootstrap-insert", {"id": 1, "value": "loaded"}, 200),
                boot(2, "bootstrap-insert", {"id": 3, "value": "streamed"}, 200),
            ],
        ],
        [(1, "loaded"), (3, "streamed")],
        feed="combined_maxwell",
        history=[(1, "loaded", None), (3, "streamed", 100), (3, "streamed", None)],
    ),
    "whole_boot": Case(
        # no message tells whether a bootstrap is of the whole table: a cut-over does
        [
            [
                boot(0, "insert", {"id": 1, "value": "streamed"}, 100, "whole_boot"),
                boot(1, "insert", {"id": 2, "value": "gone"}, 100, "whole_boot"),
            ],
            [boot(2, "bootstrap-insert", {"id": 1, "value": "loaded"}, 200, "whole_boot")],
        ],
        [(1, "loaded")],
        feed="combined_maxwell",
    ),
    "declared_key": Case(
        # its columns are no key: one row of the full load is lost, and a test says so
        [
            [
                boot(0, "bootstrap-insert", {"id": 1, "value": "a"}, 200, "declared_key"),
                boot(1, "bootstrap-insert", {"id": 1, "value": "b"}, 200, "declared_key"),
                boot(2, "bootstrap-insert", {"id": 2, "value": "c"}, 200, "declared_key"),
                # sent twice
                boot(3, "bootstrap-insert", {"id": 2, "value": "c"}, 200, "declared_key"),
            ],
        ],
        [(1, "b"), (2, "c")],
        feed="combined_maxwell",
    ),
    "clocks": Case(
        # a statement that began first is written last
        [
            [canal_record("clocks", 0, "INSERT", {"id": "1", "value": "a"}, 5000)],
            [
                canal_record(
                    "clocks", 1, "UPDATE", {"id": "1", "value": "b"}, 12000, old={"value": "a"}
                ),
                canal_record(
                    "clocks", 2, "UPDATE", {"id": "1", "value": "c"}, 10000, old={"value": "b"}
                ),
            ],
        ],
        [(1, "c")],
        feed="combined_canal",
        history=[(1, "a", 12), (1, "b", 12), (1, "c", None)],
    ),
    "emptied_elsewhere": Case(
        # a TRUNCATE without a position stands behind its own partition's rows only, and a test says so
        [
            [
                of_postgres("emptied_elsewhere")(0, 0, "c", 1, 100),
                of_postgres("emptied_elsewhere")(1, 0, "c", 2, 50),
            ],
            [without_position("emptied_elsewhere", 1, 1, "t", None, None)],
        ],
        [(1, "100")],
    ),
}


SHARED = {
    "shards_by_position": (
        "two_loads",
        "more_partitions",
        "quiet_loads",
        "emptied_quietly",
        "one_row",
        "mark_elsewhere",
        "started_again",
        "other_topic",
        "late_partition",
        "moved_server",
        "other_partition",
        "quiet_partition",
        "quiet_at_once",
        "ddl_after_load",
        "undecided",
        "emptied_elsewhere",
    ),
    "shards_by_offset": (
        "equal_offsets",
        "equal_offsets_turned",
    ),
    "shards_without_key": (
        "keyless_loads",
        "keyless_schema",
    ),
}
READ_TWICE = [("tenant_1", "tenant_2"), ("one_tenant", "any_tenant")]
CASES |= {
    name: replace(CASES[name], shared=table) for table, names in SHARED.items() for name in names
}


@pytest.fixture(scope="module")
def cases(request):
    """The cases that this session has selected: a single one builds its own table only."""
    names = selected_cases(request, "name")
    # some read the messages of another one
    names |= {first for first, second in READ_TWICE if second in names}
    return {name: case for name, case in CASES.items() if name in names}


@pytest.fixture(scope="module")
def tables(cases):
    return sorted({case.shared or name for name, case in cases.items()})


@pytest.fixture(scope="module")
def built(project, cases, tables):
    """Gold of the cases after their loads, one run each."""
    before, written = project.feeds, list(tables)
    settings = {
        case.feed: FEEDS[case.feed] | {"files": f"in/{case.feed}"} for case in cases.values()
    }
    project.set_feeds(before | settings)
    for name, case in cases.items():
        shards = [other for other in SHARED.get(case.shared, ()) if other in cases]
        text = case.model_of_shards(shards) if shards else case.model(name, case.macro)
        project.write_model(case.shared or name, text)
        if case.history:
            project.write_model(f"{name}_history", case.model(name, "history"))
            written.append(f"{name}_history")
    for number in range(3):
        land(project, cases, number)
        # a view needs no second run
        project.run("--select", "silver", *(tables if number else written))
    yield project
    project.set_feeds(before)
    for model in written:
        (project.root / "models" / "gold" / f"{model}.sql").unlink()


def land(project, cases, number):
    for name, settings in FEEDS.items():
        records = [
            record
            for case in cases.values()
            for load in case.loads[number : number + 1]
            for record in load
            if case.feed == name
        ]
        if records:
            project.land(Feed(name=name, format=settings["format"]), number, records)


def rows_of(lakehouse, name):
    shared = CASES[name].shared
    shard = f"where table_name = '{name}'" if shared else ""
    left = "_change, table_name" if shared else "_change"
    rows = lakehouse.sql(f"select * except ({left}) from gold.{shared or name} {shard}")
    return sorted(
        (tuple(str(v) if hasattr(v, "year") else v for v in row) for row in rows), key=str
    )


@pytest.fixture(scope="module")
def refreshed(built, cases, tables):
    """What the runs of new changes had made, before a full refresh made it again."""
    made = {name: rows_of(built, name) for name in cases}
    built.run("--full-refresh", "--select", *tables)
    return made


@pytest.mark.parametrize("name", CASES)
def test_gold_is_the_source(refreshed, name):
    assert refreshed[name] == sorted(CASES[name].rows, key=str)


@pytest.mark.parametrize("name", CASES)
def test_a_full_refresh_says_the_same(built, refreshed, name):
    assert rows_of(built, name) == refreshed[name]


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.history])
def test_history_has_each_version_once(built, name):
    rows = built.sql(f"select * from gold.{name}_history order by _change.sequence, id")
    columns = CASES[name].columns
    wide = "body" in columns
    found = [
        (*(row[column] for column in columns), *(() if wide else [second(row.valid_to)]))
        for row in rows
    ]
    assert sorted(found, key=str) == sorted(CASES[name].history, key=str)


def second(time):
    return time and int(time.timestamp())


@pytest.mark.parametrize("name", ["clock_added", "clocks"])
def test_only_tables_with_such_columns_need_readers_of_timestamp_ntz(refreshed, built, name):
    (detail,) = built.sql(f"describe detail gold.{name}")
    assert ("timestampNtz" in detail.tableFeatures) == (name == "clock_added")


@pytest.mark.cases(
    *("undecided", "emptied_elsewhere", "declared_key"),
    *("tenant_1", "tenant_2", "casing", "noblob", "clock_added"),
)
def test_what_gold_cannot_decide_or_have_is_reported(built):
    undecided = shown(built, "--select", "order_is_decided", "--vars", "check_all_history: true")
    tables = {row["table_name"] for row in undecided}
    assert {"undecided", "emptied_elsewhere"} <= tables and "tenants" not in tables
    loaded_twice = [row for row in undecided if "two rows of a full load" in row["finding"]]
    assert [(row["table_name"], row["row_key"]) for row in loaded_twice] == [
        ("declared_key", '["1"]')
    ]
    columns = shown(
        built, "--select", "columns_follow_the_source", "--vars", "check_all_history: true"
    )
    named = {(row["gold_table"], row["column_name"]) for row in columns}
    assert ("noblob", "body") in named
    assert "casing" not in {model for model, _ in named}
    # rows from before a column was added lack it, and nothing is wrong with that
    assert ("clock_added", "at") not in named


@pytest.mark.cases("tenant_1", "tenant_2", "one_tenant", "any_tenant", "tenant_dropped")
def test_rows_without_a_tenant_that_no_gold_table_holds_are_reported(built):
    found = shown(built, "--select", "tables_and_models_match")
    places = [
        (row["catalog_name"], row["table_name"], row["topic"], row["offset"], row["finding"][:26])
        for row in found
        if row["feed"] == "combined_oms"
    ]
    # of a table the first message is named, which may be the statement before its rows
    assert sorted(places) == [
        (None, "dropped", "oms.dropped", 1, "shop.dropped has no gold m"),
        (None, "tenants", "oms.tenants", 6, "shop.tenants has no gold m"),
    ]
