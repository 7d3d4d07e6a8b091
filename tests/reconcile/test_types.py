"""A value of every type is equal to itself, however the database and the messages write it."""

from collections.abc import Callable

from ingestion.errors import DIFFERENT, OK, SOURCE
from ingestion.reconcile.dialects import MARIADB
from tests.reconcile.conftest import Crm

# column: (type in PostgreSQL, type in gold); then rows of (SQL literal, text of a Debezium message)
POSTGRES_TYPES = {
    "id": ("bigint", "bigint"),
    "small": ("smallint", "smallint"),
    "exact": ("numeric(20,4)", "decimal(20,4)"),
    "wide": ("numeric", "string"),
    "price": ("money", "decimal(19,2)"),
    "single": ("real", "float"),
    "dbl": ("double precision", "double"),
    "flag": ("boolean", "boolean"),
    "one_bit": ("bit(1)", "boolean"),
    "bits": ("bit(12)", "int"),
    "name": ("text", "string"),
    "fixed": ("char(5)", "string"),
    "mood": ("mood", "string"),
    "code": ("uuid", "string"),
    "doc": ("json", "string"),
    "docb": ("jsonb", "string"),
    "day": ("date", "date"),
    "wall": ("timestamp", "timestamp_ntz"),
    "instant": ("timestamptz", "timestamp"),
    "wall_of_instant": ("timestamptz", "timestamp_ntz"),
    "said": ("timestamptz", "string"),
    "tod": ("time", "string"),
    "tod_tz": ("timetz", "string"),
    "bytes": ("bytea", "binary"),
    "tags": ("text[]", "array<string>"),
    "numbers": ("int[]", "array<int>"),
    "ip": ("inet", "string"),
    "span": ("interval", "bigint"),
}
POSTGRES_ROWS = [
    {
        "id": ("1", "1"),
        "small": ("-32768", "-32768"),
        "exact": ("-0.0001", "-0.0001"),
        "wide": ("4.90", "4.9"),
        "price": ("12.3", "12.30"),
        "single": ("0.1", "0.1"),
        "dbl": ("'-0'", "-0.0"),
        "flag": ("true", "true"),
        "one_bit": ("B'1'", "true"),
        "bits": ("B'000010110001'", "177"),
        "name": ("E'\\n\\t\\\\ \"é😀\\x7f'", '\n\t\\ "é😀\x7f'),
        "fixed": ("'ab'", "ab   "),
        "mood": ("'fine, ''really'''", "fine, 'really'"),
        "code": ("'00000000-0000-4000-8000-00000000000A'", "00000000-0000-4000-8000-00000000000a"),
        "doc": ('\'{"a": 1.10,  "b": [1, null]}\'', '{"a": 1.10,  "b": [1, null]}'),
        "docb": ('\'{"b": 1, "a": "é"}\'', '{"b":1,"a":"\\u00e9"}'),
        "day": ("'2024-02-29'", "2024-02-29"),
        "wall": ("'2024-02-29 12:00:00.500000'", "2024-02-29 12:00:00.5"),
        "instant": ("'2024-02-29 12:00:00.5+02'", "2024-02-29T10:00:00.500000Z"),
        "wall_of_instant": ("'2024-02-29 12:00:00.5+02'", "2024-02-29T10:00:00.500000Z"),
        "said": ("'2024-02-29 12:00:00.5+02'", "2024-02-29T10:00:00.500000Z"),
        "tod": ("'12:30'", "12:30:00.000000"),
        "tod_tz": ("'12:30:00.25+02'", "10:30:00.25Z"),
        "bytes": ("'\\x00deadbeef0a'", "00DEADBEEF0A"),
        "tags": ("array['a,b', 'q\"', null, '']", '["a,b","q\\"",null,""]'),
        "numbers": ("array[1, null, -3]", "[1,null,-3]"),
        "ip": ("'10.0.0.1'", "10.0.0.1"),
        "span": ("'1 month 1 day -1.5 seconds'", str(2629800000000 + 86400000000 - 1500000)),
    },
    {
        "id": ("-9223372036854775808", "-9223372036854775808"),
        "wide": ("'NaN'", "NaN"),
        "single": ("'Infinity'", "Infinity"),
        "dbl": ("4.9e-324", "4.9E-324"),
        "name": ("''", ""),
        "day": ("'infinity'", "infinity"),
        "wall": ("'-infinity'", "-infinity"),
        "instant": ("'infinity'", "infinity"),
        "said": ("'-infinity'", "-infinity"),
        "tod": ("'24:00'", "24:00:00.000000"),
        "bytes": ("''", ""),
        "tags": ("'{}'", "[]"),
        "doc": ("'null'", "null"),
    },
    {
        "id": ("3", "3"),
        "wide": (f"{'9' * 50}.{'1' * 30}", f"{'9' * 50}.{'1' * 30}"),
        "single": ("3.4028235e38", "3.4028235E38"),
        "dbl": ("'NaN'", "NaN"),
        "day": ("'4713-01-01 BC'", "-4712-01-01"),
        "wall": ("'0044-03-15 12:00:00.000001 BC'", "-0043-03-15 12:00:00.000001"),
        "instant": ("'12024-02-29 12:00:00+00'", "+12024-02-29T12:00:00Z"),
    },
    {
        "id": ("4", "4"),
        "dbl": ("1.7976931348623157e308", "1.7976931348623157E308"),
        # beyond a bigint
        "span": ("'178000000 years'", "5617252800000000000000"),
    },
]
# gold holds what Canal writes, its TIMESTAMP in Asia/Shanghai
MARIADB_TYPES = {
    "id": ("bigint unsigned", "decimal(20,0)"),
    "tiny": ("tinyint", "tinyint"),
    "flag": ("boolean", "boolean"),
    "wide": ("decimal(65,30)", "string"),
    "dec": ("decimal(20,4)", "decimal(20,4)"),
    "filled": ("int(8) zerofill", "int"),
    "single": ("float", "float"),
    "single_as_double": ("float", "double"),
    "dbl": ("double", "double"),
    "flags": ("bit(64)", "decimal(20,0)"),
    "label": ("enum('a', 'b, c')", "string"),
    "labels": ("set('x', 'y', 'z')", "string"),
    "vintage": ("year", "int"),
    "dur": ("time(6)", "string"),
    "wall": ("datetime(6)", "timestamp_ntz"),
    "instant": ("timestamp(6) null", "timestamp"),
    "said": ("timestamp(3) null", "string"),
    "day": ("date", "date"),
    "name": ("varchar(50)", "string"),
    "latin": ("varchar(20) character set latin1", "string"),
    "code": ("binary(4)", "binary"),
    "bytes": ("varbinary(9)", "binary"),
    "thumb": ("blob", "binary"),
    "doc": ("json", "string"),
    "guid": ("uuid", "string"),
}
MARIADB_ROWS = [
    {
        "id": ("18446744073709551615", "18446744073709551615"),
        "tiny": ("-128", "-128"),
        "flag": ("true", "1"),
        "wide": ("12345678901234567890123456789012345.1", "12345678901234567890123456789012345.1"),
        "dec": ("179", "179.0"),
        "filled": ("42", "42"),
        "single": ("0.1", "0.1"),
        "single_as_double": ("16777217.7", "1.6777218E7"),
        "dbl": ("0.1", "0.1"),
        "flags": ("18446744073709551615", "18446744073709551615"),
        "label": ("'b, c'", "b, c"),
        "labels": ("'x,z'", "x,z"),
        "vintage": ("2155", "2155"),
        "dur": ("'-838:59:59'", "-838:59:59.000000"),
        "wall": ("'9999-12-31 23:59:59.999999'", "9999-12-31 23:59:59.999999"),
        "instant": ("'2024-02-29 12:00:00.5'", "2024-02-29 20:00:00.5"),
        "said": ("'2024-02-29 12:00:00.25'", "2024-02-29 20:00:00.250"),
        "day": ("'2024-02-29'", "2024-02-29"),
        "name": ("'é😀 '' \" \\ '", "é😀 ' \" \\ "),
        "latin": ("'Müller'", "Müller"),
        "code": ("x'0AFF'", "0AFF0000"),
        "bytes": ("x'DEADBEEF00'", "DEADBEEF00"),
        "thumb": ("x'00'", "00"),
        "doc": ('\'{"a": 1.10, "a": 2}\'', '{"a": 1.10, "a": 2}'),
        "guid": ("'00000000-0000-4000-8000-00000000000A'", "00000000-0000-4000-8000-00000000000a"),
    },
    {
        "id": ("2", "2"),
        "label": ("''", ""),
        "labels": ("''", ""),
        "single": ("3.4028235e38", "3.4028235E38"),
        "dbl": ("1.7976931348623157e308", "1.7976931348623157E308"),
        "wall": ("'0000-00-00'", "0000-00-00 00:00:00"),
        "instant": ("'0000-00-00'", "0000-00-00 00:00:00"),
        "day": ("'2024-00-15'", "2024-00-15"),
        "name": ("''", ""),
        "bytes": ("''", ""),
        "vintage": ("0", "0000"),
    },
    {"id": ("3", "3"), "dbl": ("4.9e-324", "4.9E-324"), "day": ("'0000-00-00'", "0000-00-00")},
]


