"""What explain_row reports of a row: its newest change, and what became of it."""

from pathlib import Path

from ingestion.dbt.running import invoke_dbt
from ingestion.reconcile.both_sides import Key
from ingestion.report.facts import explain_call


def explained(project_dir: Path, table: str, key: Key) -> str | None:
    """Return the newest change of a row and its verdict, as a clause; None if dbt fails.

    `key` has the values in the order of `_change.row_key`.
    """
    call = explain_call(table, key)
    outcome = invoke_dbt(project_dir, ["show", "--limit", "1", "--inline", call], lambda _: None)
    if not outcome.success:
        return None
    rows = outcome.result.results[0].agate_table.rows
    if not rows:
        return "explain_row: silver has no change of this row"
    newest = rows[0]
    place = f"topic {newest['topic']}, partition {newest['partition']}, offset {newest['offset']}"
    return f"explain_row: its newest change is {newest['operation']} ({place}): {newest['verdict']}"
