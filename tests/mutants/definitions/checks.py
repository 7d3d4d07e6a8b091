"""Faults in the tests that are shipped: on data made for them, they must fail."""

from tests.mutants.mutant import Mutant

SHIPPED = "tests/pipeline/test_shipped_tests.py"
ON_DATA_MADE_FOR_IT = f"{SHIPPED}::test_it_fails_on_data_made_for_it"

MUTANTS = (
    Mutant(
        name="checks: a record that is missing in silver is no finding",
        kind="a guard left out",
        file="tests/every_record_is_in_silver.sql",
        before="            when changes.feed is null then 'in bronze, but not in silver'\n",
        after="",
        tests=(ON_DATA_MADE_FOR_IT,),
        only="every_record_is_in_silver",
    ),
    Mutant(
        name="checks: two rows of one key are no finding",
        kind="a comparison turned",
        file="tests/generic/key_is_unique.sql",
        before="        count(*) > 1\n",
        after="        count(*) > 2\n",
        tests=(ON_DATA_MADE_FOR_IT,),
        only="key_is_unique",
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
        tests=(ON_DATA_MADE_FOR_IT,),
        only="newest_change_wins",
    ),
    Mutant(
        name="checks: two changes of a key at one position are no finding",
        kind="a comparison turned",
        file="tests/order_is_decided.sql",
        before="to_json(changes.after_image))) > 1",
        after="to_json(changes.after_image))) > 2",
        tests=(f"{SHIPPED}::test_conflicts_with_changes_that_were_checked_before_are_reported",),
    ),
    Mutant(
        name="checks: one column that a change finds otherwise is no finding",
        kind="a comparison turned",
        file="tests/images_follow_each_other.sql",
        before="size(other_columns) > 0",
        after="size(other_columns) > 1",
        tests=(f"{SHIPPED}::test_a_change_that_does_not_find_the_row_as_it_was_left_is_reported",),
    ),
    Mutant(
        name="checks: a column that rows no longer have is no finding",
        kind="a comparison turned",
        file="tests/columns_follow_the_source.sql",
        before="max(last_lacking) > max(last_told)",
        after="max(last_lacking) < max(last_told)",
        tests=(ON_DATA_MADE_FOR_IT,),
        only="columns_follow_the_source",
    ),
    Mutant(
        name="checks: what a run with a wrong key has looked at is not looked at again",
        kind="a guard left out",
        file="macros/checks/checked_versions.sql",
        before=" and ('key_is_the_sources_key', 'fail') not in statuses",
        after="",
        tests=(SHIPPED,),
    ),
)
