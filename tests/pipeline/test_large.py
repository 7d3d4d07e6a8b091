"""A large table: a merge writes deletion vectors in place of files, its rows lie in the order of its key, and who reads it."""

import re

import pyarrow
import pytest
from deltalake import DeltaTable, QueryBuilder

from ingestion.config.feeds import Feed
from ingestion.report.gold import size_of
from tests.pipeline.shop_records import canal_ddl, canal_record
from tests.support.duck import connect

FEED = Feed(name="large", format="canal_json")
MODEL = """{{{{ cdc.current_state(
    feed='large', database='shop', table='large', key=['id', 'photo'],
    columns={{'id': 'bigint', 'photo': 'binary', 'note': 'string'}}{more}
) }}}}
"""
ROWS = 200
CHANGED, DELETED = 7, 8
# What a merge does with the rows of gold, as Delta calls it.
STEPS = ("scanning files for matches", "Writing modified data")


EMPTIED = MODEL.replace("table='large'", "table='emptied'").format(more=", large=true")


def record(offset, kind, key, note, table="large"):
    row = {"id": str(key), "photo": "ÿ", "note": note}
    types = {"id": "bigint", "photo": "blob", "note": "text"}
    return canal_record(table, offset, kind, row, 1000, types=types)


def joins_of_merges(project, table):
    """The kinds of joins in each look that merges have had at a table, by what the look is for."""
    status = project.spark._jsparkSession.sharedState().statusStore()
    executions = status.executionsList()
    each = [executions.apply(number) for number in range(executions.length())]
    found = {step: [] for step in STEPS}
    for one in each:
        plan = one.physicalPlanDescription()
        for step in STEPS:
            if step in one.description() and f"spark_catalog.gold.{table}" in plan:
                found[step].append(set(re.findall(r"\w+HashJoin|SortMergeJoin", plan)))
    return found


@pytest.fixture(scope="module")
def folder(project):
    """The table's folder, after a build and a merge."""
    before = project.feeds
    project.add_feed(FEED.name, format=FEED.format, files="in/large")
    project.write_model("large", MODEL.format(more=", large=true"))
    project.land(FEED, 0, [record(key, "INSERT", key, "first") for key in range(ROWS)])
    project.run("--select", "silver", "large")
    changes = [record(ROWS, "UPDATE", CHANGED, "second"), record(ROWS + 1, "DELETE", DELETED, "")]
    project.land(FEED, 1, changes)
    project.run("--select", "silver", "large")
    yield project.root / "lakehouse" / "warehouse" / "gold.db" / "large"
    project.set_feeds(before)
    (project.root / "models" / "gold" / "large.sql").unlink()


def notes(rows):
    return {row["id"]: row["note"] for row in rows}


EXPECTED = {key: "first" for key in range(ROWS) if key != DELETED} | {CHANGED: "second"}


def test_a_merge_copies_no_row(project, folder):
    merge = project.sql("describe history gold.large limit 1")[0]
    assert merge.operation == "MERGE"
    assert int(merge.operationMetrics["numTargetRowsCopied"]) == 0
    assert int(merge.operationMetrics["numTargetDeletionVectorsAdded"]) > 0
    assert notes(project.sql("select * from gold.large")) == EXPECTED


def test_no_task_of_a_merge_holds_all_keys_of_the_table(project, folder):
    """Spark would take them for little, by the bytes of the files."""
    assert joins_of_merges(project, "large") == {step: [{"ShuffledHashJoin"}] for step in STEPS}


@pytest.mark.long
def test_no_task_of_a_truncates_merge_holds_all_keys_of_the_table(project, folder):
    """Where values are of several ages, it merges the rows that it empties."""
    project.write_model("emptied", EMPTIED)
    # Canal does not say what an UPDATE without its old values has left out
    changes = [
        record(1, "INSERT", 1, "first", "emptied"),
        record(2, "UPDATE", 1, "second", "emptied"),
    ]
    project.land(FEED, 2, changes)
    project.run("--select", "silver", "emptied")
    emptied = canal_ddl("emptied", 3, "TRUNCATE", "truncate table emptied")
    project.land(FEED, 3, [emptied, record(4, "UPDATE", 2, "third", "emptied")])
    project.run("--select", "silver", "emptied")
    assert notes(project.sql("select * from gold.emptied")) == {2: "third"}
    truncate, *_ = joins_of_merges(project, "emptied")[STEPS[0]]
    assert "SortMergeJoin" in truncate
    (project.root / "models" / "gold" / "emptied.sql").unlink()


def test_rows_lie_in_the_order_of_the_key_once_compacted(project, folder):
    (detail,) = project.sql("describe detail gold.large")
    # Delta has no statistics of binary columns
    assert detail.clusteringColumns == ["id"]
    assert project.dbt("run-operation", "compact_tables").success
    assert notes(project.sql("select * from gold.large")) == EXPECTED


def test_duckdb_and_the_queries_of_delta_rs_read_it(folder):
    with connect() as connection:
        found = connection.execute(f"select * from delta_scan('{folder}')").to_arrow_table()
    assert notes(found.to_pylist()) == EXPECTED
    query = QueryBuilder().register("large", DeltaTable(str(folder))).execute("select * from large")
    assert notes(pyarrow.table(query.read_all()).to_pylist()) == EXPECTED


def test_a_table_that_delta_rs_makes_in_memory_is_refused(folder):
    with pytest.raises(Exception, match="deletionVectors"):
        DeltaTable(str(folder)).to_pyarrow_table()


def test_the_report_counts_the_rows_that_are_left(project, folder):
    history = project.sql("describe history gold.large")
    (merge,) = (commit.version for commit in history if commit.operation == "MERGE")
    merged = DeltaTable(str(folder), version=merge)
    assert pyarrow.table(merged.deletion_vectors()).num_rows > 0
    assert size_of(merged)[0] == size_of(DeltaTable(str(folder)))[0] == len(EXPECTED)


@pytest.mark.long
def test_a_table_that_is_no_longer_large_is_built_anew_without(project, folder):
    project.write_model("large", MODEL.format(more=""))
    project.run("--select", "large")
    (detail,) = project.sql("describe detail gold.large")
    assert detail.properties["delta.enableDeletionVectors"] == "false"
    assert not detail.clusteringColumns
    assert notes(project.sql("select * from gold.large")) == EXPECTED
