"""Type by type, what each format's messages say of their columns becomes.

A proposed type holds every value that the source's type can have. The types of canal_json,
debezium_json and dtle stand in test_schemas.py.
"""

import pytest

from tests.types.test_schemas import DECIMAL, columns_of, envelope, schemas

SHARED = [
    ("canal_json_ckafka", "canal_json_dts"),
    ("canal_json_cloudcanal", "cloudcanal_json"),
    ("drs_avro", "drs_json"),
    ("flink_cdc_canal", "canal_json_dts"),
    ("oms_avro", "dts_avro"),
    ("oms_debezium_flatten", "oms_debezium"),
    ("oms_default", "oms_default_ext"),
    ("shareplex_quest", "oms_shareplex"),
    ("ticdc_debezium", "debezium_json"),
    ("ticdc_maxwell", "maxwell"),
]
WITH_TYPES = [
    "aws_dms",
    "canal_json_dts",
    "canal_json_oms",
    "canal_json_ticdc",
    "cloudcanal_json",
    "dataworks_v2",
    "debezium_avro",
    "debezium_smt",
    "drs_json",
    "drs_json_c",
    "dts_avro",
    "flink_cdc_debezium",
    "maxwell",
    "oms_debezium",
    "oms_debezium_smt",
    "oms_default_ext",
    "qlik_replicate",
    "streamx",
    "ticdc_open",
    "ticdc_simple",
]


@pytest.mark.parametrize(("format_name", "other"), SHARED)
def test_formats_that_say_the_same_share_a_macro(macros, format_name, other):
    own, shared = (getattr(macros, f"{name}_columns")("schemas") for name in (format_name, other))
    assert own.strip() == shared.strip()


@pytest.mark.parametrize("format_name", ["google_datastream", "ogg_json", "oms_shareplex"])
def test_formats_without_types_have_no_columns(spark, macros, format_name):
    sql = getattr(macros, f"{format_name}_columns")("schemas")
    assert columns_of(spark, sql, {"id": "bigint", "name": "varchar(20)"}) == []


@pytest.mark.parametrize("format_name", WITH_TYPES)
def test_no_schema_and_no_json_give_no_columns(spark, macros, format_name):
    schemas(spark, [("none", None), ("cut", '{"a": "in'), ("empty", "{}")])
    assert spark.sql(getattr(macros, f"{format_name}_columns")("schemas")).collect() == []


DRS_TYPES = [
    ("tinyint", "text", "smallint"),
    ("smallint", "text", "int"),
    ("mediumint", "text", "int"),
    ("int", "text", "bigint"),
    ("integer", "text", "bigint"),
    ("bigint", "text", "decimal(20,0)"),
    ("bigint(20)", "text", "decimal(20,0)"),
    ("BIGINT", "text", "decimal(20,0)"),
    ("decimal", "text", "string"),
    ("float", "text", "float"),
    ("double", "text", "double"),
    ("datetime", "text", "timestamp_ntz"),
    ("char", "text", "string"),
    ("varchar", "text", "string"),
    ("text", "text", "string"),
    ("binary", "byte_list", "binary"),
    ("varbinary", "byte_list", "binary"),
    ("tinyblob", "byte_list", "binary"),
    ("blob", "byte_list", "binary"),
    ("mediumblob", "byte_list", "binary"),
    ("longblob", "byte_list", "binary"),
    ("date", "text", "string"),
    ("time", "text", "string"),
    ("year", "text", "string"),
    ("bit", "text", "string"),
    ("enum", "text", "string"),
    ("set", "text", "string"),
    ("json", "text", "string"),
    ("geometry", "text", "string"),
    ("NUMBER", "text", "string"),
    ("VARCHAR2", "text", "string"),
    (None, "text", "string"),
]


@pytest.mark.parametrize(
    ("format_name", "timestamp_encoding"),
    [("drs_json", "epoch_seconds"), ("drs_json_c", "zoned_wall_clock")],
)
def test_drs(spark, macros, format_name, timestamp_encoding):
    rows = [*DRS_TYPES, ("timestamp", timestamp_encoding, "timestamp")]
    sql = getattr(macros, f"{format_name}_columns")("schemas")
    assert told(columns_of(spark, sql, by_name(row[0] for row in rows))) == bare(rows)


@pytest.mark.parametrize("source_type", ["BINARY_FLOAT", "BINARY_DOUBLE"])
def test_drs_reads_floats_of_oracle_as_no_bytes(spark, macros, source_type):
    (column,) = columns_of(spark, macros.drs_json_c_columns("schemas"), {"c": source_type})
    assert (column.wire_encoding, column.proposed_type) == ("text", "string")


DTS_TYPES = [
    (0, "decimal", "string"),
    (1, "tinyint", "smallint"),
    (2, "smallint", "int"),
    (3, "int", "bigint"),
    (4, "float", "float"),
    (5, "double", "double"),
    (6, "6", "string"),
    (7, "timestamp", "timestamp"),
    (8, "bigint", "decimal(20,0)"),
    (9, "mediumint", "int"),
    (10, "date", "date"),
    (11, "time", "string"),
    (12, "datetime", "timestamp_ntz"),
    (13, "year", "int"),
    (14, "date", "date"),
    (15, "varchar", "string"),
    (16, "bit", "decimal(20,0)"),
    (17, "timestamp", "timestamp"),
    (18, "datetime", "timestamp_ntz"),
    (19, "time", "string"),
    (245, "json", "string"),
    (246, "decimal", "string"),
    (247, "enum", "string"),
    (248, "set", "string"),
    (249, "tinyblob", "string"),
    (250, "mediumblob", "string"),
    (251, "longblob", "string"),
    (252, "blob", "string"),
    (253, "varchar", "string"),
    (254, "char", "string"),
    (255, "geometry", "string"),
    (300, "300", "string"),
    (None, None, "string"),
]
DTS_BYTES = [
    (249, "tinyblob"),
    (250, "mediumblob"),
    (251, "longblob"),
    (252, "blob"),
    (253, "varchar"),
    (254, "char"),
    (255, "geometry"),
]


def test_dts_avro(spark, macros):
    fields = [{"dataTypeNumber": number} for number, *_ in DTS_TYPES]
    fields += [{"dataTypeNumber": number, "isBinary": True} for number, _ in DTS_BYTES]
    record = {"sourceType": "MySQL", "fields": in_a_list(fields)}
    assert told(columns_of(spark, macros.dts_avro_columns("schemas"), record)) == bare(
        [(word, "text", proposed_type) for _, word, proposed_type in DTS_TYPES]
        + [(word, "hex_binary", "binary") for _, word in DTS_BYTES]
    )


