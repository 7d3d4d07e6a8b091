"""`generate` knows what the project declares and what silver tells, here without Spark."""

import shutil
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from ingestion.__main__ import main
from ingestion.config.feeds import read_config
from ingestion.config.project_files import PROJECT_ROOT
from ingestion.cycles.ages import GoldTable
from ingestion.errors import CONFIGURATION, OK, SOURCE, UserError
from ingestion.gold_models.declared import declared_models
from ingestion.gold_models.new_models import models_for_new_tables
from tests.support.project import Project

MODELS = Path("models") / "gold"
CALL = "(feed='crm', database='shop', table='orders', key=['id'], columns={'id': 'bigint'})"


TEXT = pa.string()
CHANGES = pa.schema(
    {
        **dict.fromkeys(("feed", "catalog_name", "database_name", "schema_name"), TEXT),
        **{"table_name": TEXT, "operation": TEXT, "schema_id": TEXT, "schema_text": TEXT},
        **{"bronze_version": pa.int64(), "offset": pa.int64()},
        **dict.fromkeys(("changed_at", "message_timestamp"), pa.timestamp("us", "UTC")),
        "key_columns": pa.list_(TEXT),
        **{"row_key": pa.list_(TEXT), "source_type": TEXT},
        **{"after_image": pa.map_(TEXT, TEXT), "is_after_complete": pa.bool_()},
    }
)
SCHEMAS = pa.schema(
    {
        **dict.fromkeys(("format", "schema_id", "column_name", "source_type"), TEXT),
        **dict.fromkeys(("proposed_type", "wire_encoding", "comment"), TEXT),
        "ordinal": pa.int32(),
    }
)
SOURCE_TABLES = pa.schema(
    {
        **dict.fromkeys(("feed", "catalog_name", "database_name", "schema_name"), TEXT),
        **{"table_name": TEXT, "has_rows": pa.bool_()},
    }
)
MINUTE = timedelta(minutes=1)
START = datetime(2026, 1, 1, tzinfo=UTC)


def change(time, offset, schema_id, operation="insert", **other):
    """A change of shop.orders so many minutes after the start, in silver's columns."""
    told = {"feed": "crm", "database_name": "shop", "table_name": "orders", "key_columns": ["id"]}
    told |= {"operation": operation, "schema_id": schema_id, "bronze_version": 0, "offset": offset}
    return told | {"changed_at": START + time * MINUTE, "is_after_complete": True} | other


def schema(schema_id, **types):
    """The types that a schema tells; with a blank in one, its encoding follows."""
    told = {"format": "maxwell", "schema_id": schema_id}
    for ordinal, (name, text) in enumerate(types.items()):
        source_type, proposed, encoding = (*text.split(), "text")[:3]
        encoding = None if encoding == "untold" else encoding
        column = {"column_name": name, "ordinal": ordinal, "source_type": source_type}
        yield told | column | {"proposed_type": proposed, "wire_encoding": encoding}


def make_silver(folder, changes, schemas, feeds=("crm",), **settings):
    """Make a project with feeds of these settings, and silver of these rows."""
    feed = {"format": "maxwell"} | settings
    Project(folder).configure({name: feed | {"files": f"in/{name}"} for name in feeds})
    tables = {
        tuple(change.get(name) for name in SOURCE_TABLES.names if name != "has_rows")
        for change in changes
    }
    known = [dict(zip(SOURCE_TABLES.names, (*table, True), strict=True)) for table in tables]
    silver = folder / "lakehouse" / "warehouse" / "silver.db"
    for name, rows, columns in (
        (f"{feed['format']}_changes", changes, CHANGES),
        ("schemas", schemas, SCHEMAS),
        ("source_tables", known, SOURCE_TABLES),
    ):
        table = pa.Table.from_pylist(rows, columns)
        write_deltalake(silver / name, table, mode="overwrite")


