"""How far the shipped tests have looked, and what a run says of tables that they have not."""

from types import SimpleNamespace

import pytest

from ingestion.dbt.macros import macros_of
from tests.types.conftest import ROOT


def result(name, status, is_shipped):
    meta = {"cdc": {"findings": True}} if is_shipped else {}
    config = SimpleNamespace(meta=meta)
    return SimpleNamespace(node=SimpleNamespace(name=name, config=config), status=status)


def macros(run, **given):
    text = (ROOT / "macros/checks/checked_versions.sql").read_text()
    given |= {"lakehouse_run": lambda: run, "silver_version": lambda: 7, "silver_builds": list}
    return macros_of(text, {"build_of_mark": lambda mark: mark["built_by"], **given})


@pytest.mark.parametrize(
    ("test", "status", "is_shipped", "moves"),
    [
        ("changes_have_keys", "warn", True, True),
        ("key_is_the_sources_key", "fail", True, False),
        ("every_row_is_counted_orders_", "skipped", True, False),
        ("order_is_decided", "error", True, False),
        ("a_test_of_the_users_own", "error", False, True),
    ],
)
def test_what_a_test_did_not_look_at_stays_unchecked(test, status, is_shipped, moves):
    run = {"applied": {}, "applied_now": {}}
    results = [result("every_record_is_in_silver", "pass", True), result(test, status, is_shipped)]
    macros(run, results=results).mark_checked()
    assert run["applied_now"] == ({"#tests": {"version": 7, "built_by": ""}} if moves else {})


@pytest.mark.parametrize(
    ("before", "checked", "says"),
    [
        ({}, 6, True),
        ({"orders": {"built_by": "other columns"}}, 6, True),
        # a table without a key, which each run builds
        ({"orders": {"built_by": "these columns"}}, 6, False),
        # tests look at everything
        ({}, -1, False),
    ],
)
def test_a_table_whose_earlier_changes_no_test_looks_at_is_named(before, checked, says):
    plan = SimpleNamespace(mode="build", built_by="these columns")
    run = {"applied_before": before, "gold_plans": {"orders": plan}}
    said = []
    macros(
        run, _checked_version=lambda: checked, log=lambda text, info: said.append(text)
    ).say_what_is_unchecked()
    assert [("orders" in text, "check_all_history" in text) for text in said] == [
        (True, True)
    ] * says