@pytest.mark.parametrize("source", [{"sourceType": "Oracle"}, {}])
def test_dts_avro_numbers_of_other_engines_mean_nothing(spark, macros, source):
    fields = [{"dataTypeNumber": 8}, {"dataTypeNumber": 7}, {"isBinary": True}]
    record = {**source, "fields": in_a_list(fields)}
    assert told(columns_of(spark, macros.dts_avro_columns("schemas"), record)) == bare(
        [("8", "text", "string"), ("7", "text", "string"), (None, "hex_binary", "binary")]
    )


MAXWELL_TYPES = [
    ("tinyint", {"signed": True}, "text", "smallint"),
    ("tinyint", {"signed": False}, "text", "smallint"),
    ("smallint", {"signed": False}, "text", "int"),
    ("mediumint", {"signed": False}, "text", "int"),
    ("int", {"signed": True}, "text", "bigint"),
    ("integer", {"signed": False}, "text", "bigint"),
    ("bigint", {"signed": True}, "text", "bigint"),
    ("bigint", {"signed": False}, "text", "decimal(20,0)"),
    ("BIGINT", {}, "text", "decimal(20,0)"),
    ("bit", {}, "text", "decimal(20,0)"),
    ("decimal", {}, "text", "string"),
    ("float", {}, "text", "float"),
    ("double", {}, "text", "double"),
    ("year", {}, "text", "int"),
    ("date", {}, "text", "date"),
    ("time", {"column-length": 6}, "text", "string"),
    ("datetime", {"column-length": 6}, "text", "timestamp_ntz"),
    ("timestamp", {"column-length": 3}, "text", "timestamp"),
    ("char", {"charset": "latin1"}, "text", "string"),
    ("varchar", {"charset": "utf8mb4"}, "text", "string"),
    ("text", {"charset": "utf8mb4"}, "text", "string"),
    ("json", {}, "text", "string"),
    ("geometry", {}, "text", "string"),
    ("enum", {"enum-values": ["a", "b,c"]}, "text", "string"),
    ("set", {"enum-values": ["x", "é"]}, "text", "array<string>"),
    ("binary", {}, "base64_binary", "binary"),
    ("varbinary", {}, "base64_binary", "binary"),
    ("tinyblob", {}, "base64_binary", "binary"),
    ("blob", {}, "base64_binary", "binary"),
    ("mediumblob", {}, "base64_binary", "binary"),
    ("longblob", {}, "base64_binary", "binary"),
    (None, {}, "text", "string"),
]


def test_maxwell(spark, macros):
    columns = in_a_list({"type": word, **rest} for word, rest, *_ in MAXWELL_TYPES)
    definition = {"database": "shop", "table": "t", "columns": columns, "primary-key": ["c1"]}
    assert told(columns_of(spark, macros.maxwell_columns("schemas"), definition)) == [
        (word, encoding, None, rest.get("enum-values"), proposed_type)
        for word, rest, encoding, proposed_type in MAXWELL_TYPES
    ]


OMS_TYPES = [
    ("TINYINT", "text", "smallint"),
    ("SMALLINT", "text", "int"),
    ("MEDIUMINT", "text", "int"),
    ("YEAR", "text", "int"),
    ("INT", "text", "bigint"),
    ("INT64", "text", "decimal(20,0)"),
    ("BIGINT", "text", "decimal(20,0)"),
    ("bigint(20)", "text", "decimal(20,0)"),
    ("INTEGER", "text", "decimal(38,0)"),
    ("DECIMAL", "text", "string"),
    ("decimal(12, 2)", "text", "decimal(12,2)"),
    ("DECIMAL(38,38)", "text", "decimal(38,38)"),
    ("numeric( 10 )", "text", "decimal(10,0)"),
    ("NUMBER", "text", "string"),
    ("number(*,2)", "text", "string"),
    ("number(38)", "text", "decimal(38,0)"),
    ("number(40,2)", "text", "string"),
    ("FLOAT", "text", "string"),
    ("BINARY_FLOAT", "text", "float"),
    ("DOUBLE", "text", "double"),
    ("binary_double", "text", "double"),
    ("BOOLEAN", "text", "boolean"),
    ("DATE", "text", "date"),
    ("TIME", "text", "string"),
    ("DATETIME", "epoch_millis", "timestamp_ntz"),
    ("datetime(6)", "epoch_millis", "timestamp_ntz"),
    ("TIMESTAMP", "epoch_seconds", "timestamp"),
    ("ZONED_DATETIME", "text", "timestamp"),
    ("INTERVAL_DAY_TO_SECOND", "text", "string"),
    ("INTERVAL_YEAR_TO_MONTH", "text", "string"),
    ("BLOB", "base64_binary", "binary"),
    ("TINYBLOB", "base64_binary", "binary"),
    ("mediumblob", "base64_binary", "binary"),
    ("LONGBLOB", "base64_binary", "binary"),
    ("BINARY", "base64_binary", "binary"),
    ("varbinary(16)", "base64_binary", "binary"),
    ("BIT", "big_endian_bits", "decimal(20,0)"),
    ("bit(8)", "big_endian_bits", "decimal(20,0)"),
    ("RAW", "base64_binary", "binary"),
    ("BFILE", "base64_binary", "binary"),
    ("CHAR", "text", "string"),
    ("varchar(20)", "text", "string"),
    ("VARCHAR2", "text", "string"),
    ("NVARCHAR2", "text", "string"),
    ("VAR_STRING", "text", "string"),
    ("TEXT", "text", "string"),
    ("CLOB", "text", "string"),
    ("NCLOB", "text", "string"),
    ("ROWID", "text", "string"),
    ("UROWID", "text", "string"),
    ("ENUM", "text", "string"),
    ("SET", "text", "string"),
    ("JSON", "text", "string"),
    (None, "text", "string"),
]


def test_oms_default_ext(spark, macros):
    light_types = by_name({"schemaType": row[0]} for row in OMS_TYPES)
    columns = columns_of(spark, macros.oms_default_ext_columns("schemas"), light_types)
    assert told(columns) == bare(OMS_TYPES)


def test_dataworks_v2(spark, macros):
    described = in_a_list({"type": row[0]} for row in OMS_TYPES)
    columns = columns_of(spark, macros.dataworks_v2_columns("schemas"), described)
    assert told(columns) == bare(OMS_TYPES)