@pytest.fixture
def generate(folder, capsys):
    """Make silver of these rows, and return what `generate` writes and says of them."""

    def generated(changes, schemas, **settings):
        make_silver(folder, changes, schemas, **settings)
        shutil.rmtree(folder / "models" / "gold" / "crm", ignore_errors=True)
        assert main(["generate", "crm", "--project-dir", str(folder)]) == OK
        declared = declared_models(folder)
        said = capsys.readouterr().out.splitlines()
        if len(declared) != 1:
            return declared, said
        return declared[0].columns, [line for line in said if line.startswith("  ")]

    return generated


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "models" / "gold").mkdir(parents=True)
    (tmp_path / "macros").symlink_to(PROJECT_ROOT / "macros")
    (tmp_path / "dbt_project.yml").write_text("vars: {crm_feed: crm}\n")
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        "{{ config(tags=['daily']) }}\n{{ current_state" + CALL + " }}",
        "-- depends_on: {{ ref('rates') }}\n{{ current_state" + CALL + " }}",
        "{{ current_state" + CALL.replace("'crm'", "var('crm_feed')") + " }}",
        "{{ current_state" + CALL.replace("'crm'", "var('no_such', 'crm')") + " }}",
        "{{ current_state " + CALL + " }}",
    ],
)
def test_a_model_is_declared_however_it_is_written(folder, capsys, text):
    (folder / "models" / "gold" / "orders.sql").write_text(text)
    (declared,) = declared_models(folder)
    assert (declared.feed, declared.place) == ("crm", (None, "shop", None, "orders"))
    assert (declared.key, declared.columns) == (("id",), {"id": "bigint"})
    assert capsys.readouterr().out == ""


def test_columns_of_a_model_may_stand_in_its_yaml(folder):
    """With a type they are declared; without one, or under a name of gold's own, they are described."""
    call = CALL.replace(", columns={'id': 'bigint'}", "")
    (folder / "models" / "gold" / "orders.sql").write_text("{{ cdc.current_state" + call + " }}")
    (folder / "models" / "gold" / "any.yml").write_text("""
models:
  - name: orders
    columns:
      - {name: id, data_type: bigint}
      - {name: state, data_type: "varchar(9)", config: {meta: {source: status}}}
      - {name: note, description: Not declared.}
      - {name: _change, data_type: struct<row_key array<string>>}
""")
    (declared,) = declared_models(folder)
    assert (declared.key, declared.columns) == (("id",), {"id": "bigint", "status": "varchar(9)"})
    assert declared.gold_names == {"id": "id", "status": "state"}


@pytest.mark.parametrize(
    ("config", "in_yaml", "table"),
    [
        ("", "", "orders"),
        ("{{ config(tags=['daily'], alias=' Goods') }}", "", "goods"),
        ("{{ config({'alias': 'goods'}) }}", "", "goods"),
        ("{{ config(alias=var('crm_feed') ~ '_goods') }}", "", "crm_goods"),
        ("", "alias: Goods", "goods"),
        ("", "alias: \"{{ var('crm_feed') }}_goods\"", "crm_goods"),
        ("{{ config(alias='goods') }}", "alias: wares", "goods"),
    ],
)
def test_the_table_of_a_model_has_its_alias_or_name_in_lower_case(folder, config, in_yaml, table):
    (folder / "models" / "gold" / "Orders.sql").write_text(
        config + "{{ current_state" + CALL + " }}"
    )
    (folder / "models" / "gold" / "any.yml").write_text(
        f"models: [{{name: Orders, config: {{{in_yaml}}}}}, {{name: other}}]\n"
    )
    (declared,) = declared_models(folder)
    assert (declared.name, declared.table) == ("Orders", table)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{{ config(alias=mine) }}{{ current_state" + CALL[:-1] + ")", "its alias needs a value"),
        ("{{ current_state" + CALL.replace("'crm'", "var('x')"), "dbt_project.yml has no var x"),
        ("{{ current_state" + CALL.replace("'crm'", "mine()"), "'mine' is undefined"),
        ("{{ current_state" + CALL.replace("'crm'", "mine"), "current_state needs feed by name"),
        ("{{ current_state" + CALL.replace("feed=", ""), "current_state needs feed by name"),
        ("{{ cdc.current_rows(table='t')", "current_rows needs feed by name"),
        (
            r"{{ current_state" + CALL.replace("'orders'", r"{'pattern': 'orders_\\p{Digit}+'}"),
            r"table is {'pattern': 'orders_\\p{Digit}+'}, which is no regular expression",
        ),
        (
            "{{ current_state" + CALL.replace("'orders'", "{'patern': 'orders_.*'}"),
            "table is {'patern': 'orders_.*'}, which is no regular expression",
        ),
        (
            "{{ cdc.current_rows(feed='crm', table='t')",
            "it names no columns, and its YAML gives none",
        ),
    ],
)
def test_a_model_that_cannot_be_read_is_told(folder, capsys, text, reason):
    (folder / "models" / "gold" / "orders.sql").write_text(text + " }}")
    (folder / "models" / "gold" / "rates.sql").write_text("select * from {{ source('a', 'b') }}")
    assert declared_models(folder) == []
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"models/gold/orders.sql: cannot read this model: {reason}")


