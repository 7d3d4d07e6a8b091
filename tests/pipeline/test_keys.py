"""Keys of every kind tell rows apart as the source does: by their values, however these are written."""

import json
from datetime import datetime
from decimal import Decimal

import pytest

from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import (
    canal_record,
    debezium_record,
    explained,
    postgres_source,
    selected_cases,
    shown,
)

FEED = "keyed"
SPELLED = """
    feed='keyed', database='shop', table='spelled',
    key=['amount', 'label', 'tag', 'local', 'instant', 'day', 'ratio', 'flag', 'digits'],
    columns={
        'amount': 'decimal(9,2)', 'label': 'string', 'tag': 'binary', 'local': 'timestamp_ntz', 'instant': 'timestamp',
        'day': 'date', 'ratio': 'double', 'flag': 'boolean', 'digits': 'binary', 'value': 'string'
    }
"""
MODELS = {
    "priced": """{{ cdc.current_state(
    feed='keyed', database='shop', table='priced',
    key=['name', 'priced_at', 'amount', 'tag'],
    columns={
        'name': 'string', 'priced_at': 'timestamp_ntz', 'amount': 'decimal(20,4)', 'tag': 'binary', 'value': 'string'
    }
) }}
""",
    "coded": """{{ cdc.current_state(
    feed='keyed', database='shop', table='coded',
    key=['code', 'part'],
    columns={'code': 'string', 'part': 'int', 'value': 'string'}
) }}
""",
    "padded": """{{ cdc.current_state(
    feed='keyed', database='shop', table='padded',
    key=['code', 'part'],
    columns={'code': 'string', 'part': 'int', 'value': 'string'}
) }}
""",
    "widened": """{{ cdc.current_state(
    feed='keyed', database='shop', table='widened', key=['code'],
    columns={'code': 'string', 'part': 'int', 'value': 'string'}
) }}
""",
    "half_told": """{{ cdc.current_state(
    feed='keyed', database='shop', table='half_told', key=['code'], columns={'code': 'string', 'value': 'string'}
) }}
""",
    "spelled": f"{{{{ cdc.current_state({SPELLED}) }}}}\n",
    "spelled_history": f"{{{{ cdc.history({SPELLED}) }}}}\n{{{{ config(materialized='history_table') }}}}\n",
}
TYPES = {
    "priced": {
        "name": "varchar(20)",
        "priced_at": "datetime(6)",
        "amount": "decimal(20,4)",
        "tag": "binary(2)",
        "value": "varchar(20)",
    },
    "coded": {"code": "varchar(20)", "part": "int", "value": "varchar(20)"},
    "padded": {"code": "varchar(20)", "part": "int", "value": "varchar(20)"},
    "widened": {"code": "varchar(20)", "part": "int", "value": "varchar(20)"},
    "half_told": {"code": "varchar(20)", "value": "varchar(20)"},
    "without_model": {"code": "varchar(20)", "value": "varchar(20)"},
    "spelled": {
        "amount": "decimal(9,2)",
        "label": "enum('old','new')",
        "tag": "binary(3)",
        "local": "datetime(3)",
        "instant": "varchar(40)",
        "day": "varchar(30)",
        "ratio": "double",
        "flag": "varchar(5)",
        "digits": "varchar(4)",
        "value": "varchar(20)",
    },
}
# the list of labels changes behind the first load
LATER_LABELS = {"label": "enum('first','old','new')"}
FIRST = ("a", "2026-01-01 00:00:00.000001", "1.1000", "\x00\xff")
# one value for each load, in as many spellings
SPELLINGS = [
    ("\x00\x01", "2026-01-01 00:00:00", "2026-01-01T00:00:00Z", "2026-01-02", "1", "true", "AB0C"),
    (
        "\x00\x01\x00",
        "2026-01-01 00:00:00.000",
        "2026-01-01 08:00:00+08:00",
        "2026-01-02",
        "1.0",
        "1",
        "ab0c",
    ),
    (
        "\x00\x01",
        "2026-01-01T00:00:00",
        "2025-12-31 19:00:00 -05:00",
        "2026-01-02 00:00:00",
        "1e0",
        "t",
        "Ab0C",
    ),
]
KEYS = {
    "priced": [
        FIRST,
        # case, blanks, a character and the same one composed
        *((name, *FIRST[1:]) for name in ("A", "a ", " a", "", "ä", "a\u0308", "null")),
        (FIRST[0], "2026-01-01 00:00:00.000002", *FIRST[2:]),
        (*FIRST[:2], "1.1001", FIRST[3]),
        (*FIRST[:2], "-1.1000", FIRST[3]),
        (*FIRST[:3], "\xff\x00"),
    ],
    # no key of the source's: declared by the feed, and not every row has all of it
    "coded": [("x", "1"), ("x", None), (None, "1"), (None, None), ("null", "1"), ("", "1")],
    "padded": [("y", "7"), ("y ", "7"), ("z", "1"), ("z", "01")],
    # the source's key has one column in the first load, and two from then on
    "widened": [("x", "1"), ("y", "2"), ("z", "3")],
    # the changes of the first row name no key
    "half_told": [("a",), ("b",), ("c",)],
    # and no gold model reads this table
    "without_model": [("a",), ("b",)],
    "spelled": [(str(number), "2", *SPELLINGS[0]) for number in range(4)],
}


