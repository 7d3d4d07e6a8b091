"""A run that ends at any of its statements, and is started again, leaves the tables that an unbroken one leaves."""

import random
import re

import pytest
from pyspark.sql import SparkSession

from ingestion.config import Feed
from tests.pipeline.shop_records import content, model_of, records_of

TABLE = "shipments"
FEED = "crashed_postgres"
SHARES = 12
TRANSACTION = ("txnAppId", "txnVersion")


class Death:
    """The end of the process at its nth statement that begins with one of the words: that one and none after it happens."""

    def __init__(self, spark: SparkSession, monkeypatch: pytest.MonkeyPatch):
        self.spark, self.written, self.last, self.words = spark, [], None, ()
        self.sql = SparkSession.sql
        monkeypatch.setattr(SparkSession, "sql", lambda *told, **named: self.run(*told, **named))

    def run(self, spark, query, *told, **named):
        if self.last is not None:
            if len(self.written) >= self.last:
                raise RuntimeError("the process ended here")
            statement = " ".join(re.sub(r"/\*.*?\*/", "", query, flags=re.DOTALL).split())
            if statement.lower().startswith(self.words):
                self.written.append(" ".join(statement.split()[:3]))
        return self.sql(spark, query, *told, **named)

    def at(self, last, *words):
        self.written, self.last, self.words = [], last, words

    def undone(self):
        """A new process has a new session."""
        self.last = None
        for name in TRANSACTION:
            self.spark.conf.unset(f"spark.databricks.delta.write.{name}")


def test_a_run_that_ends_between_any_two_statements_is_made_good(shop, monkeypatch):
    records = records_of("postgres")
    random.Random(11).shuffle(records)
    shares = [records[start::SHARES] for start in range(SHARES)]
    before = shop.feeds
    shop.add_feed(FEED, format="debezium_json", files="in/crashed", time_zone="UTC")
    shop.write_model(f"crashed_{TABLE}", model_of(TABLE, "postgres", FEED))
    models = ("--select", "silver", f"crashed_{TABLE}")
    death = Death(shop.spark, monkeypatch)
    written = []
    try:
        for last, share in enumerate(shares):
            shop.land(Feed(name=FEED, format="debezium_json"), last, share)
            if last > 0:
                death.at(last, "insert", "merge")
                outcome = shop.dbt("run", *models)
                written.append(death.written)
                death.undone()
                # once a run gets through all its statements, the rest is landed in one piece
                if outcome.success:
                    rest = [record for later in shares[last + 1 :] for record in later]
                    shop.land(Feed(name=FEED, format="debezium_json"), SHARES, rest)
                    break
            shop.run(*models)
        shop.run(*models)
        tests = shop.dbt(
            "test", "--select", "every_record_is_in_silver", "--vars", "check_all_history: true"
        )
        assert set(shop.statuses(tests).values()) == {"pass"}
        assert content(shop, f"crashed_{TABLE}") == content(shop, TABLE)
    finally:
        shop.set_feeds(before)
        (shop.root / "models" / "gold" / f"crashed_{TABLE}.sql").unlink()
    # silver, its order, gold's state and gold, the marks of what was applied: each was the next one once
    assert len(written) >= 5
    assert [len(statements) for statements in written[:-1]] == list(range(1, len(written)))
    places = {statement.split()[2].split(".")[0] for statement in written[-1]}
    assert {"silver", "gold"} <= places


def test_a_full_refresh_that_ends_after_silver_is_finished_by_the_next_run(shop, monkeypatch):
    models = ("--select", "canal_json_changes", "orders")
    before, rows = builds_of(shop), content(shop, "orders")
    death = Death(shop.spark, monkeypatch)
    death.at(1, "create or replace table")
    assert not shop.dbt("run", "--full-refresh", *models).success
    death.undone()
    shop.run()
    after = builds_of(shop)
    assert after["orders"].split()[0] == after["canal_json_changes"]
    assert after["canal_json_changes"] != before["canal_json_changes"]
    assert content(shop, "orders") == rows


def builds_of(shop):
    return {
        row.model: row.built_by
        for row in shop.sql("select model, built_by from silver.applied_versions")
    }
