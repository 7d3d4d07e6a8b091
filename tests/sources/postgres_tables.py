"""The tables of the PostgreSQL workload: every type, and every shape of key and replica identity."""

from tests.sources.tables import Column, Form, Table, document, number, point

TEXT = Form("{c}::text")
HEX = Form("upper(encode({c}, 'hex'))", "hex({c})")
FLOAT = Form("{c}::float8::text", "cast(cast({c} as double) as varchar)", number)
JSON = Form("{c}::text", alike=document)
MISFIT = "list_filter(_change.misfits, lambda m: m.column_name = '{n}')[1].value"
# A count of days or microseconds since 1970; what is infinite is a misfit of gold's column. Debezium's snapshot reads
# through JDBC's old calendar: it shifts days before 1582, loses the era of dates and digits of large amounts of money.
OLD_DAYS = "case {c} when '0044-03-15 BC' then date '0044-03-15' when '1582-10-10' then '1582-10-20' else {c} end"
DAYS = Form(
    "case when not isfinite({c}) then {c}::text"
    f" when phase = 'snapshot' then ({OLD_DAYS} - date '1970-01-01')::text"
    " else ({c} - date '1970-01-01')::text end",
    f"coalesce(cast({{c}} - date '1970-01-01' as varchar), {MISFIT})",
    limit="snapshots of days before 1582-10-15",
)
MICROSECONDS = Form(
    "case when not isfinite({c}) then {c}::text"
    " when phase = 'snapshot' and {c} < '0100-03-01'"
    " then round(extract(epoch from {c}) * 1000000 - 172800000000)::text"
    " else round(extract(epoch from {c}) * 1000000)::text end",
    f"coalesce(cast(epoch_us({{c}}) as varchar), {MISFIT})",
    limit="snapshots of times before 1582-10-15",
)
MONEY = Form(
    "case when phase = 'snapshot' and {c}::numeric = 92233720368547758.07"
    " then '92233720368547760.00' else {c}::numeric::text end",
    limit="snapshots of amounts beyond 15 digits",
)
CLOCK = Form("to_char({c}, 'YYYY-MM-DD HH24:MI:SS.US')", "strftime({c}, '%Y-%m-%d %H:%M:%S.%f')")
TIME = Form("to_char({c}, 'HH24:MI:SS.US')")
ZONED_TIME = Form(
    "regexp_replace(to_char((date '2000-01-01' + {c}) at time zone 'UTC', 'HH24:MI:SS.US'), '[.]?0*$', '') || 'Z'"
)
BITS = Form(
    "({b} + case when {b} < 0 then 18446744073709551616 else 0 end)::text".replace(
        "{b}", "lpad({c}::text, 64, '0')::bit(64)::bigint::numeric"
    )
)
# as Debezium's documentation says, a month has 30.4375 days
INTERVAL = Form(
    "(((extract(year from {c}) * 12 + extract(month from {c})) * 30.4375 + extract(day from {c})) * 86400000000"
    " + extract(hour from {c}) * 3600000000 + extract(minute from {c}) * 60000000"
    " + extract(microsecond from {c}))::bigint::text",
    limit="a number of microseconds; a month counts as 30.4375 days (interval.handling.mode=string keeps parts)",
)

INTS = ("0", "-1", "7")
HUGE = "123456789012345678901234567890.123456789"
TEXTS = (
    "''",
    "' '",
    "'v'",
    "'null'",
    "E't\\n\"\\\\ \\t é 中 😀'",
    "'''quoted'' {\"a\": 1}'",
    "'12.50'",
    "E'\\u2028\\u00a0'",
)