def messages(table, load):
    """All rows, then a change of every second, then a delete of every third."""
    columns = list(TYPES[table])
    for number, key in enumerate(KEYS[table]):
        kind = ("INSERT", "UPDATE", "DELETE")[load]
        types = TYPES[table]
        if table == "spelled" and load:
            key = (f"0{key[0]}.{'0' * load}", "3", *SPELLINGS[load])
            types = types | LATER_LABELS
        if number % (load + 1) == 0:
            row = dict(zip(columns, (*key, f"{kind} {number}"), strict=True))
            record = canal_record(table, load * 100 + number, kind, row, load, types=types)
            told = json.loads(record["value"])
            is_told = table in ("priced", "spelled") or (table == "half_told" and number > 0)
            told["pkNames"] = columns[:-1] if is_told else None
            if table == "widened":
                told["pkNames"] = columns[: 2 if load else 1]
            yield record | {"value": json.dumps(told)}


@pytest.fixture(scope="module")
def keyed(project, request):
    """The tables that this session's tests ask for, after three loads."""
    before = project.feeds
    wanted = selected_cases(request)
    models = {name: text for name, text in MODELS.items() if name in wanted}
    tables = [table for table in KEYS if table in wanted]
    declared = {f"shop.{table}": ["code", "part"] for table in ("coded", "padded")}
    encodings = {"shop.spelled": {"digits": "hex_binary"}}
    told = {"files": "in/keyed", "key_columns": declared, "encodings": encodings}
    project.add_feed(FEED, format="canal_json", **told)
    for name, text in models.items():
        project.write_model(name, text)
    for load in range(3):
        records = [record for table in tables for record in messages(table, load)]
        project.land(Feed(name=FEED, format="canal_json"), load, records)
        project.run("--select", "silver", *models)
    yield project
    project.set_feeds(before)
    for name in models:
        (project.root / "models" / "gold" / f"{name}.sql").unlink()


def expected(table):
    return {
        key: f"UPDATE {number}" if number % 2 == 0 else f"INSERT {number}"
        for number, key in enumerate(KEYS[table])
        if number % 3
    }


@pytest.mark.long
@pytest.mark.cases("priced")
def test_text_decimal_binary_and_timestamp_keys_are_exact(keyed):
    rows = keyed.sql("select * from gold.priced")
    gold = {(row.name, row.priced_at, row.amount, bytes(row.tag)): row.value for row in rows}
    assert gold == {
        (name, datetime.fromisoformat(at), Decimal(amount), tag.encode("latin1")): value
        for (name, at, amount, tag), value in expected("priced").items()
    }


@pytest.mark.long
@pytest.mark.cases("coded")
def test_a_key_with_null_names_no_row(keyed):
    """And each change of such a row is reported."""
    gold = {(row.code, row.part): row.value for row in keyed.sql("select * from gold.coded")}
    named = {key: value for key, value in expected("coded").items() if None not in key}
    assert gold == {(code, int(part)): value for (code, part), value in named.items()}
    found = shown(keyed, "--select", "changes_have_keys")
    assert {int(row["offset"]) for row in found if row["gold_table"] == "coded"} == {
        load * 100 + number
        for load in range(3)
        for number, key in enumerate(KEYS["coded"])
        if None in key and number % (load + 1) == 0
    }


@pytest.mark.long
@pytest.mark.cases("without_model")
def test_changes_without_a_key_are_reported_where_no_model_reads_them(keyed):
    """Once for the table, with the first of them."""
    found = shown(keyed, "--select", "changes_have_keys")
    told = [
        (row["gold_table"], int(row["offset"]), int(row["change_count"]), row["finding"])
        for row in found
        if row["table_name"] == "without_model"
    ]
    advice = "name key_columns in the feed, or make a model of current_rows"
    # two rows, and a delete of one; its update does not say which row it changes, and is unknown
    assert told == [(None, 0, 3, f"shop.without_model has changes without a key: {advice}")]


