"""The shop's gold equals the two databases from which its records were captured."""

import pytest

from ingestion.__main__ import main as ingestion
from ingestion.errors import DIFFERENT, OK
from tests.pipeline.conftest import ROOT
from tests.support.databases import PASSWORD, VARIABLE, databases

TABLES = {
    "shop_mariadb": ["carts", "customers", "order_items", "orders", "products"],
    "shop_postgres": ["parcel_events", "picking_list", "shipments", "stock", "warehouses"],
}


@pytest.fixture
def captured(shop, monkeypatch):
    """Both databases as they were when the capture ended, and the shop's feeds with their source."""
    monkeypatch.setenv(VARIABLE, PASSWORD)
    feeds = shop.feeds
    with databases() as running:
        for name in ("setup", "changes"):
            for kind in ("mariadb", "postgres"):
                script = ROOT / "examples" / "shop" / f"{kind}_{name}.sql"
                getattr(running, kind).sql(script.read_text())
        maria, postgres = running.source("mariadb"), running.source("postgresql", "warehouse")
        shop.set_feeds(
            {
                "shop_mariadb": feeds["shop_mariadb"] | {"source": maria},
                "shop_postgres": feeds["shop_postgres"] | {"source": postgres},
            }
        )
        yield running
    shop.set_feeds(feeds)


def test_every_table_of_the_shop_equals_its_source(shop, captured, capsys):
    tables = [table for listed in TABLES.values() for table in listed]
    assert ingestion(["reconcile", *tables, "--project-dir", str(shop.root)]) == OK
    out = capsys.readouterr().out
    assert out.count("\n  equal\n") == len(tables)
    assert "not compared" not in out
    # the shop was captured before it was put up here
    assert out.count("gold is complete up to 2026-") == len(tables)
    captured.postgres.sql("update shipments set details = '{}' where order_id = 1002", "warehouse")
    captured.mariadb.sql("delete from shop.order_items where line_no = 1 and order_id = 1001")
    changed = ["reconcile", "shipments", "order_items", "--project-dir", str(shop.root)]
    assert ingestion(changed) == DIFFERENT
    out = capsys.readouterr().out
    assert 'details is "{}" at the source, in gold "null" (topic shop.public.shipments, ' in out
    assert '  order_items order_id="1001", line_no="1": only in gold (topic shop.mariadb' in out
