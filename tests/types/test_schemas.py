"""What a message says of its types becomes one row per column."""

import json

import pytest

MYSQL_TYPES = [
    ("bigint(20) unsigned", "text", None, None, "decimal(20,0)"),
    ("bigint unsigned", "text", None, None, "decimal(20,0)"),
    ("bigint(20)", "text", None, None, "bigint"),
    ("int(8) zerofill", "text", None, None, "bigint"),
    ("int(10) unsigned", "text", None, None, "bigint"),
    ("mediumint(8) unsigned", "text", None, None, "int"),
    ("smallint(5) unsigned", "text", None, None, "int"),
    ("tinyint(3) unsigned", "text", None, None, "smallint"),
    ("tinyint(1)", "text", None, None, "tinyint"),
    ("bit(1)", "text", None, None, "boolean"),
    ("bit(5)", "text", None, None, "bigint"),
    ("bit(64)", "text", None, None, "decimal(20,0)"),
    ("decimal(38,18)", "text", 18, None, "decimal(38,18)"),
    ("DECIMAL( 12 , 4 ) UNSIGNED", "text", 4, None, "decimal(12,4)"),
    ("decimal(65,30)", "text", 30, None, "string"),
    ("decimal", "text", 0, None, "decimal(10,0)"),
    ("float(7,3)", "text", None, None, "float"),
    ("double precision", "text", None, None, "double"),
    ("VARCHAR(24)", "text", None, None, "string"),
    ("longtext", "text", None, None, "string"),
    ("TEXT(500)", "latin1_text", None, None, "string"),
    ("binary(4)", "latin1_binary", 4, None, "binary"),
    ("varbinary(16)", "latin1_binary", None, None, "binary"),
    ("blob", "latin1_binary", None, None, "binary"),
    ("point", "latin1_binary", None, None, "binary"),
    ("year(4)", "text", None, None, "int"),
    ("date", "text", None, None, "date"),
    ("time(6)", "text", None, None, "string"),
    ("datetime(6)", "text", None, None, "timestamp_ntz"),
    ("timestamp(3)", "zoned_wall_clock", None, None, "timestamp"),
    ("json", "text", None, None, "string"),
    (
        "enum('c,d','it''s','q\"x','a)b','','unsigned')",
        "enum_number",
        None,
        ["c,d", "it's", 'q"x', "a)b", "", "unsigned"],
        "string",
    ),
    ("ENUM ('x', 'é') CHARACTER SET utf8", "enum_number", None, ["x", "é"], "string"),
    # captured from Canal 1.1.7
    (
        r"enum('a\','b','c''d','x\\y','k\z')",
        "enum_number",
        None,
        ["a\\", "b", "c'd", r"x\\y", r"k\z"],
        "string",
    ),
    ("set('x','y z')", "set_mask", None, ["x", "y z"], "string"),
    ("vector(3)", "text", None, None, "string"),
    (None, "text", None, None, "string"),
]


def test_canal_json_columns_in_their_order(spark, macros):
    types = {f"c{number}": row[0] for number, row in enumerate(MYSQL_TYPES, start=1)}
    columns = columns_of(spark, macros.canal_json_columns("schemas"), types)
    assert [
        (
            c.ordinal,
            c.column_name,
            c.source_type,
            c.wire_encoding,
            c.scale,
            c.labels,
            c.proposed_type,
        )
        for c in columns
    ] == [
        (number, f"c{number}", source_type, encoding, scale, labels, proposed_type)
        for number, (source_type, encoding, scale, labels, proposed_type) in enumerate(
            MYSQL_TYPES, start=1
        )
    ]


