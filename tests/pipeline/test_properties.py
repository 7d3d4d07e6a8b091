"""Whatever happens to the stream: gold, history and state of random cases equal a reading in plain Python.

Hypothesis makes the cases; all of them go through the same few runs, each in a database of its own, which the gold
models read as shards. A case that fails is made smaller and run alone. CASES=2000 for more of them.
"""

import json
import os
from collections import Counter, defaultdict
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from ingestion.config.feeds import Feed
from tests.pipeline.cases import (
    KINDS,
    LOADS,
    TABLE,
    VALUES,
    Case,
    Message,
    Sent,
    cases,
    moved_on,
    record,
    reloaded,
)
from tests.pipeline.shop_records import content, selected_cases

pytestmark = pytest.mark.long

CASES = int(os.environ.get("CASES", "200"))
SEED = int(os.environ.get("CASES_SEED", "20261122"))
# as many as are followed back to a value
MOVES = 16
# the offsets of a case begin here times its number
ROOM = 10_000
KEYED = ("by_position", "by_offset")
MODEL = """{{{{ {macro}(
    feed='cases_{kind}', database={{'pattern': 'case_[0-9]+'}}, table='{table}', {key}
    columns={{
        'case_name': {{'type': 'string', 'source': '@database'}},
        {id} 'amount': 'int', 'note': 'string', 'body': 'string'
    }}{more}
) }}}}
"""


