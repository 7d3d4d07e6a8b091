"""Faults in the models of silver."""

from tests.mutants.mutant import Mutant

EPOCHS = "tests/pipeline/test_epochs.py::test_gold_follows_epochs_and_inherited_positions"
GOLD = "tests/pipeline/test_gold.py::test_gold_holds"

MUTANTS = (
    Mutant(
        name="ranges: the first change of an epoch belongs to the one before",
        kind="a comparison turned",
        file="models/silver/cdc_sequence_ranges.sql",
        before="beginning -> beginning <= struct(space_number",
        after="beginning -> beginning < struct(space_number",
        tests=(
            "tests/pipeline/test_gold.py::test_gold_holds[a_new_full_load_clears_what_it_does_not_bring]",
            EPOCHS,
        ),
    ),
    Mutant(
        name="ranges: a second full load removes nothing",
        kind="a mark not written",
        file="models/silver/cdc_sequence_ranges.sql",
        before="begins_again or begins_again_here or begins_lower as starts_full_load",
        after="begins_again_here or begins_lower as starts_full_load",
        tests=(
            "tests/pipeline/test_gold.py::test_gold_holds[a_new_full_load_clears_what_it_does_not_bring]",
            EPOCHS,
        ),
    ),
    Mutant(
        name="ranges: a second full load that no position tells removes nothing",
        kind="a mark not written",
        file="models/silver/cdc_sequence_ranges.sql",
        before="begins_again or begins_again_here or begins_lower as starts_full_load",
        after="begins_again or begins_lower as starts_full_load",
        tests=(
            "tests/pipeline/test_gold.py::test_gold_holds[documents_that_are_loaded_again_clear_those_that_are_not]",
            "tests/pipeline/test_loads_again.py",
        ),
    ),
    Mutant(
        name="ranges: a repetition that goes back over a file of a trail counts as positions that begin again",
        kind="a guard left out",
        file="macros/gold/sql/sequence.sql",
        before="            and get({{ earlier }}, 1) < {{ cdc.positions_of_a_file() }}\n",
        after="",
        tests=(
            "tests/pipeline/test_gold.py::test_gold_holds[a_commit_that_goes_on_in_the_next_file_of_a_trail_is_repeated]",
            "tests/pipeline/test_positions.py::test_gold_is_what_the_source_holds",
        ),
        only="trail",
    ),
    Mutant(
        name="ranges: a full load beside the stream begins an epoch",
        kind="a guard left out",
        file="models/silver/cdc_sequence_ranges.sql",
        before="""        is_full_load
        and {{ 'feed in (' ~ cdc.quoted_list(marked) ~ ')' if marked else 'false' }}""",
        after="        is_full_load",
        tests=(f"{GOLD}[a_full_load_between_changes_removes_nothing_and_replaces_none]",),
    ),
    Mutant(
        name="ranges: a full load without marks belongs to the space of its neighbours",
        kind="a guard left out",
        file="models/silver/cdc_sequence_ranges.sql",
        before="when is_full_load and {{ 'feed not in (' ~ cdc.quoted_list(marked) ~ ')' if marked else 'true' }} then 1",
        after="",
        tests=(f"{GOLD}[a_full_load_is_older_than_the_changes_of_an_earlier_store]",),
    ),
    Mutant(
        name="order marks: a range begins where it ends",
        kind="an order reversed",
        file="models/silver/cdc_order_marks.sql",
        before="min(offset) as from_offset",
        after="max(offset) as from_offset",
        tests=(
            "tests/pipeline/test_gold.py::test_gold_holds[a_new_full_load_clears_what_it_does_not_bring]",
            EPOCHS,
        ),
    ),
    Mutant(
        name="order marks: those of a first run are left out, as if no change had a position",
        kind="a comparison turned",
        file="macros/materializations/_create_silver_table.sql",
        before="or cdc.has_positions()",
        after="or not cdc.has_positions()",
        tests=(
            "tests/pipeline/test_gold.py::test_gold_holds[a_new_full_load_clears_what_it_does_not_bring]",
            "tests/pipeline/test_tables_of_positions.py",
        ),
    ),
    Mutant(
        name="complete_up_to: a table that is being read again counts as complete",
        kind="a guard left out",
        file="models/silver/cdc_complete_up_to.sql",
        before="if(is_table_being_read or shown_up_to < table_read_at, null, shown_up_to)",
        after="shown_up_to",
        tests=(
            "tests/pipeline/test_complete_up_to.py::test_no_more_is_claimed_than_the_messages_prove",
        ),
    ),
    Mutant(
        name="unknown messages: those that were understood are listed instead",
        kind="a comparison turned",
        file="models/silver/cdc_unknown_messages.sql",
        before="where changes.operation = 'unknown'",
        after="where changes.operation <> 'unknown'",
        tests=("tests/pipeline/test_shop.py::test_unknown_messages_tell_why_and_keep_their_text",),
    ),
)
