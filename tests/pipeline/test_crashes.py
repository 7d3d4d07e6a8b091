"""A full refresh that ends between silver and gold is finished by the next run."""

import re

import pytest
from pyspark.sql import SparkSession

from tests.pipeline.shop_records import content

TRANSACTION = ("txnAppId", "txnVersion")


class Death:
    """The end of the process after its nth statement that begins with a word: none after it happens."""

    def __init__(self, spark: SparkSession, monkeypatch: pytest.MonkeyPatch):
        self.spark, self.left, self.word = spark, None, ""
        self.sql = SparkSession.sql
        monkeypatch.setattr(SparkSession, "sql", lambda *told, **named: self.run(*told, **named))

    def run(self, spark, query, *told, **named):
        if self.left is not None:
            if self.left == 0:
                raise RuntimeError("the process ended here")
            statement = " ".join(re.sub(r"/\*.*?\*/", "", query, flags=re.DOTALL).split())
            self.left -= statement.lower().startswith(self.word)
        return self.sql(spark, query, *told, **named)

    def after(self, count, word):
        self.left, self.word = count, word

    def undone(self):
        """A new process has a new session."""
        self.left = None
        for name in TRANSACTION:
            self.spark.conf.unset(f"spark.databricks.delta.write.{name}")


def test_a_full_refresh_that_ends_after_silver_is_finished_by_the_next_run(shop, monkeypatch):
    models = ("--select", "canal_json_changes", "orders")
    before, rows = builds_of(shop), content(shop, "orders")
    death = Death(shop.spark, monkeypatch)
    death.after(1, "create or replace table")
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
