"""`reconcile` says that equal tables are equal, and finds every difference, on real databases."""

import re
import threading
import time
from itertools import product
from pathlib import Path

import pytest

from ingestion.config.feeds import read_config
from ingestion.errors import CONFIGURATION, DIFFERENT, OK, SOURCE
from ingestion.reconcile.sources import rows, source_of
from tests.reconcile.conftest import Crm

ORDERS = {"id": "bigint", "note": "string", "total": "decimal(12,2)"}
PLACE = r"\(topic crm.changes, partition 3, offset 10{}\)"


def orders(crm: Crm) -> None:
    """Rows 1 to 5 at the source; in gold 3 has another total, 4 is missing, 9 is there."""
    crm.sql(
        "create table orders (id bigint primary key, note varchar(20), total decimal(12,2));"
        "insert into orders values (1, '', 1), (2, null, 2.5), (3, 'x', 3), (4, 'é😀', 4), (5, 'y', 5)"
    )
    rows_in_gold = [
        ("1", "", "1.00"),
        ("2", None, "2.50"),
        ("3", "x", "3.01"),
        ("5", "y", "5"),
        ("9", "z", "9"),
    ]
    crm.gold("orders", ["id"], ORDERS, rows_in_gold)


def test_each_difference_is_told_with_its_place(crm: Crm):
    orders(crm)
    result = crm.reconcile("orders", "--rows-per-piece", "2")
    assert result.code == DIFFERENT, result
    assert "orders: 3 columns of" in result.out
    assert "  rows: 5 at the source, 5 in gold\n" in result.out
    assert (
        "  key ranges: 3; checksums that differ: 3 (1 only at the source, 1 only in gold)\n"
        in result.out
    )
    told = [line for line in result.out.splitlines() if line.startswith("  orders ")]
    assert re.fullmatch(
        '  orders id="3": total is "3.00" at the source, in gold "3.01" ' + PLACE.format(2), told[0]
    )
    assert told[1] == '  orders id="4": only at the source'
    assert re.fullmatch('  orders id="9": only in gold ' + PLACE.format(4), told[2])
    assert len(told) == 3
    assert "the source was read from 20" in result.out
    assert "  different rows: 3; changes may be in flight: load, " in result.out


def test_a_column_is_compared_under_a_name_in_another_case_where_the_database_takes_it_for_one(
    crm: Crm,
):
    orders(crm)
    if crm.kind == "postgresql":
        crm.sql('alter table orders rename total to "TOTAL"')
    else:
        crm.sql("alter table orders change id ID bigint, change total TOTAL decimal(12,2)")
    result = crm.reconcile("orders")
    is_compared = '  orders id="3": total is "3.00" at the source, in gold "3.01"' in result.out
    columns = 2 if crm.kind == "postgresql" else 3
    assert f"orders: {columns} columns of" in result.out
    assert is_compared == (crm.kind != "postgresql")


def test_a_model_is_compared_whose_table_has_an_alias(crm: Crm):
    orders(crm)
    aliased(crm)
    result = crm.reconcile("Deals")
    assert (result.code, result.err) == (DIFFERENT, "")
    assert "  rows: 5 at the source, 5 in gold\n" in result.out


def aliased(crm: Crm) -> None:
    """Rename the model of orders to Deals; its table stays."""
    path = crm.project.folder / "models" / "gold" / "orders.sql"
    (path.parent / "Deals.sql").write_text("{{ config(alias='Orders') }}\n" + path.read_text())
    path.unlink()


def test_the_limit_bounds_what_is_shown_and_not_what_is_counted(crm: Crm):
    orders(crm)
    result = crm.reconcile("orders", "--limit", "1")
    assert (result.code, result.out.count("  orders ")) == (DIFFERENT, 1)
    assert "  different rows: 3; " in result.out


