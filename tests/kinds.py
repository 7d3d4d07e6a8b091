"""Runs kinds of tests side by side: `python -m tests.kinds KIND ...`, the longest first.

What each writes is in target/tests/KIND.log; the screen says when one begins and ends, and at the end what failed.
"""

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


def run(kind: str) -> bool:
    """Run one kind; it has passed if True is returned."""
    say(f"{kind} begins")
    started = time.monotonic()
    path = LOGS / f"{kind}.log"
    with path.open("w") as log:
        command = ["make", "--no-print-directory", kind]
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
    lines = (LOGS / f"{kind}.log").read_text(errors="replace").splitlines()
    shown = [line for line in lines if FAILED.match(line)] or lines[-30:]
    say(f"\n{kind} failed; all it wrote is in target/tests/{kind}.log:")
    for line in shown:
        say(f"  {line}")


def main(kinds: list[str]) -> int:
    """Run the kinds in their order, two at a time; 0 if all have passed."""
    LOGS.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with ThreadPoolExecutor(LANES) as lanes:
        passed = dict(zip(kinds, lanes.map(run, kinds), strict=True))
    failed = [kind for kind in kinds if not passed[kind]]
    for kind in failed:
        report(kind)
    took = clock(time.monotonic() - started)
    say(f"\n{len(kinds) - len(failed)} of {len(kinds)} kinds of tests passed in {took}.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
