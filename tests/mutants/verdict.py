"""The tests of a mutant, run: caught by a test, not caught, or no verdict."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.mutants.first_failure import PLACE
from tests.mutants.tree import environment

TIERS = {"fast": ["-m", "not long and not nightly"], "all": ["-m", "not nightly"]}
# `make test` runs none of these, whatever their marks: they start databases, or kill what runs.
NOT_FAST = ("tests/crashes/", "tests/reconcile/", "tests/sources/", "tests/cluster/")
PYTEST = [sys.executable, "-m", "pytest", "-x", "--quiet", "-p", "tests.mutants.first_failure"]
PASSED, FAILED, NOTHING_COLLECTED = 0, 1, 5
NOTHING_NAMED = "NOT caught: no test of this tier was named"
# The machine, a broker or a database broke, not the product.
OF_THE_MACHINE = (
    *("Py4JNetworkError", "ConnectionRefusedError", "ConnectionResetError", "BrokenPipeError"),
    *("MemoryError", "TimeoutExpired", "KeyboardInterrupt"),
)
# What a fault makes a fixture raise; anything else there is no verdict.
OF_THE_PRODUCT = ("pyspark.errors", "py4j.protocol", "dbt", "ingestion")


@dataclass(frozen=True)
class Verdict:
    """What the tests said: `caught` is None where they could not tell."""

    caught: bool | None
    words: str
    seconds: float


def verdict_of(
    folder: Path, tests: Iterable[str], only: str, tier: str, patience: float
) -> Verdict:
    """Run the tests of a mutant in the copy, a process for each folder of tests."""
    began = time.monotonic()
    if tier == "fast":
        tests = [test for test in tests if not test.startswith(NOT_FAST)]
    found = Verdict(False, NOTHING_NAMED, 0)
    for group in _by_folder(tests):
        found = _run(folder, group, only, tier, patience)
        if found.caught is not False:
            break
    return Verdict(found.caught, found.words, time.monotonic() - began)


def _by_folder(tests: Iterable[str]) -> list[list[str]]:
    """Each folder of tests wants a Spark session of its own."""
    groups: dict[str, list[str]] = {}
    for test in tests:
        groups.setdefault(test.split("/")[1], []).append(test)
    return list(groups.values())


def _run(folder: Path, tests: list[str], only: str, tier: str, patience: float) -> Verdict:
    began = time.monotonic()
    with TemporaryDirectory(prefix="mutant-", ignore_cleanup_errors=True) as scratch:
        place, output = Path(scratch) / "first.json", Path(scratch) / "output"
        command = [*PYTEST, f"--basetemp={scratch}/tests", *TIERS[tier], *tests]
        command += ["-k", only] if only else []
        with output.open("w") as written:
            running = subprocess.Popen(
                command,
                cwd=folder,
                env=environment() | {PLACE: str(place)},
                stdout=written,
                stderr=written,
                start_new_session=True,
            )
            try:
                code = running.wait(patience)
            except subprocess.TimeoutExpired:
                code = None
            _end_all_of(running.pid)
            running.wait()
        first = json.loads(place.read_text()) if place.exists() else None
        caught, words = judged(code, first, output.read_text(errors="replace"))
    return Verdict(caught, words, time.monotonic() - began)


def _end_all_of(group: int) -> None:
    """End what a test has left behind, such as a broker."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return


def judged(code: int | None, first: dict[str, str] | None, output: str) -> tuple[bool | None, str]:
    """Return whether a test has seen the fault, from pytest's exit code and its first failure."""
    if code == PASSED:
        return False, "NOT caught"
    if code == NOTHING_COLLECTED:
        return False, NOTHING_NAMED
    if code is None:
        return None, "no verdict: the tests did not end in time"
    if code != FAILED or first is None:
        return None, f"no verdict: pytest ended with {code}: {_last_lines(output)}"
    by_itself = first["when"] == "call" or first["raised"] == "AssertionError"
    of_the_product = first["module"].startswith(OF_THE_PRODUCT)
    if first["raised"] in OF_THE_MACHINE or not (by_itself or of_the_product):
        raised = f"{first['raised']}: {first['message']}"
        return None, f"no verdict: {first['test']} ({first['when']}) raised {raised}"
    return True, f"caught by {first['test']}"


def _last_lines(output: str) -> str:
    return " | ".join(output.strip().splitlines()[-5:])