def test_one_row_is_compared_by_its_key(crm: Crm):
    orders(crm)
    found = {id: crm.reconcile("orders", "--key", id) for id in ("1", "3", "4", "9", "77")}
    assert {id: result.code for id, result in found.items()} == {
        "1": OK,
        "3": DIFFERENT,
        "4": DIFFERENT,
        "9": DIFFERENT,
        "77": OK,
    }
    assert "  the row is on both sides\n" in found["1"].out
    assert found["1"].out.endswith("  equal\n")
    assert '  orders id="3": total is "3.00" at the source, in gold "3.01" (' in found["3"].out
    assert "  different rows: 1; changes may be in flight: load, " in found["3"].out
    assert '  the row is not in gold\n  orders id="4": only at the source\n' in found["4"].out
    assert '  orders id="9": only in gold (' in found["9"].out
    assert "  the row is not at the source and not in gold\n" in found["77"].out
    assert found["77"].out.endswith("  nothing is compared: neither side has a row of this key\n")


def test_one_row_of_a_composite_key_takes_the_models_order(crm: Crm):
    crm.sql(
        "create table parts (order_id int, line int, amount int, primary key (order_id, line));"
        "insert into parts values (3, 2, 7)"
    )
    crm.gold("parts", ["line", "order_id"], COMPOSITE, [("2", "3", "6")])
    result = crm.reconcile("parts", "--key", "2", "3")
    assert '  parts order_id="3", line="2": amount is "7" at the source, in gold "6"' in result.out
    result = crm.reconcile("parts", "--key", "2")
    assert result.code == CONFIGURATION
    assert "--key has 1 values, and the key of parts has 2: line, order_id." in result.err


def test_a_key_that_is_no_number_finds_no_row_of_a_number(crm: Crm):
    orders(crm)
    for text in ("1) or (1=1", "1st"):
        result = crm.reconcile("orders", "--key", text)
        assert (result.code, f"--key {text}: id is a number." in result.err) == (
            CONFIGURATION,
            True,
        )


def test_a_key_of_bytes_is_found_in_small_letters_too(crm: Crm):
    type_, value = (
        ("bytea", r"'\x0aff'") if crm.kind == "postgresql" else ("varbinary(9)", "x'0AFF'")
    )
    crm.sql(
        f"create table blobs (code {type_} primary key, note varchar(9));"
        f"insert into blobs values ({value}, 'a')"
    )
    crm.gold("blobs", ["code"], {"code": "binary", "note": "string"}, [("0AFF", "b"), ("AB", "c")])
    for key, line in (("0aff", "note is"), ("0AFF", "note is"), ("ab", "only in gold")):
        result = crm.reconcile("blobs", "--key", key)
        assert result.code == DIFFERENT
        assert f'  blobs code="{key.upper()}": {line} ' in result.out
    for key in ("0af", "zz"):
        result = crm.reconcile("blobs", "--key", key)
        assert result.code == CONFIGURATION
        assert f"--key {key}: code has bytes: write each as two of 0-9, A-F." in result.err


EMPTY_AND_NULL = {"id": "bigint", "text": "string"}


def test_null_and_empty_text_differ(crm: Crm):
    crm.sql(
        "create table notes (id int primary key, text text); insert into notes values (1, ''), (2, null)"
    )
    crm.gold("notes", ["id"], EMPTY_AND_NULL, [("1", None), ("2", "")])
    result = crm.reconcile("notes")
    assert '  notes id="1": text is "" at the source, in gold NULL ' in result.out
    assert '  notes id="2": text is NULL at the source, in gold "" ' in result.out


def test_long_texts_are_shown_where_they_differ(crm: Crm):
    crm.sql(
        "create table notes (id int primary key, text text);"
        f"insert into notes values (1, '{'x' * 5000}a{'y' * 5000}')"
    )
    crm.gold("notes", ["id"], EMPTY_AND_NULL, [("1", "x" * 5000 + "b" + "y" * 5000)])
    (line,) = re.findall("  notes .*", crm.reconcile("notes").out)
    assert "xxa" in line and "xxb" in line and len(line) < 600


