"""What producers lose or garble is what docs/producers says, and the product reports what the data shows."""

import json

import pytest

from tests.sources.compare import report
from tests.sources.lakehouse import (
    UNTOLD_KEYS,
    UNTOLD_ORDER,
    UNTOLD_REPETITION,
    changes,
    configuration,
)
from tests.sources.releases import INSTALLED, MARIADB_RELEASE

CHECKS = (
    "every_record_is_in_silver",
    "every_message_is_understood",
    "order_is_decided",
    "test_name:every_row_is_counted",
)


@pytest.fixture(scope="module")
def checked(recovered):
    """What the tests that ship say of all history."""
    unique_keys = [dbt_test(recovered, "key_is_unique", *place) for place in UNTOLD_KEYS]
    told = ("--select", *CHECKS, *unique_keys, "--vars", "check_all_history: true")
    # a failing test is what is asked for
    recovered.project.start_dbt("test", *told).wait()
    results = json.loads((recovered.project.folder / "target" / "run_results.json").read_text())
    return {result["unique_id"].split(".")[2]: result["status"] for result in results["results"]}


def dbt_test(built, test, feed, table):
    """The name that dbt gives to a test of a gold table."""
    return f"{test}_{built.project.model(configuration(feed), table)}_"


def test_no_record_is_lost_and_none_is_not_understood(checked):
    assert checked["every_record_is_in_silver"] == "pass"
    assert checked["every_message_is_understood"] == "pass"


def test_a_key_that_changed_leaves_rows_under_the_old_one(recovered, checked):
    """Unless the feed's key_columns name one that stays, as all other configurations do."""
    for place in UNTOLD_KEYS:
        found = recovered.differences[place]
        told = {(one.key, one.column) for one in found}
        # PostgreSQL's connector may tell the new key of a change that was made before
        may_be = {(("1", "north"), "(rows)"), (("1", "north"), "v")}
        assert told - may_be == {
            (("2", "south"), "(rows)"),
            (("2", "south"), "v"),
            (("3", "north"), "(row)"),
        }, report(found, recovered.bronze)
        assert checked[dbt_test(recovered, "key_is_unique", *place)] == "fail"


def test_keys_that_wander_between_canals_partitions_are_reported(recovered, checked):
    """Every other row is the source's."""
    for feed, table in UNTOLD_ORDER - {("canal_hash", "emptied")}:
        rows = changes(
            recovered.project,
            "canal_json",
            ["feed", "table_name", "row_key", "partition"],
            f"""
            select row_key from changes
            where feed = '{feed}' and table_name = '{table}' and row_key is not null
            group by row_key having count(distinct "partition") > 1
            """,
        )
        wandering = {frozenset(key) for (key,) in rows}
        found = recovered.differences[feed, table]
        stray = [one for one in found if frozenset(one.key) not in wandering]
        assert not stray, report(stray, recovered.bronze)
    assert checked["order_is_decided"] == "warn"


def test_truncate_empties_one_of_canals_partitions(built):
    """Rows that other partitions had brought before stay; no row is missing."""
    found = built.differences["canal_hash", "emptied"]
    assert found and {(one.column, one.source, one.gold) for one in found} == {
        ("(row)", False, True)
    }, report(found, built.bronze)


def test_rows_without_a_key_that_canal_repeats_are_counted_again(recovered):
    """Before Canal was killed they were right, as test_gold_equals_source shows."""
    for place in UNTOLD_REPETITION:
        found = recovered.differences[place]
        assert found and {one.column for one in found} == {"(count)"}


def test_rows_that_are_not_told_for_sure_are_reported(recovered, checked):
    """Of a feed that does not promise whole rows, though PostgreSQL sends those of this table whole either way, and gold is
    right; and equal changes of one transaction of MariaDB from 11.4 on, which may be one that was sent again.
    """
    feeds = (
        "pg_default",
        "pg_string",
        "pg_whole",
        "ma_default",
        "ma_string",
        "my_default",
        "maxwell",
    )
    unsure = {"pg_default", "pg_string"}
    if MARIADB_RELEASE != INSTALLED:
        unsure |= {"ma_default", "ma_string"}
    told = {
        feed: checked[dbt_test(recovered, "every_row_is_counted", feed, "keyless")]
        for feed in feeds
    }
    assert told == {feed: "warn" if feed in unsure else "pass" for feed in feeds}


def test_debezium_garbles_names_beyond_ascii_in_postgresqls_stream(recovered):
    """Its key is lost with its name."""
    rows = changes(
        recovered.project,
        "debezium_json",
        ["feed", "table_name", "operation", "row_key", "after_image"],
        """
        select operation, table_name, row_key, list_sort(map_keys(after_image))
        from changes
        where feed = 'pg_bare' and table_name like 'Odd%' and operation in ('snapshot', 'insert')
        order by 1
        """,
    )
    assert len(rows) == 2, rows
    (_, *streamed), (_, *snapshot) = rows
    assert snapshot == ["Odd Näme", ["1"], ['quo"te', "with.dot", "Ünï key"]]
    assert streamed[0] != "Odd Näme" and streamed[1] is None
    assert "Ünï key" not in streamed[2]


def test_debezium_does_not_find_names_beyond_ascii_in_a_list_of_tables(recovered):
    """Of two rows the snapshot brings one, and the stream, where the name is garbled, none."""
    rows = changes(
        recovered.project,
        "debezium_json",
        ["feed", "table_name", "operation"],
        "select table_name, operation from changes where feed = 'pg_bare' and table_name like 'Z%'",
    )
    assert rows == [("Zoë", "snapshot")]


@pytest.mark.parametrize("feed", ["canal_one", "canal_hash"])
def test_canal_garbles_json_of_a_table_that_was_made_while_it_ran(recovered, feed):
    """Of MariaDB: Canal takes JSON for MySQL's. What it reads from the database itself is longtext."""
    rows = changes(
        recovered.project,
        "canal_json",
        ["feed", "table_name", "operation", "row_key", "after_image"],
        f"""
        select after_image['j']
        from changes
        where feed = '{feed}' and table_name = 'late' and operation = 'insert'
        order by row_key
        """,
    )
    assert rows == [('{"Ã©": 1}',), ('"plain"',), (None,)]


def test_maxwell_sends_no_truncate(recovered):
    sql = "from changes where operation = 'truncate'"
    assert changes(recovered.project, "maxwell", ["operation"], sql) == []
