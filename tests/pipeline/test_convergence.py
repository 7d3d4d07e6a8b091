"""The same messages in another order, in other loads, and more than once give the same gold."""

import json
import random

import pytest

from tests.pipeline.conftest import ROOT

RECORDS = ROOT / "examples" / "shop" / "records"
TABLES = {
    "mariadb": ("customers", "order_items", "carts"),
    "postgres": ("stock", "shipments", "picking_list"),
}
FORMATS = {"mariadb": "canal_json", "postgres": "debezium_json"}


def records_of(source):
    lines = (RECORDS / f"{source}.jsonl").read_text().splitlines()
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
            feed = f"{name}_{source}"
            (lakehouse.root / "in" / feed).mkdir(parents=True)
            lakehouse.add_feed(feed, format=FORMATS[source], files=f"in/{feed}", time_zone="UTC")
            for table in tables:
                lakehouse.write_model(f"{name}_{table}", model_of(table, source, feed))

    def load(self, source, records):
        self.loads += 1
        path = self.lakehouse.root / "in" / f"{self.name}_{source}" / f"{self.loads:03}.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))

    def run(self):
        assert self.lakehouse.load(*(f"{self.name}_{source}" for source in TABLES)) == 0
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
    columns = ", ".join(f"`{n}`" for n in lakehouse.spark.table(f"gold.{table}").columns if n != "_change")
    return sorted(
        json.dumps([row[0], row[1]])
        for row in lakehouse.sql(f"select to_json(struct({columns})), {place} from gold.{table}")
    )


@pytest.fixture
def replay(shop, request):
    created = Replay(shop, request.node.name.removeprefix("test_")[:12].strip("_"))
    yield created
    created.close()


def test_any_split_and_arrival_order_of_loads(replay):
    """Records keep their places; the loads that bring them come in the wrong order."""
    chance = random.Random(7)
    for source in TABLES:
        records = records_of(source)
        chance.shuffle(records)
        replay.thirds = getattr(replay, "thirds", {}) | {
            source: [records[third::3] for third in range(3)]
        }
    for third in range(3):
        for source in TABLES:
            replay.load(source, replay.thirds[source][third])
        replay.run()
    replay.assert_like_the_shop()


def test_repeated_messages(replay):
    """A producer that starts again sends old messages anew, at higher offsets, in their order."""
    for source in TABLES:
        records = records_of(source)
        replay.load(source, records)
        replay.again = getattr(replay, "again", {}) | {source: records}
    replay.run()
    for source in TABLES:
        highest = {}
        for record in replay.again[source]:
            place = (record["topic"], record["partition"])
            highest[place] = max(highest.get(place, 0), record["offset"])
        # canal has no positions: only a replay that catches up to the end is right again
        replay.load(
            source,
            [
                record | {"offset": record["offset"] + highest[(record["topic"], record["partition"])] + 1}
                for record in replay.again[source]
            ],
        )
    replay.run()
    replay.assert_like_the_shop(with_place=False)


def test_full_refresh_equals_the_incremental_result(shop):
    tables = [table for tables in TABLES.values() for table in tables]
    before = {table: content(shop, table, True) for table in tables}
    silver = "select count(*), sum(hash(* except (bronze_version, before_image, after_image))) from silver.changes"
    rows = shop.sql(silver)
    shop.run("--full-refresh")
    assert {table: content(shop, table, True) for table in tables} == before
    assert shop.sql(silver) == rows