@pytest.mark.parametrize(
    ("pattern", "name", "is_read"),
    [
        ("orders_[0-9]+", "orders_1", True),
        ("orders_[0-9]+", "my_orders_1", False),
        (".*", None, False),
        # gold refuses it when it builds the model
        (r"orders_\p{Digit}+", "orders_1", False),
    ],
)
def test_a_cycle_asks_what_a_pattern_reads_whatever_it_is(pattern, name, is_read):
    place = (None, {"pattern": pattern}, None, "t")
    table = GoldTable("orders", "silver", "silver", "crm", place)
    assert table.reads(("crm", None, name, None, "t")) == is_read


def test_the_latest_schema_is_that_of_the_latest_change_whatever_its_partition(generate):
    changes = [change(time, offset=time, schema_id="old") for time in range(6)]
    changes += [change(9, offset=0, schema_id="new")]
    # without the source's time that of the record counts, without both it is the earliest
    untimed = change(0, offset=8, schema_id="old", message_timestamp=START) | {"changed_at": None}
    changes += [untimed, untimed | {"offset": 9, "message_timestamp": None}]
    schemas = [*schema("old", id="int int", a="int int")]
    schemas += schema("new", id="int int", a="int int", b="int int")
    assert generate(changes, schemas) == ({"id": "int", "a": "int", "b": "int"}, [])


def test_the_types_of_a_key_alone_are_not_the_latest_of_its_table(generate):
    """A delete of Debezium's flattened rows that has no value."""
    schemas = [
        column | {"format": "debezium_smt"}
        for column in [*schema("told", id="int int", a="int int"), *schema("key", id="int int")]
    ]
    changes = [change(0, 0, "told"), change(1, 1, "key", "delete")]
    assert generate(changes, schemas, format="debezium_smt") == ({"id": "int", "a": "int"}, [])


def test_columns_stand_in_the_order_of_the_source_table(generate):
    types = {"id": "int int", "z": "int int", "a": "int int"}
    columns, _ = generate([change(0, 0, "told")], [*schema("told", **types)])
    assert list(columns) == list(types)


def test_every_earlier_type_that_differs_is_told_in_the_order_of_time(generate):
    types = ("varchar(9) string", "smallint smallint", "int int", "varchar(8) string", "int int")
    ids = [f"schema {number}" for number in range(len(types))]
    changes = [change(time, 0, schema_id) for time, schema_id in enumerate(ids)]
    schemas = [
        column
        for schema_id, text in zip(ids, types, strict=True)
        for column in schema(schema_id, id="int int", a=text)
    ]
    said = "  a is int (int): earlier messages say string, smallint: their rows may not fit"
    for told in (schemas, schemas[::-1]):
        assert generate(changes, told) == ({"id": "int", "a": "int"}, [said])


@pytest.mark.parametrize("operation", ["schema_change", "ignored", "truncate"])
def test_types_that_rows_do_not_tell_come_from_what_stands_beside_them(generate, operation):
    row = change(1, 2, None, after_image=[("id", "1"), ("b", "AAE="), ("x", "a"), ("was", "b")])
    # a schema without columns, as of a RENAME, tells nothing
    beside = ("first", "second", "none")
    told = [
        change(number, 0, schema_id, operation, key_columns=None)
        for number, schema_id in enumerate(beside)
    ]
    # another table's
    told.append(change(9, 0, "first", operation, table_name="other"))
    schemas = [*schema("first", id="int bigint", was="int bigint")]
    schemas += schema(
        "second",
        id="bigint decimal(20,0)",
        b="blob binary base64_binary",
        e="enum string enum_number",
    )
    columns = {"id": "decimal(20,0)", "b": "binary", "e": "string", "x": "string"}
    said = [
        "  id is decimal(20,0) (bigint): earlier messages say bigint: their rows may not fit",
        "  b is binary (blob): written as base64_binary, which the feed's encodings must name",
        "  x is string until you say otherwise: no message carries its type",
        "  was is left out: only earlier messages have it",
    ]
    assert generate([row, *told], schemas) == (columns, said)
    encodings = {"shop.orders": {"b": "base64_binary"}}
    assert generate([row, *told], schemas, encodings=encodings) == (columns, said[:1] + said[2:])
    # rows that tell their types are believed
    row["schema_id"] = "first"
    assert generate([row, *told], schemas)[0] == {"id": "bigint", "was": "bigint"}


