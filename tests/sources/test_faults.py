"""Each fault did what it was meant to: otherwise tables that are right after it would prove nothing."""

import pytest

from tests.sources.faults import GROWN, SNAPSHOT_BY_SIGNAL
from tests.sources.lakehouse import changes


def test_a_killed_worker_repeats_messages(recovered):
    ((repeated,),) = changes(
        recovered.project,
        "debezium_json",
        ["feed", "topic", "row_key", "operation", "change_sequence"],
        """
        select count(*) - count(distinct (topic, row_key, operation, change_sequence.position))
        from changes
        where feed = 'pg_default' and change_sequence.phase = 1 and row_key is not null
        """,
    )
    assert repeated > 0


@pytest.mark.parametrize("topic", GROWN)
def test_records_of_partitions_that_were_added_are_read(recovered, topic):
    format_name = "maxwell" if topic == "maxwell" else "debezium_json"
    found = changes(
        recovered.project,
        format_name,
        ["topic", "partition"],
        f"select distinct \"partition\" from changes where topic = '{topic}'",
    )
    assert {number for (number,) in found} == set(range(GROWN[topic]))


@pytest.mark.parametrize("feed", SNAPSHOT_BY_SIGNAL)
def test_a_signal_brings_every_row_of_its_tables(recovered, feed):
    found = changes(
        recovered.project,
        "debezium_json",
        ["feed", "table_name", "snapshot_mark"],
        f"""
        select distinct table_name
        from changes
        where feed = '{feed}' and snapshot_mark = 'incremental'
        """,
    )
    assert {name for (name,) in found} == set(SNAPSHOT_BY_SIGNAL[feed])


def test_a_connector_that_forgot_its_place_loads_its_tables_again(recovered):
    """And says nothing of the rows that were deleted before."""
    found = changes(
        recovered.project,
        "debezium_json",
        ["feed", "table_name", "row_key", "operation", "offset"],
        """
        select operation
        from changes
        where feed = 'pg_index' and table_name = 'indexed' and row_key = ['k14']
        """,
    )
    assert found == [("snapshot",)]