EVERYTHING = Table(
    "everything",
    ("id",),
    (
        Column("id", "bigint", (), TEXT, "bigint"),
        # what wrote the row last: a generated column of PostgreSQL is in snapshots only
        Column("phase", "text", (), TEXT),
        Column("c_smallint", "smallint", (*INTS, "-32768", "32767"), TEXT, "smallint"),
        Column("c_int", "int", (*INTS, "-2147483648", "2147483647"), TEXT, "int"),
        Column("c_bigint", "bigint", (*INTS, "-9223372036854775808", "9223372036854775807", "9007199254740993"), TEXT, "bigint"),
        Column("c_numeric", "numeric", ("0", HUGE, f"-{HUGE}", "1e-10", "1.50", "1e40", "'NaN'", "'Infinity'", "'-Infinity'"), TEXT),
        Column("c_numeric_10_2", "numeric(10,2)", ("0", "-0.01", "12.30", "99999999.99", "'NaN'"), TEXT, "decimal(10,2)"),
        Column("c_numeric_38_18", "numeric(38,18)", ("0", "12345678901234567890.123456789012345678", "-0.000000000000000001", "99999999999999999999.999999999999999999"), TEXT, "decimal(38,18)"),
        Column("c_numeric_60_20", "numeric(60,20)", ("0", "1234567890123456789012345678901234567890.12345678901234567890", "-0.5"), TEXT),
        Column("c_numeric_5_0", "numeric(5,0)", ("0", "99999", "-99999"), TEXT, "decimal(5,0)"),
        Column("c_real", "real", ("0", "'-0'", "1.1", "3.4e38", "1e-45", "16777216", "'NaN'", "'Infinity'"), FLOAT, "float"),
        Column("c_double", "double precision", ("0", "'-0'", "0.1", "1e308", "5e-324", "'NaN'", "'-Infinity'"), FLOAT, "double"),
        Column("c_money", "money", ("12.34", "-0.01", "92233720368547758.07"), MONEY, "decimal(19,2)"),
        Column("c_boolean", "boolean", ("true", "false"), TEXT, "boolean"),
        Column("c_bit1", "bit(1)", ("b'0'", "b'1'"), Form("({c} = b'1')::text"), "boolean"),
        Column("c_bit5", "bit(5)", ("b'10110'", "b'00000'", "b'11111'"), BITS, "bigint"),
        Column("c_bit64", "bit(64)", ("1::bit(64)", "(-1)::bigint::bit(64)"), BITS, "decimal(20,0)"),
        Column("c_varbit", "varbit(12)", ("b'101'", "b'000000000001'", "b'111111111111'"), BITS, "bigint"),
        Column("c_char", "char(5)", ("'ab'", "''", "'é😀'"), Form("rpad({c}::text, 5)")),
        Column("c_varchar", "varchar(40)", TEXTS, TEXT),
        Column("c_text", "text", TEXTS, TEXT),
        Column("c_bytea", "bytea", ("''", "'\\x00'", "'\\x00ff10deadbeef'"), HEX, "binary"),
        Column("c_uuid", "uuid", ("'00000000-0000-0000-0000-00000000abcd'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"), TEXT),
        Column("c_json", "json", ("'{\"b\": 1, \"a\": [1.0, 1e2], \"a\": null}'", "'null'", "'\"text\"'", "'[]'"), TEXT),
        Column("c_jsonb", "jsonb", ("'{\"b\": 1, \"a\": [1.0, 1e2]}'", "'null'", "'12345678901234567890.5'", "'{}'"), TEXT),
        Column("c_xml", "xml", ("'<a b=\"1\">é</a>'",), TEXT),
        Column("c_date", "date", ("'2024-02-29'", "'0001-01-01'", "'9999-12-31'", "'0044-03-15 BC'", "'1582-10-10'", "'infinity'", "'-infinity'"), DAYS, "date"),
        Column("c_time", "time", ("'00:00'", "'23:59:59.999999'", "'24:00'", "'12:00:00.000001'"), TIME),
        Column("c_time3", "time(3)", ("'00:00'", "'23:59:59.123'"), TIME),
        Column("c_timetz", "timetz", ("'12:00:00+05:30'", "'23:59:59.999999+00'"), ZONED_TIME),
        Column("c_timestamp", "timestamp", ("'2024-02-29 23:59:59.123456'", "'1970-01-01'", "'1969-12-31 23:59:59.999999'", "'0044-03-15 BC'", "'9999-12-31 23:59:59.999999'", "'infinity'", "'-infinity'"), MICROSECONDS, "timestamp_ntz"),
        Column("c_timestamp3", "timestamp(3)", ("'2024-02-29 23:59:59.123'", "'0001-01-01'"), MICROSECONDS, "timestamp_ntz"),
        Column("c_timestamp0", "timestamp(0)", ("'2024-02-29 23:59:59'",), MICROSECONDS, "timestamp_ntz"),
        Column("c_timestamptz", "timestamptz", ("'2024-02-29 23:59:59.123456+08'", "'1970-01-01 00:00:00+00'", "'0001-01-01 00:00:00+00'", "'9999-12-31 23:59:59.999999+00'", "'infinity'", "'-infinity'"), MICROSECONDS, "timestamp"),
        Column("c_interval", "interval", ("'1 year 2 mons 3 days 04:05:06.789'", "'0'", "'-1 day'", "'1 mon -1 day'"), INTERVAL, "bigint"),
        Column("c_inet", "inet", ("'10.0.0.1'", "'10.0.0.1/8'", "'::1'"), Form("abbrev({c})")),
        Column("c_cidr", "cidr", ("'10.0.0.0/8'", "'2001:db8::/32'"), TEXT),
        Column("c_macaddr", "macaddr", ("'08:00:2b:01:02:03'",), TEXT),
        Column("c_hstore", "hstore", ("'a=>1, b=>NULL'", "''", "'\"k \\\"q\"=>\"v,é\"'"), Form("hstore_to_json({c})::text", alike=document)),
        Column("c_enum", "mood", ("'sad'", "'happy, very'", "''"), TEXT),
        Column("c_domain", "positive", ("1", "2147483647"), TEXT, "int"),
        Column("c_ints", "int[]", ("'{}'", "'{1,NULL,-3}'"), Form("array_to_json({c})::text", "cast(to_json({c}) as varchar)", document), "array<int>"),
        Column("c_texts", "text[]", ("'{}'", "'{a,\"b,c\",NULL,\"\"}'"), Form("array_to_json({c})::text", "cast(to_json({c}) as varchar)", document), "array<string>"),
        Column("c_numerics", "numeric(10,2)[]", ("'{}'", "'{1.10,NULL,-2.2}'"), Form("to_json({c}::text[])::text", "cast(to_json({c}) as varchar)", document), "array<string>"),
        Column("c_int4range", "int4range", ("'[1,5)'", "'empty'", "'(,3)'"), TEXT),
        Column("c_tsrange", "tsrange", ("'[2024-01-01,2024-01-02)'",), TEXT),
        Column("c_point", "point", ("'(1,2)'", "'(-0.5,1e10)'"), Form("{c}::text", alike=point)),
        Column("c_generated", "int generated always as (c_smallint * 2) stored", (), TEXT, "int"),
    ),
)  # fmt: skip