def test_canal_json_oms(spark, macros):
    types = by_name(row[0] for row in OMS_TYPES)
    assert told(columns_of(spark, macros.canal_json_oms_columns("schemas"), types)) == bare(
        OMS_TYPES
    )


def test_oms_writes_bool_as_a_number(spark, macros):
    (column,) = columns_of(
        spark, macros.dataworks_v2_columns("schemas"), [{"name": "c", "type": "BOOL"}]
    )
    assert (column.wire_encoding, column.proposed_type) == ("text", "smallint")


# What the documents print: words in two cases, no field optional.
OMS_BLOCK = [
    {"field": "c1", "optional": False, "type": "int32"},
    {"field": "c2", "optional": False, "type": "int64"},
    {"field": "c3", "optional": False, "type": "float64"},
    {"field": "c4", "optional": False, "type": "bytes"},
    {"field": "c5", "optional": False, "type": "boolean"},
    {"field": "c6", "optional": False, "type": "string"},
    {"field": "c7", "optional": False, "type": "STRING"},
]


@pytest.mark.parametrize("image", ["before", "after"])
def test_oms_debezium_tells_names_alone(spark, macros, image):
    block = {
        "optional": False,
        "type": "STRUCT",
        "fields": [
            {"field": "source", "type": "struct", "fields": [{"field": "name", "type": "string"}]},
            {"field": image, "optional": False, "type": "struct", "fields": OMS_BLOCK},
        ],
    }
    columns = columns_of(spark, macros.oms_debezium_columns("schemas"), block)
    assert told(columns) == bare([(field["type"], None, "string") for field in OMS_BLOCK])
    assert {column.is_optional for column in columns} == {None}


def test_oms_debezium_smt_tells_names_alone(spark, macros):
    block = {"type": "struct", "fields": OMS_BLOCK}
    columns = columns_of(spark, macros.oms_debezium_smt_columns("schemas"), block)
    assert told(columns) == bare([(field["type"], None, "string") for field in OMS_BLOCK])
    assert {column.is_optional for column in columns} == {None}


CANAL_BARE_TYPES = [
    ("bool", "smallint"),
    ("boolean", "smallint"),
    ("tinyint", "smallint"),
    ("smallint", "int"),
    ("mediumint", "int"),
    ("year", "int"),
    ("int", "bigint"),
    ("bigint", "decimal(20,0)"),
    ("BIGINT", "decimal(20,0)"),
    ("bigint(20)", "decimal(20,0)"),
    ("decimal", "string"),
    ("double", "double"),
    ("date", "date"),
    ("time", "string"),
    ("datetime", "timestamp_ntz"),
    ("char", "string"),
    ("varchar", "string"),
    ("longtext", "string"),
    ("json", "string"),
    ("enum", "string"),
    ("set", "string"),
    ("geometry", "string"),
    (None, "string"),
]
BYTES = ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob", "bit", "raw")


def test_canal_json_dts_leaves_bytes_to_the_feed(spark, macros):
    rows = [(source_type, "text", proposed_type) for source_type, proposed_type in CANAL_BARE_TYPES]
    rows += [("integer", "text", "bigint"), ("float", "text", "float")]
    rows += [("timestamp", "text", "timestamp")]
    rows += [(source_type, "text", "string") for source_type in BYTES]
    types = by_name(row[0] for row in rows)
    assert told(columns_of(spark, macros.canal_json_dts_columns("schemas"), types)) == bare(rows)


TICDC_CANAL_TYPES = [
    ("tinyint", "text", None, None, "tinyint"),
    ("tinyint unsigned", "text", None, None, "smallint"),
    ("smallint", "text", None, None, "smallint"),
    ("smallint unsigned", "text", None, None, "int"),
    ("mediumint unsigned", "text", None, None, "int"),
    ("int", "text", None, None, "int"),
    ("int unsigned", "text", None, None, "bigint"),
    ("bigint", "text", None, None, "bigint"),
    ("bigint unsigned", "text", None, None, "decimal(20,0)"),
    ("decimal", "text", None, None, "string"),
    ("decimal unsigned", "text", None, None, "string"),
    ("bit", "text", None, None, "decimal(20,0)"),
    ("float", "text", None, None, "float"),
    ("double", "text", None, None, "double"),
    ("year", "text", None, None, "int"),
    ("date", "text", None, None, "date"),
    ("time", "text", None, None, "string"),
    ("datetime", "text", None, None, "timestamp_ntz"),
    ("timestamp", "zoned_wall_clock", None, None, "timestamp"),
    ("varchar", "text", None, None, "string"),
    ("text", "text", None, None, "string"),
    ("json", "text", None, None, "string"),
    ("binary", "latin1_binary", None, None, "binary"),
    ("varbinary", "latin1_binary", None, None, "binary"),
    ("blob", "latin1_binary", None, None, "binary"),
    ("enum", "text", None, None, "string"),
    ("set", "text", None, None, "string"),
    ("tinyint(1)", "text", None, None, "tinyint"),
    ("int(10) unsigned", "text", None, None, "bigint"),
    ("bigint(20) unsigned", "text", None, None, "decimal(20,0)"),
    ("decimal(10,0)", "text", 0, None, "decimal(10,0)"),
    ("decimal(10,2)", "text", 2, None, "decimal(10,2)"),
    ("decimal(65,30)", "text", 30, None, "string"),
    ("bit(1)", "text", None, None, "boolean"),
    ("bit(5)", "text", None, None, "bigint"),
    ("bit(64)", "text", None, None, "decimal(20,0)"),
    ("text(500)", "text", None, None, "string"),
    ("binary(4)", "latin1_binary", 4, None, "binary"),
    ("timestamp(6)", "zoned_wall_clock", None, None, "timestamp"),
    ("varchar(20)", "text", None, None, "string"),
    ("enum('a','it''s')", "enum_number", None, ["a", "it's"], "string"),
    ("set('x','y')", "set_mask", None, ["x", "y"], "string"),
    (None, "text", None, None, "string"),
]


def test_canal_json_ticdc(spark, macros):
    types = by_name(row[0] for row in TICDC_CANAL_TYPES)
    columns = columns_of(spark, macros.canal_json_ticdc_columns("schemas"), types)
    assert told(columns) == TICDC_CANAL_TYPES