def test_a_model_is_not_compared_with_types_that_nothing_tells(generate, folder):
    rows = [change(1, 0, None, after_image=[("id", "1"), ("x", "a")])]
    assert generate(rows, []) == (
        {"id": "string", "x": "string"},
        [
            "  the messages carry no types: every column is string until you say otherwise, and what is "
            "not written as plain text the feed's encodings must name"
        ],
    )
    path = folder / "models" / "gold" / "orders.sql"
    path.write_text("{{ current_state" + CALL + " }}")
    assert generate(rows, []) == ({"id": "bigint"}, ["  + 'x': 'string'"])


def pasted(path, said):
    """Add the lines that are proposed to what declares the columns of a model, as a person would."""
    proposed = [line[4:] for line in said if line.startswith("  + ")]
    if path.suffix == ".sql":
        text = path.read_text().replace(
            "}) }}", "".join(f", {line}" for line in proposed) + "}) }}"
        )
    else:
        text = path.read_text() + "".join(f"      {line}\n" for line in proposed)
    path.write_text(text)


@pytest.mark.parametrize("kind", ["sql", "yml"])
def test_lines_that_are_proposed_are_declared_once_they_are_pasted(generate, folder, kind):
    types = {"id": "int int", "unit price": "decimal(10,2) decimal(10,2)", "_topic": "char string"}
    silver = [change(0, 0, "told")], [*schema("told", **types)]
    call = CALL if kind == "sql" else CALL.replace(", columns={'id': 'bigint'}", "")
    model = folder / MODELS / "orders.sql"
    model.write_text("{{ current_state" + call.replace("bigint", "int") + " }}")
    described = model.with_suffix(".yml")
    described.write_text(
        "models:\n  - name: orders\n    columns:\n      - {name: id, data_type: int}\n"
    )
    columns, said = generate(*silver)
    assert (columns, len(said)) == ({"id": "int"}, 2)
    pasted(model.with_suffix(f".{kind}"), said)
    columns, said = generate(*silver)
    assert said == []
    assert columns == {"id": "int", "unit price": "decimal(10,2)", "_topic": "string"}
    (declared,) = declared_models(folder)
    assert list(declared.gold_names.values()) == ["id", "unit_price", "_topic_"]


def test_a_column_whose_name_gold_has_already_is_proposed_under_another(generate, folder):
    call = CALL.replace("'bigint'", "'int', 'a_b': {'type': 'int', 'source': 'c'}")
    (folder / MODELS / "orders.sql").write_text("{{ current_state" + call + " }}")
    schemas = [*schema("told", **{"id": "int int", "c": "int int", "A b": "char string"})]
    assert generate([change(0, 0, "told")], schemas)[1] == [
        "  + 'A b': gold takes its name for that of c; declare it under another name, with the type "
        "string and the source 'A b'"
    ]


@pytest.mark.parametrize("source_type", ["mysql", "postgresql", None])
def test_the_case_of_a_name_is_a_difference_where_it_is_one_for_gold(generate, folder, source_type):
    call = CALL.replace("'bigint'", "'int', 'Note': 'string'").replace(")", ", left_out=['Fax'])")
    (folder / MODELS / "orders.sql").write_text("{{ current_state" + call + " }}")
    types = {"id": "int int", "NOTE": "text string", "FAX": "text string"}
    changes = [change(0, 0, "told", source_type=source_type)]
    _, said = generate(changes, [*schema("told", **types)])
    assert (said == []) == (source_type == "mysql")
    # as two columns of a source that ignores case cannot be
    _, said = generate(changes, [*schema("told", **types, note="text string")])
    assert len([line for line in said if line.startswith("  + ")]) == 3


