"""silver.findings: what the shipped tests have found, since when, and until when."""

import shlex
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from jinja2 import Environment

from ingestion.config.feeds import read_config
from ingestion.report.facts import Finding
from ingestion.report.gathering import read_findings
from tests.pipeline.conftest import ROOT
from tests.pipeline.shop_records import shown, statements

ALL_HISTORY = ("--vars", "check_all_history: true")
SHOP = ("shop_mariadb", "shop_postgres")
WINDOWED, WHOLE = "newest_change_wins_carts_", "key_is_unique_warehouses_"


def test_again(shop, *tests, history=ALL_HISTORY):
    return shop.statuses(shop.dbt("test", "--select", *tests, *history))


test_again.__test__ = False


def found_by(shop, test):
    """The rows of a test, the oldest first, as the report reads them."""
    rows = [one for one in read_findings(read_config(shop.root)) if one.test == test]
    return sorted(rows, key=lambda one: (one.first_seen, one.finding_id))


def test_what_the_first_build_has_found_is_there_with_its_coordinates(shop):
    # other tests may have had feeds of their own
    found = [one for one in read_findings(read_config(shop.root)) if one.feed in SHOP]
    of_build = [
        one
        for one in found
        if one.test in ("every_message_is_understood", "every_value_fits_its_type_products_")
    ]
    places = {(one.feed, one.gold_table, one.topic, one.partition, one.offset) for one in of_build}
    (misfit,) = shop.sql("select topic, partition, offset, row_key from silver.misfits")
    unknown = shop.sql(
        "select feed, topic, partition, offset, error from silver.unknown_messages"
        f" where feed in {SHOP}"
    )
    assert places == {(row.feed, None, *row[1:4]) for row in unknown} | {
        ("shop_mariadb", "products", *misfit[:3])
    }
    assert {one.finding for one in of_build} == {
        "op is not known: z",
        "discontinued does not fit date: 0000-00-00",
        *(row.error for row in unknown),
    }
    assert [one.row_key for one in of_build if one.gold_table] == [tuple(misfit.row_key)]
    assert {one.resolved_at for one in of_build} == {None}


def test_a_finding_is_open_until_its_test_looks_at_it_again_and_does_not_find_it(
    shop, damaged, monkeypatch
):
    # those that another test has left
    shop.sql(f"delete from silver.findings where test = '{WINDOWED}'")
    carts = shop.sql("describe history gold.carts limit 1")[0].version
    damaged("gold.carts", "update gold.carts set _change.sequence.offset = 0")
    assert test_again(shop, WINDOWED) == {WINDOWED: "warn"}
    first = found_by(shop, WINDOWED)
    assert {(one.gold_table, one.feed, one.finding) for one in first} == {
        ("carts", "shop_mariadb", "an older change won"),
        ("carts", "shop_mariadb", "the row outlived the TRUNCATE of its table"),
    }
    assert len(first) == 2 * shop.sql("select count(*) from gold.carts")[0][0]

    # found again: the same rows, in one statement that writes
    with monkeypatch.context() as patched:
        sent = statements(patched)
        test_again(shop, WINDOWED)
    assert [text.split()[0] for text in sent if "silver.findings" in text] == ["merge", "select"]
    again = found_by(shop, WINDOWED)
    assert [one.first_seen for one in again] == [one.first_seen for one in first]
    assert min(one.last_seen for one in again) > max(one.last_seen for one in first)

    # it looks at what is new, which is nothing, and has not looked at these
    assert test_again(shop, WINDOWED, history=()) == {WINDOWED: "pass"}
    assert found_by(shop, WINDOWED) == again

    shop.sql(f"restore table gold.carts to version as of {carts}")
    assert test_again(shop, WINDOWED) == {WINDOWED: "pass"}
    resolved = found_by(shop, WINDOWED)
    assert all(isinstance(one.resolved_at, datetime) for one in resolved)
    assert [one.first_seen for one in resolved] == [one.first_seen for one in first]

    # what comes back is another finding
    shop.sql("update gold.carts set _change.sequence.offset = 0")
    test_again(shop, WINDOWED)
    back = found_by(shop, WINDOWED)
    assert len(back) == 2 * len(first)
    assert {one.finding_id for one in back} == {one.finding_id for one in first}
    assert sum(one.resolved_at is None for one in back) == len(first)


@pytest.mark.long
def test_a_test_that_looks_at_whole_tables_resolves_in_every_run_and_lists_a_thousand(
    shop, damaged
):
    damaged(
        "gold.warehouses",
        "insert into gold.warehouses select number, warehouses.* except (id)"
        " from gold.warehouses cross join (select explode(sequence(2001, 3100)) as number)"
        " cross join values (1), (2) as copies (copy)"
        " where warehouses.id = (select min(id) from gold.warehouses)",
    )
    shop.sql("update gold.warehouses set _change.row_key = array(string(id)) where id > 2000")
    assert test_again(shop, WHOLE, history=()) == {WHOLE: "fail"}
    found = [one for one in found_by(shop, WHOLE) if one.resolved_at is None]
    assert [one.unlisted for one in found if one.unlisted] == [100]
    assert len(found) == 1001
    assert {(one.gold_table, one.feed) for one in found} == {("warehouses", "shop_postgres")}
    shop.sql("delete from gold.warehouses where id > 2000")
    assert test_again(shop, WHOLE, history=()) == {WHOLE: "pass"}
    assert all(one.resolved_at for one in found_by(shop, WHOLE))


def test_the_findings_of_a_test_that_is_gone_are_resolved(shop):
    columns = "finding_id, test, finding, looked_from, first_seen, last_seen"
    now = "current_timestamp()"
    shop.sql(
        f"insert into silver.findings ({columns}) values ('1', 'gone', 'a thing', -1, {now}, {now})"
    )
    shop.sql("delete from silver.applied_versions where model = '#findings'")
    test_again(shop, "every_record_is_in_silver", history=())
    assert [one.resolved_at is not None for one in found_by(shop, "gone")] == [True]


def test_the_command_that_a_finding_names_explains_its_row(shop):
    config = read_config(shop.root)
    (misfit,) = (
        one for one in read_findings(config) if one.test == "every_value_fits_its_type_products_"
    )
    _, *arguments = shlex.split(misfit.explain)
    assert arguments[:4] == ["show", "--limit", "50", "--inline"]
    rows = shown(shop, "--inline", arguments[-1])
    assert misfit.offset in {int(row["offset"]) for row in rows}


def test_every_shipped_test_keeps_what_it_finds():
    shipped = [*(ROOT / "tests").glob("*.sql"), *(ROOT / "tests" / "generic").glob("*.sql")]
    silent = [path.name for path in shipped if "'findings': true" not in path.read_text()]
    assert shipped
    assert silent == []


def test_any_key_stands_in_the_command_as_it_is():
    """A quote, a backslash, Jinja's own signs, a line's end, letters beyond the first plane: Jinja reads the key that was written."""
    key = ('it\'s "{{ x }}" \\ {% raw %}', "a\nb \U0001f600 $HOME", None)
    now = datetime.now(UTC)
    finding = Finding("1", "t", "orders", None, None, None, None, key, "f", None, now, now, None)
    text = shlex.split(finding.explain)[-1]
    read = []
    environment = Environment()
    environment.globals["cdc"] = SimpleNamespace(
        explain_row=lambda table, key: read.append((table, tuple(key)))
    )
    environment.from_string(text).render()
    assert read == [("orders", key)]