CLOUDCANAL_TYPES = [
    ("tinyint", "text", "smallint"),
    ("tinyint(3) unsigned", "text", "smallint"),
    ("smallint(6)", "text", "smallint"),
    ("smallint(5) unsigned", "text", "int"),
    ("mediumint(9)", "text", "int"),
    ("mediumint(8) unsigned", "text", "int"),
    ("int", "text", "int"),
    ("INTEGER", "text", "int"),
    ("int(10) unsigned", "text", "bigint"),
    ("int(8) zerofill", "text", "bigint"),
    ("bigint(20)", "text", "bigint"),
    ("bigint(20) unsigned", "text", "decimal(20,0)"),
    ("year(4)", "text", "int"),
    ("decimal(10,2)", "text", "decimal(10,2)"),
    ("dec(5)", "text", "decimal(5,0)"),
    ("numeric(38,38)", "text", "decimal(38,38)"),
    ("fixed( 12 , 4 )", "text", "decimal(12,4)"),
    ("decimal(65,30)", "text", "string"),
    ("numeric", "text", "string"),
    ("NUMBER(10,2)", "text", "decimal(10,2)"),
    ("NUMBER(*,2)", "text", "string"),
    ("float", "text", "double"),
    ("double", "text", "double"),
    ("double precision", "text", "double"),
    ("real", "text", "double"),
    ("date", "text", "date"),
    ("datetime(6)", "text", "timestamp_ntz"),
    ("timestamp", None, "string"),
    ("time", None, "string"),
    ("varchar(22)", "text", "string"),
    ("json", None, "string"),
    ("bit(1)", None, "string"),
    ("boolean", None, "string"),
    ("enum('a','b')", None, "string"),
    ("set('x','y')", None, "string"),
    ("varbinary(16)", None, "string"),
    ("blob", None, "string"),
    (None, None, "string"),
]


def test_cloudcanal_json(spark, macros):
    types = by_name(row[0] for row in CLOUDCANAL_TYPES)
    for member in ("dbValType", "mysqlType"):
        columns = columns_of(spark, macros.cloudcanal_json_columns("schemas"), {member: types})
        assert told(columns) == bare(CLOUDCANAL_TYPES)


# (the source's word, its JDBC code, encoding, proposed type); what is not documented has no encoding
JDBC_TYPES = [
    ("int4", 4, "text", "int"),
    ("int8", -5, "text", "bigint"),
    ("int2", 5, "text", "smallint"),
    ("float8", 8, "text", "double"),
    ("BINARY_FLOAT", 6, "text", "double"),
    ("numeric(10,2)", 2, "text", "decimal(10,2)"),
    ("NUMBER(12,3)", 3, "text", "decimal(12,3)"),
    ("NUMBER", 2, "text", "string"),
    ("VARCHAR2(10)", 12, "text", "string"),
    ("uuid", 1111, None, "string"),
    ("nvarchar", -9, "text", "string"),
    ("CLOB", 2005, "text", "string"),
    # Oracle's has a time of day
    ("DATE", 93, "text", "timestamp_ntz"),
    ("date", 91, "text", "date"),
    ("datetime2(7)", 93, "text", "timestamp_ntz"),
    ("TIMESTAMP(6) WITH TIME ZONE", 93, None, "string"),
    ("timestamptz", 93, None, "string"),
    ("timestamp", 93, None, "string"),
    ("bool", -7, None, "string"),
    ("bytea", -2, None, "string"),
    ("RAW(16)", -3, None, "string"),
    ("number", 10000, "text", "string"),
    ("long", 10000, None, "string"),
    ("int4", "x", None, "string"),
    ("int unsigned", 4, "text", "bigint"),
]


@pytest.mark.parametrize("members", [("dbValType", "jdbcType"), ("mysqlType", "sqlType")])
def test_jdbc_codes_tell_the_types_of_other_sources_than_mysql(spark, macros, members):
    words, codes = (by_name(row[place] for row in JDBC_TYPES) for place in (0, 1))
    columns = columns_of(
        spark,
        macros.cloudcanal_json_columns("schemas"),
        dict(zip(members, (words, codes), strict=True)),
    )
    assert told(columns) == bare([(word, *rest) for word, _, *rest in JDBC_TYPES])


@pytest.mark.parametrize("format_name", ["cloudcanal_json", "debezium_cloudcanal"])
def test_a_statement_of_cloudcanal_tells_types_by_its_table(spark, macros, format_name):
    listed = [
        {
            "name": "z",
            "typeExpression": "bigint(20) unsigned",
            "typeName": "bigint",
            "jdbcType": -5,
        },
        {"name": "a", "typeName": "int8", "jdbcType": -5},
        {"typeName": "int8"},
    ]
    schema = {"tableChanges": {"table": {"columns": listed, "primaryKeyColumnNames": ["z"]}}}
    columns = columns_of(spark, getattr(macros, f"{format_name}_columns")("schemas"), schema)
    assert [
        (one.ordinal, one.column_name, one.source_type, one.wire_encoding, one.proposed_type)
        for one in columns
    ] == [
        (1, "z", "bigint(20) unsigned", "text", "decimal(20,0)"),
        (2, "a", "int8", "text", "bigint"),
    ]


def test_a_block_of_cloudcanal_is_read_as_debeziums(spark, macros):
    block = envelope("mysql.Source", [{"field": "a", "type": "int64", "optional": False}])
    columns = columns_of(spark, macros.debezium_cloudcanal_columns("schemas"), block)
    assert [(one.column_name, one.proposed_type) for one in columns] == [("a", "bigint")]


STREAMX_TYPES = [
    ("LONG", "text", "decimal(20,0)"),
    ("DOUBLE", "text", "double"),
    ("STRING", "text", "string"),
    ("DATE", "instant_millis", "timestamp"),
    ("BYTES", "base64_binary", "binary"),
    ("BOOLEAN", "text", "boolean"),
    ("UNHEARD", "text", "string"),
    (None, "text", "string"),
]


def test_streamx(spark, macros):
    described = in_a_list({"type": row[0]} for row in STREAMX_TYPES)
    columns = columns_of(spark, macros.streamx_columns("schemas"), described)
    assert told(columns) == bare(STREAMX_TYPES)