COMPOSITE = {"line": "int", "order_id": "bigint", "amount": "int"}


def test_ranges_of_a_composite_key_take_every_row_once(crm: Crm):
    lines = [(order, line) for order in range(1, 6) for line in range(1, 5)]
    values = ", ".join(f"({order}, {line}, {order * line})" for order, line in lines)
    crm.sql(
        "create table parts (order_id int, line int, amount int, primary key (order_id, line));"
        f"insert into parts values {values}"
    )
    in_gold = [(str(line), str(order), str(order * line)) for order, line in lines]
    crm.gold("parts", ["line", "order_id"], COMPOSITE, in_gold)
    result = crm.reconcile("parts", "--rows-per-piece", "3")
    assert (result.code, result.err) == (OK, "")
    assert "  key ranges: 7; checksums that differ: 0 " in result.out
    assert result.out.endswith("  equal\n")
    crm.sql("update parts set amount = 0 where order_id = 3 and line = 2")
    result = crm.reconcile("parts", "--rows-per-piece", "3")
    assert '  parts order_id="3", line="2": amount is "0" at the source, in gold "6"' in result.out


# Sorted and compared by the source in an order that is not the one of bytes.
WORDS = ["a", "B", "c d", "É", "ß", "😀", "z'; drop table words", 'q"\\ {0} ?', ""]
PADDED = {"postgresql": ["A", "b", "a ", "ä", "Ä"], "mariadb": ["aa", "ab "]}


def test_text_keys_are_compared_byte_by_byte(crm: Crm):
    words = WORDS + PADDED[crm.kind]
    collation = 'collate "en-x-icu"' if crm.kind == "postgresql" else ""
    literals = ", ".join("('" + word.replace("'", "''") + "')" for word in words)
    crm.sql(
        f"create table words (word varchar(30) {collation} primary key); insert into words values {literals}"
    )
    crm.gold("words", ["word"], {"word": "string"}, [(word,) for word in words])
    result = crm.reconcile("words", "--rows-per-piece", "2")
    assert (result.code, result.err) == (OK, ""), result.out
    assert f"{len(words)} in gold" in result.out
    crm.gold(
        "words",
        ["word"],
        {"word": "string"},
        [("Z'; DROP TABLE words",), *((word,) for word in words if word[:1] != "z")],
    )
    result = crm.reconcile("words")
    assert '  words word="Z\'; DROP TABLE words": only in gold' in result.out
    assert '  words word="z\'; drop table words": only at the source' in result.out
    assert "  different rows: 2; " in result.out


# Two values of each type, the second one sorted before the first by its text or its bytes.
KEY_TYPES = {
    "postgresql": {
        "mood": ("mood", "string", ["'z'", "'a'"], ["z", "a"]),
        "number": ("numeric(30,0)", "decimal(30,0)", ["9", "10"], ["9", "10"]),
        "bytes": ("bytea", "binary", [r"'\x00ff'", r"'\x01'"], ["00FF", "01"]),
        "at": (
            "timestamptz",
            "timestamp",
            ["'2024-02-29 12:00:00.5+02'", "'2024-02-29 12:00:00.25+02'"],
            ["2024-02-29T10:00:00.5Z", "2024-02-29T10:00:00.25Z"],
        ),
        "flag": ("boolean", "boolean", ["true", "false"], ["true", "false"]),
    },
    "mariadb": {
        "mood": ("enum('z', 'a')", "string", ["'z'", "'a'"], ["z", "a"]),
        # as doubles they would be equal
        "number": (
            "bigint unsigned",
            "decimal(20,0)",
            ["18446744073709551615", "18446744073709551614"],
            ["18446744073709551615", "18446744073709551614"],
        ),
        "bytes": ("varbinary(9)", "binary", ["x'00FF'", "x'01'"], ["00FF", "01"]),
        "at": (
            "timestamp(6)",
            "timestamp",
            ["'2024-02-29 12:00:00.5'", "'2024-02-29 12:00:00.25'"],
            ["2024-02-29 20:00:00.5", "2024-02-29 20:00:00.25"],
        ),
        "flag": ("bit(1)", "boolean", ["1", "0"], ["true", "false"]),
    },
}