@pytest.mark.long
@pytest.mark.cases("half_told")
def test_a_change_without_a_key_is_taken_for_no_drop_of_its_table(keyed):
    """It comes behind rows that stand, and none of these outlived anything."""
    keyless = keyed.sql(
        f"select offset from silver.canal_json_changes where feed = '{FEED}'"
        " and table_name = 'half_told' and row_key is null"
    )
    assert {row.offset for row in keyless} == {0, 100, 200}
    rows = keyed.sql("select code, value, _change.sequence.offset from gold.half_told")
    assert sorted(map(tuple, rows)) == [("b", "INSERT 1", 1), ("c", "UPDATE 2", 102)]
    assert shown(keyed, "--inline", "{{ cdc.test_newest_change_wins(ref('half_told')) }}") == []


@pytest.mark.long
@pytest.mark.cases("coded")
def test_null_in_a_key_column_of_gold_is_a_finding(keyed):
    found = []
    for emptied in ("false", "code = ''"):
        keyed.sql(f"update gold.coded set part = null where part = 1 and {emptied}")
        found.append(status_of(keyed, "key_is_unique"))
        keyed.sql(f"update gold.coded set part = 1 where part is null and {emptied}")
    assert found == ["pass", "fail"]


@pytest.mark.cases("spelled")
def test_a_value_is_one_key_however_it_is_written(keyed):
    rows = keyed.sql("select cast(amount as string) as amount, value from gold.spelled")
    assert sorted((row.amount, row.value) for row in rows) == [
        ("1.00", "INSERT 1"),
        ("2.00", "UPDATE 2"),
    ]
    (key,) = keyed.sql("select _change.row_key as row_key from gold.spelled where amount = 2")
    assert key.row_key == [
        *("2.00", "new", "000100", "2026-01-01 00:00:00", "2026-01-01 00:00:00Z"),
        *("2026-01-02", "1.0", "true", "AB0C"),
    ]
    found = explained(keyed, "spelled", key.row_key)
    assert [row["operation"] for row in found] == ["update", "insert"]
    assert [row["verdict"] for row in found] == ["gold shows it", "a newer change won"]


@pytest.mark.long
@pytest.mark.cases("spelled", "spelled_history")
def test_versions_of_a_value_are_of_one_row(keyed):
    rows = keyed.sql("select int(amount) as amount, value, is_current from gold.spelled_history")
    assert sorted(tuple(row) for row in rows) == [
        (0, "INSERT 0", False),
        (0, "UPDATE 0", False),
        (1, "INSERT 1", True),
        (2, "INSERT 2", False),
        (2, "UPDATE 2", True),
        (3, "INSERT 3", False),
    ]


@pytest.mark.cases("padded", "spelled")
def test_keys_that_differ_in_padding_alone_are_reported(keyed):
    """No type tells whether they are one."""
    found = shown(keyed, "--inline", "{{ cdc.test_newest_change_wins(ref('padded')) }}")
    told = [(row["row_key"], int(row["offset"])) for row in found]
    assert len(told) == 4, told
    assert all("differ in zeros or blanks alone" in row["finding"] for row in found)
    assert shown(keyed, "--inline", "{{ cdc.test_newest_change_wins(ref('spelled')) }}") == []


@pytest.mark.long
@pytest.mark.cases("widened")
def test_a_key_that_gets_another_column_is_reported(keyed):
    """With the first change that names the other key."""
    found = shown(keyed, "--select", "key_is_the_sources_key")
    told = [(int(row["offset"]), row["finding"]) for row in found if row["gold_table"] == "widened"]
    assert told == [(100, "the model declares the key code, and the messages name code, part")]


@pytest.mark.long
@pytest.mark.cases("coded")
def test_misfits_can_be_errors(keyed):
    told = {"every_value_fits_its_type": {"config": {"severity": "error", "where": "code = ''"}}}
    misfit = (
        "named_struct('column_name', 'part', 'value', 'x', 'wanted_type', 'int',"
        " 'topic', 'keyed', 'partition', 0)"
    )
    keyed.sql(f"update gold.coded set _change.misfits = array({misfit}) where code = ''")
    assert status_of(keyed, told) == "fail"
    keyed.sql("update gold.coded set _change.misfits = array() where code = ''")
    assert status_of(keyed, told) == "pass"


def status_of(lakehouse, test):
    """Give the table `coded` the one test, and run it."""
    declared = lakehouse.root / "models" / "gold" / "coded.yml"
    tested = {"name": "coded", "data_tests": [test]}
    declared.write_text(json.dumps({"version": 2, "models": [tested]}))
    outcome = lakehouse.dbt("test", "--select", "coded")
    declared.unlink()
    (status,) = lakehouse.statuses(outcome).values()
    return status


