"""What real servers and public reports have shown: tests/cases has a folder for each, with its source and the right rows.

Each case is a feed of its own. All of them are loaded and built together, in the two loads that a case may have.
"""

import json
from pathlib import Path

import pytest

from ingestion.config import Feed
from tests.pipeline.conftest import ROOT

CASES = ROOT / "tests" / "cases"
NAMES = sorted(path.parent.name for path in CASES.glob("*/feed.json"))
LOADS = ("records", "records2")
REPORTS = 100


def case_file(case: str, name: str):
    path = CASES / case / name
    return json.loads(path.read_text()) if path.exists() else None


def records_of(case: str, load: str) -> list[dict]:
    path = CASES / case / f"{load}.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def table_of(case: str, name: str) -> str:
    return f"{case}__{name}"


def model_of(case: str, declared: dict) -> str:
    arguments = {"feed": case, **declared}
    kind, _ = arguments.pop("kind"), arguments.pop("name")
    if kind == "current_rows":
        arguments.pop("key", None)
    listed = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    return f"{{{{ {kind}({listed}) }}}}\n"


def texts(lakehouse, case: str, name: str) -> list[dict]:
    """The rows of a gold table, every value as text."""
    (declared,) = (one for one in case_file(case, "models.json") if one["name"] == name)
    columns = [
        f"hex({column}) as {column}" if kind_of(kind) == "binary" else f"cast({column} as string) as {column}"
        for column, kind in declared["columns"].items()
    ]
    rows = lakehouse.sql(f"select {', '.join(columns)} from gold.{table_of(case, name)}")
    return sorted((row.asDict() for row in rows), key=repr)


def kind_of(declared) -> str:
    return declared["type"] if isinstance(declared, dict) else declared


@pytest.fixture(scope="module")
def cases(shop, request):
    """The selected cases in two loads: their gold rows behind each, and what the shipped tests say of them."""
    selected = sorted({item.callspec.params["case"] for item in request.session.items if item.path == Path(__file__)})
    feeds_before = shop.feeds
    models = {
        table_of(case, declared["name"]): model_of(case, declared)
        for case in selected
        for declared in case_file(case, "models.json")
    }
    for case in selected:
        feed = case_file(case, "feed.json")
        shop.add_feed(case, format=feed["format"], files=f"in/{case}", **feed["settings"])
    for name, text in models.items():
        shop.write_model(name, text)
    behind = {}
    for number, load in enumerate(LOADS):
        for case in selected:
            if records := records_of(case, load):
                shop.land(Feed(name=case, format=case_file(case, "feed.json")["format"]), number, records)
        shop.run("--select", "silver", *models)
        behind[load] = {
            name: texts(shop, *name.split("__")) for name in models
        }
    shop.behind = behind
    yield shop
    shop.set_feeds(feeds_before)
    for name in models:
        (shop.root / "models" / "gold" / f"{name}.sql").unlink()


def listed_rows(rows: list[dict]) -> list[dict]:
    return sorted(rows, key=repr)


@pytest.mark.parametrize("case", NAMES)
def test_gold_holds_the_rows_of_the_source(case, cases):
    expected = case_file(case, "expected.json")
    for declared in case_file(case, "models.json"):
        name = declared["name"]
        table = table_of(case, name)
        first = expected.get("after_first_load", {}).get(name)
        if first is not None:
            assert cases.behind["records"][table] == listed_rows(first)
        assert cases.behind["records2"][table] == listed_rows(expected[name])