WIDE = "(select string_agg(md5(random()::text), '') from generate_series(1, 150))"
DOCUMENTS = Table(
    "documents",
    ("id",),
    (
        Column("id", "int", (), TEXT, "int"),
        Column("n", "int", ("1", "2", "3"), TEXT, "int"),
        Column("big_text", "text", (WIDE, "'short'"), TEXT),
        Column("big_json", "jsonb", (f"to_jsonb(array[{WIDE}, {WIDE}])", "'{}'"), TEXT),
        Column("big_bytes", "bytea", (f"decode({WIDE}, 'hex')", "'\\x01'"), HEX, "binary"),
        Column("big_list", "text[]", (f"array[{WIDE}, null, {WIDE}]", "'{a}'"), Form("array_to_json({c})::text", "cast(to_json({c}) as varchar)", document), "array<string>"),
    ),
    options=tuple(f"alter column {name} set storage external" for name in ("big_text", "big_json", "big_bytes", "big_list")),
)  # fmt: skip

COMPOSITE = Table(
    "composite",
    ("k2", "k1"),
    (
        Column("k1", "int", (), TEXT, "int"),
        Column("k2", "varchar(20)", (), TEXT),
        Column("v", "text", TEXTS, TEXT),
        Column("amount", "numeric(12,4)", ("0", "1.5", "-99999999.9999"), TEXT, "decimal(12,4)"),
    ),
)

# as it is at the end; the workload makes it with (id, a, b) and changes it
ALTERED = Table(
    "altered",
    ("id",),
    (
        Column("id", "int", (), TEXT, "int"),
        Column("a2", "bigint", (), TEXT, "bigint"),
        Column("c", "numeric(12,3)", (), TEXT, "decimal(12,3)"),
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
        Column("a", "int", INTS, TEXT, "int"),
        Column("b", "text", TEXTS, TEXT),
        Column("amount", "numeric(12,4)", ("0", "1.5"), TEXT, "decimal(12,4)"),
        Column("noted_at", "timestamp", ("'2024-02-29 23:59:59.123456'", "'1970-01-01'"), CLOCK, "timestamp_ntz"),
    ),
    options=("replica identity full",),
)  # fmt: skip
# the message's key is that of the index
INDEXED = Table(
    "indexed",
    ("code",),
    (
        Column("id", "int", (), TEXT, "int"),
        Column("code", "text", (), TEXT),
        Column("v", "numeric(12,4)", ("0", "1.5"), TEXT, "decimal(12,4)"),
    ),
)
# PostgreSQL refuses updates and deletes of a published table without an identity
UNCHANGED = Table(
    "unchanged",
    ("id",),
    (Column("id", "int", (), TEXT, "int"), Column("v", "text", TEXTS, TEXT)),
    options=("replica identity nothing",),
)
TABLES = (EVERYTHING, DOCUMENTS, COMPOSITE, ALTERED, REKEYED, EMPTIED, KEYLESS, INDEXED, UNCHANGED)