# AWS DMS and Qlik Replicate are of one descent: both write these.
REPLICATION_TYPES = [
    ("BOOLEAN", {}, "boolean"),
    ("UINT8", {}, "decimal(20,0)"),
    ("NUMERIC", {"precision": 10, "scale": 2}, "decimal(10,2)"),
    ("NUMERIC", {"precision": 38, "scale": 38}, "decimal(38,38)"),
    ("NUMERIC", {"precision": 10}, "decimal(10,0)"),
    ("NUMERIC", {"precision": 39, "scale": 2}, "string"),
    ("NUMERIC", {"precision": 5, "scale": -2}, "string"),
    ("NUMERIC", {"precision": 3, "scale": 5}, "string"),
    ("NUMERIC", {"precision": 0, "scale": 0}, "string"),
    ("NUMERIC", {}, "string"),
    ("REAL8", {}, "double"),
    ("DATE", {}, "date"),
    ("TIME", {}, "string"),
    ("DATETIME", {}, "timestamp_ntz"),
    ("STRING", {"length": 20}, "string"),
    ("WSTRING", {"length": 80}, "string"),
    ("CLOB", {}, "string"),
    ("NCLOB", {}, "string"),
    ("BYTES", {}, "string"),
    ("BLOB", {}, "string"),
    (None, {}, "string"),
]
AWS_DMS_TYPES = [
    ("INT1", {}, "bigint"),
    ("INT8", {}, "bigint"),
    ("INT32", {}, "bigint"),
    ("int64", {}, "bigint"),
    ("UINT1", {}, "decimal(20,0)"),
    ("UINT64", {}, "decimal(20,0)"),
    ("REAL4", {}, "double"),
    *REPLICATION_TYPES,
]


def test_aws_dms(spark, macros):
    definition = {"columns": by_name({"type": word, **rest} for word, rest, _ in AWS_DMS_TYPES)}
    columns = columns_of(spark, macros.aws_dms_columns("schemas"), definition)
    assert told(columns) == bare(
        [(word, "text", proposed_type) for word, _, proposed_type in AWS_DMS_TYPES]
    )


def test_aws_dms_tells_what_may_be_null(spark, macros):
    nullable = [{"nullable": True}, {"nullable": False}, {}]
    definition = {"columns": by_name({"type": "INT32", **one} for one in nullable)}
    columns = columns_of(spark, macros.aws_dms_columns("schemas"), definition)
    assert [column.is_optional for column in columns] == [True, False, None]


QLIK_TYPES = [
    ("INT1", {}, "tinyint"),
    ("INT2", {}, "smallint"),
    ("INT4", {}, "int"),
    ("int8", {}, "bigint"),
    ("UINT1", {}, "smallint"),
    ("UINT2", {}, "int"),
    ("UINT4", {}, "bigint"),
    ("REAL4", {}, "float"),
    *REPLICATION_TYPES,
]


def test_qlik_replicate(spark, macros):
    structure = {"tableColumns": by_name({"type": word, **rest} for word, rest, _ in QLIK_TYPES)}
    columns = columns_of(spark, macros.qlik_replicate_columns("schemas"), structure)
    assert told(columns) == bare(
        [(word, "text", proposed_type) for word, _, proposed_type in QLIK_TYPES]
    )


def test_qlik_replicate_tells_the_place(spark, macros):
    structure = {"b": {"ordinal": 2}, "a": {"ordinal": 1}, "c": {}}
    columns = columns_of(
        spark, macros.qlik_replicate_columns("schemas"), {"tableColumns": structure}
    )
    assert {column.column_name: column.ordinal for column in columns} == {"b": 2, "a": 1, "c": 3}


@pytest.mark.parametrize(
    ("format_name", "schema", "holding"),
    [
        ("cloudcanal_json", {"dbValType": {"c": "numeric(5,-2)"}}, {"decimal(7,0)", "string"}),
        ("cloudcanal_json", {"dbValType": {"c": "numeric(3,5)"}}, {"decimal(5,5)", "string"}),
        (
            "dataworks_v2",
            [{"name": "c", "type": "number(5,-2)"}],
            {"decimal(7,0)", "string"},
        ),
        (
            "dataworks_v2",
            [{"name": "c", "type": "number(3,5)"}],
            {"decimal(5,5)", "string"},
        ),
        (
            "aws_dms",
            {"columns": {"c": {"type": "NUMERIC", "precision": 10, "scale": 2.0}}},
            {"decimal(10,2)", "string"},
        ),
        (
            "qlik_replicate",
            {"tableColumns": {"c": {"type": "NUMERIC", "precision": "10", "scale": "2.0"}}},
            {"decimal(10,2)", "string"},
        ),
        (
            "qlik_replicate",
            {"tableColumns": {"c": {"type": "NUMERIC", "precision": "10", "scale": "?"}}},
            {"string"},
        ),
    ],
)
def test_odd_scales_lose_no_digits(spark, macros, format_name, schema, holding):
    (column,) = columns_of(spark, getattr(macros, f"{format_name}_columns")("schemas"), schema)
    assert column.proposed_type in holding


TICDC_OPEN_TYPES = [
    (1, 0, "tinyint", "text", "tinyint"),
    (1, 128, "tinyint unsigned", "text", "smallint"),
    (2, 0, "smallint", "text", "smallint"),
    (2, 128, "smallint unsigned", "text", "int"),
    (9, 0, "mediumint", "text", "int"),
    (9, 128, "mediumint unsigned", "text", "int"),
    (3, 11, "int", "text", "int"),
    (3, 128, "int unsigned", "text", "bigint"),
    (8, 64, "bigint", "text", "bigint"),
    (8, 192, "bigint unsigned", "text", "decimal(20,0)"),
    (13, 192, "year unsigned", "text", "int"),
    (4, 64, "float", "text", "float"),
    (5, 64, "double", "text", "double"),
    (16, 192, "bit unsigned", "text", "decimal(20,0)"),
    (0, 64, "decimal", "text", "string"),
    (246, 64, "decimal", "text", "string"),
    (10, 64, "date", "text", "date"),
    (14, 64, "date", "text", "date"),
    (11, 64, "time", "text", "string"),
    (12, 64, "datetime", "text", "timestamp_ntz"),
    (7, 64, "timestamp", "zoned_wall_clock", "timestamp"),
    (15, 64, "varchar", "text", "string"),
    (253, 64, "varchar", "text", "string"),
    (254, 64, "char", "text", "string"),
    (15, 65, "varbinary", "go_quoted_binary", "binary"),
    (253, 65, "varbinary", "go_quoted_binary", "binary"),
    (254, 65, "binary", "go_quoted_binary", "binary"),
    (249, 64, "tinytext", "base64_text", "string"),
    (250, 64, "mediumtext", "base64_text", "string"),
    (251, 64, "longtext", "base64_text", "string"),
    (252, 64, "text", "base64_text", "string"),
    (249, 65, "tinyblob", "base64_binary", "binary"),
    (250, 65, "mediumblob", "base64_binary", "binary"),
    (251, 65, "longblob", "base64_binary", "binary"),
    (252, 65, "blob", "base64_binary", "binary"),
    (245, 65, "json", "text", "string"),
    (247, 64, "enum", "text", "string"),
    (248, 64, "set", "text", "string"),
    (6, 64, "type 6", "text", "string"),
    (255, 65, "type 255", "text", "string"),
    ("x", None, "type x", "text", "string"),
    (None, None, None, "text", "string"),
]


