"""What producers lose or garble is what docs/producers says, and the product reports what the data shows."""

import json

import pytest

from ingestion.tables import query_table
from tests.sources.compare import report
from tests.sources.lakehouse import UNTOLD_KEYS, UNTOLD_ORDER
from tests.sources.world import CONFIGURATIONS

CHECKS = (
    "every_record_is_in_silver",
    "every_message_is_understood",
    "changes_have_keys",
    "order_is_decided",
)


@pytest.fixture(scope="module")
def checked(recovered):
    """What the tests that ship say of all history."""
    unique_keys = [unique_key_test(recovered, *place) for place in UNTOLD_KEYS]
    told = ("--select", *CHECKS, *unique_keys, "--vars", "check_all_history: true")
    # a failing test is what is asked for
    recovered.project.start_dbt("test", *told).wait()
    results = json.loads((recovered.project.folder / "target" / "run_results.json").read_text())
    return {result["unique_id"].split(".")[2]: result["status"] for result in results["results"]}


def unique_key_test(built, configuration, table):
    (one,) = [one for one in CONFIGURATIONS if one.name == configuration]
    return f"key_is_unique_{built.project.gold(one, table).name}_"


def changes(built, format_name, columns, sql):
    table = (
        built.project.folder / "lakehouse" / "warehouse" / "silver.db" / f"{format_name}_changes"
    )
    return query_table(table, "changes", columns, sql)


def test_no_record_is_lost_and_none_is_not_understood(checked):
    assert checked["every_record_is_in_silver"] == "pass"
    assert checked["every_message_is_understood"] == "pass"


def test_a_key_that_changed_leaves_rows_under_the_old_one(recovered, checked):
    """Unless the feed's key_columns name one that stays, as all other configurations do."""
    for place in UNTOLD_KEYS:
        found = recovered.differences[place]
        told = {(one.key, one.column) for one in found}
        # PostgreSQL's connector may tell the new key of a change that was made before
        may_be = {(("1", "north"), "(rows)")}
        assert told - may_be == {
            (("2", "south"), "(rows)"),
            (("3", "north"), "(row)"),
        }, report(found, recovered.bronze)
        assert checked[unique_key_test(recovered, *place)] == "fail"


def test_keys_that_wander_between_canals_partitions_are_reported(recovered, checked):
    """Every other row is the source's."""
    for configuration, table in UNTOLD_ORDER - {("canal_hash", "emptied")}:
        rows = changes(
            recovered,
            "canal_json",
            ["feed", "table_name", "row_key", "partition"],
            f"""
            select row_key from changes
            where feed = '{configuration}' and table_name = '{table}' and row_key is not null
            group by row_key having count(distinct "partition") > 1
            """,
        )
        wandering = {frozenset(key) for (key,) in rows}
        found = recovered.differences[configuration, table]
        stray = [one for one in found if frozenset(one.key) not in wandering]
        assert not stray, report(stray, recovered.bronze)
    assert checked["order_is_decided"] == "warn"


def test_truncate_empties_one_of_canals_partitions(built):
    """Rows that other partitions had brought before stay; no row is missing."""
    found = built.differences["canal_hash", "emptied"]
    assert found and {(one.column, one.source, one.gold) for one in found} == {
        ("(row)", False, True)
    }, report(found, built.bronze)


def test_a_killed_worker_repeats_messages(recovered):
    """Otherwise the faults would prove nothing about repeated messages."""
    ((repeated,),) = changes(
        recovered,
        "debezium_json",
        ["feed", "topic", "row_key", "operation", "change_sequence"],
        """
        select count(*) - count(distinct (topic, row_key, operation, change_sequence.position))
        from changes
        where feed = 'pg_default' and change_sequence.phase = 1 and row_key is not null
        """,
    )
    assert repeated > 0


def test_debezium_garbles_names_beyond_ascii_in_postgresqls_stream(recovered, checked):
    """Its key is lost with its name, and `changes_have_keys` says so."""
    rows = changes(
        recovered,
        "debezium_json",
        ["feed", "table_name", "operation", "row_key", "after_image"],
        """
        select operation, table_name, row_key, list_sort(map_keys(after_image))
        from changes
        where feed = 'pg_bare' and table_name like 'Odd%' and operation in ('snapshot', 'insert')
        order by 1
        """,
    )
    (_, *streamed), (_, *snapshot) = rows
    assert snapshot == ["Odd Näme", ["1"], ['quo"te', "with.dot", "Ünï key"]]
    assert streamed[0] != "Odd Näme" and streamed[1] is None
    assert "Ünï key" not in streamed[2]
    assert checked["changes_have_keys"] == "warn"


def test_maxwell_sends_no_truncate(recovered):
    assert (
        changes(recovered, "maxwell", ["operation"], "from changes where operation = 'truncate'")
        == []
    )
