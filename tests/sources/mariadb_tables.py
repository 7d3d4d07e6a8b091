"""The tables of the MariaDB workload: every type, and every shape of key."""

from tests.sources.tables import Column, Form, Table, number

TEXT = Form("cast({c} as char)")
HEX = Form("hex({c})", "hex({c})")
# as a double a float shows what it holds, not six digits of it
FLOAT = Form("cast(cast({c} as double) as char)", "cast(cast({c} as double) as varchar)", number)
MISFIT = "list_filter(_change.misfits, lambda m: m.column_name = '{n}')[1].value"
# what is no day or no time (0000-00-00, 2024-00-15) is a misfit of gold's column
DAY = Form("cast({c} as char)", f"coalesce(cast({{c}} as varchar), {MISFIT})")
CLOCK = Form(
    "if({c} = 0, cast({c} as char),"
    " trim(trailing '.' from trim(trailing '0' from date_format({c}, '%Y-%m-%d %H:%i:%s.%f'))))",
    f"coalesce(cast({{c}} as varchar), {MISFIT})",
)
INSTANT = Form(
    CLOCK.source, f"coalesce(regexp_replace(cast({{c}} as varchar), '[+]00$', ''), {MISFIT})"
)
TIME = Form("concat(time_format({c}, '%H:%i:%s'), '.', lpad(microsecond({c}), 6, '0'))")
YEAR = Form("cast(cast({c} as unsigned) as char)")
BITS = Form("cast({c} + 0 as char)")
BOOLEAN_BIT = Form("case {c} when b'1' then 'true' when b'0' then 'false' end")
# MariaDB shows a decimal with all its digits behind the point, and so does gold
DECIMAL = TEXT

TEXTS = (
    "''",
    "' '",
    "'v'",
    "'null'",
    "'t\\n\"\\\\ \\t é 中 😀'",
    "'''quoted'' {\"a\": 1}'",
    "'12.50'",
)
ZERO = "0000-00-00 00:00:00"

EVERYTHING = Table(
    "everything",
    ("id",),
    (
        Column("id", "bigint unsigned", (), TEXT, "decimal(20,0)"),
        Column("phase", "varchar(20)", (), TEXT),
        Column("c_tiny", "tinyint", ("0", "-128", "127"), TEXT, "tinyint"),
        Column("c_tiny_unsigned", "tinyint unsigned", ("0", "255"), TEXT, "smallint"),
        Column("c_boolean", "tinyint(1)", ("0", "1", "2"), TEXT, "tinyint"),
        Column("c_small", "smallint", ("0", "-32768", "32767"), TEXT, "smallint"),
        Column("c_small_unsigned", "smallint unsigned", ("0", "65535"), TEXT, "int"),
        Column("c_medium", "mediumint", ("0", "-8388608", "8388607"), TEXT, "int"),
        Column("c_medium_unsigned", "mediumint unsigned", ("0", "16777215"), TEXT, "int"),
        Column("c_int", "int", ("0", "-2147483648", "2147483647"), TEXT, "int"),
        Column("c_int_unsigned", "int unsigned", ("0", "4294967295"), TEXT, "bigint"),
        Column("c_zerofill", "int(8) unsigned zerofill", ("0", "42", "4294967295"), Form("cast({c} + 0 as char)"), "bigint"),
        Column("c_big", "bigint", ("0", "-9223372036854775808", "9223372036854775807"), TEXT, "bigint"),
        Column("c_big_unsigned", "bigint unsigned", ("0", "9007199254740993", "9223372036854775808", "18446744073709551615"), TEXT, "decimal(20,0)"),
        Column("c_decimal_10_2", "decimal(10,2)", ("0", "-0.01", "12.30", "99999999.99"), DECIMAL, "decimal(10,2)"),
        Column("c_decimal_38_18", "decimal(38,18)", ("0", "12345678901234567890.123456789012345678", "-0.000000000000000001"), DECIMAL, "decimal(38,18)"),
        Column("c_decimal_65_30", "decimal(65,30)", ("0", "12345678901234567890123456789012345.123456789012345678901234567890", "-99999999999999999999999999999999999.999999999999999999999999999999"), DECIMAL),
        Column("c_decimal_5_0", "decimal(5,0)", ("0", "-99999", "99999"), DECIMAL, "decimal(5,0)"),
        Column("c_float", "float", ("0", "1.1", "-3.4e38", "16777216"), FLOAT, "float"),
        Column("c_double", "double", ("0", "0.1", "1e308", "5e-324", "-1e-10"), FLOAT, "double"),
        Column("c_bit1", "bit(1)", ("b'0'", "b'1'"), BOOLEAN_BIT, "boolean"),
        Column("c_bit5", "bit(5)", ("b'10110'", "b'0'", "b'11111'"), BITS, "bigint"),
        Column("c_bit64", "bit(64)", ("b'1'", "0xffffffffffffffff", "0x8000000000000001"), BITS, "decimal(20,0)"),
        Column("c_char", "char(5)", ("'ab'", "''", "'é😀'"), TEXT),
        Column("c_varchar", "varchar(40)", TEXTS, TEXT),
        Column("c_latin1", "varchar(20) character set latin1", ("'plain'", "'é'", "'Zürich'"), Form("convert({c} using utf8mb4)")),
        Column("c_binary", "binary(4)", ("x'01'", "x'00000000'", "x'ffeeddcc'"), HEX, "binary"),
        Column("c_varbinary", "varbinary(10)", ("x''", "x'00ff10'", "x'0100'"), HEX, "binary"),
        Column("c_tinytext", "tinytext", TEXTS, TEXT),
        Column("c_text", "text", TEXTS, TEXT),
        Column("c_longtext", "longtext", ("repeat('long é', 3000)", "''"), TEXT),
        Column("c_blob", "blob", ("x''", "x'00ff80'"), HEX, "binary"),
        Column("c_longblob", "longblob", ("repeat(x'00fe', 3000)",), HEX, "binary"),
        Column("c_date", "date", ("'2024-02-29'", "'1000-01-01'", "'9999-12-31'", "'0000-00-00'"), DAY, "date"),
        Column("c_time", "time", ("'23:59:59'", "'00:00:00'", "'-838:59:59'", "'838:59:59'"), TIME),
        Column("c_time3", "time(3)", ("'23:59:59.123'", "'-00:00:00.001'"), TIME),
        Column("c_time6", "time(6)", ("'23:59:59.123456'", "'-00:00:00.000001'", "'100:00:00.5'"), TIME),
        Column("c_datetime", "datetime", ("'2024-02-29 23:59:59'", "'9999-12-31 23:59:59'", f"'{ZERO}'"), CLOCK, "timestamp_ntz"),
        Column("c_datetime3", "datetime(3)", ("'2024-02-29 23:59:59.123'", "'1970-01-01'"), CLOCK, "timestamp_ntz"),
        Column("c_datetime6", "datetime(6)", ("'2024-02-29 23:59:59.123456'", "'1000-01-01 00:00:00.000001'", f"'{ZERO}'"), CLOCK, "timestamp_ntz"),
        Column("c_timestamp", "timestamp null", ("'2024-02-29 23:59:59'", "'2038-01-19 03:14:07'", f"'{ZERO}'"), INSTANT, "timestamp"),
        Column("c_timestamp3", "timestamp(3) null", ("'2024-02-29 23:59:59.123'",), INSTANT, "timestamp"),
        Column("c_timestamp6", "timestamp(6) null", ("'2024-02-29 23:59:59.123456'", "'1970-01-01 00:00:01'"), INSTANT, "timestamp"),
        Column("c_year", "year", ("2024", "1901", "2155"), YEAR, "int"),
        Column("c_enum", "enum('a','b','c,d','é','')", ("'a'", "'c,d'", "'é'", "''"), TEXT),
        Column("c_set", "set('x','y','z')", ("'x'", "'x,z'", "''", "'x,y,z'"), TEXT),
        Column("c_json", "json", ("'{\"b\": 1, \"a\": [1.0, 1e2], \"a\": null}'", "'null'", "'\"é\"'", "'[]'"), TEXT),
        Column("c_point", "point", ("point(1,2)", "point(-0.5,1e10)"), Form("upper(hex(st_asbinary({c})))")),
        Column("c_geometry", "geometry", ("st_geomfromtext('LINESTRING(0 0,1 1)')",), Form("upper(hex(st_asbinary({c})))")),
        Column("c_stored", "int generated always as (c_small * 2) stored", (), TEXT, "int"),
        Column("c_virtual", "int generated always as (c_small + 1) virtual", (), TEXT, "int"),
    ),
)  # fmt: skip