def test_ticdc_open(spark, macros):
    told_columns = by_name({"t": number, "f": flags} for number, flags, *_ in TICDC_OPEN_TYPES)
    columns = columns_of(spark, macros.ticdc_open_columns("schemas"), told_columns)
    assert told(columns) == bare([row[2:] for row in TICDC_OPEN_TYPES])
    assert [column.is_optional for column in columns] == [
        flags in (64, 65, 192) for _, flags, *_ in TICDC_OPEN_TYPES
    ]


TICDC_SIMPLE_TYPES = [
    ("tinyint", {"length": 4}, "text", None, "tinyint"),
    ("tinyint", {"length": 3, "unsigned": True}, "text", None, "smallint"),
    ("smallint", {"unsigned": False}, "text", None, "smallint"),
    ("smallint", {"unsigned": True}, "text", None, "int"),
    ("mediumint", {"unsigned": True}, "text", None, "int"),
    ("int", {"length": 11}, "text", None, "int"),
    ("int", {"length": 10, "zerofill": True}, "text", None, "bigint"),
    ("INT", {"length": 10, "unsigned": True}, "text", None, "bigint"),
    ("bigint", {"length": 20}, "text", None, "bigint"),
    ("bigint", {"length": 20, "unsigned": True}, "text", None, "decimal(20,0)"),
    ("bit", {"length": 1}, "text", None, "boolean"),
    ("bit", {"length": 63}, "text", None, "bigint"),
    ("bit", {"length": 64}, "text", None, "decimal(20,0)"),
    ("bit", {}, "text", None, "decimal(20,0)"),
    ("decimal", {"length": 10, "decimal": 2}, "text", 2, "decimal(10,2)"),
    ("decimal", {"length": 38, "decimal": 30}, "text", 30, "decimal(38,30)"),
    ("decimal", {"length": 10}, "text", 0, "decimal(10,0)"),
    ("decimal", {"length": 65, "decimal": 30}, "text", 30, "string"),
    ("decimal", {}, "text", 0, "string"),
    ("float", {"length": 12}, "text", None, "float"),
    ("double", {"length": 22, "decimal": 3}, "text", None, "double"),
    ("year", {"length": 4}, "text", None, "int"),
    ("date", {"length": 10}, "text", None, "date"),
    ("time", {"length": 10}, "text", None, "string"),
    ("datetime", {"length": 26, "decimal": 6}, "text", None, "timestamp_ntz"),
    ("timestamp", {"length": 19}, "located_wall_clock", None, "timestamp"),
    ("char", {"length": 4}, "text", None, "string"),
    ("varchar", {"length": 20}, "text", None, "string"),
    ("text", {}, "text", None, "string"),
    ("json", {}, "text", None, "string"),
    ("binary", {"length": 4}, "base64_binary", None, "binary"),
    ("varbinary", {"length": 16}, "base64_binary", None, "binary"),
    ("tinyblob", {}, "base64_binary", None, "binary"),
    ("blob", {}, "base64_binary", None, "binary"),
    ("mediumblob", {}, "base64_binary", None, "binary"),
    ("longblob", {}, "base64_binary", None, "binary"),
    ("enum", {"elements": ["x", 'y,"z"']}, "enum_number", None, "string"),
    ("set", {"elements": ["a", "b"]}, "set_mask", None, "string"),
    (None, {}, "text", None, "string"),
]


def test_ticdc_simple(spark, macros):
    described = in_a_list(
        {"dataType": {"mysqlType": word, **rest}, "nullable": word != "bigint"}
        for word, rest, *_ in TICDC_SIMPLE_TYPES
    )
    columns = columns_of(spark, macros.ticdc_simple_columns("schemas"), described)
    assert told(columns) == [
        (word, encoding, scale, rest.get("elements"), proposed_type)
        for word, rest, encoding, scale, proposed_type in TICDC_SIMPLE_TYPES
    ]
    assert [column.is_optional for column in columns] == [
        word != "bigint" for word, *_ in TICDC_SIMPLE_TYPES
    ]


@pytest.mark.parametrize(
    ("format_name", "wrapped"),
    [
        ("dataworks_v2", lambda columns: columns),
        ("dts_avro", lambda columns: {"sourceType": "MySQL", "fields": columns}),
        ("maxwell", lambda columns: {"columns": columns}),
        ("streamx", lambda columns: columns),
        ("ticdc_simple", lambda columns: columns),
    ],
)
def test_a_column_without_a_name_is_none(spark, macros, format_name, wrapped):
    schema = wrapped([{"name": "a"}, {"type": "INT"}, {"name": "b"}])
    columns = columns_of(spark, getattr(macros, f"{format_name}_columns")("schemas"), schema)
    assert [(column.ordinal, column.column_name) for column in columns] == [(1, "a"), (3, "b")]


FLINK_TYPES = [
    ("int16", None, {}, "text", None, "smallint"),
    ("int32", None, {}, "text", None, "int"),
    ("int64", None, {}, "text", None, "bigint"),
    ("boolean", None, {}, "text", None, "boolean"),
    ("float", None, {}, "text", None, "float"),
    ("double", None, {}, "text", None, "double"),
    ("string", None, {}, "text", None, "string"),
    (
        "bytes",
        DECIMAL,
        {"scale": "3", "connect.decimal.precision": "38"},
        "text",
        3,
        "decimal(38,3)",
    ),
    ("bytes", DECIMAL, {"scale": "3", "connect.decimal.precision": "39"}, "text", 3, "string"),
    ("bytes", DECIMAL, {"scale": "3"}, "text", 3, "string"),
    ("int32", "io.debezium.time.Date", {}, "text", None, "date"),
    ("int64", "io.debezium.time.Timestamp", {}, "text", None, "timestamp_ntz"),
    ("int64", "io.debezium.time.MicroTimestamp", {}, "text", None, "timestamp_ntz"),
    ("string", "io.debezium.time.ZonedTimestamp", {}, "text", None, "timestamp"),
    ("int64", "io.debezium.time.MicroTime", {}, "text", None, "string"),
    ("bytes", "io.debezium.data.Bits", {"length": "2"}, "base64_binary", None, "binary"),
    ("array", None, {}, "text", None, "string"),
]


