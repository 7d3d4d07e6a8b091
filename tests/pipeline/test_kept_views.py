"""Views stay as they are while what they are made from stays, and are made again where it does not."""

import pytest

from tests.pipeline.shop_records import made

READERS = {"silver.changes", "silver.unknown_messages", "silver.complete_up_to"}
VIEWS = ("changes", "unknown_messages", "complete_up_to")
SILVER = ("--select", "silver")
DESCRIPTION = "Every change of every format in use."


@pytest.fixture(scope="module")
def settled(shop):
    """All is built, and nothing is new: so does each test leave it."""
    shop.run()
    return shop


def test_a_run_without_new_changes_makes_no_view(settled, monkeypatch):
    assert made(settled, monkeypatch) == set()


def test_a_dropped_view_comes_again(settled, monkeypatch):
    shop = settled
    rows = shop.sql("select count(*) from silver.changes")
    shop.sql("drop view silver.changes")
    assert made(shop, monkeypatch, "--select", "cdc_changes") == {"silver.changes"}
    assert shop.sql("select count(*) from silver.changes") == rows


def test_a_table_in_the_place_of_a_view_gives_way(settled, monkeypatch):
    shop = settled
    shop.sql("drop view gold.orders_history")
    shop.sql("create table gold.orders_history using delta as select 1 as id")
    assert made(shop, monkeypatch, "--select", "orders_history") == {"gold.orders_history"}
    assert len(shop.spark.table("gold.orders_history").columns) > 1


def test_a_changed_description_reaches_the_view(settled, monkeypatch):
    shop = settled
    path = shop.root / "models" / "silver" / "_silver__models.yml"
    before = path.read_text()
    assert DESCRIPTION in before
    path.write_text(before.replace(DESCRIPTION, "All changes."))
    try:
        assert made(shop, monkeypatch, *SILVER) == READERS
        described = shop.sql("describe table extended silver.changes")
        (comment,) = (row.data_type for row in described if row.col_name == "Comment")
        assert comment.startswith("All changes.")
    finally:
        path.write_text(before)
    assert made(shop, monkeypatch, *SILVER) == READERS


def test_changed_sql_makes_the_view_again_and_those_that_read_it(settled, monkeypatch):
    shop = settled
    path = shop.root / "models" / "silver" / "cdc_changes.sql"
    before = path.read_text()
    changed = before.replace("from all_changes", "from /* all */ all_changes")
    assert changed != before
    path.write_text(changed)
    try:
        assert made(shop, monkeypatch, *SILVER) == READERS
    finally:
        path.write_text(before)
    assert made(shop, monkeypatch, *SILVER) == READERS


def test_a_full_refresh_makes_views_again(settled, monkeypatch):
    selected = ("--full-refresh", "--select", *(f"cdc_{view}" for view in VIEWS))
    assert made(settled, monkeypatch, *selected) == {f"silver.{view}" for view in VIEWS}