def fill(crm: Crm, types: dict, rows: list[dict]) -> None:
    columns = ", ".join(f'"{name}" {source}' for name, (source, _) in types.items())
    values = ", ".join(
        f"({', '.join(row.get(name, ('null', None))[0] for name in types)})" for row in rows
    )
    crm.sql(
        f"create table things ({columns}, primary key (id)); insert into things values {values}"
    )
    texts = [tuple(row.get(name, (None, None))[1] for name in types) for row in rows]
    crm.gold("things", ["id"], {name: gold for name, (_, gold) in types.items()}, texts)


def assert_only_what_changes_differs(crm: Crm, changes: dict[str, tuple[str, str]]) -> None:
    """Each column of row 1 gets another value, and each of them is told."""
    result = crm.reconcile("things")
    assert (result.code, result.err) == (OK, ""), result.out
    assert "not compared" not in result.out
    assigned = ", ".join(f'"{name}" = {value}' for name, (value, _) in changes.items())
    crm.sql(
        f"update things set {assigned} where small = -32768"
        if crm.kind == "postgresql"
        else f"update things set {assigned} where tiny = -128"
    )
    result = crm.reconcile("things")
    assert result.code == DIFFERENT
    told = [line for line in result.out.splitlines() if line.startswith("  things ")]
    assert [line.split(": ")[1].split(" is ")[0] for line in told] == list(changes), result.out
    for line, (_, form) in zip(told, changes.values(), strict=True):
        assert f" is {form} at the source, " in line


