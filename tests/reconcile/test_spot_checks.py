"""The spot checks of `run --follow` find rows that differ from the source, and wait for changes that are on their way."""

from types import SimpleNamespace

import pytest

from ingestion.config.feeds import read_config
from ingestion.cycles.spot_checks import SpotChecks, check, spot_checks
from ingestion.errors import SOURCE
from ingestion.report.gathering import read_findings
from tests.reconcile.conftest import Crm
from tests.reconcile.test_reconcile import COMPOSITE, ORDERS, aliased, orders

FINDINGS = """
    finding_id string, test string, gold_table string, feed string, topic string, `partition` int, `offset` bigint,
    row_key array<string>, finding string, unlisted bigint, looked_from bigint, first_seen timestamp, last_seen timestamp,
    resolved_at timestamp"""
CHANGED = 'id="3": total is "3.00" at the source, in gold "3.01" (topic crm.changes, partition 3, offset 102)'
MISSING = 'id="4": only at the source'
REVIVED = 'id="9": only in gold (topic crm.changes, partition 3, offset 104)'


@pytest.fixture
def checked(crm: Crm):
    """Two looks, and what they leave in silver.findings as {sentence: is open}."""
    spark, folder = crm.project.spark, crm.project.folder
    findings = folder / "lakehouse" / "warehouse" / "silver.db" / "findings"
    spark.createDataFrame([], FINDINGS).write.format("delta").save(str(findings))
    config = read_config(folder)
    checks = SpotChecks(spark)

    def look(times: int = 2, checks: SpotChecks = checks) -> dict[str, bool]:
        for _ in range(times):
            check(checks, config)
        return {one.finding: one.resolved_at is None for one in read_findings(config)}

    return look


def test_a_changed_a_missing_and_a_revived_row_are_found_and_resolved_when_they_are_equal(
    crm: Crm, checked, capsys
):
    orders(crm)
    crm.heartbeat("orders", 2, keys=("4", "1"))
    assert checked(1) == {}
    assert checked(1) == {CHANGED: True, MISSING: True, REVIVED: True}
    assert f"Spot check: orders {CHANGED}" in capsys.readouterr().err
    # another process knows of them, and of each no more than once
    crm.sql("update orders set total = 3.01 where id = 3; delete from orders where id = 4")
    fresh = SpotChecks(crm.project.spark)
    assert checked(1, fresh) == {CHANGED: False, MISSING: False, REVIVED: True}
    assert checked(2, fresh) == {CHANGED: False, MISSING: False, REVIVED: True}
    assert "Spot check" not in capsys.readouterr().err


def test_a_finding_has_what_explain_row_says_of_the_row_when_it_is_found_first(
    crm: Crm, checked, capsys
):
    orders(crm)
    crm.heartbeat("orders", 2, keys=("4", "1"))
    asked = []

    def explain(_, table, key):
        asked.append((table, key))
        return f"about {key[0]}"

    checks = SpotChecks(crm.project.spark, explain)
    looks = [checked(2, checks), checked(1, checks), checked(2, SpotChecks(crm.project.spark))]
    assert sorted(asked) == [("orders", (key,)) for key in "349"]
    sentences = [f"{CHANGED}; about 3", f"{MISSING}; about 4", f"{REVIVED}; about 9"]
    assert looks[0] == looks[1] == looks[2] == dict.fromkeys(sentences, True)
    assert f"Spot check: orders {sentences[0]}" in capsys.readouterr().err


def test_a_model_is_checked_whose_table_has_an_alias(crm: Crm, checked):
    orders(crm)
    aliased(crm)
    checks = SpotChecks(crm.project.spark)
    crm.heartbeat("orders", 2)
    checked(1, checks)
    assert checks.tables["Deals"].suspects.keys() >= {("3",), ("9",)}


def test_a_row_whose_change_may_be_on_its_way_is_no_finding(crm: Crm, checked):
    orders(crm)
    # gold is complete up to an hour ago: every difference may come yet
    crm.heartbeat("orders", -1, keys=("4",))
    assert checked(2) == {}


def test_a_row_that_the_source_goes_on_changing_is_no_finding(crm: Crm, checked):
    orders(crm)
    crm.sql("delete from orders where id = 4; insert into orders values (9, 'z', 9)")
    crm.heartbeat("orders", 2)
    for total in range(4, 7):
        crm.sql(f"update orders set total = {total} where id = 3")
        assert checked(1) == {}


def test_a_row_that_gold_has_got_since_is_no_finding_before_it_is_seen_again(crm: Crm, checked):
    """The source may have had it in between: a row that was deleted came again, and was deleted again."""
    orders(crm)
    crm.heartbeat("orders", 2)
    assert checked(1) == {}
    # of later changes
    rows = [
        ("1", "", "1.00"),
        ("9", "z", "9"),
        ("3", "x", "3.01"),
        ("2", None, "2.50"),
        ("5", "y", "5"),
    ]
    crm.gold("orders", ["id"], ORDERS, [("7", "", "7"), *rows])
    crm.sql("insert into orders values (7, '', 7)")
    assert {
        sentence: is_open for sentence, is_open in checked(1).items() if 'id="4"' not in sentence
    } == {}
    found = [sentence for sentence in checked(1) if 'id="4"' not in sentence]
    assert sorted(sentence[:6] for sentence in found) == ['id="3"', 'id="9"']