COMPOSITE = Table(
    "composite",
    ("k2", "k1"),
    (
        Column("k1", "int", (), TEXT, "int"),
        Column("k2", "varchar(20)", (), TEXT),
        Column("v", "text", TEXTS, TEXT),
        Column("amount", "decimal(12,4)", ("0", "1.5", "-99999999.9999"), TEXT, "decimal(12,4)"),
    ),
    constraint="index (k1)",
)
# as it is at the end; the workload makes it with (id, a, b) and changes it
ALTERED = Table(
    "altered",
    ("id",),
    (
        Column("c", "decimal(12,3)", (), TEXT, "decimal(12,3)"),
        Column("id", "int", (), TEXT, "int"),
        Column("a2", "bigint unsigned", (), TEXT, "decimal(20,0)"),
        Column("d", "varchar(40)", (), TEXT),
    ),
)
REKEYED = Table(
    "rekeyed",
    ("id", "region"),
    (
        Column("id", "int", (), TEXT, "int"),
        Column("region", "varchar(10)", (), TEXT),
        Column("v", "text", (), TEXT),
    ),
)
EMPTIED = Table(
    "emptied",
    ("id",),
    (Column("id", "int", (), TEXT, "int"), Column("v", "text", TEXTS, TEXT)),
)
KEYLESS = Table(
    "keyless",
    (),
    (
        Column("a", "int", ("0", "-1", "7"), TEXT, "int"),
        Column("b", "text", TEXTS, TEXT),
        Column("amount", "decimal(12,4)", ("0", "1.5"), TEXT, "decimal(12,4)"),
        Column("noted_at", "datetime(6)", ("'2024-02-29 23:59:59.123456'", "'1970-01-01'"), CLOCK, "timestamp_ntz"),
    ),
)  # fmt: skip
# see mariadb_workload.LATE
LATE = Table(
    "late",
    ("id",),
    (
        Column("id", "int", (), TEXT, "int"),
        Column("j", "json", (), Form("hex({c})", "hex({c})"), "binary"),
    ),
)
TABLES = (EVERYTHING, COMPOSITE, ALTERED, REKEYED, EMPTIED, KEYLESS)
