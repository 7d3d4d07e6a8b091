"""A small table of bronze is read once for each state of it, and never as it was before."""

import shutil

from ingestion.bronze import tables

TOPICS = [("shop", "orders", "id1", 0), ("shop", "customers", "id2", 0)]


def names(spark, bronze):
    return sorted(row.topic for row in tables.small_table(spark, bronze, "topics"))


def test_rows_are_read_again_when_there_are_more(spark, project, monkeypatch):
    bronze = str(project.folder / "lakehouse" / "bronze")
    reads = []
    read_table = tables.read_table
    monkeypatch.setattr(tables, "read_table", lambda *where: reads.append(1) or read_table(*where))
    assert names(spark, bronze) == []
    tables.append_rows(spark, bronze, "topics", TOPICS[:1])
    assert names(spark, bronze) == names(spark, bronze) == ["orders"]
    tables.append_rows(spark, bronze, "topics", TOPICS[1:])
    assert names(spark, bronze) == names(spark, bronze) == ["customers", "orders"]
    assert len(reads) == 3


def test_a_table_that_was_created_again_at_its_place_is_another(spark, project):
    bronze = str(project.folder / "lakehouse" / "bronze")
    tables.append_rows(spark, bronze, "topics", TOPICS[:1])
    assert names(spark, bronze) == ["orders"]
    shutil.rmtree(f"{bronze}/topics")
    tables.create_tables(spark, bronze)
    tables.append_rows(spark, bronze, "topics", TOPICS[1:])
    assert names(spark, bronze) == ["customers"]
