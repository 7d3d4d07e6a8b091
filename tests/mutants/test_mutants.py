"""The mutants can all be planted, and what pytest says of them is understood."""

import subprocess
import sys

import pytest

from tests.mutants.definitions import MUTANTS
from tests.mutants.mutant import KINDS, ROOT, Mutant, NotPlanted
from tests.mutants.verdict import NOT_FAST, NOTHING_NAMED, TIERS, judged, verdict_of

FAULT = Mutant("a fault", KINDS[0], "file", before="a > b", after="a >= b", tests=("tests/x.py",))
BY_TEST = {"test": "t.py::test", "when": "call", "raised": "ValueError", "module": "builtins"}
BY_TEST |= {"message": "no"}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_its_text_stands_once_in_its_file(mutant):
    text = (ROOT / mutant.file).read_text(encoding="utf-8")
    assert mutant.faulty(text) != text


def collected(*options):
    """What pytest finds of the tests that should see the faults."""
    named = sorted({test for mutant in MUTANTS for test in mutant.tests})
    told = [sys.executable, "-m", "pytest", "--collect-only", "--quiet", *options, *named]
    return subprocess.run(told, cwd=ROOT, capture_output=True, text=True)


def test_pytest_finds_the_tests_that_should_see_them():
    """A name that pytest does not find would end the run of all mutants, in the night that it is for."""
    found = collected()
    assert found.returncode == 0, "\n".join(found.stdout.splitlines()[-20:]) + found.stderr


def test_nine_in_ten_have_a_test_that_make_test_runs():
    """Whether it catches them, only their run says; a fault whose tests are all long it catches in no case."""
    listed = collected(*TIERS["fast"]).stdout.splitlines()
    run = [line for line in listed if "::" in line and not line.startswith(NOT_FAST)]

    def is_run(test):
        return any(one == test or one.startswith((f"{test}::", f"{test}[")) for one in run)

    without = [mutant.name for mutant in MUTANTS if not any(map(is_run, mutant.tests))]
    assert run and len(without) <= len(MUTANTS) / 10, without


def test_no_two_have_one_name_and_every_kind_of_fault_is_there():
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 30
    assert {mutant.kind for mutant in MUTANTS} == set(KINDS)


def test_make_test_catches_nothing_with_tests_that_it_does_not_run(tmp_path):
    tests = ["tests/reconcile/test_reconcile.py", "tests/crashes/test_crashes.py"]
    found = verdict_of(tmp_path, tests, "", "fast", 60)
    assert (found.caught, found.words) == (False, NOTHING_NAMED)


@pytest.mark.parametrize("text", ["a < b", "a > b and a > b"])
def test_a_text_that_moved_or_stands_twice_is_said(text):
    with pytest.raises(
        NotPlanted, match=r"'a fault' cannot be planted: its text stands [02] times"
    ):
        FAULT.faulty(text)
    assert FAULT.faulty("if a > b:") == "if a >= b:"


@pytest.mark.parametrize(
    ("code", "first", "caught"),
    [
        (0, None, False),
        (1, BY_TEST, True),
        # no test of the tier
        (5, None, False),
        # a fixture of its own failed: by what the fault made of the product, or not
        (1, BY_TEST | {"when": "setup", "raised": "AssertionError"}, True),
        (1, BY_TEST | {"when": "setup", "module": "pyspark.errors.exceptions.captured"}, True),
        (1, BY_TEST | {"when": "setup"}, None),
        # the broker or Java has ended
        (1, BY_TEST | {"raised": "Py4JNetworkError", "module": "py4j.protocol"}, None),
        (1, BY_TEST | {"raised": "ConnectionRefusedError"}, None),
        # collection, usage, a signal, the end of patience
        (2, BY_TEST | {"when": "collect", "raised": "ImportError"}, None),
        (4, None, None),
        (-9, None, None),
        (None, None, None),
    ],
)
def test_only_a_test_that_failed_by_the_fault_has_caught_it(code, first, caught):
    assert judged(code, first, "")[0] is caught
