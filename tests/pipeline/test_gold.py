"""Every rule of gold, in three loads with a run after each: gold_cases.py says what comes and what must be there then."""

import json

import pytest

from ingestion.config.feeds import Feed
from tests.pipeline.gold_cases import CASES, FEEDS, LOADS, TABLES
from tests.pipeline.shop_records import selected_cases, shown

RELOADED = ("reloaded", "brought", "loaded_once_more")
WITH_VERSIONS = [claim for claim, case in CASES.items() if case.versions is not None]


@pytest.fixture(scope="module")
def cases(request):
    """The cases that this session has selected: a single one builds its own table only."""
    wanted = selected_cases(request, "claim", "table")
    return {claim: case for claim, case in CASES.items() if {claim, case.table} & wanted}


@pytest.fixture(scope="module")
def tables(cases):
    named = {case.table for case in cases.values()}
    return {name: table for name, table in TABLES.items() if name in named}


@pytest.fixture(scope="module")
def built(project, cases, tables):
    """Gold after the loads, one run each."""
    before = project.feeds
    project.set_feeds(before | {table.feed: feed_of(table) for table in tables.values()})
    for name, table in tables.items():
        project.write_model(name, table.model(table.macro))
    tests = {"without_key": "every_row_is_counted", "by_position": "newest_change_wins"}
    tested = project.root / "models" / "gold" / "tested.yml"
    models = [{"name": name, "data_tests": [tests[name]]} for name in tests if name in tables]
    tested.write_text(json.dumps({"version": 2, "models": models}))
    for load in range(LOADS):
        land(project, cases, load)
        project.run("--select", "silver", *tables)
    yield project
    project.set_feeds(before)
    tested.unlink(missing_ok=True)
    remove_models(project, tables)


def remove_models(project, names):
    for name in names:
        (project.root / "models" / "gold" / f"{name}.sql").unlink()


def feed_of(table):
    return FEEDS[table.feed] | {"files": f"in/{table.feed}"}


def land(project, cases, load):
    for name, settings in FEEDS.items():
        records = [
            record
            for case in cases.values()
            if TABLES[case.table].feed == name
            for record in case.records(load)
        ]
        if records:
            project.land(Feed(name=name, format=settings["format"]), load, records)


def rows_of(lakehouse, names):
    return {name: lakehouse.sql(f"select * from gold.{name}") for name in names}


@pytest.fixture(scope="module")
def merged(built, tables):
    """What the three runs made, before a full refresh built it again."""
    return rows_of(built, tables)


@pytest.fixture(scope="module")
def histories(built, tables):
    """Views over silver, so that one run makes them of all loads."""
    models = {f"{name}_history": table for name, table in tables.items() if table.versions}
    for name, table in models.items():
        built.write_model(name, table.model("history"))
    built.run("--select", *models)
    yield rows_of(built, models)
    remove_models(built, models)


@pytest.fixture(scope="module")
def refreshed(built, merged, tables):
    built.run("--full-refresh", "--select", *tables)
    return rows_of(built, tables)


def of_case(case, rows):
    """The case's own rows: those of its keys or of its shard."""
    if case.keys is not None:
        return [row for row in rows if row.id in case.keys]
    return [row for row in rows if row.shard == case.shard] if case.shard else rows


def values(row, columns):
    return tuple(str(row[name]) if hasattr(row[name], "year") else row[name] for name in columns)


@pytest.mark.parametrize("claim", CASES)
def test_gold_holds(merged, claim):
    case = CASES[claim]
    shown = TABLES[case.table].shown
    found = [values(row, shown) for row in of_case(case, merged[case.table])]
    assert sorted(found, key=str) == sorted(case.rows, key=str)


@pytest.mark.parametrize("claim", WITH_VERSIONS)
def test_history_holds_each_version_once(histories, claim):
    case = CASES[claim]
    rows = of_case(case, histories[f"{case.table}_history"])
    shown = TABLES[case.table].shown
    found = [(*values(row, shown), second(row.valid_from), second(row.valid_to)) for row in rows]
    assert sorted(found, key=str) == sorted(case.versions, key=str)
    assert all(row.is_current == (row.valid_to is None) for row in rows)


def second(time):
    return time and int(time.timestamp())


@pytest.mark.parametrize("table", TABLES)
def test_a_full_refresh_gives_the_rows_that_the_runs_have_merged(merged, refreshed, table):
    made, again = (sorted(map(as_told, rows[table]), key=repr) for rows in (merged, refreshed))
    assert again == made != []


def as_told(row):
    told = row.asDict(recursive=True)
    sequences = told["_change"]["column_sequences"]
    told["_change"]["column_sequences"] = dict(sorted(sequences.items()))
    return told


