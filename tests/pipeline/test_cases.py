"""What real servers and public reports have shown: tests/cases has a folder for each, with its source and the right rows.

Each case is a feed of its own. All that are selected are loaded and built together, in the two loads that a case may have.
"""

import json

import pytest

from ingestion.config.feeds import Feed
from tests.pipeline.conftest import ROOT
from tests.pipeline.shop_records import selected_cases, shown

pytestmark = pytest.mark.long

CASES = ROOT / "tests" / "cases"
NAMES = sorted(path.parent.name for path in CASES.glob("*/feed.json"))
LOADS = ("records", "records2")


def part_of(case, name):
    return json.loads((CASES / case / f"{name}.json").read_text())


REPORTED = [case for case in NAMES if "found_by" in part_of(case, "expected")]
# with what each message sets that is not applied; nothing, where a later one that is applied sets it again
NOT_APPLIED = [case for case in NAMES if "not_applied" in part_of(case, "expected")]
# tests of a gold table, which the case's own table is asked by
GENERIC = {path.stem for path in (ROOT / "tests" / "generic").glob("*.sql")}


def records_of(case, load):
    path = CASES / case / f"{load}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def table_of(case, declared):
    return f"{case}__{declared['name']}"


def model_of(case, declared):
    """The gold model of a case, as its models.json declares it."""
    arguments = {"feed": case} | declared
    macro, _ = arguments.pop("kind"), arguments.pop("name")
    listed = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    return f"{{{{ {macro}({listed}) }}}}\n"


def texts_of(lakehouse, case, declared):
    """The rows of a gold table, every value as text, bytes in hexadecimal digits."""
    shown_as = []
    for column, told in declared["columns"].items():
        kind = told["type"] if isinstance(told, dict) else told
        shown_as.append(
            f"{f'hex({column})' if kind == 'binary' else f'cast({column} as string)'} as {column}"
        )
    rows = lakehouse.sql(f"select {', '.join(shown_as)} from gold.{table_of(case, declared)}")
    return in_order(row.asDict() for row in rows)


def in_order(rows):
    return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))


@pytest.fixture(scope="module")
def built(project, request):
    """Gold's rows behind each load, by load and table."""
    cases = sorted(selected_cases(request, "case"))
    before, rows = project.feeds, {}
    models = [(case, declared) for case in cases for declared in part_of(case, "models")]
    for case in cases:
        feed = part_of(case, "feed")
        project.add_feed(case, format=feed["format"], files=f"in/{case}", **feed["settings"])
    for case, declared in models:
        project.write_model(table_of(case, declared), model_of(case, declared))
    names = [table_of(case, declared) for case, declared in models]
    for number, load in enumerate(LOADS):
        for case in cases:
            if records := records_of(case, load):
                project.land(
                    Feed(name=case, format=part_of(case, "feed")["format"]), number, records
                )
        project.run("--select", "silver", *names)
        rows[load] = {
            table_of(case, declared): texts_of(project, case, declared) for case, declared in models
        }
    yield project, rows
    project.set_feeds(before)
    for name in names:
        (project.root / "models" / "gold" / f"{name}.sql").unlink()


@pytest.mark.parametrize("case", NAMES)
def test_gold_holds_the_rows_of_the_source(case, built):
    """Or, where no message tells them, the rows of `alternative`: then a shipped test must report the case."""
    _, rows = built
    expected = part_of(case, "expected")
    for declared in part_of(case, "models"):
        name, table = declared["name"], table_of(case, declared)
        if name in expected["after_first_load"]:
            assert rows["records"][table] == in_order(expected["after_first_load"][name])
        last = expected["alternative"] if case in REPORTED else expected
        assert rows["records2"][table] == in_order(last[name])


@pytest.fixture(scope="module")
def found(built, request):
    """What the shipped tests without an argument find in all history, by test: one run of all that the selected cases name."""
    project, _ = built
    cases = selected_cases(request, "case")
    named = {found_by(case) for case in {*REPORTED, *NOT_APPLIED} & cases} - GENERIC
    if not named:
        return {}
    everything = ("--vars", "check_all_history: true")
    project.statuses(project.dbt("test", "--select", *sorted(named), *everything))
    rows = project.sql("select * from silver.findings where resolved_at is null")
    # the shop's are those that other tests count
    project.sql("delete from silver.findings where feed not like 'shop%'")
    return {test: [row for row in rows if row.test == test] for test in named}


def found_by(case):
    return part_of(case, "expected")["found_by"]


@pytest.mark.parametrize("case", REPORTED)
def test_a_case_that_no_message_decides_is_reported(case, built, found):
    project, _ = built
    test = found_by(case)
    if test in GENERIC:
        (declared,) = part_of(case, "models")
        model = table_of(case, declared)
        assert shown(project, "--inline", f"{{{{ cdc.test_{test}(ref('{model}')) }}}}")
    else:
        assert any(case in str(row) for row in found[test])


@pytest.mark.parametrize("case", NOT_APPLIED)
def test_each_message_that_is_not_applied_is_named_and_gold_lacks_nothing_else(case, built, found):
    """With what these set, gold's rows are those of the database."""
    _, rows = built
    expected = part_of(case, "expected")
    told = expected["not_applied"]
    offsets = {one["offset"] for one in told}
    places = [
        (row.topic, row.partition, row.offset) for row in found[found_by(case)] if row.feed == case
    ]
    sent = [(one["topic"], one["partition"], one["offset"]) for one in records_of(case, "records2")]
    assert sorted(places) == [place for place in sent if place[2] in offsets]
    for declared in part_of(case, "models"):
        held = [dict(row) for row in rows["records2"][table_of(case, declared)]]
        for one in told:
            if one["table"] == declared["name"]:
                (changed,) = (row for row in held if row.items() >= one["row"].items())
                changed |= one["set"]
        assert in_order(held) == in_order(expected[declared["name"]])