def test_every_type_of_postgresql(crm_of: Callable[[str], Crm]):
    crm = crm_of("postgresql")
    crm.sql("drop type if exists mood; create type mood as enum ('sad', 'fine, ''really''')")
    fill(crm, POSTGRES_TYPES, POSTGRES_ROWS)
    changes = {
        "exact": ("-0.0002", '"-0.0002"'),
        "wide": ("4.91", '"4.91"'),
        "price": ("12.31", '"12.31"'),
        "single": ("0.10000001", '"0.1"'),
        "dbl": ("0", '"0.0"'),
        "flag": ("false", '"false"'),
        "one_bit": ("B'0'", '"false"'),
        "bits": ("B'000010110000'", '"176"'),
        "name": ("''", '""'),
        "fixed": ("'ab.'", '"ab.  "'),
        "mood": ("'sad'", '"sad"'),
        "doc": ("'{\"a\": 1.11}'", '"{\\"a\\":1.11}"'),
        "docb": ("null", "NULL"),
        "day": ("'infinity'", '"infinity"'),
        "wall": ("'2024-02-29 12:00:00.500001'", '"2024-02-29 12:00:00.500001"'),
        "instant": ("'2024-02-29 12:00:00.5+01'", '"2024-02-29 11:00:00.5"'),
        "said": ("'infinity'", '"infinity"'),
        "tod": ("'12:30:00.000001'", '"12:30:00.000001"'),
        "tod_tz": ("'12:30:00.25+01'", '"11:30:00.25"'),
        "bytes": ("'\\x00'", '"00"'),
        "tags": ("array['a', 'b']", '"[\\"a\\",\\"b\\"]"'),
        "numbers": ("null", "NULL"),
        "ip": ("'10.0.0.2'", '"10.0.0.2"'),
        "span": ("'0'", '"0"'),
    }
    del changes["single"]
    assert_only_what_changes_differs(crm, changes)