@pytest.mark.parametrize(
    ("part", "one", "two"), [("catalog", "t1", "t2"), ("schema", "sales", "stock")]
)
def test_no_model_is_proposed_that_holds_the_rows_of_others_too(generate, part, one, two):
    """Rows of tenants, and rows that name none: a model without catalog would hold them all."""
    named = [
        change(time, time, "told", **{f"{part}_name": name}) for time, name in ((1, one), (2, two))
    ]
    schemas = [*schema("told", id="int int")]
    models, said = generate([change(0, 0, "told"), *named], schemas)
    places = {tuple(part for part in model.place if part) for model in models}
    whole = {
        name: (name, "shop", "orders") if part == "catalog" else ("shop", name, "orders")
        for name in (one, two)
    }
    assert places == set(whole.values())
    others = ", ".join(".".join(whole[name]) for name in (one, two))
    (line,) = [line for line in said if line.startswith("shop.orders: ")]
    assert line.startswith(
        f"shop.orders: its rows name no {part}, and those of {others} do. A model without {part} "
    )
    # alone they are a table like any other
    assert generate([change(0, 0, "told")], schemas) == ({"id": "int"}, [])


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        (
            "zoned_wall_clock",
            "written in the producer's zone, which the feed's time_zone must name",
        ),
        (
            "instant_millis",
            "an instant made from a clock in the source's zone, which the feed's time_zone must "
            "name; timestamp_ntz or date where the source has no zone",
        ),
    ],
)
def test_a_zone_that_only_the_feed_tells_is_asked_for_once(generate, encoding, said):
    schemas = [*schema("told", id="int int", at=f"DATE timestamp {encoding}")]
    columns = {"id": "int", "at": "timestamp"}
    told = [change(0, 0, "told")]
    assert generate(told, schemas) == (columns, [f"  at is timestamp (DATE): {said}"])
    assert generate(told, schemas, time_zone="Asia/Shanghai") == (columns, [])


def test_encodings_that_nothing_tells_are_asked_for_until_the_feed_names_them(generate):
    """CloudCanal does not document some, OMS declares others than it sends."""
    types = {"id": "int int", "b": "blob string untold", "e": "enum string untold"}
    told, schemas = [change(0, 0, "told")], [*schema("told", **types)]
    columns = {"id": "int", "b": "string", "e": "string"}
    said = (
        "  string until you say otherwise, and the feed's encodings must name how they are written "
        "(text where it is plain), since neither the messages nor a document shows it: "
    )
    assert generate(told, schemas) == (columns, [said + "b (blob), e (enum)"])
    encodings = {"b": "base64_binary"}
    named = generate(told, schemas, encodings={"shop.orders": encodings})
    assert named == (columns, [said + "e (enum)"])
    encodings |= {"e": "text"}
    assert generate(told, schemas, encodings={"shop.orders": encodings}) == (columns, [])


def loaded(table, key, operation="snapshot"):
    """A row of a table of PostgreSQL, with the images that its partitions have too."""
    row = change(0, key, "told", operation, table_name=table, schema_name="public")
    return row | {
        "source_type": "postgresql",
        "row_key": [str(key)],
        "after_image": [("id", str(key))],
    }


def test_the_parent_of_partitions_is_told_apart(generate):
    """PostgreSQL's snapshot brings its rows under both names, the stream under the partitions' only."""
    parent = [loaded("visits", key) for key in range(4)]
    parts = [loaded(f"visits_{key % 2}", key) for key in range(4)]
    # others of the same keys, a copy of one partition, a table of its own
    others = [loaded("other", key) | {"after_image": [("id", "x")]} for key in range(4)]
    others += [loaded("more", key) for key in range(4, 9)]
    schemas = [row | {"format": "debezium_json"} for row in schema("told", id="int int")]
    for later in ([], [loaded("visits_0", 2, "update"), loaded("visits_1", 9, "insert")]):
        _, said = generate([*parent, *parts, *others, *later], schemas, format="debezium_json")
        remarks = [line for line in said if line.startswith("  ")]
        assert remarks == [
            "  only a full load has sent rows, and all of them came under the names of visits_0, "
            "visits_1 too: if these are its partitions, changes come under their names only, and "
            "this table stays as it was loaded; let the publication have publish_via_partition_root, "
            "or make one model of the partitions (docs/gold/declare.md)"
        ]
        assert said[said.index(remarks[0]) - 1].endswith(
            "visits.sql: shop.public.visits, 1 columns"
        )
    _, said = generate(
        [*parent, *parts, loaded("visits", 9, "insert")], schemas, format="debezium_json"
    )
    assert not [line for line in said if line.startswith("  ")]


