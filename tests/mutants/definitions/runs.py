"""Faults in what a run asks, refuses and remembers."""

from tests.mutants.mutant import Mutant

SHOP = "tests/pipeline/test_shop.py"
REPAIR = "tests/pipeline/test_repair.py"

MUTANTS = (
    Mutant(
        name="silver: a run that is repeated adds its rows again",
        kind="a guard left out",
        file="macros/materializations/change_log.sql",
        before="            where bronze_version > (\n",
        after="            where 0 <= (\n",
        tests=("tests/pipeline/test_crashes.py", "tests/pipeline/test_gold.py"),
    ),
    Mutant(
        name="silver: tables that a run has brought whose selection left source_tables out are never noted",
        kind="a guard left out",
        file="macros/gold/plan/new_changes_of_table.sql",
        before=".get('version', -1) > mark.version -%}\n            {{ return(true) }}",
        after=".get('version', -1) > mark.version -%}\n            {{ return(false) }}",
        tests=(
            "tests/pipeline/test_silence.py::test_a_table_is_noted_once_and_none_is_passed_over",
        ),
    ),
    Mutant(
        name="runs: how far a model has come is not written",
        kind="a mark not written",
        file="macros/project/run_state.sql",
        before="{%- if run.applied.get(name) != mark -%}",
        after="{%- if false -%}",
        tests=(f"{SHOP}::test_a_second_run_commits_nothing",),
    ),
    Mutant(
        name="runs: the newest version of bronze is not read",
        kind="a comparison turned",
        file="macros/run/is_newer_than.sql",
        before="' and bronze_version <= ' ~ cdc.readable_version()",
        after="' and bronze_version < ' ~ cdc.readable_version()",
        tests=(f"{SHOP}::test_gold_equals_the_source_table",),
    ),
    Mutant(
        name="runs: the version that was read last is read again",
        kind="a comparison turned",
        file="macros/run/is_newer_than.sql",
        before="bronze_version > {{ mark.version if mark else -1 }}",
        after="bronze_version >= {{ mark.version if mark else -1 }}",
        tests=(
            "tests/pipeline/test_epochs.py::test_gold_follows_epochs_and_inherited_positions",
            "tests/pipeline/test_epochs.py::test_the_ranges_do_not_depend_on_the_loads",
            "tests/pipeline/test_gold.py",
        ),
    ),
    Mutant(
        name="runs: an older bronze is read",
        kind="a guard left out",
        file="macros/hooks/prepare_run.sql",
        before="        {%- do cdc.refuse_older_bronze() -%}\n",
        after="",
        tests=(f"{REPAIR}::test_an_older_bronze_is_refused",),
    ),
    Mutant(
        name="runs: a bronze that was put back and has grown is taken for the one before",
        kind="a guard left out",
        file="macros/hooks/prepare_run.sql",
        before="        {%- do cdc.refuse_other_bronze(history) -%}\n",
        after="",
        tests=(f"{REPAIR}::test_another_bronze_with_as_many_versions_is_refused",),
    ),
    Mutant(
        name="runs: a full refresh of one table takes an older bronze for silver's",
        kind="a comparison turned",
        file="macros/hooks/prepare_run.sql",
        before="set is_other = mark and mark.version > run.bronze_version",
        after="set is_other = false",
        tests=(
            "tests/types/test_refusals.py::"
            "test_a_bronze_is_known_by_its_load_however_many_versions_have_come",
        ),
    ),
    Mutant(
        name="runs: bronze is read where it was before it moved",
        kind="a comparison turned",
        file="macros/run/register_bronze.sql",
        before="{%- if places[0] != places[1] -%}",
        after="{%- if false -%}",
        tests=(
            "tests/types/test_refusals.py::"
            "test_bronze_in_another_folder_than_spark_knows_is_refused",
        ),
    ),
    Mutant(
        name="runs: settings that change what records mean are accepted",
        kind="a guard left out",
        file="macros/hooks/prepare_run.sql",
        before="        {%- do cdc.refuse_changed_feeds() -%}\n",
        after="",
        tests=(f"{REPAIR}::test_changed_settings_are_refused_until_the_feed_is_rebuilt",),
    ),
    Mutant(
        name="runs: silver is made anew from a bronze that has lost records",
        kind="a guard left out",
        file="macros/hooks/prepare_rebuilds.sql",
        before="{%- do cdc.refuse_lost_records(silver) -%}",
        after="",
        tests=(f"{REPAIR}::test_what_bronze_has_lost_stays_in_silver_until_someone_lets_it_go",),
    ),
    Mutant(
        name="runs: what two of them wrote side by side is kept",
        kind="a guard left out",
        file="macros/hooks/finish_run.sql",
        before="{%- if found != run.applied_before -%}",
        after="{%- if false -%}",
        tests=(f"{REPAIR}::test_gold_that_two_runs_worked_on_is_made_anew_by_the_next",),
    ),
)
