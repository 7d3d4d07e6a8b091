"""Real records of canal and Debezium give the values that the databases held in the end."""

import json
import re
from decimal import Decimal

import pytest

from tests.types import shop

SCHEMA = "schema_id string, schema_text string"
VALUE = "place int, schema_id string, column_name string, wire_text string"


@pytest.fixture(scope="module")
def final_values(spark, macros):
    """database -> {(table, key, column): (canonical, proposed type, misfit)}."""
    return {
        "mariadb": typed_values(spark, macros, shop.mariadb_rows(), macros.canal_json_columns),
        "postgres": typed_values(spark, macros, shop.postgres_rows(), macros.debezium_json_columns),
    }


def typed_values(spark, macros, rows, columns):
    names = [(table, key, column) for (table, key), (row, _) in rows.items() for column in row]
    schema_ids = {}
    for _, schema in rows.values():
        schema_ids.setdefault(json.dumps(schema, ensure_ascii=False), str(len(schema_ids)))
    schemas = [(schema_id, schema_text) for schema_text, schema_id in schema_ids.items()]
    values = []
    for place, (table, key, column) in enumerate(names):
        row, schema = rows[table, key]
        schema_id = schema_ids[json.dumps(schema, ensure_ascii=False)]
        values.append((place, schema_id, column, row[column]))
    spark.createDataFrame(schemas, SCHEMA).createOrReplaceTempView("schemas")
    spark.createDataFrame(values, VALUE).createOrReplaceTempView("wire_values")
    spark.sql(columns("schemas")).cache().createOrReplaceTempView("columns")
    spark.sql(f"""
        select place, proposed_type, {macros.canonical_text("wire_text", "wire")} as canonical
        from (
            select *, struct(wire_encoding, scale, labels) as wire
            from wire_values left join columns using (schema_id, column_name)
        )
    """).cache().createOrReplaceTempView("canonical_values")
    types = [row[0] for row in spark.sql("select distinct proposed_type from columns").collect()]
    misfits = " ".join(
        f"when '{name}' then "
        + macros.does_not_fit(
            "canonical", f"({macros.typed('canonical', name, 'UTC')}) is null", f"'{name}'"
        )
        for name in types
    )
    typed = spark.sql(f"""
        select place, canonical, proposed_type, case proposed_type {misfits} end as misfit
        from canonical_values
    """).collect()
    spark.catalog.clearCache()
    return {names[row.place]: (row.canonical, row.proposed_type, row.misfit) for row in typed}


CASES = [
    (database, table) for database in ("mariadb", "postgres") for table in shop.tables(database)
]


@pytest.mark.parametrize(("database", "table"), CASES)
def test_every_value_is_what_the_database_held(final_values, database, table):
    keys = {
        "customers": ["id"],
        "order_items": ["line_no", "order_id"],
        "stock": ["product_id", "warehouse_id"],
    }.get(table, ["id"])
    found = {name: value for name, value in final_values[database].items() if name[0] == table}
    expected = {
        (table, shop.key_of(keys, row), column): text
        for row in shop.expected_rows(database, table)
        for column, text in row.items()
    }
    # a column added later is missing in the rows that were not written since
    for name in expected.keys() - found.keys():
        assert name[2] in ("phone", "reserved")
        assert expected.pop(name) is None
    assert {name: comparable(value[0], name[2], value[1]) for name, value in found.items()} == {
        name: comparable(text, name[2], found[name][1]) for name, text in expected.items()
    }


def test_only_the_zero_date_does_not_fit_its_proposed_type(final_values):
    misfits = [
        (name[0], name[2], value[0])
        for values in final_values.values()
        for name, value in values.items()
        if value[2]
    ]
    assert misfits == [("products", "discontinued", "0000-00-00")]


def test_every_column_has_a_proposed_type(final_values):
    for values in final_values.values():
        assert None not in {value[1] for value in values.values()}


def comparable(text, column, proposed_type):
    """Numbers as numbers; PostgreSQL's arrays, intervals and instants in the message's notation."""
    if text is None:
        return None
    if proposed_type in ("float", "double"):
        return float(text)
    if proposed_type.startswith("decimal") or column in ("cost", "unit_cost"):
        return Decimal(text)
    if proposed_type == "array<string>" and text.startswith("{"):
        return [
            None if item == "NULL" else item.strip('"')
            for item in re.findall(r'"[^"]*"|[^,{}]+', text)
        ]
    if proposed_type == "array<string>":
        return json.loads(text)
    if column == "transit_time":
        return int(text) if re.fullmatch(r"-?\d+", text) else micros(text)
    if column == "pickup_time":
        return text if "." in text else text + ".000000"
    if proposed_type.startswith("timestamp"):
        instant = text.replace("T", " ").replace("+00", "Z")
        return re.sub(r"\.?0*(Z?)$", r"\1", instant) if "." in instant else instant
    return text


def micros(interval):
    """PostgreSQL's `2 days 03:04:05.678` in microseconds."""
    days, clock = re.fullmatch(r"(?:(\d+) days?)? ?(\S+)?", interval).groups()
    total = int(days or 0) * 86400
    if clock:
        hours, minutes, seconds = clock.lstrip("-").split(":")
        sign = -1 if clock.startswith("-") else 1
        total += sign * (int(hours) * 3600 + int(minutes) * 60 + Decimal(seconds))
    return int(total * 1000000)
