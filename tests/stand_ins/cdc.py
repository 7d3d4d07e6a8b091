"""What sqlfluff puts where a model or a test calls a macro of ours: it looks at what is in the file."""

from collections.abc import Callable

TEXTS = {
    "feeds": ["x"],
    "formats_in_use": ["x"],
    "feeds_with": [],
    "feeds_with_keys": ["x"],
    "feeds_of_rising_positions": ["x"],
    "feeds_of_both_orders": ["x"],
    "feeds_of_marked_loads": ["x"],
    "new_messages": "select 1",
    "current_state": "select 1",
    "current_rows": "select 1",
    "history": "select 1",
    "schema_columns": "select 1",
    "mark_of_model": "",
    "is_newer_than": "true",
    "is_new_schema": "true",
    "unchecked_records": "records",
    "checked_version": "1",
    "silver_version": "1",
    "lakehouse_run": {},
    "is_unchecked": "true",
    "is_compared": "true",
    "broadcast_of_few_new_changes": "",
    "may_have_new_schemas": True,
    "changes_as_kept": "select * from changes",
    "gold_tables": "gold_tables",
    "gold_columns": "gold_columns",
    "can_be_added": "true",
    "has_unchecked_changes": True,
    "has_unchecked_changes_where": True,
    "restarts": "restarts",
    "rows_not_loaded_again": "select * from changes",
    "lies_between": "true",
    "positions_of_a_file": "4294967296",
    "epoch_in_ranges": "ranges.epoch",
    "questions_of_order": [
        "wanderers",
        "half_cleared",
        "ties",
        "moves",
        "loads",
        "positions",
        "reloads",
    ],
    "is_of_order": "true",
    "has_shared_positions": True,
    "is_same_table": "true",
    "is_in_same_schema": "true",
    "names_a_row": "true",
    "is_same_key": "true",
    "is_same_position": "true",
    "is_of_gold_table": "true",
    "may_be_gold_table": "true",
    "is_named_as_gold_table": "true",
    "is_left_out": "false",
    "may_get_a_model": "false",
    "shell_word": "full_name",
    "declared_name": "gold_tables.model_name",
    "name_as_declared": "tables.full_name",
    "finding_of_statement": "line",
    "epochs_of_a_rewind": "1000",
    "quoted_list": "'x'",
}
OF_ARGUMENTS: dict[str, Callable[..., str]] = {
    "gold_table_of": lambda relation: f"{relation}.table_name",
    "log_files_of": lambda position_space: position_space,
    "begins_again_in_file": lambda space, earlier, later: f"{earlier} > {later}",
    "is_in_range": lambda relation: f"{relation}.feed = ranges.feed",
    "ignores_case": lambda relation: f"{relation}.source_type = 'mysql'",
    "leaves_nulls_out": lambda relation: f"{relation}.source_type <=> 'mongodb'",
    "spelled_as_declared": lambda names, declared: names,
    "row_before": lambda relation, format_name: f"{relation}.before_image",
    "row_before_by_format": lambda relation: f"{relation}.before_image",
    "as_column": lambda expression, name: expression,
    "is_after_cut_overs": lambda relation: f"{relation}.offset >= 0",
    "position_in_ranges": lambda relation: f"{relation}.change_sequence.position",
    "proven_position": lambda relation, feed: f"{relation}.change_sequence.position",
    "statement_line": lambda ddl: ddl,
    "read_statement": lambda line: line,
    "part_of_name": lambda name, part: name,
    "bare_line": lambda line: line,
    "other_tables": lambda line: f"array({line})",
    "cut_overs_passed": lambda relation: f"{relation}.offset",
    "is_full_load_word": lambda word: f"{word} in ('true', 'first')",
}


def __getattr__(name: str) -> Callable[..., object]:
    """A macro's stand-in; those of formats are all alike."""
    if name.startswith("parse_"):
        return lambda messages: f"select * from {messages}"
    if name in OF_ARGUMENTS:
        return OF_ARGUMENTS[name]
    if name in TEXTS:
        return lambda *_, **__: TEXTS[name]
    raise AttributeError(f"tests/stand_ins/cdc.py has no stand-in for {name}")