@pytest.mark.cases("a_value_that_does_not_fit_is_null_until_one_fits")
def test_a_misfit_is_listed_with_the_record_that_carried_it(built):
    """The newest record of the row lacks the column, and lies in another partition."""
    found = built.sql(
        "select column_name, value, wanted_type, topic, partition, offset from silver.misfits"
        " where gold_table = 'by_position'"
    )
    assert [tuple(row) for row in found] == [("amount", "many", "int", "shop.by_position", 1, 1000)]


@pytest.mark.cases("a_tombstone_removes_nothing_and_is_no_second_change")
def test_a_row_that_outlived_its_tombstone_is_reported_with_its_place(built):
    """One that follows its delete, or was sent again, or stands before a newer insert, is not."""
    found = shown(built, "--select", "newest_change_wins_by_position_")
    assert [(row["row_key"], row["partition"], row["offset"]) for row in found] == [
        ('["130"]', 0, 1305)
    ]
    assert found[0]["finding"].startswith("the row outlived its tombstone")


@pytest.fixture(scope="module")
def undecided(built):
    """Tables and findings of order_is_decided; a run asks for those alone that its tables can have."""
    built.dbt("test", "--select", "order_is_decided", "--vars", "check_all_history: true")
    found = built.sql(
        "select feed, topic, finding from silver.findings where test = 'order_is_decided'"
    )
    # the feeds of other tests have findings too
    return [(row.topic.removeprefix("shop."), row.finding) for row in found if row.feed in FEEDS]


@pytest.mark.cases("a_full_load_between_changes_removes_nothing_and_replaces_none")
def test_a_full_load_that_brings_keys_again_is_reported(undecided):
    again = [table for table, finding in undecided if "brought keys again" in finding]
    assert again == ["between"]


@pytest.mark.cases("a_row_that_is_deleted_at_the_position_of_its_insert_is_deleted")
def test_two_changes_at_one_position_are_reported(undecided):
    tied = [table for table, finding in undecided if finding.startswith("different changes at one")]
    assert tied == ["by_position"]


@pytest.mark.cases("a_key_in_two_partitions_shows_the_change_of_the_higher_offset")
def test_a_key_in_two_partitions_is_reported(undecided):
    assert ("by_offset", "the key is in several partitions") in undecided


@pytest.mark.cases("an_update_of_a_row_that_was_another_one_wins")
def test_an_update_that_finds_one_column_otherwise_is_reported(built):
    told = ("--select", "images_follow_each_other", "--vars", "check_all_history: true")
    found = [(row["feed"], row["row_key"], row["finding"]) for row in shown(built, *told)]
    assert ("gold_offsets", '["110"]', "the row was another one before") in found


@pytest.mark.cases(
    "a_new_full_load_clears_what_it_does_not_bring",
    "a_new_full_load_that_brings_every_row_again_clears_none",
    "a_new_full_load_that_nothing_follows_clears_what_it_does_not_bring",
)
def test_a_full_load_that_does_not_bring_a_row_is_reported_once_it_has_ended(undecided):
    tables = {table for table, finding in undecided if "did not bring this row" in finding}
    assert tables & set(RELOADED) == {"reloaded", "loaded_once_more"}


@pytest.mark.cases("a_table_that_another_shares_a_row_with_has_its_own_alone")
def test_a_table_that_shares_a_row_with_another_is_not_taken_for_its_partition(built):
    """Partitions have all rows of their table: test_children.py."""
    told = ("--select", "partitions_reach_their_table", "--vars", "check_all_history: true")
    assert shown(built, *told) == []


@pytest.mark.cases("a_late_change_replaces_nothing_newer")
def test_a_run_without_new_changes_writes_no_gold_table(built, tables):
    before = built.versions()
    built.run("--select", "silver", *tables)
    after = built.versions()
    assert [name for name in before if after[name] != before[name]] == []


@pytest.mark.cases(
    "equal_rows_are_there_as_often_as_at_the_source",
    "a_row_that_is_taken_and_never_came_takes_no_other",
    "a_dropped_table_keeps_its_rows_where_the_feed_says_so",
    "a_partition_that_is_truncated_leaves_the_table",
)
def test_what_gold_keeps_or_cannot_count_is_reported(built):
    every_row, dropped = "every_row_is_counted_without_key_", "dropped_tables_keep_rows"
    everything = ("--vars", "check_all_history: true")
    outcome = built.dbt("test", "--select", every_row, dropped, *everything)
    found = {
        result.node.name: (str(result.status), result.failures)
        for result in outcome.result
        if result.node.resource_type == "test"
    }
    # two equal changes of one statement and a row that never came; the table
    assert found == {every_row: ("warn", 2), dropped: ("warn", 1)}
    of_partitions = [
        (row["gold_table"], row["offset"])
        for row in shown(built, "--select", "every_statement_is_followed", *everything)
        if row["finding"].startswith("the rows of partitions")
    ]
    assert of_partitions == [("cleared_by_offset", 1)]
