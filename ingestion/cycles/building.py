"""dbt in a cycle: the project is parsed when its files change, and built from memory."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingestion.dbt.running import invoke_dbt, short, verb_of
from ingestion.errors import BUILD, UserError

if TYPE_CHECKING:
    from dbt.artifacts.schemas.run import RunResult
    from dbt.contracts.graph.manifest import Manifest
    from dbt_common.events.base_types import EventMsg

# Materializations of models that keep order and history of others; none is read as a table.
INNER = ("change_log", "kept_table", "kept_view")


@dataclass(frozen=True)
class Built:
    """The result of one run of dbt."""

    # models that took new changes, without those of silver
    changed: tuple[str, ...] = ()
    # models that have all changes that silver has for them
    done: frozenset[str] = frozenset()
    # model -> why it failed; models that dbt skipped because of it are not in it
    failed: Mapping[str, str] = field(default_factory=dict)
    # how many tests ended how, and what those that did not pass found
    tests: Mapping[str, int] = field(default_factory=dict)
    found: Mapping[str, str] = field(default_factory=dict)
    # why dbt did not finish, None if it did
    stopped: str | None = None

    @property
    def is_whole(self) -> bool:
        """Return whether nothing must be tried again."""
        return self.stopped is None and not self.failed


def parse_project(project_dir: Path, feeds: Mapping[str, Any] | None) -> "Manifest":
    """Return the parsed project; with other feeds than its own if given.

    dbt reads only the changed files again. A UserError says why it cannot.
    """
    problems: list[str] = []
    outcome = invoke_dbt(
        project_dir, ["parse", *_vars(feeds)], lambda event: _hear(event, problems)
    )
    if outcome.success:
        return outcome.result
    raise UserError(f"dbt cannot parse the project: {_reason(outcome, problems)}", BUILD)


def run_models(project_dir: Path, manifest: "Manifest", feeds: Mapping[str, Any] | None) -> Built:
    """Build silver and gold from what is new in bronze."""
    return _run(project_dir, manifest, ["run", *_vars(feeds)])


def run_tests(project_dir: Path, manifest: "Manifest", feeds: Mapping[str, Any] | None) -> Built:
    """Run the project's tests on what is new since they passed."""
    return _run(project_dir, manifest, ["test", *_vars(feeds)])


def _vars(feeds: Mapping[str, Any] | None) -> list[str]:
    return [] if feeds is None else ["--vars", json.dumps({"feeds": feeds}, default=str)]


def _run(project_dir: Path, manifest: "Manifest", arguments: list[str]) -> Built:
    problems: list[str] = []
    _as_parsed(manifest)
    # the manifest is in memory, and to write it takes a third of dbt's own time in each cycle
    outcome = invoke_dbt(
        project_dir,
        [*arguments, "--no-write-json"],
        lambda event: _hear(event, problems),
        manifest=manifest,
    )
    results = list(getattr(outcome.result, "results", []))
    built = _built(results)
    hooks = [
        short(str(result.message))
        for result in results
        if result.node.resource_type == "operation" and result.status == "error"
    ]
    if hooks or outcome.exception is not None or (not results and not outcome.success):
        reason = " ".join(hooks) or _reason(outcome, problems)
        return Built(**{**vars(built), "stopped": f"dbt {arguments[0]} stopped: {reason}"})
    return built


def _built(results: list["RunResult"]) -> Built:
    models = [result for result in results if result.node.resource_type == "model"]
    good = [result for result in models if result.status == "success"]
    tests = [result for result in results if result.node.resource_type == "test"]
    return Built(
        changed=tuple(
            result.node.name
            for result in good
            if result.message != "nothing new" and result.node.config.materialized not in INNER
        ),
        done=frozenset(result.node.name for result in good),
        failed={
            result.node.name: short(str(result.message))
            for result in models
            if result.status == "error"
        },
        tests=Counter(verb_of(result.status) for result in tests),
        found={
            result.node.name: f"{verb_of(result.status)}: {short(str(result.message))}"
            for result in tests
            if result.status in ("fail", "warn", "error")
        },
    )


def _as_parsed(manifest: "Manifest") -> None:
    """Remove from the manifest what the last run has added."""
    manifest.build_flat_graph()
    for node in manifest.nodes.values():
        # dbt would take the statement as complete, without the ephemeral models that it reads
        if getattr(node, "extra_ctes_injected", False):
            node.extra_ctes_injected = False
            node.extra_ctes = []


def _hear(event: "EventMsg", problems: list[str]) -> None:
    if event.info.name in ("MainEncounteredError", "RunningOperationCaughtError"):
        problems.append(short(event.data.exc))


def _reason(outcome: Any, problems: list[str]) -> str:  # noqa: ANN401
    if outcome.exception is not None:
        return short(str(outcome.exception))
    return " ".join(dict.fromkeys(problems)) or "dbt gives no reason; see lakehouse/logs/dbt.log"