def test_flink_cdc_debezium_has_plain_values(spark, macros):
    fields = [
        {
            "field": f"c{number}",
            "type": kind,
            "name": name,
            "parameters": parameters,
            "optional": number > 1,
            "doc": f"column {number}",
        }
        for number, (kind, name, parameters, *_) in enumerate(FLINK_TYPES, start=1)
    ]
    sql = macros.flink_cdc_debezium_columns("schemas")
    columns = columns_of(spark, sql, envelope(None, fields))
    assert told(columns) == [
        (name or kind, encoding, scale, None, proposed_type)
        for kind, name, _, encoding, scale, proposed_type in FLINK_TYPES
    ]
    assert [(column.is_optional, column.comment) for column in columns] == [
        (number > 1, f"column {number}") for number in range(1, len(FLINK_TYPES) + 1)
    ]


def connect(kind, name, **parameters):
    """An Avro type as Kafka Connect's converter writes one of its own types."""
    return {
        "type": kind,
        "connect.version": 1,
        "connect.parameters": parameters,
        "connect.name": name,
    }


def decimal(scale, **parameters):
    return {
        **connect("bytes", DECIMAL, scale=scale, **parameters),
        "logicalType": "decimal",
        "precision": 64,
        "scale": int(scale),
    }


def record(name, *fields):
    namespace, _, last = name.rpartition(".")
    return {
        "type": "record",
        "name": last,
        "namespace": namespace,
        "fields": [{"name": field, "type": kind} for field, kind in fields],
        "connect.name": name,
    }


VARIABLE_SCALE = "io.debezium.data.VariableScaleDecimal"
POINT = "io.debezium.data.geometry.Point"
BITS = "io.debezium.data.Bits"
TIME = "io.debezium.time."
CONNECT = "org.apache.kafka.connect.data."
AVRO_TYPES = [
    ({"type": "int", "connect.type": "int8"}, "int8", "text", None, "tinyint"),
    ({"type": "int", "connect.type": "int16"}, "int16", "text", None, "smallint"),
    ("int", "int32", "text", None, "int"),
    ({"type": "int", "logicalType": "date"}, "int32", "text", None, "int"),
    ("long", "int64", "text", None, "bigint"),
    ("float", "float32", "text", None, "float"),
    ("double", "float64", "text", None, "double"),
    ("boolean", "boolean", "text", None, "boolean"),
    ("string", "string", "text", None, "string"),
    ("bytes", "bytes", "base64_binary", None, "binary"),
    (
        decimal("2", **{"connect.decimal.precision": "10"}),
        DECIMAL,
        "connect_decimal",
        2,
        "decimal(10,2)",
    ),
    (
        decimal("30", **{"connect.decimal.precision": "65"}),
        DECIMAL,
        "connect_decimal",
        30,
        "string",
    ),
    (decimal("2"), DECIMAL, "connect_decimal", 2, "decimal(38,2)"),
    (
        decimal("-3", **{"connect.decimal.precision": "2"}),
        DECIMAL,
        "connect_decimal",
        -3,
        "decimal(5,0)",
    ),
    (
        decimal("5", **{"connect.decimal.precision": "2"}),
        DECIMAL,
        "connect_decimal",
        5,
        "decimal(5,5)",
    ),
    (
        record(VARIABLE_SCALE, ("scale", "int"), ("value", "bytes")),
        VARIABLE_SCALE,
        "variable_scale_decimal",
        None,
        "string",
    ),
    (VARIABLE_SCALE, VARIABLE_SCALE, "variable_scale_decimal", None, "string"),
    (connect("bytes", BITS), BITS, "little_endian_bits", None, "bigint"),
    (connect("bytes", BITS, length="63"), BITS, "little_endian_bits", 63, "bigint"),
    (connect("bytes", BITS, length="64"), BITS, "little_endian_bits", 64, "decimal(20,0)"),
    (connect("bytes", BITS, length="65"), BITS, "little_endian_bits", 65, "string"),
    (connect("int", TIME + "Date"), TIME + "Date", "epoch_days", None, "date"),
    (connect("int", CONNECT + "Date"), CONNECT + "Date", "epoch_days", None, "date"),
    (connect("string", TIME + "IsoDate"), TIME + "IsoDate", "iso_date", None, "date"),
    (connect("int", TIME + "Time"), TIME + "Time", "millis_of_day", None, "string"),
    (connect("int", CONNECT + "Time"), CONNECT + "Time", "millis_of_day", None, "string"),
    (connect("long", TIME + "MicroTime"), TIME + "MicroTime", "micros_of_day", None, "string"),
    (connect("long", TIME + "NanoTime"), TIME + "NanoTime", "nanos_of_day", None, "string"),
    (connect("string", TIME + "IsoTime"), TIME + "IsoTime", "iso_time", None, "string"),
    (connect("string", TIME + "ZonedTime"), TIME + "ZonedTime", "text", None, "string"),
    (
        connect("long", TIME + "Timestamp"),
        TIME + "Timestamp",
        "epoch_millis",
        None,
        "timestamp_ntz",
    ),
    (
        connect("long", CONNECT + "Timestamp"),
        CONNECT + "Timestamp",
        "epoch_millis",
        None,
        "timestamp_ntz",
    ),
    (
        connect("long", TIME + "MicroTimestamp"),
        TIME + "MicroTimestamp",
        "epoch_micros",
        None,
        "timestamp_ntz",
    ),
    (
        connect("long", TIME + "NanoTimestamp"),
        TIME + "NanoTimestamp",
        "epoch_nanos",
        None,
        "timestamp_ntz",
    ),
    (
        connect("string", TIME + "IsoTimestamp"),
        TIME + "IsoTimestamp",
        "iso_timestamp",
        None,
        "timestamp_ntz",
    ),
    (
        connect("string", TIME + "ZonedTimestamp"),
        TIME + "ZonedTimestamp",
        "text",
        None,
        "timestamp",
    ),
    (connect("int", TIME + "Year"), TIME + "Year", "text", None, "int"),
    (connect("long", TIME + "MicroDuration"), TIME + "MicroDuration", "text", None, "string"),
    (
        connect("string", "io.debezium.data.Json"),
        "io.debezium.data.Json",
        "text",
        None,
        "string",
    ),
    (
        record(POINT, ("x", "double"), ("y", "double"), ("wkb", ["null", "bytes"])),
        POINT,
        "text",
        None,
        "string",
    ),
    (POINT, POINT, "text", None, "string"),
    ({"type": "map", "values": ["null", "string"]}, "map", "text", None, "string"),
    ({"type": "array", "items": "string"}, "array", "text", None, "array<string>"),
    ({"type": "array", "items": ["null", "string"]}, "array", "text", None, "array<string>"),
    (
        {"type": "array", "items": ["null", {"type": "int", "connect.type": "int16"}]},
        "array",
        "text",
        None,
        "array<smallint>",
    ),
    ({"type": "array", "items": ["null", "int"]}, "array", "text", None, "array<int>"),
    ({"type": "array", "items": ["null", "long"]}, "array", "text", None, "array<bigint>"),
    ({"type": "array", "items": ["null", "boolean"]}, "array", "text", None, "array<boolean>"),
    ({"type": "array", "items": ["null", "bytes"]}, "array", "encoded_list", None, "string"),
    (
        {"type": "array", "items": ["null", connect("long", TIME + "MicroTimestamp")]},
        "array",
        "encoded_list",
        None,
        "string",
    ),
]