def test_a_wall_clock_that_may_name_a_zone_is_said(generate):
    schemas = [
        column | {"format": "oms_default_ext"}
        for column in schema("told", id="int int", at="DATETIME timestamp_ntz epoch_millis")
    ]
    columns, said = generate([change(0, 0, "told")], schemas, format="oms_default_ext")
    assert columns == {"id": "int", "at": "timestamp_ntz"}
    assert said == [
        "  at is timestamp_ntz (DATETIME): timestamp, if its texts name a zone, such as Asia/Shanghai"
    ]


@pytest.mark.parametrize(
    ("types", "key"),
    [
        ('{"tableChanges":{"table":{"columns":[],"primaryKeyColumnNames":["b","a"]}}}', "b, a"),
        ('{"columns":{},"primary-key":{"name":"PK","fields":["a"]}}', "a"),
        (
            '{"tableColumns":{"a":{"primaryKeyPosition":2},"b":{"primaryKeyPosition":1},"c":{}}}',
            "b, a",
        ),
        ("{", None),
        ('[{"name":"a"}]', None),
    ],
)
def test_a_key_that_only_messages_beside_the_rows_name_is_proposed(generate, types, key):
    """CloudCanal, AWS DMS, Qlik Replicate."""
    row = change(1, 1, "told", key_columns=None)
    beside = change(0, 0, "beside", "schema_change", key_columns=None, schema_text=types)
    models, said = generate([row, beside], [*schema("told", a="int int", b="int int")])
    named = f"rows name no key, other messages name {key}" if key else "messages name no key"
    assert models == []
    assert said[0].startswith(f"shop.orders: its {named}. Name it under key_columns")


def left_out(name, owner, type_text):
    return (
        f"  {name} is left out: gold takes its name for that of {owner}; declare it under another "
        f"name, with the type {type_text} and the source '{name}'"
    )


def test_columns_whose_names_collide_in_gold_are_told(generate):
    schemas = [*schema("told", **{"A_B": "int int", "a b": "bigint bigint", "a_b": "text string"})]
    assert generate([change(0, 0, "told", key_columns=["A_B"])], schemas) == (
        {"A_B": "int"},
        [left_out("a b", "A_B", "bigint"), left_out("a_b", "A_B", "string")],
    )
    assert generate([change(0, 0, "told", key_columns=["a b"])], schemas) == (
        {"a b": "bigint"},
        [left_out("A_B", "a b", "int"), left_out("a_b", "a b", "string")],
    )
    untyped = change(0, 0, None, after_image=[("id", "1"), ("ID", "2")])
    assert generate([untyped], schemas)[1][1:] == [left_out("ID", "id", "string")]


def test_a_description_without_a_model_is_not_written_over(generate, folder, capsys):
    generate([change(0, 0, "told")], [*schema("told", id="int int")])
    described = folder / "models" / "gold" / "crm" / "orders.yml"
    model = described.with_suffix(".sql")
    assert "key_is_unique" in described.read_text()
    described.write_text("mine")
    model.unlink()
    assert main(["generate", "crm", "--project-dir", str(folder)]) == OK
    assert described.read_text() == "mine"
    assert "columns={\n        'id': 'int'\n    }" in model.read_text()
    said = capsys.readouterr().out.splitlines()[1]
    assert said.startswith("  models/gold/crm/orders.yml is there already and stays as it is: ")


def files_of(folder):
    """Every file of the project's models, with what it holds and when it was written."""
    paths = sorted(path for path in (folder / "models").rglob("*") if path.is_file())
    return {path: (path.read_text(), path.stat().st_mtime_ns) for path in paths}


def generate_all(folder):
    return main(["generate", "--all", "--project-dir", str(folder)])