DECIMAL = "org.apache.kafka.connect.data.Decimal"
CONNECT_TYPES = [
    ("int16", None, {}, "text", None, "smallint"),
    ("int32", None, {}, "text", None, "int"),
    ("int64", None, {}, "text", None, "bigint"),
    ("float", None, {}, "text", None, "float"),
    ("double", None, {}, "text", None, "double"),
    ("boolean", None, {}, "text", None, "boolean"),
    ("string", None, {}, "text", None, "string"),
    ("bytes", None, {}, "base64_binary", None, "binary"),
    (
        "bytes",
        DECIMAL,
        {"scale": "2", "connect.decimal.precision": "10"},
        "connect_decimal",
        2,
        "decimal(10,2)",
    ),
    (
        "bytes",
        DECIMAL,
        {"scale": "30", "connect.decimal.precision": "65"},
        "connect_decimal",
        30,
        "string",
    ),
    ("bytes", DECIMAL, {"scale": "2"}, "connect_decimal", 2, "decimal(38,2)"),
    (
        "bytes",
        DECIMAL,
        {"scale": "5", "connect.decimal.precision": "2"},
        "connect_decimal",
        5,
        "decimal(5,5)",
    ),
    (
        "bytes",
        DECIMAL,
        {"scale": "-3", "connect.decimal.precision": "2"},
        "connect_decimal",
        -3,
        "decimal(5,0)",
    ),
    (
        "struct",
        "io.debezium.data.VariableScaleDecimal",
        {},
        "variable_scale_decimal",
        None,
        "string",
    ),
    ("bytes", "io.debezium.data.Bits", {"length": "5"}, "little_endian_bits", 5, "bigint"),
    (
        "bytes",
        "io.debezium.data.Bits",
        {"length": "64"},
        "little_endian_bits",
        64,
        "decimal(20,0)",
    ),
    ("int32", "io.debezium.time.Date", {}, "epoch_days", None, "date"),
    ("int32", "org.apache.kafka.connect.data.Date", {}, "epoch_days", None, "date"),
    ("int64", "io.debezium.time.Timestamp", {}, "epoch_millis", None, "timestamp_ntz"),
    ("int64", "org.apache.kafka.connect.data.Timestamp", {}, "epoch_millis", None, "timestamp_ntz"),
    ("int64", "io.debezium.time.MicroTimestamp", {}, "epoch_micros", None, "timestamp_ntz"),
    ("int64", "io.debezium.time.NanoTimestamp", {}, "epoch_nanos", None, "timestamp_ntz"),
    ("string", "io.debezium.time.ZonedTimestamp", {}, "text", None, "timestamp"),
    ("string", "io.debezium.time.IsoDate", {}, "iso_date", None, "date"),
    ("string", "io.debezium.time.IsoTimestamp", {}, "iso_timestamp", None, "timestamp_ntz"),
    ("string", "io.debezium.time.IsoTime", {}, "iso_time", None, "string"),
    ("int32", "io.debezium.time.Time", {}, "millis_of_day", None, "string"),
    ("int64", "io.debezium.time.MicroTime", {}, "micros_of_day", None, "string"),
    ("int64", "io.debezium.time.NanoTime", {}, "nanos_of_day", None, "string"),
    ("int64", "io.debezium.time.MicroDuration", {}, "text", None, "string"),
    ("int32", "io.debezium.time.Year", {}, "text", None, "int"),
    ("string", "io.debezium.data.Json", {}, "text", None, "string"),
    ("struct", "io.debezium.data.geometry.Point", {}, "text", None, "string"),
    ("string", "com.example.Unheard", {}, "text", None, "string"),
]


def test_debezium_json_columns_in_their_order(spark, macros):
    block = envelope(
        "io.debezium.connector.postgresql.Source",
        [
            {
                "field": f"c{number}",
                "type": kind,
                "name": name,
                "parameters": parameters,
                "optional": number > 1,
            }
            for number, (kind, name, parameters, *_) in enumerate(CONNECT_TYPES, start=1)
        ],
    )
    columns = columns_of(spark, macros.debezium_json_columns("schemas"), block)
    assert [
        (
            c.ordinal,
            c.column_name,
            c.source_type,
            c.wire_encoding,
            c.scale,
            c.proposed_type,
            c.is_optional,
        )
        for c in columns
    ] == [
        (number, f"c{number}", name or kind, encoding, scale, proposed_type, number > 1)
        for number, (kind, name, _, encoding, scale, proposed_type) in enumerate(
            CONNECT_TYPES, start=1
        )
    ]