def avro_envelope(fields, connector="postgresql", image="before"):
    """The schema of a change: the row is spelled out in `image`, and a name in the other image."""
    other = "after" if image == "before" else "before"
    return record(
        "shop.public.t.Envelope",
        (image, ["null", record("shop.public.t.Value", *fields)]),
        (other, ["null", "shop.public.t.Value"]),
        ("source", record(f"io.debezium.connector.{connector}.Source", ("connector", "string"))),
        ("op", "string"),
    )


@pytest.mark.parametrize("image", ["before", "after"])
def test_debezium_avro(spark, macros, image):
    forms = (
        lambda avro_type: avro_type,
        lambda avro_type: ["null", avro_type],
        lambda avro_type: [avro_type, "null"],
    )
    fields = [
        (f"c{number}", forms[number % 3](avro_type))
        for number, (avro_type, *_) in enumerate(AVRO_TYPES, start=1)
    ]
    block = avro_envelope(fields, image=image)
    columns = columns_of(spark, macros.debezium_avro_columns("schemas"), block)
    assert told(columns) == [
        (source_type, encoding, scale, None, proposed_type)
        for _, source_type, encoding, scale, proposed_type in AVRO_TYPES
    ]
    assert [column.is_optional for column in columns] == [
        number % 3 > 0 for number in range(1, len(AVRO_TYPES) + 1)
    ]


@pytest.mark.parametrize(
    ("connector", "allowed", "encoding", "labels"),
    [
        ("mysql", r"a,c\,d,é", "escaped_label", ["a", "c,d", "é"]),
        ("mariadb", r"a,c\,d,é", "escaped_label", ["a", "c,d", "é"]),
        ("postgresql", "sad,ok", "text", ["sad", "ok"]),
    ],
)
def test_debezium_avro_labels(spark, macros, connector, allowed, encoding, labels):
    field = ("e", connect("string", "io.debezium.data.Enum", allowed=allowed))
    block = avro_envelope([field], connector)
    (column,) = columns_of(spark, macros.debezium_avro_columns("schemas"), block)
    assert (column.wire_encoding, column.labels, column.proposed_type) == (
        encoding,
        labels,
        "string",
    )


@pytest.mark.parametrize(
    "own_type",
    [
        "BIGINT UNSIGNED",
        "BIGINT(20) UNSIGNED ZEROFILL",
        "INT8 UNSIGNED",
        "BIGINT ZEROFILL",
        "SERIAL",
    ],
)
def test_debezium_avro_tells_the_sources_own_type(spark, macros, own_type):
    parameters = {
        "__debezium.source.column.type": own_type,
        "__debezium.source.column.comment": "number of the order",
    }
    field = ("id", {"type": "long", "connect.parameters": parameters})
    block = avro_envelope([field], "mysql")
    (column,) = columns_of(spark, macros.debezium_avro_columns("schemas"), block)
    assert (column.source_type, column.wire_encoding, column.proposed_type, column.comment) == (
        own_type,
        "wrapped_unsigned_64",
        "decimal(20,0)",
        "number of the order",
    )


def test_bigserial_of_postgresql_has_a_sign(spark, macros):
    parameters = {"__debezium.source.column.type": "BIGSERIAL"}
    field = {"field": "id", "type": "int64", "parameters": parameters}
    block = envelope("io.debezium.connector.postgresql.Source", [field])
    (column,) = columns_of(spark, macros.debezium_json_columns("schemas"), block)
    assert (column.wire_encoding, column.proposed_type) == ("text", "bigint")


def test_debezium_smt_lists_columns_at_the_root(spark, macros):
    fields = [
        {"field": "id", "type": "int64", "optional": False},
        {"field": "amount", "type": "bytes", "name": DECIMAL, "parameters": {"scale": "2"}},
        {
            "field": "mood",
            "type": "string",
            "name": "io.debezium.data.Enum",
            "parameters": {"allowed": "sad,ok"},
        },
        {"field": "__op", "type": "string", "optional": True},
    ]
    sql = macros.debezium_smt_columns("schemas")
    columns = columns_of(spark, sql, {"type": "struct", "fields": fields})
    assert [
        (c.column_name, c.ordinal, c.wire_encoding, c.scale, c.labels, c.proposed_type)
        for c in columns
    ] == [
        ("id", 1, "text", None, None, "bigint"),
        ("amount", 2, "connect_decimal", 2, None, "decimal(38,2)"),
        ("mood", 3, "text", None, ["sad", "ok"], "string"),
        ("__op", 4, "text", None, None, "string"),
    ]


def told(columns):
    """What is told of the columns c1, c2 and so on, in their order."""
    places = [(column.ordinal, column.column_name) for column in columns]
    assert places == [(number, f"c{number}") for number in range(1, len(columns) + 1)]
    return [(c.source_type, c.wire_encoding, c.scale, c.labels, c.proposed_type) for c in columns]


def bare(rows):
    """The rows of a format that tells neither scales nor labels."""
    return [
        (source_type, encoding, None, None, proposed_type)
        for source_type, encoding, proposed_type in rows
    ]


def by_name(values):
    return {f"c{number}": value for number, value in enumerate(values, start=1)}


def in_a_list(values):
    return [{"name": f"c{number}", **value} for number, value in enumerate(values, start=1)]
