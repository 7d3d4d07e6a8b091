"""dbt in this process: a line per model as it ends, one for all tests, every problem in full."""

import logging
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from ingestion.errors import BUILD, OK
from ingestion.progress import complain, say

if TYPE_CHECKING:
    from dbt.cli.main import dbtRunnerResult
    from dbt.contracts.graph.manifest import Manifest
    from dbt_common.events.base_types import EventMsg

# dbt's events for what ends a command
PROBLEMS = ("MainEncounteredError", "RunningOperationCaughtError")


def run_dbt(project_dir: Path, *arguments: str) -> int:
    """Run one dbt command in the running Spark session, show its nodes, return the exit code."""
    tests: Counter[str] = Counter()
    outcome = invoke_dbt(project_dir, arguments, lambda event: _show(event, tests))
    if tests:
        counts = ", ".join(f"{count} {word}" for word, count in sorted(tests.items()))
        say(f"  tests: {counts}")
        if tests.keys() - {"passed"}:
            say("  docs/tests.md says what to do; the next run shows most of these no more")
    if outcome.exception is not None:
        complain(f"dbt {arguments[0]} stopped: {short(str(outcome.exception))}")
        return BUILD
    return OK if outcome.success else BUILD


def invoke_dbt(
    project_dir: Path,
    arguments: Sequence[str],
    listener: Callable[["EventMsg"], None],
    manifest: "Manifest | None" = None,
) -> "dbtRunnerResult":
    """Run one dbt command in the running Spark session and return its result.

    dbt itself prints nothing: the listener gets its events. It finds its profile as without us: in
    DBT_PROFILES_DIR, in the project, at home. With a manifest, which holds the project as it was
    parsed, the project's files are not read. Ctrl-C breaks off the caller too.
    """
    # this import takes two seconds, which a loader or a report need not wait for
    from dbt.cli.main import dbtRunner

    os.chdir(project_dir)
    # PySpark logs each failed statement as JSON on the screen; dbt reports the same in words.
    logging.getLogger("SQLQueryContextLogger").disabled = True
    with _raised_again():
        return dbtRunner(manifest=manifest, callbacks=[listener]).invoke(
            [
                *arguments,
                *("--log-level", "none", "--log-level-file", "info"),
                *("--log-path", str(project_dir / "lakehouse" / "logs")),
            ]
        )


@contextmanager
def _raised_again() -> Iterator[None]:
    """Raise KeyboardInterrupt after the block if a signal has raised something inside it.

    dbt returns a KeyboardInterrupt as an error of its own; and where it comes in the middle of a
    call of Spark, an error of PySpark's bridge replaces it, which dbt takes for a statement's.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    raised: list[int] = []

    def noted(handler: Callable[[int, FrameType | None], object]) -> Callable:
        def handle(number: int, frame: FrameType | None) -> None:
            try:
                handler(number, frame)
            except BaseException:
                raised.append(number)
                raise

        return handle

    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    before = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number, handler in before.items():
        signal.signal(number, noted(handler))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if raised:
            raise KeyboardInterrupt


def _show(event: "EventMsg", tests: Counter[str]) -> None:
    """Show a finished node, unless it is a test that passed."""
    # that of Ctrl-C is empty
    if event.info.name in PROBLEMS and event.data.exc:
        complain(short(event.data.exc))
    if event.info.name != "NodeFinished":
        return
    node, result = event.data.node_info, event.data.run_result
    name = node.node_name
    seconds = f"{result.execution_time:.1f} s"
    if node.resource_type == "test":
        tests[verb_of(result.status)] += 1
        if result.status != "pass":
            with suppress(ValueError):
                complain(f"  {verb_of(result.status)}: {name}: {short(result.message)}")
    elif node.resource_type == "model":
        if result.status == "success":
            what = "nothing new" if result.message == "nothing new" else "done"
            say(f"  {node.node_relation.schema}.{name}: {what} ({seconds})")
        else:
            complain(f"  {result.status}: {name}: {short(result.message)}")


def verb_of(status: str) -> str:
    """Return dbt's word for the end of a test as a verb."""
    return {"pass": "passed", "warn": "warned", "fail": "failed"}.get(status, status)


def short(message: str) -> str:
    """Return the sentence of an error without the plans that Spark prints after it."""
    lines = [line.strip() for line in str(message).splitlines() if line.strip()]
    kept = [line for line in lines if not line.startswith(("+-", ":", "'", "Runtime Error"))]
    return " ".join(kept[:4])[:600] or "no message"
