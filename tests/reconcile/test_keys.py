"""A key that is not unique at the source, or in gold, is refused; rows with a NULL in it differ."""

import re

import pytest

from ingestion.errors import DIFFERENT, OK
from tests.reconcile.conftest import Crm

VISITS = {"visitor": "bigint", "page": "string"}
NOT_UNIQUE = r'The source has 2 rows of visitor="1" in .*visits", .* not unique there'


def visits(crm: Crm, *in_gold: tuple[str, str]) -> None:
    """A source whose rows are those of visitor and page, and a model whose key is the visitor alone."""
    crm.sql(
        "create table visits (visitor bigint, page varchar(9), primary key (visitor, page));"
        "insert into visits values (1, 'a'), (1, 'b'), (2, 'c'), (2, 'd'), (3, 'e')"
    )
    crm.gold("visits", ["visitor"], VISITS, list(in_gold))


@pytest.mark.parametrize(
    "arguments", [(), ("--rows-per-piece", "1"), ("--limit", "1"), ("--key", "1")]
)
def test_a_key_that_is_not_unique_at_the_source_is_refused(crm: Crm, arguments: tuple[str, ...]):
    """What gold has is what the second reading would find last."""
    visits(crm, ("1", "b"), ("2", "d"), ("3", "e"))
    result = crm.reconcile("visits", *arguments)
    assert result.code == DIFFERENT, result
    assert re.match(NOT_UNIQUE, result.err), result
    assert "equal" not in result.out
    assert crm.reconcile("visits", "--key", "3").code == OK


def test_rows_of_one_key_that_are_the_same_are_not_unique_either(crm: Crm):
    crm.sql(
        "create table visits (visitor bigint, page varchar(9));"
        "insert into visits values (1, 'a'), (1, 'a')"
    )
    crm.gold("visits", ["visitor"], VISITS, [("1", "a")])
    assert re.match(NOT_UNIQUE, crm.reconcile("visits").err)


def test_gold_with_two_rows_of_a_key_is_refused(crm: Crm):
    crm.sql(
        "create table visits (visitor bigint primary key, page varchar(9));"
        "insert into visits values (1, 'a')"
    )
    crm.gold("visits", ["visitor"], VISITS, [("1", "a"), ("1", "a")])
    for arguments in ((), ("--key", "1")):
        result = crm.reconcile("visits", *arguments)
        assert result.code == DIFFERENT
        assert result.err.startswith('Gold has 2 rows of visitor="1" ')


@pytest.mark.parametrize(
    ("source", "gold", "keys"),
    [
        ("varchar(9)", "string", ("a", "b", "c")),
        ("int", "int", ("1", "2", "3")),
    ],
)
def test_rows_with_null_in_the_key_differ(crm: Crm, source: str, gold: str, keys: tuple[str, ...]):
    values = ", ".join(f"('{key}', '{key}')" for key in keys)
    crm.sql(
        f"create table codes (code {source} unique, note varchar(9));"
        f"insert into codes values {values}, (null, 'x'), (null, 'y')"
    )
    crm.gold("codes", ["code"], {"code": gold, "note": "string"}, [(key, key) for key in keys])
    for size in ("1", "3", "5"):
        result = crm.reconcile("codes", "--rows-per-piece", size)
        assert (result.code, result.err) == (DIFFERENT, ""), result
        assert "  rows: 5 at the source, 3 in gold\n" in result.out
        assert "checksums that differ: 2 (2 only at the source, 0 only in gold)" in result.out
        assert result.out.count("  codes code=NULL: only at the source: a key holds no NULL\n") == 2
        assert "  in flight: " not in result.out
        assert "  different rows: 2; " in result.out
    crm.sql("delete from codes where note = 'y'")
    assert "  different rows: 1; " in crm.reconcile("codes").out


def test_a_composite_key_of_which_a_part_is_null_differs(crm: Crm):
    crm.sql(
        "create table parts (order_id int, line int, amount int);"
        "insert into parts values (1, 1, 1), (1, null, 2), (2, 1, 3), (null, 1, 4), (null, null, 5),"
        "(3, null, 6), (3, 1, 7)"
    )
    columns = {"order_id": "int", "line": "int", "amount": "int"}
    in_gold = [("1", "1", "1"), ("2", "1", "3"), ("3", "1", "7")]
    crm.gold("parts", ["order_id", "line"], columns, in_gold)
    for size in ("1", "2", "50000"):
        result = crm.reconcile("parts", "--rows-per-piece", size)
        assert '  parts order_id="1", line=NULL: only at the source: a key ' in result.out, result
        assert "  different rows: 4; " in result.out


def test_a_date_of_zeros_in_a_key_is_no_null(crm_of):
    """MariaDB says `is null` and `is not null` of one in a column without NULLs."""
    crm = crm_of("mariadb")
    crm.sql(
        "create table days (day date not null unique, note varchar(9));"
        "insert into days values ('0000-00-00', 'a'), ('2024-02-29', 'b')"
    )
    columns = {"day": "string", "note": "string"}
    crm.gold("days", ["day"], columns, [("0000-00-00", "a"), ("2024-02-29", "b")])
    result = crm.reconcile("days", "--rows-per-piece", "1")
    assert (result.code, result.err) == (OK, ""), result


def test_texts_that_a_driver_reads_otherwise_are_keys_like_others(crm: Crm):
    """MariaDB's driver has a quote after a backslash in the text, and {fn ...} for SQL in what is then no text."""
    words = ["z\\", "{fn now()}", "é {d '2020-01-01'}", "\\'"]
    written = (
        "convert_from('\\x{}', 'utf8')"
        if crm.kind == "postgresql"
        else "convert(x'{}' using utf8mb4)"
    )
    values = ", ".join(f"({written.format(word.encode().hex())}, 'a')" for word in words)
    crm.sql(
        "create table words (word varchar(30) primary key, note varchar(9));"
        f"insert into words values {values}"
    )
    columns = {"word": "string", "note": "string"}
    crm.gold("words", ["word"], columns, [(word, "a") for word in words])
    result = crm.reconcile("words", "--rows-per-piece", "1")
    assert (result.code, result.err) == (OK, ""), result
    crm.gold("words", ["word"], columns, [(word, "b") for word in words])
    result = crm.reconcile("words")
    assert result.out.count(': note is "a" at the source, in gold "b" ') == 4, result
