"""How macros call each other. No Spark, no dbt."""

import re
from collections import Counter
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.house.macro_calls import (
    DBTS_OWN,
    ROOT,
    TEXT,
    all_macros,
    calls_in,
    calls_of,
    jinja_of,
    parts_of,
)

# A macro calls only macros of its own floor and of those before it. The longest name of a folder counts.
FLOORS = (
    ("sql",),
    ("project",),
    ("parse",),
    ("values",),
    ("formats", "schemas"),
    ("run",),
    ("gold/sql",),
    ("gold/plan",),
    ("gold",),
    ("checks",),
    ("materializations", "operations"),
    ("hooks",),
)
FLOOR_OF = {folder: floor for floor, folders in enumerate(FLOORS) for folder in folders}
# What these return depends on nothing but their arguments.
PURE = {"sql", "parse", "values", "formats", "schemas"}
ASKS = re.compile(r"\b(run_query|load_relation|graph|model|config|execute)\b(?!\s*=)")
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


def folder_of(macro):
    folder = macro.path.parent.relative_to("macros").as_posix()
    return folder if folder in FLOOR_OF else folder.split("/")[0]


def test_every_folder_of_macros_has_its_floor():
    named = {folder_of(macro) for macro in MACROS if macro.name not in DBTS_OWN}
    assert named == FLOOR_OF.keys()


def test_no_macro_calls_one_of_a_floor_above_it():
    place = {macro.name: folder_of(macro) for macro in MACROS if macro.name not in DBTS_OWN}
    upward = {
        f"{macro.path}: {macro.name} calls {name} of {place[name]}"
        for macro in MACROS
        if macro.name in place
        for name in macro.calls
        if FLOOR_OF[place[name]] > FLOOR_OF[place[macro.name]]
    }
    assert not upward


def test_no_files_of_macros_call_each_other_in_a_circle():
    home = {macro.name: macro.path for macro in MACROS}
    called = {path: set() for path in home.values()}
    for macro in MACROS:
        called[macro.path] |= {home[name] for name in macro.calls & home.keys()} - {macro.path}
    try:
        TopologicalSorter(called).prepare()
    except CycleError as error:
        pytest.fail(f"in a circle: {', '.join(map(str, error.args[1]))}")


def test_what_a_run_knows_is_reached_by_its_accessors_alone():
    """macros/project/run_state.sql lists all of it, and nothing else touches where it is kept."""
    kept = re.compile(r"graph\.(update|lakehouse)|'lakehouse'")
    touching = [path.name for path in ROOT.glob("macros/**/*.sql") if kept.search(path.read_text())]
    assert touching == ["run_state.sql"]


def test_expressions_and_formats_ask_nobody():
    """They read no table, no graph and no configuration of a model: what they return can be tested without dbt."""
    asking = {
        f"{path.relative_to(ROOT)}: {', '.join(sorted(set(found)))}"
        for folder in PURE
        for path in (ROOT / "macros" / folder).glob("*.sql")
        if (found := ASKS.findall(jinja_of(path.read_text())))
    }
    assert not asking


def test_no_macro_ends_in_a_comma():
    """It returns an expression, a whole select, or CTEs with an end: who calls it writes what separates them."""
    ending = [
        name
        for path in ROOT.glob("macros/**/*.sql")
        for _, name, text in parts_of(path)
        if re.search(r",\s*({%-? (endfor|endif) -?%}\s*)*{%-? endmacro -?%}", text)
    ]
    assert not ending


def test_parts_of_a_format_take_names_and_types_and_no_sql():
    """What is a format's own stands in its file as a CTE, where an editor and a reader see that it is SQL."""
    parts = {
        name
        for path in ROOT.glob("macros/**/*.sql")
        for kind, name, text in parts_of(path)
        if kind == "macro" and re.search(r"^    (with )?\w+ as \($", text, re.M)
    }
    handed = {
        f"{path.name}: {text}"
        for folder in ("formats", "schemas")
        for path in (ROOT / "macros" / folder).glob("*.sql")
        for call in calls_of(path.read_text(), parts)
        for text in TEXT.findall(call)
        if not re.fullmatch(r"[\w\s.,<>`-]*", text[1:-1])
    }
    assert parts and not handed


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("models/silver/cdc_*.sql")), ids=lambda path: path.stem
)
def test_models_of_silver_are_disabled_without_a_feed(path):
    """A project that has just installed this one has none, and its runs must not fail."""
    assert "enabled=cdc.feeds() | length > 0" in path.read_text().splitlines()[0]
