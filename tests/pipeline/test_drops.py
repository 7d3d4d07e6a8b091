"""DROP TABLE empties the gold table, or is reported, as the feed says."""

import pytest

from ingestion.config import Feed
from tests.pipeline.shop_records import records_of

MODEL = """{{{{ current_state(
    feed='{feed}', database='shop', table='old_prices',
    key=['product_id', 'valid_from'],
    columns={{'product_id': 'bigint', 'valid_from': 'date', 'price': 'decimal(12,2)'}}
) }}}}
"""
MODELS = {"dropped_prices": {}, "kept_prices": {"on_drop": "keep"}}


@pytest.fixture(scope="module")
def dropped(shop):
    before = shop.feeds
    records = [
        record for record in records_of("mariadb") if "old_prices" in (record["value"] or "")
    ]
    for number, (model, settings) in enumerate(MODELS.items()):
        shop.add_feed(model, format="canal_json", files=f"in/{model}", **settings)
        shop.write_model(model, MODEL.format(feed=model))
        # the DROP in a load of its own
        shop.land(Feed(name=model, format="canal_json"), number, records[:-1])
    shop.run("--select", "silver", *MODELS)
    filled = {model: len(shop.sql(f"select * from gold.{model}")) for model in MODELS}
    for number, model in enumerate(MODELS):
        shop.land(Feed(name=model, format="canal_json"), 10 + number, records[-1:])
    outcome = shop.dbt("build", "--select", "silver", *MODELS, "dropped_tables_keep_rows")
    yield shop, filled, outcome
    shop.set_feeds(before)
    for model in MODELS:
        (shop.root / "models" / "gold" / f"{model}.sql").unlink()


def test_a_dropped_table_loses_its_rows_unless_the_feed_keeps_them(dropped):
    shop, filled, _ = dropped
    assert filled == {"dropped_prices": 3, "kept_prices": 3}
    assert shop.sql("select * from gold.dropped_prices") == []
    assert len(shop.sql("select * from gold.kept_prices")) == 3


def test_what_is_kept_is_reported(dropped):
    _, _, outcome = dropped
    (report,) = [
        result for result in outcome.result if result.node.name == "dropped_tables_keep_rows"
    ]
    assert (report.status, report.failures) == ("warn", 1)