def test_300_tables_get_their_models_in_one_command_and_a_second_one_changes_nothing(
    folder, capsys
):
    names = [f"t{number}" for number in range(150)]
    changes = [
        change(0, 0, "told", feed=feed, table_name=name)
        for feed in ("crm", "erp")
        for name in names
    ]
    types = dict.fromkeys(("id", *(f"column_{number}" for number in range(20))), "int int")
    make_silver(folder, changes, [*schema("told", **types)], feeds=("crm", "erp", "empty"))
    started = time.monotonic()
    assert generate_all(folder) == OK
    assert time.monotonic() - started < 60
    said = capsys.readouterr().out.splitlines()
    assert said[-2:] == [
        "300 tables had no model: 300 have one now",
        "Next: dbt build --vars 'check_all_history: true'",
    ]
    written = files_of(folder)
    assert len(written) == 600
    assert {(model.feed, model.place[-1]) for model in declared_models(folder)} == {
        (feed, name) for feed in ("crm", "erp") for name in names
    }
    # of one name in two feeds: neither has the shorter one
    assert folder / MODELS / "crm" / "crm_shop_t0.sql" in written
    assert folder / MODELS / "erp" / "erp_shop_t0.sql" in written
    assert generate_all(folder) == OK
    assert files_of(folder) == written
    assert capsys.readouterr().out == "0 tables had no model: 0 have one now\n"


def test_generate_wants_a_feed_or_all(folder, capsys):
    make_silver(folder, [], [])
    for arguments in ([], ["crm", "--all"]):
        assert main(["generate", *arguments, "--project-dir", str(folder)]) == CONFIGURATION
        assert "of one feed, generate FEED, or of all, --all" in capsys.readouterr().err
    assert generate_all(folder) == SOURCE
    assert "Silver has no rows of any feed yet" in capsys.readouterr().err


def test_tables_that_the_feed_leaves_out_get_no_model_unless_they_are_named(folder, capsys):
    places = ["shop.orders", "shop.tmp_1", "audit.log", "a.b", "aXb"]
    changes = [
        change(0, 0, "told", database_name=database or None, table_name=table)
        for database, _, table in (place.rpartition(".") for place in places)
    ]
    leave_out = ["*.tmp_*", "audit.*", "a.b"]
    make_silver(folder, changes, [*schema("told", id="int int")], leave_out=leave_out)
    assert main(["generate", "crm", "--project-dir", str(folder)]) == OK
    said = capsys.readouterr().out.splitlines()
    left = [line for line in said if line.endswith("left out, as leave_out of the feed says")]
    assert {line.split(":")[0] for line in left} == {"shop.tmp_1", "audit.log", "a.b"}
    assert {path.name for path in files_of(folder)} == {
        f"{name}.{kind}" for name in ("orders", "axb") for kind in ("sql", "yml")
    }
    assert generate_all(folder) == OK
    assert capsys.readouterr().out == "0 tables had no model: 0 have one now\n"
    assert main(["generate", "crm", "audit.log", "--project-dir", str(folder)]) == OK
    assert folder / MODELS / "crm" / "log.sql" in files_of(folder)


def test_names_that_collide_are_longer_or_reported_and_no_file_is_written_over(folder, capsys):
    (folder / "seeds").mkdir()
    (folder / "seeds" / "rates.csv").write_text("a")
    mine = folder / MODELS / "Prices.sql"
    mine.write_text("select 1 as one")
    described = folder / MODELS / "mine.yml"
    described.write_text("models: [{name: shop_prices}]\n")
    (folder / MODELS / "products.sql").write_text(
        "{{ config(alias='Goods') }}{{ current_state" + CALL.replace("orders", "products") + " }}"
    )
    names = ("Parts", "parts", "prices", "rates", "goods", "订单", "1st")
    places = [("shop", name) for name in names]
    places += [("a", "orders"), ("b", "orders")]
    changes = [
        change(0, 0, "told", database_name=database, table_name=name) for database, name in places
    ]
    make_silver(folder, changes, [*schema("told", id="int int")])
    assert main(["generate", "crm", "--project-dir", str(folder)]) == OK
    said = capsys.readouterr().out
    written = {path.stem for path in files_of(folder) if path.parent.name == "crm"}
    longer = {f"shop_{name}" for name in ("prices", "rates", "goods", "1st")}
    assert written == {*longer, "a_orders", "b_orders"}
    for name in ("Parts", "parts"):
        assert f"shop.{name}: each name for its model is that of another model or of" in said
    assert "shop.订单: no model can be called like it" in said
    # dbt refuses a second description
    assert "models/gold/mine.yml is there already and stays as it is" in said
    assert not (folder / MODELS / "crm" / "shop_prices.yml").exists()
    assert mine.read_text() == "select 1 as one"
    before = files_of(folder)
    assert main(["generate", "crm", "--project-dir", str(folder)]) == OK
    assert files_of(folder) == before