def test_keys_of_every_kind_are_cut_into_ranges_and_found_again(crm: Crm):
    types = KEY_TYPES[crm.kind]
    if crm.kind == "postgresql":
        crm.sql("drop type if exists mood; create type mood as enum ('z', 'a')")
    columns = ", ".join(f"{name} {source}" for name, (source, *_) in types.items())
    literals = product(*(literals for _, _, literals, _ in types.values()))
    values = ", ".join(f"({', '.join(row)})" for row in literals)
    crm.sql(
        f"create table keys_ ({columns}, primary key ({', '.join(types)})); insert into keys_ values {values}"
    )
    texts = list(product(*(texts for *_, texts in types.values())))
    gold_types = {name: gold for name, (_, gold, *_) in types.items()}
    crm.gold("keys_", list(types), gold_types, texts)
    result = crm.reconcile("keys_", "--rows-per-piece", "5")
    assert (result.code, result.err) == (OK, ""), result.out
    assert (
        "  rows: 32 at the source, 32 in gold\n  key ranges: 7; checksums that differ: 0 "
        in result.out
    )
    # gold lacks the half with the mood a: they are found again at the source, by their keys
    crm.gold("keys_", list(types), gold_types, [text for text in texts if text[0] == "z"])
    result = crm.reconcile("keys_", "--rows-per-piece", "20", "--limit", "16")
    assert result.out.count(": only at the source\n") == 16, result.out


def test_names_and_keys_are_data(crm: Crm):
    name, column = 'it\'s "odd" {0} `t` ?', "a\"b' `c` {1}"
    quoted, quoted_column = (f'"{text.replace(chr(34), chr(34) * 2)}"' for text in (name, column))
    crm.sql(
        f"create table {quoted} ({quoted_column} int primary key); insert into {quoted} values (1)"
    )
    crm.gold("odd", ["id"], {"id": "string"}, [("1",)], table=name, id=column)
    assert crm.reconcile("odd").code == OK
    # no number, though the column is one: it must not become SQL
    if crm.kind == "mariadb":
        in_gold = [("1",), ("it's 1) or (1=1",)]
        crm.gold("odd", ["id"], {"id": "string"}, in_gold, table=name, id=column)
        result = crm.reconcile("odd")
        assert '  odd id="it\'s 1) or (1=1": only in gold' in result.out
        assert "  different rows: 1; " in result.out


def test_sessions_only_read(crm: Crm):
    orders(crm)
    source = source_of(read_config(crm.project.folder).feeds["crm"])
    setting = {
        "postgresql": "current_setting('transaction_read_only')",
        "mariadb": "@@tx_read_only",
    }
    ((answer,),) = rows(crm.project.spark, source, f"select {setting[crm.kind]} as answer")
    assert str(answer) in ("on", "1", "True")


def test_gold_that_is_complete_past_the_reading_has_no_change_in_flight(crm: Crm):
    orders(crm)
    crm.heartbeat("orders", hours=-1)
    result = crm.reconcile("orders")
    assert "  different rows: 3; changes may be in flight" in result.out
    crm.heartbeat("orders", hours=1)
    result = crm.reconcile("orders")
    assert "  different rows: 3; no change in flight explains them" in result.out
    # silver has it, gold has not merged it yet
    crm.heartbeat("orders", hours=-1, silver_hours=1)
    result = crm.reconcile("orders")
    assert "  different rows: 3; changes may be in flight" in result.out


