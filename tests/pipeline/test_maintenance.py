"""Compaction and vacuum change files, and neither rows nor what the next run has to do; old deletes may be forgotten."""

import json

import pytest

from ingestion.__main__ import main as ingestion
from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import canal_record, explained, shown

TABLES = (
    "bronze.messages",
    "bronze.files",
    "silver.applied_versions",
    "silver.canal_json_changes",
    "silver.order_marks",
    "gold.orders",
    "state.orders",
)


def rows_of(shop):
    """Return the rows of all tables but the one whose rows compaction merges, and but what a run remembers of those."""
    kept = dict.fromkeys((table for table in TABLES if table != "silver.order_marks"), "")
    kept["silver.applied_versions"] = "where model not like '%cdc_sequence_ranges'"
    return {
        table: sorted(map(str, shop.sql(f"select * from {table} {which}")))
        for table, which in kept.items()
    }


def files_of(shop):
    return {table: shop.sql(f"describe detail {table}")[0].numFiles for table in TABLES}


@pytest.fixture
def loaded_twice(shop):
    """The shop, and two loads of a feed of files that no test before can have compacted."""
    before = shop.feeds
    shop.add_feed("compacted", format="canal_json", files="in/compacted/*", lines="messages")
    folder = shop.root / "in" / "compacted"
    folder.mkdir(parents=True)
    for name in ("first", "second"):
        (folder / name).write_text('{"database": "shop", "table": "unused"}\n')
        assert shop.load("compacted") == 0
    yield shop
    shop.set_feeds(before)
    assert ingestion(["retire", "compacted", "--project-dir", str(shop.root)]) == 0


def test_compacted_tables_have_the_same_rows_in_fewer_files(loaded_twice):
    shop = loaded_twice
    rows, files = rows_of(shop), files_of(shop)
    assert shop.dbt("run-operation", "compact_tables").success
    assert rows_of(shop) == rows
    compacted = files_of(shop)
    assert compacted["bronze.messages"] == 1 < files["bronze.messages"]
    assert all(compacted[table] <= files[table] for table in TABLES)

    assert compacted["bronze.files"] == 1 < files["bronze.files"]

    # what is compact stays as it is
    versions = shop.versions()
    assert shop.dbt("run-operation", "compact_tables").success
    assert shop.versions() == versions


@pytest.mark.long
def test_a_run_after_compaction_finds_nothing_new(shop):
    shop.run()
    assert shop.dbt("run-operation", "compact_tables").success
    before = shop.versions()
    shop.run()
    after = shop.versions()
    assert [
        name for name in before if name.startswith("gold") and after[name] != before[name]
    ] == []


@pytest.mark.long
def test_vacuum_keeps_what_its_retention_needs(shop):
    rows = rows_of(shop)
    assert shop.dbt("run-operation", "vacuum_tables").success
    assert rows_of(shop) == rows
    assert shop.sql("select * from bronze.messages version as of 1")


DAY = 24 * 3600 * 1000
RETENTION = """{{ cdc.current_state(
    feed='retained', database='shop', table='kept', key=['id'],
    columns={'id': 'int', 'value': 'string'}
) }}
"""


@pytest.fixture
def retained(project):
    """One row deleted on day 2, one on day 50, one alive; the newest message is of day 60."""
    before = project.feeds
    project.add_feed("retained", format="canal_json", files="in/retained")
    project.write_model("kept", RETENTION)
    changes = [
        (1, "INSERT", "1"),
        (2, "DELETE", "1"),
        (3, "INSERT", "2"),
        (50, "DELETE", "2"),
        (60, "INSERT", "3"),
    ]
    records = [
        canal_record("kept", offset, kind, {"id": key, "value": "a"}, day * DAY)
        for offset, (day, kind, key) in enumerate(changes)
    ]
    project.land(Feed(name="retained", format="canal_json"), 0, records)
    project.run("--select", "silver", "kept")
    yield project
    project.set_feeds(before)
    (project.root / "models" / "gold" / "kept.sql").unlink()


