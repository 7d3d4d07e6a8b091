"""The same messages in another order, in other loads, and more than once give the same gold."""

import json
import random

import pytest

from ingestion.config import Feed
from tests.pipeline.conftest import ROOT

RECORDS = ROOT / "examples" / "shop" / "records"
TABLES = {
    "mariadb": ("customers", "order_items", "carts"),
    "postgres": ("stock", "shipments", "picking_list"),
}
FORMATS = {"mariadb": "canal_json", "postgres": "debezium_json"}


def records_of(source):
    lines = (RECORDS / f"{source}.jsonl").read_text().rstrip("\n").split("\n")
    return [json.loads(line) for line in lines]


def model_of(table, source, feed):
    text = (ROOT / "models" / "gold" / "shop" / f"{table}.sql").read_text()
    return text.replace(f"feed='shop_{source}'", f"feed='{feed}'")


class Replay:
    """Feeds of their own with the shop's records, and gold tables of their own behind them."""

    def __init__(self, lakehouse, name):
        self.lakehouse, self.name = lakehouse, name
        self.loads = 0
        for source, tables in TABLES.items():
            lakehouse.add_feed(
                f"{name}_{source}", format=FORMATS[source], files=f"in/{name}", time_zone="UTC"
            )
            for table in tables:
                lakehouse.write_model(
                    f"{name}_{table}", model_of(table, source, f"{name}_{source}")
                )

    def load(self, source, records):
        """Land the records in bronze in one load, wherever their offsets lie."""
        self.loads += 1
        feed = Feed(name=f"{self.name}_{source}", format=FORMATS[source])
        self.lakehouse.land(feed, self.loads, records)

    def run(self):
        self.lakehouse.run("--select", "silver", *(f"{self.name}_{t}" for t in self.tables()))

    def tables(self):
        return [table for tables in TABLES.values() for table in tables]

    def assert_like_the_shop(self, with_place=True):
        for table in self.tables():
            assert content(self.lakehouse, f"{self.name}_{table}", with_place) == content(
                self.lakehouse, table, with_place
            ), table

    def close(self):
        for source in TABLES:
            self.lakehouse.drop_feed(f"{self.name}_{source}")
        for table in self.tables():
            (self.lakehouse.root / "models" / "gold" / f"{self.name}_{table}.sql").unlink()


def content(lakehouse, table, with_place):
    place = "to_json(_change)" if with_place else "to_json(_change.row_key)"
    names = lakehouse.spark.table(f"gold.{table}").columns
    columns = ", ".join(f"`{name}`" for name in names if name != "_change")
    return sorted(
        json.dumps([row[0], row[1]])
        for row in lakehouse.sql(f"select to_json(struct({columns})), {place} from gold.{table}")
    )


@pytest.fixture
def replay(shop, request):
    created = Replay(shop, request.node.name.split("_")[1])
    yield created
    created.close()


def test_shuffled_loads_of_records_that_keep_their_places(replay):
    """The loads that bring the records come in the wrong order, each with a third of them."""
    chance = random.Random(7)
    shuffled = {source: records_of(source) for source in TABLES}
    for records in shuffled.values():
        chance.shuffle(records)
    for third in range(3):
        for source, records in shuffled.items():
            replay.load(source, records[third::3])
        replay.run()
    replay.assert_like_the_shop()
    scripts = replay.lakehouse.lint_scripts(f"{replay.name}_{table}" for table in replay.tables())
    assert any("merge into state." in script for script in scripts)
    assert all("merge into gold." in script for script in scripts)


def test_repeated_messages_at_higher_offsets(replay):
    """A producer that starts again sends its stream anew, in its order, until it catches up."""
    for source in TABLES:
        replay.load(source, records_of(source))
    replay.run()
    for source in TABLES:
        streamed = [record for record in records_of(source) if not is_of_snapshot(record)]
        replay.load(source, [record | {"offset": record["offset"] + 1000} for record in streamed])
    replay.run()
    replay.assert_like_the_shop(with_place=False)


def is_of_snapshot(record):
    return '"op":"r"' in (record["value"] or "")


def test_full_refresh_equals_the_incremental_result(shop):
    tables = [table for tables in TABLES.values() for table in tables]
    before = {table: content(shop, table, True) for table in tables}
    silver = (
        "select count(*), sum(hash(* except (bronze_version, before_image, after_image)))"
        " from silver.changes where feed like 'shop%'"
    )
    rows = shop.sql(silver)
    shop.run("--full-refresh")
    assert {table: content(shop, table, True) for table in tables} == before
    assert shop.sql(silver) == rows
