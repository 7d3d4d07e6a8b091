"""DROP TABLE empties the gold table, or is reported, as the feed says."""

import pytest

from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import canal_ddl, canal_record, records_of

pytestmark = pytest.mark.long

MODEL = """{{{{ cdc.current_state(
    feed='{feed}', database='shop', table='old_prices',
    key=['product_id', 'valid_from'],
    columns={{'product_id': 'bigint', 'valid_from': 'date', 'price': 'decimal(12,2)'}}
) }}}}
"""
SHARDS = """{{ cdc.current_state(
    feed='dropped_shard', database='shop', table={'pattern': 'price_[0-9]+'}, key=['shard', 'id'],
    columns={'shard': {'type': 'string', 'source': '@table'}, 'id': 'int'}
) }}
"""
MODELS = {"dropped_prices": {}, "kept_prices": {"on_drop": "keep"}}


@pytest.fixture(scope="module")
def dropped(project):
    before = project.feeds
    records = [
        record for record in records_of("mariadb") if "old_prices" in (record["value"] or "")
    ]
    for number, (model, settings) in enumerate(MODELS.items()):
        project.add_feed(model, format="canal_json", files=f"in/{model}", **settings)
        project.write_model(model, MODEL.format(feed=model))
        # the DROP in a load of its own
        project.land(Feed(name=model, format="canal_json"), number, records[:-1])
    shards = Feed(name="dropped_shard", format="canal_json")
    project.add_feed(shards.name, format=shards.format, files="in/shards")
    project.write_model("dropped_shard", SHARDS)
    told = [canal_record(f"price_{shard}", 0, "INSERT", {"id": "1"}, 1) for shard in (1, 2, 3)]
    project.land(shards, 5, told)
    built = [*MODELS, "dropped_shard"]
    project.run("--select", "silver", *built)
    filled = {model: len(project.sql(f"select * from gold.{model}")) for model in MODELS}
    for number, model in enumerate(MODELS):
        project.land(Feed(name=model, format="canal_json"), 10 + number, records[-1:])
    statements = [
        canal_ddl("price_1", 1, "ERASE", "DROP TABLE price_1"),
        canal_ddl("price_2", 1, "ALTER", "ALTER TABLE price_2\nTRUNCATE PARTITION old"),
        canal_ddl("price_3", 1, "CREATE", "CREATE OR REPLACE TABLE price_3 (id int, price int)"),
    ]
    project.land(shards, 15, statements)
    tests = ("dropped_tables_keep_rows", "every_statement_is_followed")
    outcome = project.dbt("build", "--select", "silver", *built, *tests)
    yield project, filled, outcome
    project.set_feeds(before)
    for model in built:
        (project.root / "models" / "gold" / f"{model}.sql").unlink()


def test_a_dropped_table_loses_its_rows_unless_the_feed_keeps_them(dropped):
    project, filled, _ = dropped
    assert filled == {"dropped_prices": 3, "kept_prices": 3}
    assert project.sql("select * from gold.dropped_prices") == []
    assert len(project.sql("select * from gold.kept_prices")) == 3


def test_a_shard_that_is_dropped_or_replaced_takes_its_own_rows_only(dropped):
    project, *_ = dropped
    assert [row.shard for row in project.sql("select shard from gold.dropped_shard")] == ["price_2"]


def test_what_is_kept_is_reported(dropped):
    _, _, outcome = dropped
    reports = {
        result.node.name: (result.status, result.failures)
        for result in outcome.result
        if result.node.resource_type == "test"
    }
    # a table, and a partition of another one
    assert reports["dropped_tables_keep_rows"] == ("warn", 1)
    assert reports["every_statement_is_followed"] == ("warn", 1)