def test_a_value_that_the_source_cannot_write_is_said_in_its_own_words(
    crm_of: Callable[[str], Crm],
):
    """And nobody is sent to look at url, user and password, which are right."""
    crm = crm_of("postgresql")
    crm.sql(
        "create table told (id bigint primary key, span text);"
        "insert into told values (1, '1 day'), (2, '3000000000 years');"
        "create view things as select id, cast(span as interval) as span from told"
    )
    types = {"id": "bigint", "span": "bigint"}
    crm.gold("things", ["id"], types, [("1", "86400000000"), ("2", "0")])
    result = crm.reconcile("things")
    assert result.code == SOURCE, result
    assert 'interval field value out of range: "3000000000 years"' in result.err
    assert "A value of the table cannot be asked for" in result.err
    assert "url" not in result.err


def test_every_type_of_mariadb(crm_of: Callable[[str], Crm]):
    crm = crm_of("mariadb")
    fill(crm, MARIADB_TYPES, MARIADB_ROWS)
    changes = {
        "flag": ("false", '"false"'),
        "wide": ("1e-30", '"0.000000000000000000000000000001"'),
        "dec": ("179.0001", '"179.0001"'),
        "filled": ("43", '"43"'),
        "single": ("0.2", '"0.2"'),
        "dbl": ("0.10000000000000002", '"0.10000000000000002"'),
        "flags": ("18446744073709551614", '"18446744073709551614"'),
        "label": ("'a'", '"a"'),
        "labels": ("'x,y,z'", '"x,y,z"'),
        "vintage": ("2154", '"2154"'),
        "dur": ("'-838:59:58.999999'", '"-838:59:58.999999"'),
        "wall": ("'9999-12-31 23:59:59.999998'", '"9999-12-31 23:59:59.999998"'),
        "instant": ("'2024-02-29 12:00:00.500001'", '"2024-02-29 12:00:00.500001"'),
        "said": ("'2024-02-29 20:00:00.25'", '"2024-02-29 20:00:00.25"'),
        "day": ("'0000-00-00'", '"0000-00-00"'),
        "name": ("'É😀 '' \" \\ '", '"É😀 \' \\" \\\\ "'),
        "latin": ("'MÜller'", '"MÜller"'),
        "code": ("x'0AFE'", '"0AFE0000"'),
        "bytes": ("null", "NULL"),
        "thumb": ("''", '""'),
        "doc": ('\'{"a": 1.10, "a": 3}\'', '"{\\"a\\": 1.10, \\"a\\": 3}"'),
    }
    assert_only_what_changes_differs(crm, changes)


def test_a_geometry_of_an_extension_is_not_compared_and_other_types_of_its_kind_are(
    crm_of: Callable[[str], Crm],
):
    """PostGIS adds its types; a type of one's own stands for them here."""
    crm = crm_of("postgresql")
    crm.sql(
        "create type geometry as (x int, y int); create type path as enum ('up', 'down');"
        "create table things (id bigint primary key, shape public.geometry, way public.path);"
        "insert into things values (1, row(1, 2), 'up')"
    )
    crm.gold(
        "things", ["id"], {"id": "bigint", "shape": "string", "way": "string"}, [("1", "?", "up")]
    )
    result = crm.reconcile("things")
    assert (result.code, result.err) == (OK, ""), result
    assert "things: 2 columns of" in result.out
    assert "  shape is not compared: it is gone at the source, or a geometry\n" in result.out


def test_what_mysql_calls_a_collection_of_geometries_is_not_compared():
    assert MARIADB.writing("geomcollection")[0] == "not_compared"
