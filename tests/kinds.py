"""Runs kinds of tests side by side, the longest first: `python -m tests.kinds KIND ... [--since SECONDS --limit MINUTES KIND ...]`.

A kind is a target of the Makefile, or one with a variable: "test-shop FAST=1". Those behind --limit are told with the minutes
that they take on a usual machine, "test-crashes:7", as are the others then; one of them begins only if it should end
within the limit, however fast the machine is by what has ended. CI has such a limit, and counts from where `make` began,
which --since names in seconds of the clock: to install takes minutes, too. What was left out is said at the end. What each
kind writes is in target/tests/KIND.log; the screen says when one begins and ends, and at the end what failed.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "target" / "tests"
LANES = 2
# What pytest says of a test that failed, and of all; what linters say has no such form.
FAILED = re.compile(r"^(FAILED|ERROR) ")
SUMMARY = re.compile(r"^(=+ )?\d+ (passed|failed|skipped|deselected|error).* in [\d.]+s")


def say(text: str) -> None:
    """Print a line at once, whole, whichever lane it is of."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def clock(seconds: float) -> str:
    """Minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def log_of(kind: str) -> Path:
    """Where a kind writes."""
    return LOGS / f"{kind.replace(' ', '_')}.log"


def run(kind: str) -> bool:
    """Run one kind; it has passed if True is returned."""
    say(f"{kind} begins")
    started = time.monotonic()
    path = log_of(kind)
    with path.open("w") as log:
        command = ["make", "--no-print-directory", *kind.split()]
        # its own make, not a part of the one that called us
        environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
        code = subprocess.run(
            command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT
        ).returncode
    lines = path.read_text(errors="replace").splitlines()
    told = next((line.strip("= ") for line in reversed(lines) if SUMMARY.match(line)), "")
    word = "passed" if code == 0 else "FAILED"
    say(f"{kind} {word} after {clock(time.monotonic() - started)}{told and f': {told}'}")
    return code == 0


def report(kind: str) -> None:
    """Say what failed in a kind: pytest's list, or the end of what it wrote."""
    path = log_of(kind)
    lines = path.read_text(errors="replace").splitlines()
    shown = [line for line in lines if FAILED.match(line)] or lines[-30:]
    say(f"\n{kind} failed; all it wrote is in {path.relative_to(ROOT)}:")
    for line in shown:
        say(f"  {line}")


class Pace:
    """How long kinds take here, by those that have ended."""

    def __init__(self, minutes: dict[str, float], began: float) -> None:
        self.minutes, self.began = minutes, began
        self.ended: dict[str, float] = {}

    def passed(self) -> float:
        """The minutes since the beginning."""
        return (time.time() - self.began) / 60

    def would_end(self, kind: str) -> float:
        """The minute in which a kind should end that begins now."""
        usual = sum(self.minutes[one] for one in self.ended)
        slowness = sum(self.ended.values()) / usual if usual else 1
        return self.passed() + self.minutes[kind] * slowness


def main(kinds: list[str], began: float, limit: float, more: list[str]) -> int:
    """Run the kinds in their order, two at a time, then more if there is time for them; 0 if all that ran have passed."""
    LOGS.mkdir(parents=True, exist_ok=True)
    told = [kind.partition(":") for kind in [*kinds, *more]]
    pace = Pace({name: float(minutes or 0) for name, _, minutes in told}, began)
    names = [name for name, *_ in told]
    optional = names[len(kinds) :]

    def run_in_time(kind: str) -> bool | None:
        if kind in optional and pace.would_end(kind) > limit:
            return None
        began = pace.passed()
        has_passed = run(kind)
        pace.ended[kind] = pace.passed() - began
        return has_passed

    with ThreadPoolExecutor(LANES) as lanes:
        outcomes = dict(zip(names, lanes.map(run_in_time, names), strict=True))
    failed = [kind for kind, has_passed in outcomes.items() if has_passed is False]
    left_out = [kind for kind, has_passed in outcomes.items() if has_passed is None]
    for kind in failed:
        report(kind)
    ran = len(names) - len(left_out)
    say(f"\n{ran - len(failed)} of {ran} kinds of tests passed in {clock(60 * pace.passed())}.")
    if left_out:
        say(f"NOT RUN, as they would not end by minute {limit:g}: {', '.join(left_out)}.")
    return 1 if failed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("kinds", nargs="+", metavar="KIND")
    parser.add_argument("--since", type=float, metavar="SECONDS", default=time.time())
    parser.add_argument("--limit", nargs="+", metavar="MINUTES KIND", default=["0"])
    given = parser.parse_args()
    sys.exit(main(given.kinds, given.since, float(given.limit[0]), given.limit[1:]))