def forget(project, lateness):
    arguments = json.dumps({"table": "kept", "lateness": lateness})
    return project.dbt("run-operation", "forget_deletes", "--args", arguments)


def deleted_keys(project):
    return sorted(row.row_key[0] for row in project.sql("select row_key from state.kept"))


@pytest.mark.long
def test_old_deletes_are_forgotten_unless_changes_came_later_than_declared(retained):
    project = retained
    assert not forget(project, "soon").success
    assert deleted_keys(project) == ["1", "2"]
    assert forget(project, "30 days").success
    assert deleted_keys(project) == ["2"]
    verdicts = [row["verdict"] for row in explained(project, "kept", ["1"])]
    assert verdicts == ["it removed the row", "superseded: a later delete removed what was before"]

    # key 2 had its delete on day 50; an older change of it comes 40 days after that
    offset = 2
    row = {"id": "2", "value": "late"}
    late = canal_record("kept", offset, "UPDATE", row, 90 * DAY, partition=1)
    project.land(Feed(name="retained", format="canal_json"), 1, [late])
    project.run("--select", "silver", "kept")
    refused = forget(project, "30 days")
    assert not refused.success
    assert deleted_keys(project) == ["2"]
    inline = "{{ late_changes('kept', '30 days') }}"
    (row,) = shown(project, "--inline", inline)
    assert (row["partition"], row["offset"]) == (1, offset)
    assert "2" in row["row_key"]
    assert forget(project, "40 days").success


@pytest.fixture
def with_own_feeds(project):
    """A project that has the feeds of a test for as long as it lasts."""
    before = project.feeds
    yield project
    project.set_feeds(before)


def add_feed_of_one_record(project, name):
    project.add_feed(name, format="canal_json", files=f"in/{name}")
    record = canal_record(name, 0, "INSERT", {"id": "1", "value": "a"}, 1000)
    project.land(Feed(name=name, format="canal_json"), 0, [record])


def operated(project, name, **arguments):
    """Whether dbt's operation succeeded, and what it said."""
    said = []
    operation = ("run-operation", name, "--args", json.dumps(arguments))
    succeeded = project.dbt(*operation, said=said).success
    return succeeded, "\n".join(said)


def feeds_in(project, table):
    return sorted(row.feed for row in project.sql(f"select feed from {table}"))


@pytest.mark.long
def test_a_feed_that_has_left_is_removed_from_silver_and_comes_back_with_its_old_records(
    with_own_feeds,
):
    project = with_own_feeds
    for name in ("staying", "leaving"):
        add_feed_of_one_record(project, name)
    project.run("--select", "silver")
    succeeded, said = operated(project, "forget_feed", feed="leaving")
    assert not succeeded
    assert "feed leaving is still in dbt_project.yml" in said

    with_both = project.feeds
    project.set_feeds({name: one for name, one in with_both.items() if name != "leaving"})
    # the feeds of other tests may be there too
    changes = "silver.canal_json_changes"
    staying = [feed for feed in feeds_in(project, changes) if feed != "leaving"]
    assert "staying" in staying
    # a table of somebody else, which no format has made
    project.sql("create table silver.price_changes (price int) using delta")
    assert operated(project, "forget_feed", feed="leaving")[0]
    project.sql("drop table silver.price_changes")
    assert feeds_in(project, changes) == staying
    project.run("--select", "silver")
    assert "leaving" not in feeds_in(project, "silver.source_tables")
    assert "staying" in feeds_in(project, "silver.source_tables")

    # no run without its old records
    project.set_feeds(with_both)
    refused = []
    assert not project.dbt("run", "--select", "silver", said=refused).success
    assert "run `python -m ingestion reparse leaving`" in "\n".join(refused)
    assert operated(project, "reparse", feed="leaving")[0]
    project.run("--select", "silver")
    assert feeds_in(project, changes) == sorted([*staying, "leaving"])