PATHS = """
profile: mine
model-paths: ["{{ 'transform' if target.profile_name == 'mine' else 'no' }}", models]
seed-paths: [data]
snapshot-paths: [kept]
"""


def test_models_are_written_where_the_project_has_its_own_and_once(folder, capsys):
    for path in ("data/rates.csv", "kept/parts.sql", "models/gold/orders.sql"):
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text("a")
    changes = [change(0, 0, "told", table_name=name) for name in ("orders", "rates", "parts", "x")]
    make_silver(folder, changes, [*schema("told", id="int int")])
    with (folder / "dbt_project.yml").open("a") as project:
        project.write(PATHS)
    assert generate_all(folder) == OK
    own = folder / "transform" / "gold" / "crm"
    names = ("shop_orders", "shop_rates", "shop_parts", "x")
    assert {path.stem for path in own.iterdir()} == set(names)
    assert {model.name for model in declared_models(folder)} == set(names)
    assert not (folder / MODELS / "crm").exists()
    (own / "x.sql").write_text("corrected " + (own / "x.sql").read_text())
    capsys.readouterr()
    assert generate_all(folder) == OK
    assert capsys.readouterr().out == "0 tables had no model: 0 have one now\n"
    assert (own / "x.sql").read_text().startswith("corrected ")


def test_a_file_that_dbt_does_not_read_is_not_written_over(folder, capsys):
    """dbt does not follow links to folders."""
    make_silver(folder, [change(0, 0, "told")], [*schema("told", id="int int")])
    (folder / "elsewhere").mkdir()
    (folder / MODELS / "crm").symlink_to(folder / "elsewhere")
    mine = folder / "elsewhere" / "orders.sql"
    mine.write_text("mine")
    assert generate_all(folder) == OK
    assert "shop.orders: its model would be models/gold/crm/orders.sql, " in capsys.readouterr().out
    assert [path.read_text() for path in (folder / "elsewhere").iterdir()] == ["mine"]


def test_new_tables_of_a_feed_that_says_auto_get_their_models_once(folder, capsys):
    schemas = [*schema("told", id="int int")]
    changes = [change(0, 0, "told", table_name=name) for name in ("orders", "keyless", "tmp")]
    changes[1]["key_columns"] = None
    # of another feed, which does not ask for it
    make_silver(folder, changes, schemas)
    assert models_for_new_tables(read_config(folder), set()) == []
    settings = {"tables": "auto", "leave_out": "shop.tmp"}
    make_silver(folder, changes, schemas, **settings)
    seen = set()
    assert models_for_new_tables(read_config(folder), seen) == [MODELS / "crm" / "orders.sql"]
    said = capsys.readouterr().out
    assert "models/gold/crm/orders.sql: shop.orders, 1 columns, no remarks" in said
    assert "shop.keyless: its messages name no key" in said
    before = files_of(folder)
    # told once, and looked at again by the next process
    assert models_for_new_tables(read_config(folder), seen) == []
    assert capsys.readouterr().out == ""
    assert models_for_new_tables(read_config(folder), set()) == []
    assert "shop.keyless: its messages name no key" in capsys.readouterr().out
    changes.append(change(1, 1, "told", table_name="parts"))
    make_silver(folder, changes, schemas, **settings)
    assert models_for_new_tables(read_config(folder), seen) == [MODELS / "crm" / "parts.sql"]
    assert before.items() <= files_of(folder).items()


def test_a_folder_that_cannot_be_written_is_told(folder, capsys):
    (folder / MODELS / "crm").write_text("a file in the folder's place")
    told = [change(0, 0, "told")], [*schema("told", id="int int")]
    make_silver(folder, *told, tables="auto")
    seen = set()
    with pytest.raises(UserError, match="New models are files of the project, and cannot be writ"):
        models_for_new_tables(read_config(folder), seen)
    assert seen == set()
    assert main(["generate", "crm", "--project-dir", str(folder)]) == SOURCE
    said = capsys.readouterr().err
    assert said.startswith("New models are files of the project, and cannot be written (")
