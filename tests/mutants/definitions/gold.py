"""Faults in the macros and materializations of gold."""

from tests.mutants.mutant import Mutant

SHOP = "tests/pipeline/test_shop.py"
GOLD_IS_THE_SOURCE = f"{SHOP}::test_gold_equals_the_source_table"
CASES = "tests/pipeline/test_properties.py::test_the_lakehouse_holds_what_the_messages_tell"

MUTANTS = (
    Mutant(
        name="gold: the oldest change of a key counts as its newest",
        kind="an order reversed",
        file="macros/gold/sql/latest.sql",
        before="""max_by(
                struct(is_deleted, is_rebuilt, after_image, schema_id""",
        after="""min_by(
                struct(is_deleted, is_rebuilt, after_image, schema_id""",
        tests=(GOLD_IS_THE_SOURCE,),
    ),
    Mutant(
        name="gold: a row that is older than gold's replaces it",
        kind="a guard left out",
        file="macros/materializations/current_state.sql",
        before="'latest._is_rebuilt' if by_column else 'latest._sequence > current._change.sequence'",
        after="'latest._is_rebuilt' if by_column else 'true'",
        tests=(
            "tests/pipeline/test_gold.py::test_gold_holds[a_late_change_replaces_nothing_newer]",
            CASES,
        ),
    ),
    Mutant(
        name="gold: an insert that is older than its delete brings the row back",
        kind="a guard left out",
        file="macros/gold/sql/changes_of_table.sql",
        before="and changes.sequence < deletes.delete_sequence",
        after="and false",
        tests=(
            "tests/pipeline/test_gold.py::test_gold_holds[an_update_older_than_a_delete_revives_nothing]",
            CASES,
        ),
    ),
    Mutant(
        name="gold: deletes of later runs are not kept",
        kind="a mark not written",
        file="macros/materializations/current_state.sql",
        before="{%- do cdc._run_step(steps, cdc.append_deletes(state, plan)) -%}",
        after="",
        tests=(
            "tests/pipeline/test_gold.py::test_gold_holds[an_update_older_than_a_delete_revives_nothing]",
            CASES,
        ),
    ),
    Mutant(
        name="gold: a table that is built with deletes alone begins with an empty state",
        kind="a guard left out",
        file="macros/materializations/current_state.sql",
        before="new_changes.deletes or new_changes.truncates",
        after="new_changes.truncates",
        tests=("tests/pipeline/test_gold.py",),
    ),
    Mutant(
        name="gold: rows are made before the state that voids some of them",
        kind="an order reversed",
        file="macros/materializations/current_state.sql",
        before="""
                {%- do cdc._run_step(steps, cdc.create_state(state, plan)) -%}
                {%- do cdc._run_step(steps, cdc.create_gold_table(cdc.live_rows(compiled_code), plan.columns)) -%}
""",
        after="""
                {%- do cdc._run_step(steps, cdc.create_gold_table(cdc.live_rows(compiled_code), plan.columns)) -%}
                {%- do cdc._run_step(steps, cdc.create_state(state, plan)) -%}
""",
        tests=(GOLD_IS_THE_SOURCE,),
    ),
    Mutant(
        name="gold: a large table's rows without a value of the key are not found by a merge",
        kind="a guard left out",
        file="macros/materializations/current_state.sql",
        before="current.{{ places.column }} is null",
        after="false",
        tests=(
            "tests/pipeline/test_gold.py::test_gold_holds[a_merge_finds_the_row_of_a_large_table_whose_key_is_no_number]",
            "tests/pipeline/test_key_ranges.py",
        ),
    ),
    Mutant(
        name="gold: a large table's rows are looked for by the value of the key whatever it is",
        kind="a guard left out",
        file="macros/gold/plan/key_ranges.sql",
        before="{%- if others -%}",
        after="{%- if false -%}",
        tests=(
            "tests/pipeline/test_gold.py::test_gold_holds[a_merge_finds_the_row_of_a_large_table_that_says_another_key_than_its_record]",
            "tests/pipeline/test_key_ranges.py",
        ),
    ),
    Mutant(
        name="gold: a TRUNCATE of one partition empties all of them",
        kind="a guard left out",
        file="macros/gold/sql/source_tables.sql",
        before="{{ relation }}.order_scope = 'offset', {{ relation }}.partition, null) as partition",
        after="false, {{ relation }}.partition, null) as partition",
        tests=(
            "tests/pipeline/test_gold.py::test_gold_holds[a_truncate_without_a_position_clears_its_own_partition]",
            "tests/pipeline/test_convergence.py"
            "::test_a_truncate_of_one_partition_leaves_what_another_one_told_of_the_key",
        ),
    ),
    Mutant(
        name="gold: a TRUNCATE or DROP removes the rows above it",
        kind="a comparison turned",
        file="macros/materializations/current_state.sql",
        before="cleared.delete_sequence > current._change.sequence\n        and",
        after="cleared.delete_sequence < current._change.sequence\n        and",
        tests=(
            "tests/pipeline/test_gold.py::test_gold_holds[a_truncate_clears_what_is_older_in_every_partition]",
            "tests/pipeline/test_drops.py"
            "::test_a_dropped_table_loses_its_rows_unless_the_feed_keeps_them",
        ),
    ),
    Mutant(
        name="gold: the delete at a move's position is taken for the key that it left",
        kind="a comparison turned",
        file="macros/gold/sql/moved_values.sql",
        before="key_part -> key_part is null)",
        after="key_part -> key_part is not null)",
        tests=(
            "tests/pipeline/test_keys.py::test_a_key_that_the_header_writes_otherwise_is_found",
        ),
    ),
    Mutant(
        name="gold: a row of some columns counts as a whole one",
        kind="a comparison turned",
        file="macros/gold/plan/new_changes_of_table.sql",
        before="'snapshot') and not is_after_complete) as partials",
        after="'snapshot') and is_after_complete is null) as partials",
        tests=(GOLD_IS_THE_SOURCE,),
    ),
    Mutant(
        name="gold: values that do not fit their type are not told",
        kind="a guard left out",
        file="macros/gold/sql/misfits.sql",
        before="typed -> {{ cdc.does_not_fit('typed.value', 'typed.is_null', 'typed.wanted_type', types) }}",
        after="typed -> false",
        tests=(f"{SHOP}::test_only_the_broken_messages_and_the_zero_date_are_warned_of",),
    ),
    Mutant(
        name="gold: a column that the model leaves out is added",
        kind="a guard left out",
        file="macros/gold/plan/new_columns.sql",
        before="        and name not in (meta.left_out or [])\n",
        after="",
        tests=(
            "tests/pipeline/test_new_columns.py"
            "::test_a_column_that_the_source_adds_is_in_gold_at_once",
        ),
    ),
    Mutant(
        name="gold: a column of integers does not widen with the source's",
        kind="a column forgotten",
        file="macros/gold/plan/new_columns.sql",
        before="common_type(known + types.get(name, [] if known else ['string']))",
        after="common_type(known or types.get(name, ['string']))",
        tests=(
            "tests/pipeline/test_gold.py::test_gold_holds[a_column_that_the_source_adds_and_widens_is_in_gold]",
            "tests/pipeline/test_new_columns.py"
            "::test_a_column_that_the_source_adds_is_in_gold_at_once",
        ),
    ),
    Mutant(
        name="gold: a key with NULL in it names a row",
        kind="a guard left out",
        file="macros/gold/sql/keys.sql",
        before="not exists({{ key }}, key_part -> key_part is null)",
        after="{{ key }} is not null",
        tests=(
            "tests/pipeline/test_gold.py::test_gold_holds[a_key_with_null_in_it_names_no_row]",
            "tests/pipeline/test_keys.py::test_a_key_with_null_names_no_row",
        ),
    ),
    Mutant(
        name="gold: keys are compared as the messages write them",
        kind="a comparison turned",
        file="macros/gold/sql/keys.sql",
        before="{%- set forms = cdc.forms_of_key(declaration) -%}",
        after="{%- set forms = {} -%}",
        tests=("tests/pipeline/test_keys.py::test_a_value_is_one_key_however_it_is_written",),
    ),
    Mutant(
        name="gold: a name of MySQL in another case is another column",
        kind="a comparison turned",
        file="macros/gold/sql/gold_image.sql",
        before="{{ cdc.ignores_case(relation) }}\n                and size(",
        after="false and size(",
        tests=(
            "tests/pipeline/test_gold.py::test_gold_holds[a_column_of_mysql_keeps_its_values_when_its_name_changes_its_case]",
            "tests/pipeline/test_case_of_names.py",
            "tests/pipeline/test_combinations.py",
        ),
    ),
    Mutant(
        name="gold: the types of columns are those of the messages' spelling",
        kind="a comparison turned",
        file="macros/gold/sql/encodings.sql",
        before="{{ cdc.spelled_as_declared('schema_columns.column_name', declared) }}",
        after="schema_columns.column_name",
        tests=(
            "tests/pipeline/test_gold.py::test_gold_holds[a_column_of_mysql_keeps_its_values_when_its_name_changes_its_case]",
            "tests/pipeline/test_case_of_names.py",
        ),
    ),
    Mutant(
        name="gold: a row without a key that was taken stays",
        kind="a comparison turned",
        file="macros/gold/current_rows.sql",
        before="lateral view stack(2, -1, change.row_before,",
        after="lateral view stack(2, 0, change.row_before,",
        tests=(
            "tests/pipeline/test_gold.py::test_gold_holds"
            "[equal_rows_are_there_as_often_as_at_the_source]",
        ),
    ),
    Mutant(
        name="history: a version ends where the one before it began",
        kind="an order reversed",
        file="macros/gold/history.sql",
        before="lead(distinct_changes.changed_at) over in_order as ended_at",
        after="lag(distinct_changes.changed_at) over in_order as ended_at",
        tests=(f"{SHOP}::test_current_versions_are_the_gold_rows",),
    ),
    Mutant(
        name="gold: a column that YAML describes without a type is declared",
        kind="a guard left out",
        file="macros/project/gold_models.sql",
        before="if column.data_type and name | lower not in own",
        after="if name | lower not in own",
        tests=("tests/pipeline/test_declarations.py",),
    ),
    Mutant(
        name="gold: a column of YAML is read under its own name in gold",
        kind="a column forgotten",
        file="macros/project/gold_models.sql",
        before="{'type': column.data_type, 'source': source} if source else column.data_type",
        after="column.data_type",
        tests=("tests/pipeline/test_declarations.py",),
    ),
    Mutant(
        name="history: columns of its own do not count",
        kind="a guard left out",
        file="macros/project/gold_models.sql",
        before="declared.columns or gold.columns",
        after="gold.columns",
        tests=("tests/pipeline/test_declarations.py",),
    ),
)
