"""Faults in the tests that are shipped: on data made for them, they must fail."""

from tests.mutants.mutant import Mutant

SHIPPED = "tests/pipeline/test_shipped_tests.py"
FINDINGS = "tests/pipeline/test_findings.py"
CHILDREN = "tests/pipeline/test_children.py"
GOLD = "tests/pipeline/test_gold.py"
LOADED_AGAIN = (
    "tests/pipeline/test_epochs.py::"
    "test_rows_that_a_new_full_load_does_not_bring_are_reported_once_it_has_ended"
)
COMPARED = f"{SHIPPED}::test_a_change_is_compared_with_the_last_ones_and_when_thorough_with_all"
COLUMNS = (
    f"{SHIPPED}::test_a_type_that_had_been_another_one_is_reported_when_a_late_partition_tells"
)
AT_ONCE = f"{SHIPPED}::test_each_of_them_fails_on_data_made_for_it"

MUTANTS = (
    Mutant(
        name="checks: a record that is missing in silver is no finding",
        kind="a guard left out",
        file="tests/every_record_is_in_silver.sql",
        before="            when changes.feed is null then 'in bronze, but not in silver'\n",
        after="",
        tests=(AT_ONCE,),
    ),
    Mutant(
        name="checks: what a skipped test did not look at counts as checked",
        kind="a mark not written",
        file="macros/checks/checked_versions.sql",
        before=" not in statuses and not waiting -%}",
        after=" not in statuses -%}",
        tests=("tests/types/test_what_is_checked.py",),
    ),
    Mutant(
        name="checks: two rows of one key are no finding",
        kind="a comparison turned",
        file="tests/generic/key_is_unique.sql",
        before="        count(*) > 1\n",
        after="        count(*) > 2\n",
        tests=(AT_ONCE,),
    ),
    Mutant(
        name="checks: two keys that differ in padding alone are no finding",
        kind="a comparison turned",
        file="tests/generic/newest_change_wins.sql",
        before="and newest.row_key <> keys_of_gold.row_key",
        after="and false",
        tests=("tests/pipeline/test_keys.py::test_keys_that_differ_in_padding_alone_are_reported",),
    ),
    Mutant(
        name="checks: an older change that won is no finding",
        kind="a comparison turned",
        file="tests/generic/newest_change_wins.sql",
        before="when not newest.change.is_deleted and current._change.sequence < newest.gold_sequence",
        after="when not newest.change.is_deleted and current._change.sequence > newest.gold_sequence",
        tests=(AT_ONCE,),
    ),
    Mutant(
        name="checks: a tombstone belongs to whatever stands before it",
        kind="a guard left out",
        file="tests/generic/newest_change_wins.sql",
        before="                    and keyed.offset > tombstoned.row_offset\n",
        after="",
        tests=(f"{GOLD}::test_a_row_that_outlived_its_tombstone_is_reported_with_its_place",),
    ),
    Mutant(
        name="checks: a tombstone has the key that the feed names",
        kind="a guard left out",
        file="macros/checks/kafka_key.sql",
        before="{{ return(true if (cdc.feeds().get(declaration.feed) or {}).key_columns else false) }}",
        after="{{ return(false) }}",
        tests=(
            "tests/pipeline/test_bare_deletes.py::test_it_is_reported_too_where_the_feed_names_another_key_than_kafka_has",
        ),
    ),
    Mutant(
        name="checks: a full load that brings keys again is no finding",
        kind="a comparison turned",
        file="tests/order_is_decided.sql",
        before="        ) > 1 as is_of_known_key\n",
        after="        ) > 2 as is_of_known_key\n",
        tests=(f"{GOLD}::test_a_full_load_that_brings_keys_again_is_reported",),
    ),
    Mutant(
        name="checks: two changes of a key at one position are no finding",
        kind="a comparison turned",
        file="tests/order_is_decided.sql",
        before="to_json(changes.after_image))) > 1",
        after="to_json(changes.after_image))) > 2",
        tests=(
            "tests/pipeline/test_gold.py::test_two_changes_at_one_position_are_reported",
            f"{SHIPPED}::test_conflicts_with_changes_that_were_checked_before_are_reported",
            AT_ONCE,
        ),
    ),
    Mutant(
        name="checks: a partitioned table is told by any table that shares a row with it",
        kind="a guard left out",
        file="tests/partitions_reach_their_table.sql",
        before="\n                and counted.row_count = sizes.row_count",
        after="",
        tests=(
            "tests/pipeline/test_gold.py::test_a_table_that_shares_a_row_with_another_is_not_taken_for_its_partition",
            f"{CHILDREN}::test_a_table_whose_partitions_change_without_it_is_reported",
        ),
    ),
    Mutant(
        name="checks: a key in several partitions is not asked for",
        kind="a comparison turned",
        file="macros/checks/questions_of_checks.sql",
        before="< max(place) filter (where has_key and is_ordered_by_offset) as wanderers",
        after="> max(place) filter (where has_key and is_ordered_by_offset) as wanderers",
        tests=(
            "tests/pipeline/test_gold.py::test_a_key_in_two_partitions_is_reported",
            f"{SHIPPED}::test_conflicts_with_changes_that_were_checked_before_are_reported",
            AT_ONCE,
        ),
    ),
    Mutant(
        name="checks: one column that a change finds otherwise is no finding",
        kind="a comparison turned",
        file="tests/images_follow_each_other.sql",
        before="when is_before_complete and size(broken_columns) > 0",
        after="when is_before_complete and size(broken_columns) > 1",
        tests=(
            "tests/pipeline/test_gold.py::test_an_update_that_finds_one_column_otherwise_is_reported",
            f"{SHIPPED}::test_a_change_that_does_not_find_the_row_as_it_was_left_is_reported",
            AT_ONCE,
        ),
    ),
    Mutant(
        name="checks: a thorough test compares with the last changes alone",
        kind="a guard left out",
        file="macros/checks/checked_versions.sql",
        before=" or checked < 0 or cdc.is_thorough() -%}",
        after=" or checked < 0 -%}",
        tests=(COMPARED,),
    ),
    Mutant(
        name="checks: a test by day resolves what it does not look at",
        kind="a guard left out",
        file="macros/checks/findings.sql",
        before=" and test.unique_id not in cdc.lakehouse_run().compared_with_some",
        after="",
        tests=(COMPARED,),
    ),
    Mutant(
        name="checks: a schema that is new to a table is not looked at where another table has it",
        kind="a guard left out",
        file="macros/checks/questions_of_checks.sql",
        before="""{{ cdc.is_same_table('unchecked', 'known') }}
                    and unchecked.catalog_name <=> known.catalog_name
                    and unchecked""",
        after="unchecked",
        tests=(COLUMNS,),
    ),
    Mutant(
        name="checks: a feed that is back after forget_feed goes on without its old records",
        kind="a guard left out",
        file="macros/hooks/prepare_run.sql",
        before="        {%- do cdc.refuse_forgotten_feeds(applied) -%}\n",
        after="",
        tests=(
            "tests/pipeline/test_maintenance.py::"
            "test_a_feed_that_has_left_is_removed_from_silver_and_comes_back_with_its_old_records",
        ),
    ),
    Mutant(
        name="checks: a column that rows no longer have is no finding",
        kind="a comparison turned",
        file="tests/columns_follow_the_source.sql",
        before="max(last_lacking) > max(last_carrying)",
        after="max(last_lacking) < max(last_carrying)",
        tests=(AT_ONCE,),
    ),
    Mutant(
        name="checks: what a run with a wrong key has looked at is not looked at again",
        kind="a guard left out",
        file="macros/checks/checked_versions.sql",
        before=" and ('key_is_the_sources_key', 'fail') not in statuses",
        after="",
        tests=(
            "tests/types/test_what_is_checked.py::test_what_a_test_did_not_look_at_stays_unchecked",
        ),
    ),
    Mutant(
        name="checks: a look at what is new resolves a finding of what is older",
        kind="a guard left out",
        file="macros/checks/findings.sql",
        before="            and (known.looked_from >= {{ looked_from }} or known.topic is null and known.unlisted is null)\n",
        after="",
        tests=(
            f"{FINDINGS}::test_a_finding_is_open_until_its_test_looks_at_it_again_and_does_not_find_it",
        ),
    ),
    Mutant(
        name="checks: a finding that comes back is the old one",
        kind="a guard left out",
        file="macros/checks/findings.sql",
        before="            known.finding_id = found.finding_id\n            and known.resolved_at is null\n",
        after="            known.finding_id = found.finding_id\n",
        tests=(
            f"{FINDINGS}::test_a_finding_is_open_until_its_test_looks_at_it_again_and_does_not_find_it",
        ),
    ),
    Mutant(
        name="report: texts of data are markup of the page",
        kind="a guard left out",
        file="ingestion/report/page.py",
        before="        autoescape=True,\n",
        after="",
        tests=("tests/pipeline/test_report.py",),
    ),
    Mutant(
        name="checks: a row that a new full load has brought again counts as one that it lacks",
        kind="a guard left out",
        file="macros/checks/rows_not_loaded_again.sql",
        before="        and newest_epoch < epoch_of_load\n",
        after="",
        tests=(
            "tests/pipeline/test_gold.py::test_a_full_load_that_does_not_bring_a_row_is_reported_once_it_has_ended",
            LOADED_AGAIN,
        ),
    ),
    Mutant(
        name="checks: a full load that marks its last row has not ended",
        kind="a mark not written",
        file="macros/checks/rows_not_loaded_again.sql",
        before=" or startswith(changes.snapshot_mark, 'last')",
        after="",
        tests=(
            "tests/pipeline/test_gold.py::test_a_full_load_that_does_not_bring_a_row_is_reported_once_it_has_ended",
            LOADED_AGAIN,
        ),
    ),
    Mutant(
        name="checks: a history that names a table itself is no reader of it",
        kind="a guard left out",
        file="macros/checks/checked_tables.sql",
        before="cdc.gold_models() + cdc.histories() | rejectattr('config.meta.of') | list if",
        after="cdc.gold_models() if",
        tests=("tests/pipeline/test_silence.py",),
    ),
)
