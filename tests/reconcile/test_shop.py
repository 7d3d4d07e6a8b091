"""The shop's gold equals the two databases from which its records were servers."""

import pytest

from ingestion.__main__ import main as ingestion
from ingestion.errors import DIFFERENT, OK
from tests.pipeline.conftest import ROOT
from tests.support.databases import PASSWORD, VARIABLE

TABLES = {
    "shop_mariadb": ["carts", "customers", "order_items", "orders", "products"],
    "shop_postgres": ["parcel_events", "picking_list", "shipments", "stock", "warehouses"],
}


@pytest.fixture
def shop(lakehouse, servers, monkeypatch):
    """The shop's gold, and both databases as they were when the capture ended."""
    monkeypatch.setenv(VARIABLE, PASSWORD)
    for name in ("setup", "changes"):
        for kind in ("mariadb", "postgres"):
            script = ROOT / "examples" / "shop" / f"{kind}_{name}.sql"
            getattr(servers, kind).sql(script.read_text())
    sources = {
        "shop_mariadb": servers.source("mariadb"),
        "shop_postgres": servers.source("postgresql", "warehouse"),
    }
    feeds = lakehouse.feeds
    lakehouse.set_feeds({name: feeds[name] | {"source": sources[name]} for name in sources})
    assert lakehouse.load() == OK
    lakehouse.run()
    return lakehouse


def test_every_table_of_the_shop_equals_its_source(shop, servers, capsys):
    tables = [table for listed in TABLES.values() for table in listed]
    assert ingestion(["reconcile", *tables, "--project-dir", str(shop.root)]) == OK
    out = capsys.readouterr().out
    assert out.count("\n  equal\n") == len(tables)
    assert "not compared" not in out
    # the shop was captured before it was put up here
    assert out.count("gold is complete up to 2026-") == len(tables)
    servers.postgres.sql("update shipments set details = '{}' where order_id = 1002", "warehouse")
    servers.mariadb.sql("delete from shop.order_items where line_no = 1 and order_id = 1001")
    changed = ["reconcile", "shipments", "order_items", "--project-dir", str(shop.root)]
    assert ingestion(changed) == DIFFERENT
    out = capsys.readouterr().out
    assert 'details is "{}" at the source, in gold "null" (topic shop.public.shipments, ' in out
    assert '  order_items order_id="1001", line_no="1": only in gold (topic shop.mariadb' in out
