"""`python -m tests.mutants [WORDS...]`: plants faults one at a time in a copy, and says which the tests see."""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.mutants.definitions import MUTANTS
from tests.mutants.mutant import ROOT, Mutant
from tests.mutants.tree import copy_project, planted
from tests.mutants.verdict import TIERS, Verdict, verdict_of

# Of the faults, so many must be caught: nine of ten by `make test`, and every one by all tests.
REQUIRED = {"fast": 0.9, "all": 1.0}


def main() -> int:
    """Return 0 if enough of the chosen faults are caught, 1 if not, 2 where nothing was proven."""
    args = _arguments()
    chosen = [one for one in MUTANTS if not args.words or any(w in one.name for w in args.words)]
    if not chosen:
        print(f"No mutant's name has {' or '.join(args.words)} in it: --list shows all names.")
        return 2
    if args.list:
        for mutant in chosen:
            print(f"{mutant.name}  ({mutant.kind}; {mutant.file}; {', '.join(mutant.tests)})")
        return 0
    for mutant in chosen:
        mutant.faulty((ROOT / mutant.file).read_text(encoding="utf-8"))
    with TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as place:
        folder = Path(place).resolve()
        copy_project(folder)
        if not args.unchecked and not _passes(folder, chosen, args.tests, args.patience):
            return 2
        return _report(folder, chosen, args.tests, args.patience)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("words", nargs="*", help="only mutants whose name has one of these in it")
    parser.add_argument("--list", action="store_true", help="show the mutants, run nothing")
    parser.add_argument("--tests", choices=TIERS, default="all", help="fast: those of `make test`")
    parser.add_argument(
        "--unchecked", action="store_true", help="leave out the first run, without a fault"
    )
    parser.add_argument(
        "--patience", type=float, default=3600, metavar="SECONDS", help="for the tests of a mutant"
    )
    return parser.parse_args()


def _passes(folder: Path, chosen: list[Mutant], tier: str, patience: float) -> bool:
    """Run each named test without any fault: a test that fails anyway catches nothing."""
    named: dict[str, dict[str, None]] = {}
    for mutant in chosen:
        named.setdefault(mutant.only, {}).update(dict.fromkeys(mutant.tests))
    for only, tests in named.items():
        found = verdict_of(folder, sorted(tests, key=_place), only, tier, patience)
        print(f"{found.seconds:5.0f} s  without any fault{f', {only}' if only else ''}", flush=True)
        if found.caught is not False:
            words = found.words.replace("caught by", "the first to fail is")
            print(f"Without any fault the tests do not pass, so nothing is proven: {words}")
            return False
    return True


def _place(test: str) -> tuple[str, int]:
    """Return where a test stands: those of one file may build upon each other."""
    file, _, name = test.partition("::")
    text = (ROOT / file).read_text(encoding="utf-8")
    return file, text.find(f"def {name.split('[')[0]}(") if name else -1


def _report(folder: Path, chosen: list[Mutant], tier: str, patience: float) -> int:
    verdicts: list[Verdict] = []
    for mutant in chosen:
        with planted(folder, mutant):
            found = verdict_of(folder, mutant.tests, mutant.only, tier, patience)
        verdicts.append(found)
        print(f"{found.seconds:5.0f} s  {mutant.name}: {found.words}", flush=True)
    caught = sum(found.caught is True for found in verdicts)
    untold = sum(found.caught is None for found in verdicts)
    print(
        f"{caught} of {len(verdicts)} faults were caught, {len(verdicts) - caught - untold} were not,"
        f" {untold} without a verdict."
    )
    return 0 if not untold and caught >= REQUIRED[tier] * len(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