def test_rows_that_move_while_they_are_compared_are_told_apart(crm: Crm):
    orders(crm)

    def meanwhile() -> None:
        while not list((crm.project.folder / "lakehouse").glob("reconcile-*")):
            time.sleep(0.05)
        while list((crm.project.folder / "lakehouse").glob("reconcile-*")):
            time.sleep(0.05)
        # 3 is brought to what gold has, 4 changes, 9 stays as it is
        crm.sql(
            "update orders set total = 3.01 where id = 3; update orders set total = 44 where id = 4"
        )

    thread = threading.Thread(target=meanwhile)
    thread.start()
    result = crm.reconcile("orders", "--settle", "4")
    thread.join()
    assert result.code == DIFFERENT
    assert "  in flight: 1 equal now, 1 changed at the source meanwhile" in result.out
    assert '  orders id="9": only in gold' in result.out
    assert 'id="3"' not in result.out and 'id="4"' not in result.out
    assert "  different rows: 1; " in result.out


def test_what_cannot_be_compared_is_one_sentence(crm: Crm, monkeypatch: pytest.MonkeyPatch):
    orders(crm)
    crm.gold("gone", ["id"], ORDERS, [])
    (crm.project.folder / "models/gold/unbuilt.sql").write_text(
        "{{ cdc.current_state(feed='crm', table='orders', key=['id'], columns={'id': 'bigint'}) }}"
    )
    (crm.project.folder / "models/gold/shards.sql").write_text(
        "{{ cdc.current_state(feed='crm', table={'pattern': 'o.*'}, key=['id'], columns={'id': 'int'}) }}"
    )
    for model, code, sentence in (
        ("order", CONFIGURATION, "There is no gold model order (did you mean orders?): the models"),
        ("gone", SOURCE, "Feed crm: its source has no table "),
        ("unbuilt", SOURCE, "unbuilt is not in gold yet: run `dbt build`."),
        ("shards", CONFIGURATION, "shards has many source tables: reconcile compares one with"),
    ):
        result = crm.reconcile(model)
        assert (result.code, result.out) == (code, "")
        assert result.err.startswith(sentence) and result.err.count("\n") == 1
    crm.configure(source=crm.servers.source(crm.kind) | {"url": f"jdbc:{crm.kind}://127.0.0.1:1/x"})
    result = crm.reconcile("orders")
    assert (result.code, result.out) == (SOURCE, "")
    assert re.match(
        "Feed crm: its source cannot be read: .*127.0.0.1.*refused.*Check url", result.err
    )
    crm.configure()
    monkeypatch.setenv("RECONCILE_PASSWORD", "another secret")
    result = crm.reconcile("orders")
    assert (result.code, result.out) == (SOURCE, "")
    assert re.match(
        "Feed crm: its source cannot be read: .*(authentication failed|denied)", result.err
    )
    monkeypatch.delenv("RECONCILE_PASSWORD")
    result = crm.reconcile("orders")
    assert result.code == CONFIGURATION
    assert (
        "the source option password needs the environment variable RECONCILE_PASSWORD" in result.err
    )
    crm.configure(source=None)
    assert crm.reconcile("orders").err.startswith("Feed crm has no source: give it url, user")


def test_a_table_that_the_user_may_not_read_is_said(crm: Crm):
    orders(crm)
    if crm.kind == "postgresql":
        crm.sql("revoke pg_read_all_data from reader")
    else:
        crm.sql("revoke select on *.* from reader@'%'")
    try:
        result = crm.reconcile("orders")
    finally:
        give = (
            "grant pg_read_all_data to reader"
            if crm.kind == "postgresql"
            else "grant select on *.* to reader@'%'"
        )
        crm.sql(give)
    assert result.code == SOURCE
    assert "its source has no table" in result.err


def test_nothing_stays_behind(crm: Crm):
    orders(crm)
    crm.reconcile("orders")
    assert not list(Path(crm.project.folder / "lakehouse").glob("reconcile-*"))
