"""How the packages of ingestion/ use each other. No Spark."""

import ast

import pytest

from tests.house.macro_calls import ROOT

# A package imports from itself and from those before it. The loader is files, kafka, bronze, and what stands before them.
FLOORS = (
    ("errors", "progress", "locks", "local_files"),
    ("config",),
    ("spark", "dbt"),
    ("bronze", "tables"),
    ("kafka", "files"),
    ("loader",),
    ("sniff",),
    ("gold_models",),
    ("reconcile",),
    ("report",),
    ("cycles",),
    ("cli",),
    ("__main__",),
)
FLOOR_OF = {name: floor for floor, names in enumerate(FLOORS) for name in names}
FILES = sorted((ROOT / "ingestion").rglob("*.py"))


def part_of(path):
    """The package of a file, or its module where it lies in none."""
    return path.relative_to(ROOT / "ingestion").parts[0].removesuffix(".py")


def imported(path):
    """The packages of ours that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ingestion":
            parts = node.module.split(".")[1:]
            yield from [parts[0]] if parts else [alias.name for alias in node.names]


def test_every_package_has_its_floor():
    assert {part_of(path) for path in FILES} - {"__init__"} == FLOOR_OF.keys()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_imports_from_a_floor_above_it(path):
    own = FLOOR_OF.get(part_of(path), len(FLOORS))
    assert [name for name in imported(path) if FLOOR_OF[name] > own] == []


def test_only_spark_starts_a_jvm():
    starting = {part_of(path) for path in FILES if "launch_gateway" in path.read_text()}
    assert starting == {"spark"}