def test_the_key_of_a_finding_stands_in_the_models_order(crm: Crm, checked):
    crm.sql(
        "create table parts (order_id int, line int, amount int, primary key (order_id, line));"
        "insert into parts values (3, 2, 7)"
    )
    crm.gold("parts", ["line", "order_id"], COMPOSITE, [("2", "3", "6")])
    crm.heartbeat("parts", 2)
    (sentence,) = checked(2)
    assert sentence.startswith('order_id="3", line="2": amount is "7" at the source, in gold "6"')
    (finding,) = read_findings(read_config(crm.project.folder))
    assert list(finding.row_key) == ["2", "3"]
    crm.sql("update parts set amount = 6")
    assert checked(1, SpotChecks(crm.project.spark)) == {sentence: False}


def test_a_source_that_does_not_answer_is_said_once(crm: Crm, checked, capsys):
    orders(crm)
    crm.heartbeat("orders", 2)
    crm.sql("drop table orders")
    assert checked(2) == {}
    assert (
        capsys.readouterr().err.count("Spot check of orders: Feed crm: its source has no table")
        == 1
    )


def test_a_key_that_is_not_unique_at_the_source_is_said_and_no_row_of_it_is_a_finding(
    crm: Crm, checked, capsys
):
    crm.sql(
        "create table visits (id bigint, page varchar(9));"
        "insert into visits values (1, 'a'), (1, 'b'), (2, 'c')"
    )
    crm.gold("visits", ["id"], {"id": "bigint", "page": "string"}, [("1", "x"), ("2", "c")])
    crm.heartbeat("visits", 2)
    assert checked(2) == {}
    said = 'Spot check of visits: The source has 2 rows of id="1" in '
    assert capsys.readouterr().err.count(said) == 1


def test_a_model_that_has_another_type_than_before_is_checked_by_it(crm: Crm, checked, capsys):
    crm.sql(
        "create table flags (id bigint primary key, flag smallint); insert into flags values (1, 1)"
    )
    crm.gold("flags", ["id"], {"id": "bigint", "flag": "smallint"}, [("1", "1")])
    crm.heartbeat("flags", 2)
    assert checked(1) == {}
    crm.gold("flags", ["id"], {"id": "bigint", "flag": "boolean"}, [("1", "1")])
    assert checked(2) == {}
    crm.sql("update flags set flag = 0")
    found = 'id="1": flag is "false" at the source, in gold "true" (topic crm.changes, partition 3, offset 100)'
    assert checked(2) == {found: True}
    assert capsys.readouterr().err == f"Spot check: flags {found}\n"


def test_a_model_with_a_column_less_than_before_is_checked_without_it(crm: Crm, checked, capsys):
    orders(crm)
    crm.heartbeat("orders", 2)
    assert checked(1) == {}
    columns = {"id": "bigint", "note": "string"}
    rows = [("1", ""), ("2", None), ("3", "x"), ("5", "y"), ("9", "z")]
    crm.gold("orders", ["id"], columns, rows)
    assert checked(2) == {REVIVED: True}
    assert capsys.readouterr().err == f"Spot check: orders {REVIVED}\n"


def test_findings_of_a_key_that_the_model_had_before_are_resolved(crm: Crm, checked, capsys):
    orders(crm)
    crm.heartbeat("orders", 2)
    assert checked(2)[REVIVED]
    crm.gold("orders", ["id", "note"], ORDERS, [("1", "", "1"), ("2", "b", "2.5"), ("3", "x", "3")])
    crm.sql("update orders set note = 'b' where id = 2")
    capsys.readouterr()
    assert not any(checked(1).values())
    assert capsys.readouterr().err == ""


def test_a_table_that_cannot_be_checked_keeps_no_other_from_it(
    crm: Crm, checked, capsys, monkeypatch
):
    monkeypatch.setattr("ingestion.cycles.spot_checks.SECONDS", 600)
    orders(crm)
    crm.gold("broken", ["id"], ORDERS, [("1", "", "1")], table="orders")
    for file in (crm.project.folder / "lakehouse/warehouse/gold.db/broken").glob("*.parquet"):
        file.unlink()
    crm.heartbeat("orders", 2)
    assert checked(2)[REVIVED]
    said = capsys.readouterr().err
    assert said.count("Spot check of broken: unexpected ") == 1, said


def test_gold_that_is_not_built_as_the_model_is_now_is_not_checked(crm: Crm, checked, capsys):
    orders(crm)
    crm.heartbeat("orders", 2)
    for before, after, said in (
        (
            "decimal(12,2)",
            "decimal(14,3)",
            "total is decimal(12,2), and the model declares decimal(14,3)",
        ),
        ("'total'", "'sum'", "there is no column sum, which the model declares"),
    ):
        path = crm.project.folder / "models" / "gold" / "orders.sql"
        path.write_text(path.read_text().replace(before, after, 1))
        assert checked(2) == {}
        sentence = f"In gold's orders {said}: run `dbt run`."
        assert capsys.readouterr().err == f"Spot check of orders: {sentence}\n"
        result = crm.reconcile("orders")
        assert (result.code, result.err) == (SOURCE, f"{sentence}\n"), result


@pytest.mark.parametrize(
    ("every", "source", "expected"), [(0, "named", 0), (3, "named", 2), (3, None, 0)]
)
def test_it_is_asked_every_so_many_cycles_where_a_feed_names_its_source(
    monkeypatch, every, source, expected
):
    asked = []
    monkeypatch.setattr("ingestion.cycles.spot_checks.check", lambda *_: asked.append(1))
    config = SimpleNamespace(feeds={"crm": SimpleNamespace(source=source)})
    listener = spot_checks(None, every)
    for number in range(1, 8):
        listener(config, SimpleNamespace(number=number))
    assert len(asked) == expected