def searching(kind, phases):
    """The same cases each time, whatever is done with them."""

    def decorated(function):
        options = settings(
            # some of them come out equal
            max_examples=CASES * 2 // len(KINDS),
            phases=phases,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        return seed(SEED)(options(given(cases(kind))(function)))

    return decorated


@cache
def drawn(kind):
    found = {}

    @searching(kind, [Phase.generate])
    def collect(case):
        found[repr(case)] = case

    collect()
    more = [moved_on(MOVES), reloaded()] if kind == "by_position" else []
    return list(found.values()) + more


class Cases:
    """The feeds and gold models of all kinds, and the cases that went through them."""

    def __init__(self, lakehouse, kinds):
        self.lakehouse = lakehouse
        self.drawn, self.names, self.loads = {}, {}, 0
        keyed = [kind for kind in KEYED if kind in kinds]
        self.models = {f"cases_{kind}": "current_state" for kind in keyed}
        self.models |= {f"cases_{kind}_history": "history" for kind in keyed}
        self.models |= {f"cases_{kind}": "current_rows" for kind in kinds if kind not in KEYED}
        for kind in kinds:
            settings = {"format": KINDS[kind], "files": "in/cases", "time_zone": "UTC"}
            if kind == "without_key":
                settings["before_images"] = "complete"
            lakehouse.add_feed(f"cases_{kind}", **settings)
        for name, macro in self.models.items():
            kind = name.removeprefix("cases_").removesuffix("_history")
            told = {"key": "key=['case_name', 'id'],", "id": "'id': 'int',"}
            if macro == "current_rows":
                told = {"key": "", "id": ""}
            # half of them with deletion vectors
            more = ", large=true" if name == "cases_by_offset" else ""
            text = MODEL.format(macro=macro, kind=kind, table=TABLE, more=more, **told)
            lakehouse.write_model(name, text)
        self.tables = [name for name, macro in self.models.items() if macro != "history"]

    def run(self, new):
        """Land the cases in as many loads as each wants, with a run after each."""
        for load in range(LOADS):
            records = defaultdict(list)
            for case in new:
                name = self.names[repr(case)]
                landed = [one for one in case.sent if one.load == load]
                records[case.kind] += [record(case, name, first(name), one) for one in landed]
            self.loads += 1
            for kind, landed in records.items():
                if landed:
                    feed = Feed(name=f"cases_{kind}", format=KINDS[kind])
                    self.lakehouse.land(feed, self.loads, landed)
            self.lakehouse.run("--select", "silver", *self.tables)

    def found(self, kind):
        """What the lakehouse holds of each case."""
        if kind not in KEYED:
            return {"gold": self.rows(kind)}
        return {"gold": self.gold(kind), "history": self.history(kind), "state": self.state(kind)}

    def gold(self, kind):
        found = defaultdict(dict)
        for row in self.lakehouse.sql(f"select * from gold.cases_{kind}"):
            known = {name: row[name] for name in VALUES}
            for name, sequence in row._change.column_sequences.items():
                if sequence.epoch == -1:
                    assert known.pop(name) is None
            found[row.case_name][row.id] = with_misfits(known, row)
        return found

    def rows(self, kind):
        found = defaultdict(Counter)
        for row in self.lakehouse.sql(f"select * from gold.cases_{kind}"):
            known = with_misfits({name: row[name] for name in VALUES}, row)
            found[row.case_name][as_text(known)] += 1
        return found

    def history(self, kind):
        found = defaultdict(lambda: defaultdict(list))
        versions = f"select * from gold.cases_{kind}_history order by _change.sequence"
        for row in self.lakehouse.sql(versions):
            known = with_misfits({name: row[name] for name in VALUES}, row)
            times = [milliseconds(row.valid_from), milliseconds(row.valid_to)]
            found[row.case_name][row.id].append([known, *times, row.is_current])
        return found

    def state(self, kind):
        found = defaultdict(dict)
        ends = f"select * from state.cases_{kind} where delete_sequence is not null"
        for row in self.lakehouse.sql(ends):
            name, key = (row.shard[0], None) if row.row_key is None else row.row_key
            end = row.delete_sequence
            position = int(end.position[0]) if end.position else 0
            offset = end.offset if end.offset < 0 else end.offset - first(name)
            told = (end.epoch, end.phase, position, offset)
            key = key and int(key)
            found[name][key] = max(told, found[name].get(key, told))
        return found


def first(name):
    return ROOM * int(name.removeprefix("case_"))


def as_text(row):
    return json.dumps(row, sort_keys=True)


def milliseconds(time):
    return time and round(time.timestamp() * 1000)


def with_misfits(known, row):
    for misfit in row._change.misfits:
        assert known[misfit.column_name] is None
        known[misfit.column_name] = misfit.value
    return known


def expected(case):
    """What the lakehouse must hold of a case; a value that no message has told is NULL in a history."""
    if case.kind not in KEYED:
        return {"gold": Counter(map(as_text, case.rows_at_source.values()))}
    unknown = dict.fromkeys(VALUES)
    history = {
        key: [[unknown | row, *times] for row, *times in versions]
        for key, versions in case.versions().items()
    }
    return {"gold": case.replayed(), "history": history, "state": case.state()}


def mistakes(case, name, found):
    """Say where a case came out wrong, with what it consists of."""
    wrong = [
        f"{what}: expected {wanted}\n  found {found[what].get(name, {})}"
        for what, wanted in expected(case).items()
        if found[what].get(name, {}) != wanted
    ]
    return "\n".join([f"{name}:", *map(str, case.sent), *wrong]) if wrong else ""


@pytest.fixture(scope="module")
def ran(request, project):
    """The kinds of cases that this session has selected."""
    before = project.feeds
    kinds = [kind for kind in KINDS if kind in selected_cases(request, "kind")]
    created = Cases(project, kinds)
    created.drawn = {kind: drawn(kind) for kind in kinds}
    everything = [case for cases_of_kind in created.drawn.values() for case in cases_of_kind]
    created.names = {repr(case): f"case_{number}" for number, case in enumerate(everything)}
    created.run(everything)
    histories = [name for name in created.models if name not in created.tables]
    if histories:
        project.run("--select", *histories)
    yield created
    project.set_feeds(before)
    for model in created.models:
        (project.root / "models" / "gold" / f"{model}.sql").unlink()


def test_there_are_enough_cases():
    counts = {kind: len(drawn(kind)) for kind in KINDS}
    assert sum(counts.values()) >= CASES
    assert min(counts.values()) >= CASES / (2 * len(KINDS))


@pytest.mark.parametrize("kind", KEYED)
def test_a_reading_in_plain_python_ends_as_the_source(kind):
    """The reference itself: what it reads from the messages is what the table held."""
    everything = drawn(kind)
    told = [case for case in everything if case.rows_at_source is not None]
    assert len(told) > len(everything) / 5
    for case in told:
        assert case.replayed() == case.rows_at_source, case


@pytest.mark.parametrize("kind", KINDS)
def test_the_lakehouse_holds_what_the_messages_tell(ran, kind):
    found = ran.found(kind)
    wrong = [case for case in ran.drawn[kind] if mistakes(case, ran.names[repr(case)], found)]
    if not wrong:
        return
    print(len(wrong), "of", len(ran.drawn[kind]), "cases came out wrong; the smallest such follows")
    said = {repr(case): "" for case in ran.drawn[kind] if case not in wrong}
    # a try is a run of dbt: after these the smallest one so far has to do
    numbers = iter(range(len(ran.names), len(ran.names) + 12))

    @searching(kind, [Phase.generate, Phase.shrink])
    def alone(case):
        if repr(case) not in said and (number := next(numbers, None)):
            name = ran.names[repr(case)] = f"case_{number}"
            ran.run([case])
            said[repr(case)] = mistakes(case, name, ran.found(kind))
        assert not said.get(repr(case)), said[repr(case)]

    alone()
    told = [mistakes(case, ran.names[repr(case)], found) for case in wrong]
    pytest.fail("\n".join([f"{len(wrong)} cases came out wrong, but none of them alone", *told]))


@pytest.mark.cases(*KINDS)
def test_a_full_refresh_gives_the_same_rows_and_sequences(ran):
    before = {name: content(ran.lakehouse, name) for name in ran.tables}
    ran.lakehouse.run("--full-refresh", "--select", *ran.tables)
    assert {name: content(ran.lakehouse, name) for name in ran.tables} == before


@pytest.mark.cases("without_key")
def test_rows_that_do_not_add_up_are_reported(ran):
    """Equal changes one after the other; then a row is taken that never came, and one is not told whole."""
    path = ran.lakehouse.root / "models" / "gold" / "cases_without_key.yml"
    tested = {"name": "cases_without_key", "data_tests": ["every_row_is_counted"]}
    path.write_text(json.dumps({"version": 2, "models": [tested]}))
    pairs = [pair for case in ran.drawn["without_key"] for pair in pairwise(case.sent)]
    equal = [one for one, other in pairs if one.message == other.message and streamed(one)]
    assert equal
    assert findings(ran.lakehouse) == len(equal)
    name = "case_99999"
    taken = Message("d", None, None, 1, 1, before={"amount": 1, "note": "never", "body": "came"})
    half = replace(taken, op="u", row={"amount": 2}, before=None, position=2)
    told = (Sent(taken, 0, 0), Sent(half, 0, 1))
    case = Case("without_key", told, None)
    records = [record(case, name, first(name), one) for one in told]
    feed = Feed(name="cases_without_key", format=KINDS["without_key"])
    ran.lakehouse.land(feed, ran.loads + 1, records)
    ran.lakehouse.run("--select", "silver", "cases_without_key")
    assert findings(ran.lakehouse) == len(equal) + 2
    path.unlink()


def streamed(sent):
    return sent.message.op != "t" and not sent.message.is_full_load


def findings(lakehouse):
    outcome = lakehouse.dbt("test", "--select", "cases_without_key")
    assert outcome.exception is None, outcome.exception
    (result,) = [one for one in outcome.result if one.node.resource_type == "test"]
    return result.failures


@pytest.mark.cases("by_offset")
@pytest.mark.parametrize(
    ("database", "sentence"),
    [
        ("{'pattern': 'case_[0-9]+'}", "Its key must distinguish them: add a column such as"),
        ("{'pattern': 'case_('}", "pattern case_( is no regular expression, such as orders_[0-9]+"),
        ("['case_1', 'case_2']", "It takes a name, or a regular expression for the names of many"),
    ],
)
def test_a_wrong_pattern_is_refused_when_the_project_is_read(ran, database, sentence):
    text = f"current_state(feed='cases_by_offset', database={database}, table='rows', key=['id'],"
    ran.lakehouse.write_model("wrong", f"{{{{ {text} columns={{'id': 'int'}}) }}}}")
    outcome = ran.lakehouse.dbt("parse")
    (ran.lakehouse.root / "models" / "gold" / "wrong.sql").unlink()
    assert sentence in str(outcome.exception)


@pytest.mark.cases(*KINDS)
def test_the_scripts_are_clean(ran):
    scripts = ran.lakehouse.lint_scripts(ran.tables)
    assert all("shard" in script for script in scripts)
