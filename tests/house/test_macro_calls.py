"""How macros call each other. No Spark, no dbt."""

from collections import Counter

import pytest

from tests.house.macro_calls import DBTS_OWN, ROOT, all_macros, calls_in

MACROS = all_macros()
NAMES = {macro.name for macro in MACROS}
CALLING = [
    *sorted(ROOT.glob("models/**/*.sql")),
    *sorted(ROOT.glob("examples/**/*.sql")),
    *sorted(ROOT.glob("tests/*.sql")),
    *sorted(ROOT.glob("tests/generic/*.sql")),
]


def test_every_macro_is_called_as_one_of_cdc():
    """A bare name is looked up in the package of the node that runs: in a project that installs this one, not in ours."""
    bare = {
        f"{macro.path} {macro.name}: {', '.join(macro.bare_calls)}"
        for macro in MACROS
        if macro.bare_calls
    }
    assert not bare


@pytest.mark.parametrize("path", CALLING, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_model_and_test_calls_macros_as_those_of_cdc(path):
    qualified, bare = calls_in(path.read_text(), NAMES - DBTS_OWN)
    assert not bare
    assert qualified <= NAMES


def test_every_macro_that_is_called_is_there():
    missing = {
        f"{macro.path} {macro.name}: {name}" for macro in MACROS for name in macro.calls - NAMES
    }
    assert not missing


def test_no_two_macros_have_one_name():
    assert [
        name for name, count in Counter(macro.name for macro in MACROS).items() if count > 1
    ] == []