@pytest.mark.long
def test_the_gold_table_of_a_model_that_has_left_is_removed_from_the_lakehouse(with_own_feeds):
    project = with_own_feeds
    add_feed_of_one_record(project, "modelled")
    model = project.root / "models" / "gold" / "modelled.sql"
    text = RETENTION.replace("'kept'", "'modelled'").replace("'retained'", "'modelled'")
    project.write_model("modelled", text)
    project.write_model("modelled_history", "{{ cdc.history(of='modelled') }}")
    project.write_model("modelled_twin", text)
    project.run("--select", "silver", "modelled", "modelled_history", "modelled_twin")
    succeeded, said = operated(project, "drop_gold_table", table="gold.modelled")
    assert not succeeded
    assert "models/gold/modelled.sql makes gold.modelled" in said
    succeeded, said = operated(project, "drop_gold_table", table="gold.MODELLED")
    assert not succeeded
    assert "models/gold/modelled.sql makes gold.MODELLED" in said

    model.unlink()
    model.with_name("modelled_history.sql").unlink()
    relations = ("gold.modelled", "state.modelled", "gold.modelled_history")
    for relation in relations:
        assert project.spark.catalog.tableExists(relation)
    for relation in ("gold.modelled", "gold.modelled_history"):
        assert operated(project, "drop_gold_table", table=relation)[0]
    for relation in relations:
        assert not project.spark.catalog.tableExists(relation)
    # the view names the tables that are left
    project.sql("select * from silver.misfits where gold_table = 'modelled_twin'")
    model.with_name("modelled_twin.sql").unlink()
    assert project.sql("select * from silver.applied_versions where model = 'modelled'") == []
    for table, why in {
        "gold.modelled": "there is no table gold.modelled",
        "modelled": "name the table with its schema",
        "silver.source_tables": "makes silver.source_tables",
        "silver.applied_versions": "has no column _change",
    }.items():
        succeeded, said = operated(project, "drop_gold_table", table=table)
        assert not succeeded
        assert why in said


@pytest.mark.long
def test_what_an_operation_cannot_take_is_one_sentence(with_own_feeds):
    project = with_own_feeds
    add_feed_of_one_record(project, "operated")
    project.run("--select", "silver")
    applied = project.sql("select * from silver.applied_versions order by all")
    for name, arguments, why in (
        ("forget_feed", {"feed": "operted"}, "neither bronze nor silver has a feed operted: "),
        ("forget_feed", {"feed": None}, "neither bronze nor silver has a feed None: "),
        ("reparse", {"feed": "operated", "unknown_only": "false"}, "unknown_only is false: it is"),
        ("drop_gold_table", {"table": 5}, "name the table with its schema"),
    ):
        succeeded, said = operated(project, name, **arguments)
        assert not succeeded
        assert why in said
    assert project.sql("select * from silver.applied_versions order by all") == applied


@pytest.mark.long
def test_the_last_feed_may_leave(with_own_feeds):
    project = with_own_feeds
    add_feed_of_one_record(project, "last")
    text = RETENTION.replace("'kept'", "'last'").replace("'retained'", "'last'")
    project.write_model("last", text)
    project.run("--select", "silver", "last")
    with_feeds = project.feeds
    sample = project.root / "examples" / "shop" / "models"
    away = sample.rename(sample.with_name("away"))
    (project.root / "models" / "gold" / "last.sql").unlink()
    project.set_feeds({})
    try:
        for name, arguments in (
            ("forget_feed", {"feed": "last"}),
            ("drop_gold_table", {"table": "gold.last"}),
            ("compact_tables", {}),
            ("vacuum_tables", {}),
        ):
            succeeded, said = operated(project, name, **arguments)
            assert succeeded, said
        # the view of misfits has no table any more, and comes back with one
        assert not project.spark.catalog.tableExists("silver.misfits")
    finally:
        away.rename(sample)
        project.set_feeds(with_feeds)
    project.drop_feed("last")
    assert "last" not in feeds_in(project, "silver.canal_json_changes")
    project.run("--select", "silver")