def test_columns_of_bare_numbers_are_not_read_as_base64(spark, macros):
    """A Decimal is the number; other bytes are none."""
    bits = {"type": "bytes", "name": "io.debezium.data.Bits", "parameters": {"length": "5"}}
    number = {"type": "bytes", "name": DECIMAL, "parameters": {"scale": "2"}}
    fields = {"n": number, "m": number, "b": {"type": "bytes"}, "bits": bits}
    block = envelope("s", [one | {"field": name} for name, one in fields.items()])
    columns = columns_of(
        spark, macros.debezium_json_columns("schemas"), {"bare_numbers": ["n", "b", "bits"]} | block
    )
    assert {column.column_name: column.wire_encoding for column in columns} == {
        "n": "text",
        "m": "connect_decimal",
        "b": "bare_number",
        "bits": "bare_number",
    }
    assert {column.column_name: column.proposed_type for column in columns} == {
        "n": "decimal(38,2)",
        "m": "decimal(38,2)",
        "b": "binary",
        "bits": "bigint",
    }


@pytest.mark.parametrize(
    ("source", "allowed", "encoding", "labels"),
    [
        ("mysql.Source", r"a,c\,d,é", "escaped_label", ["a", "c,d", "é"]),
        ("mariadb.Source", r"a,c\,d,é", "escaped_label", ["a", "c,d", "é"]),
        ("postgresql.Source", "sad,ok", "text", ["sad", "ok"]),
    ],
)
def test_only_the_mysql_connectors_escape_labels(spark, macros, source, allowed, encoding, labels):
    field = {
        "field": "e",
        "type": "string",
        "name": "io.debezium.data.Enum",
        "parameters": {"allowed": allowed},
    }
    block = envelope(f"io.debezium.connector.{source}", [field])
    (column,) = columns_of(spark, macros.debezium_json_columns("schemas"), block)
    assert (column.wire_encoding, column.labels) == (encoding, labels)


def test_arrays_of_plain_values_have_a_type_and_others_stay_json(spark, macros):
    fields = [
        {"field": "tags", "type": "array", "items": {"type": "string"}},
        {"field": "ids", "type": "array", "items": {"type": "int64"}},
        {"field": "prices", "type": "array", "items": {"type": "bytes", "name": DECIMAL}},
    ]
    columns = columns_of(spark, macros.debezium_json_columns("schemas"), envelope("s", fields))
    assert [c.proposed_type for c in columns] == ["array<string>", "array<bigint>", "string"]


@pytest.mark.parametrize(
    ("items", "encoding"),
    [
        ({"type": "int32", "name": "io.debezium.time.Date"}, "encoded_list"),
        ({"type": "int64", "name": "io.debezium.time.MicroTimestamp"}, "encoded_list"),
        ({"type": "bytes", "name": DECIMAL}, "encoded_list"),
        ({"type": "struct", "name": "io.debezium.data.VariableScaleDecimal"}, "encoded_list"),
        ({"type": "bytes"}, "encoded_list"),
        ({"type": "string", "name": "io.debezium.time.ZonedTimestamp"}, "text"),
        ({"type": "string", "name": "io.debezium.data.Uuid"}, "text"),
        ({"type": "int32"}, "text"),
    ],
)
def test_a_list_of_encoded_values_is_never_taken_for_its_values(spark, macros, items, encoding):
    block = envelope("s", [{"field": "days", "type": "array", "items": items}])
    (column,) = columns_of(spark, macros.debezium_json_columns("schemas"), block)
    assert column.wire_encoding == encoding


def test_a_propagated_source_type_unwraps_unsigned_64(spark, macros):
    parameters = {
        "__debezium.source.column.type": "BIGINT UNSIGNED",
        "__debezium.source.column.comment": "number of the order",
    }
    field = {"field": "id", "type": "int64", "parameters": parameters}
    (column,) = columns_of(spark, macros.debezium_json_columns("schemas"), envelope("s", [field]))
    assert (column.source_type, column.wire_encoding, column.proposed_type, column.comment) == (
        "BIGINT UNSIGNED",
        "wrapped_unsigned_64",
        "decimal(20,0)",
        "number of the order",
    )


