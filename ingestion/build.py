"""dbt in this process: one line per model as it ends, the tests in one, every problem in full."""

import logging
import os
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.errors import BUILD, OK
from ingestion.progress import complain, say

if TYPE_CHECKING:
    from dbt_common.events.base_types import EventMsg


def run_dbt(project_dir: Path, *arguments: str) -> int:
    """Run one dbt command in the running Spark session and tell what became of its nodes."""
    # takes two seconds, which a loader or a report need not wait for
    from dbt.cli.main import dbtRunner

    os.chdir(project_dir)
    # PySpark logs each failed statement as JSON on the screen; dbt says the same in words.
    logging.getLogger("SQLQueryContextLogger").disabled = True
    tests: Counter[str] = Counter()
    outcome = dbtRunner(callbacks=[lambda event: _tell(event, tests)]).invoke(
        [
            *arguments,
            *("--log-level", "none", "--log-level-file", "info"),
            *("--log-path", str(project_dir / "lakehouse" / "logs")),
            *("--profiles-dir", str(project_dir)),
        ]
    )
    if tests:
        counts = ", ".join(f"{count} {word}" for word, count in sorted(tests.items()))
        say(f"  tests: {counts}")
        if tests.keys() - {"passed"}:
            say("  docs/tests.md says what to do; the next run shows most of these no more")
    if outcome.exception is not None:
        complain(f"dbt {arguments[0]} stopped: {_short(str(outcome.exception))}")
        return BUILD
    return OK if outcome.success else BUILD


def _tell(event: "EventMsg", tests: Counter[str]) -> None:
    """Show a finished node, unless it is a test that passed."""
    if event.info.name in ("MainEncounteredError", "RunningOperationCaughtError"):
        complain(_short(event.data.exc))
    if event.info.name != "NodeFinished":
        return
    node, result = event.data.node_info, event.data.run_result
    name = node.node_name
    seconds = f"{result.execution_time:.1f} s"
    if node.resource_type == "test":
        tests[_word(result.status)] += 1
        if result.status != "pass":
            with suppress(ValueError):
                complain(f"  {_word(result.status)}: {name}: {_short(result.message)}")
    elif node.resource_type == "model":
        if result.status == "success":
            what = "nothing new" if result.message == "nothing new" else "done"
            say(f"  {node.node_relation.schema}.{name}: {what} ({seconds})")
        else:
            complain(f"  {result.status}: {name}: {_short(result.message)}")


def _word(status: str) -> str:
    return {"pass": "passed", "warn": "warned", "fail": "failed"}.get(status, status)


def _short(message: str) -> str:
    """Return the sentence of an error without the plans that Spark prints behind it."""
    lines = [line.strip() for line in str(message).splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith(("+-", ":", "'", "Runtime Error"))]
    return " ".join(told[:4])[:600] or "no message"
