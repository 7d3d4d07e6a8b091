"""What the page says of one finding or one table: without Spark."""

import html
import shlex
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from ingestion.__main__ import _parser
from ingestion.cycles import spot_findings
from ingestion.report.facts import SPOT_CHECK, Facts, Finding, GoldTable
from ingestion.report.page import page

NOW = datetime(2026, 1, 1, tzinfo=UTC)
FINDING = Finding(
    finding_id="1",
    test="key_is_unique",
    gold_table="orders",
    feed="shop",
    topic="t",
    partition=0,
    offset=7,
    row_key=("1",),
    finding="two rows",
    unlisted=None,
    first_seen=NOW,
    last_seen=NOW,
    resolved_at=None,
)
TABLE = GoldTable("orders", 5, 10, "shop", NOW, False)


def shown(*findings: Finding, table: GoldTable = TABLE) -> str:
    return html.unescape(page(Facts(NOW, 0, (), (table,), findings, (), (), ())))


def test_a_key_shows_which_of_its_values_is_null_empty_or_zero():
    key = replace(FINDING, row_key=("", None, "0", "NULL"))
    assert "key '', NULL, 0, NULL, first seen" in shown(key)


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (timedelta(days=-30), "in 30 days"),
        (timedelta(hours=-8), "in 8 hours"),
        (timedelta(seconds=-11), "in 11 seconds"),
        (timedelta(seconds=-9), "just now"),
        (timedelta(), "just now"),
        (timedelta(seconds=119), "119 seconds ago"),
        (timedelta(minutes=5), "5 minutes ago"),
    ],
)
def test_a_time_is_so_long_ago_or_so_far_ahead(age: timedelta, words: str):
    table = replace(TABLE, complete_up_to=NOW - age)
    assert f'<span class="quiet small">{words}</span>' in shown(table=table)


@pytest.mark.parametrize("key", [("1",), ("a b", "it's"), ("-5", "")])
def test_what_looks_again_at_a_row_of_a_spot_check_is_reconcile(key: tuple[str, ...]):
    """dbt has no such test."""
    assert SPOT_CHECK == spot_findings.TEST
    found = replace(FINDING, test=SPOT_CHECK, row_key=key)
    python, _, module, *arguments = shlex.split(found.look_again)
    assert (python, module) == ("python", "ingestion")
    told = _parser().parse_args(arguments)
    assert (told.models, tuple(told.key)) == (["orders"], key)
    text = shown(found)
    assert found.look_again in text
    assert "dbt test" not in text
    assert "A later spot check of run --follow resolves" in text


def test_what_looks_again_at_the_findings_of_a_test_is_that_test():
    command = "dbt test --vars 'check_all_history: true' --select key_is_unique"
    assert FINDING.look_again == command
    text = shown(FINDING)
    assert command in text
    assert "spot check" not in text