PAID = """{{{{ cdc.current_state(
    feed='{feed}', database='shop', schema='public', table='paid', key=['id'],
    columns={{'id': 'decimal(20,0)', 'note': 'string', 'body': 'string'}}
) }}}}
"""


@pytest.mark.long
def test_a_key_that_the_header_writes_otherwise_is_found(project):
    """Debezium's key has a decimal in base64, its header a number; the delete and the create may come in two runs."""
    before = project.feeds
    encodings = {"shop.public.paid": {"id": "connect_decimal(0)"}}
    moved = {"id": "Hg==", "note": "b", "body": "__debezium_unavailable_value"}
    told = [
        ("c", {"id": "FA==", "note": "a", "body": "long"}, 100),
        ("d", {"id": "FA==", "note": None, "body": None}, 200),
        ("c", moved, 200),
    ]
    records = [
        debezium_record(offset, operation, row, postgres_source("paid", f'["{at}","{at}"]'))
        for offset, (operation, row, at) in enumerate(told)
    ]
    records[-1]["headers"] = [("__debezium.oldkey", json.dumps({"id": 20}))]
    loads = {"paid_at_once": (records, []), "paid_in_two": (records[:2], records[2:])}
    for name in loads:
        project.add_feed(name, format="debezium_json", files="in/paid", encodings=encodings)
        project.write_model(name, PAID.format(feed=name))
    for load in (0, 1):
        for name, parts in loads.items():
            if parts[load]:
                project.land(Feed(name=name, format="debezium_json"), load, parts[load])
        project.run("--select", "silver", *loads)
    rows = {name: project.sql(f"select id, note, body from gold.{name}") for name in loads}
    project.set_feeds(before)
    for name in loads:
        (project.root / "models" / "gold" / f"{name}.sql").unlink()
    for found in rows.values():
        assert [(int(row.id), row.note, row.body) for row in found] == [(30, "b", "long")]


DECIMAL = {"type": "bytes", "name": "org.apache.kafka.connect.data.Decimal", "field": "id"}


def scaled(offset, operation, key, note, scale):
    """A record of Debezium whose key is a Decimal of this scale, in base64 or, as a number, bare."""
    columns = [DECIMAL | {"parameters": {"scale": str(scale)}}, {"type": "string", "field": "note"}]
    fields = [{"type": "struct", "field": "after", "fields": columns}]
    source = postgres_source("scaled", json.dumps([str(offset + 1)] * 2))
    row, block = {"id": key, "note": note}, {"type": "struct", "fields": fields}
    return debezium_record(offset, operation, row, source, schema=block)


@pytest.mark.long
def test_a_key_whose_decimal_is_written_with_another_scale_is_reported(project):
    """An ALTER gives the column more digits, or the converter begins to write numbers: the changes miss their rows."""
    before = project.feeds
    project.add_feed("scaled", format="debezium_json", files="in/scaled")
    project.write_model(
        "scaled",
        """{{ cdc.current_state(
    feed='scaled', database='shop', schema='public', table='scaled', key=['id'],
    columns={'id': 'decimal(9,2)', 'note': 'string'}
) }}
""",
    )
    # 1.5, 2.5 and 3.5 with one digit behind the point; then 1.50 with two, and 2.5 bare
    loads = [
        [scaled(number, "c", key, "old", 1) for number, key in enumerate(["Dw==", "GQ==", "Iw=="])],
        [
            scaled(3, "d", "AJY=", None, 2),
            scaled(4, "u", 2.5, "new", 1),
            # 3.5 goes, and comes again as 3.50: that is no fault
            scaled(5, "d", "Iw==", None, 1),
            scaled(6, "c", "AV4=", "new", 2),
        ],
    ]
    for load, records in enumerate(loads):
        project.land(Feed(name="scaled", format="debezium_json"), load, records)
        project.run("--select", "silver", "scaled")
    found = shown(project, "--inline", "{{ cdc.test_newest_change_wins(ref('scaled')) }}")
    project.set_feeds(before)
    (project.root / "models" / "gold" / "scaled.sql").unlink()
    assert sorted((int(row["offset"]), row["finding"].partition(":")[0]) for row in found) == [
        # each of the two that share a value
        (1, 'this key and ["2.50"] are one value, written with two scales'),
        (3, 'this key and ["Dw=="] are one value, written with two scales'),
        (4, 'this key and ["GQ=="] are one value, written with two scales'),
    ]