@pytest.mark.parametrize(
    ("own_type", "kind", "encoding", "proposed_type"),
    [
        ("INTEGER UNSIGNED", "int32", "wrapped_unsigned_32", "bigint"),
        ("INT ZEROFILL", "int32", "wrapped_unsigned_32", "bigint"),
        ("INT4 SIGNED ZEROFILL", "int32", "wrapped_unsigned_32", "bigint"),
        ("INTEGER UNSIGNED", "int64", "text", "bigint"),
        ("INTEGER", "int32", "text", "int"),
        ("MEDIUMINT ZEROFILL", "int32", "wrapped_unsigned_24", "int"),
        ("MEDIUMINT UNSIGNED ZEROFILL", "int32", "text", "int"),
        ("SMALLINT ZEROFILL", "int16", "wrapped_unsigned_16", "int"),
        ("SMALLINT UNSIGNED", "int32", "text", "int"),
        ("TINYINT ZEROFILL", "int16", "wrapped_unsigned_8", "smallint"),
        ("INT1 ZEROFILL", "int8", "wrapped_unsigned_8", "smallint"),
        ("TINYINT UNSIGNED", "int16", "text", "smallint"),
        # by Debezium's converter of TINYINT(1)
        ("TINYINT(1) ZEROFILL", "boolean", "text", "boolean"),
        ("DECIMAL ZEROFILL", "string", "text", "string"),
    ],
)
def test_names_of_unsigned_types_that_debezium_does_not_know_wrap(
    spark, macros, own_type, kind, encoding, proposed_type
):
    parameters = {"__debezium.source.column.type": own_type}
    field = {"field": "n", "type": kind, "parameters": parameters}
    (column,) = columns_of(spark, macros.debezium_json_columns("schemas"), envelope("s", [field]))
    assert (column.wire_encoding, column.proposed_type) == (encoding, proposed_type)


def test_before_serves_where_after_is_missing(spark, macros):
    block = {"fields": [{"field": "before", "fields": [{"field": "id", "type": "int32"}]}]}
    (column,) = columns_of(spark, macros.debezium_json_columns("schemas"), block)
    assert (column.column_name, column.proposed_type) == ("id", "int")


@pytest.mark.parametrize("macro", ["canal_json_columns", "debezium_json_columns"])
def test_no_schema_and_no_json_give_no_columns(spark, macros, macro):
    rows = [("none", None), ("cut", '{"a": "in'), ("empty", "{}")]
    schemas(spark, rows)
    assert spark.sql(getattr(macros, macro)("schemas")).collect() == []


def test_dtle_counts_years_and_writes_zero_timestamps_in_its_own_way(spark, macros):
    kinds = {"y": "io.debezium.time.Year", "t": "io.debezium.time.ZonedTimestamp", "n": None}
    fields = [{"field": name, "type": "string", "name": kind} for name, kind in kinds.items()]
    block = envelope("io.debezium.connector.mysql.Source", fields)
    columns = columns_of(spark, macros.dtle_columns("schemas"), block)
    assert [(c.column_name, c.wire_encoding, c.proposed_type) for c in columns] == [
        ("y", "dtle_year", "int"),
        ("t", "dtle_timestamp", "timestamp"),
        ("n", "text", "string"),
    ]


def test_both_macros_have_the_same_columns(spark, macros):
    schemas(spark, [("s", "{}")])
    canal = spark.sql(macros.canal_json_columns("schemas")).dtypes
    assert canal == spark.sql(macros.debezium_json_columns("schemas")).dtypes


def schemas(spark, rows):
    frame = spark.createDataFrame(rows, "schema_id string, schema_text string")
    frame.coalesce(1).createOrReplaceTempView("schemas")


def columns_of(spark, sql, schema):
    schemas(spark, [("s", json.dumps(schema, ensure_ascii=False))])
    return spark.sql(sql).collect()


def envelope(source, fields):
    return {
        "type": "struct",
        "fields": [
            {"type": "struct", "field": "before", "fields": fields},
            {"type": "struct", "field": "after", "fields": fields},
            {"type": "struct", "field": "source", "name": source, "fields": []},
        ],
    }
