"""A merge into a large table reads the files in which keys of the run's changes lie, and finds every row all the same."""

import json
import re
from pathlib import Path

import pytest
from deltalake import DeltaTable

from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import canal_record

pytestmark = pytest.mark.long

FEED = Feed(name="ranges", format="canal_json")
MODEL = """{{{{ cdc.current_state(
    feed='ranges', database='shop', table='{name}', key=['id'], columns={{'id': '{type}', 'note': 'string'}}, large=true
) }}}}
"""
# The keys of the first load, and two of the second, far behind them; the last is written in another way than Spark writes it.
KEYS = {
    "bigint": (["1", "2", "3"], ["7000000000", "9000000000"]),
    "smallint": (["-3", "-2", "-1"], ["20", "21"]),
    "decimal(10,2)": (["-1.50", "0.00", "3.25"], ["70.00", "71.5"]),
    "date": (["2026-01-01", "2026-01-02"], ["2026-11-27", "2026-11-28"]),
    "timestamp": (
        ["2026-01-01 00:00:00", "2026-01-02 00:00:00.5"],
        ["2026-11-27 01:02:03.456789", "2026-11-28 00:00:00.10"],
    ),
    "timestamp_ntz": (
        ["2026-01-01 00:00:00", "2026-01-02 00:00:00.5"],
        ["2026-11-27 01:02:03.456789", "2026-11-28 00:00:00.10"],
    ),
}
TABLES = {f"in_{kind.split('(')[0]}": kind for kind in KEYS}
# What else a key may be.
TEXT, UNLIKE, WRONG, OLD = "of_text", "unlike_its_key", "of_no_number", "of_old_build"
OTHERS = {TEXT: "string", UNLIKE: "bigint", WRONG: "bigint", OLD: "bigint"}
MOST_LISTED = 10_000
NOTED = "show tblproperties gold.{} ('cdc.keys_are_values')"


class Records:
    """Messages of all tables, one offset after the other."""

    offset = 0

    def of(self, table, kind, *keys, note):
        made = []
        for key in keys:
            types = {"id": "varchar(40)", "note": "text"}
            row = {"id": key, "note": note}
            made.append(
                canal_record(table, self.offset, kind, row, 1000 + self.offset, types=types)
            )
            self.offset += 1
        return made


def files_of(project, name):
    folder = project.root / "lakehouse" / "warehouse" / "gold.db" / name
    return {Path(uri.removeprefix("file://")) for uri in DeltaTable(str(folder)).file_uris()}


def noted(project, name):
    return project.sql(NOTED.format(name))[0].value


def rows(project, name):
    found = project.sql(f"select _change.row_key[0] as key, note from gold.{name}")
    assert len({row.key for row in found}) == len(found)
    return {row.key: row.note for row in found}


@pytest.fixture(scope="module")
def merged(project):
    """Three loads and runs: few keys, keys far behind them, and changes of these while the first keys' files are away."""
    before = project.feeds
    project.add_feed(FEED.name, format=FEED.format, files="in/ranges", time_zone="UTC")
    for name, kind in (TABLES | OTHERS).items():
        project.write_model(name, MODEL.format(name=name, type=kind))
    records = Records()
    first = [
        record
        for name, kind in TABLES.items()
        for record in records.of(name, "INSERT", *KEYS[kind][0], note="first")
    ]
    for name in OTHERS:
        first += records.of(name, "INSERT", "1", "2", "3", note="first")
    first += records.of(WRONG, "INSERT", "4 apples", note="first")
    project.land(FEED, 0, first)
    project.run("--select", "silver", *TABLES, *OTHERS)
    away = {name: files_of(project, name) for name in TABLES}

    second = [
        record
        for name, kind in TABLES.items()
        for record in records.of(name, "INSERT", *KEYS[kind][1], note="second")
    ]
    for name in OTHERS:
        second += records.of(name, "INSERT", "70", "80", note="second")
    project.land(FEED, 1, second)
    project.run("--select", "silver", *TABLES, *OTHERS)

    # as if a tool of the user's had written it, before a run has looked
    project.spark.sql(f"update gold.{OLD} set id = 5000 where id = 2")
    project.spark.sql(f"alter table gold.{OLD} unset tblproperties ('cdc.keys_are_values')")
    third = [
        record
        for name, kind in TABLES.items()
        for record in records.of(name, "UPDATE", *KEYS[kind][1], note="third")
    ]
    third += records.of(TEXT, "UPDATE", "1", note="third")
    third += records.of(OLD, "UPDATE", "2", note="third")
    third += records.of(WRONG, "UPDATE", "4 apples", "70", note="third")
    third += records.of(UNLIKE, "UPDATE", "70", note="third")
    project.land(FEED, 2, third)
    project.run("--select", "silver")
    # a message whose key and row say different things
    project.spark.sql(
        f"update silver.canal_json_changes set after_image = map('id', '9999', 'note', 'third')"
        f" where table_name = '{UNLIKE}' and after_image['note'] = 'third'"
    )
    hidden = [path for paths in away.values() for path in paths]
    for path in hidden:
        path.rename(f"{path}.away")
    try:
        project.run("--select", *TABLES, *OTHERS)
    finally:
        for path in hidden:
            Path(f"{path}.away").rename(path)
    yield records
    project.set_feeds(before)
    for name in TABLES | OTHERS:
        (project.root / "models" / "gold" / f"{name}.sql").unlink()


@pytest.mark.parametrize("name", TABLES)
def test_files_without_a_key_of_the_changes_are_not_read(project, merged, name):
    """They were away while the merge ran."""
    assert noted(project, name) == "true"
    early, late = KEYS[TABLES[name]]
    found = rows(project, name)
    assert list(found.values()).count("first") == len(early)
    assert list(found.values()).count("third") == len(late)
    assert len(found) == len(early) + len(late)


def test_a_key_without_an_order_is_looked_for_everywhere(project, merged):
    assert rows(project, TEXT) == {
        "1": "third",
        "2": "first",
        "3": "first",
        "70": "second",
        "80": "second",
    }
    assert "does not have" in noted(project, TEXT)


def test_a_row_whose_key_has_no_value_of_its_type_is_found(project, merged):
    found = rows(project, WRONG)
    assert found["4 apples"] == found["70"] == "third"
    assert len(found) == 6
    assert noted(project, WRONG) == "true"


def test_a_table_with_another_value_than_its_row_key_is_read_whole(project, merged):
    assert rows(project, OLD)["2"] == "third"
    assert noted(project, OLD) == "false"


def test_a_change_with_another_value_than_its_row_key_makes_all_later_merges_read_all(
    project, merged
):
    assert rows(project, UNLIKE)["70"] == "third"
    assert noted(project, UNLIKE) == "false"
    project.land(FEED, 3, merged.of(UNLIKE, "UPDATE", "70", note="fourth"))
    project.run("--select", "silver", UNLIKE)
    assert rows(project, UNLIKE) == {
        "1": "first",
        "2": "first",
        "3": "first",
        "70": "fourth",
        "80": "second",
    }


def conditions(project):
    """Return what the merge into in_bigint asks of the key."""
    script = next(project.root.glob("target/run/*/models/gold/in_bigint.sql")).read_text()
    found = re.findall(r"or current\.id (in \([^)]*\)|between \S+ and \S+)", script)
    return [re.sub(r"\s+", " ", one) for one in found]


def test_few_old_keys_do_not_widen_the_range_of_new_ones(project, merged):
    """With the first of all keys the merge still leaves out those between."""
    keys = ["1", "9000000000"]
    project.land(FEED, 4, merged.of("in_bigint", "UPDATE", *keys, note="fifth"))
    project.run("--select", "silver", "in_bigint")
    assert conditions(project) == ["in ( 1L )", "in ( 9000000000L )"]
    found = rows(project, "in_bigint")
    assert [found[key] for key in keys] == ["fifth", "fifth"]
    assert json.dumps(found).count("fifth") == len(keys)


def test_more_keys_than_a_statement_lists_are_looked_for_in_their_ranges(project, merged):
    keys = [str(key) for key in range(1, MOST_LISTED + 1)]
    [record] = merged.of("in_bigint", "UPDATE", "9000000000", note="sixth")
    message = json.loads(record["value"])
    message["data"] += [{"id": key, "note": "sixth"} for key in keys]
    project.land(FEED, 5, [record | {"value": json.dumps(message)}])
    project.run("--select", "silver", "in_bigint")
    assert conditions(project) == [
        f"between 1L and {MOST_LISTED}L",
        "between 9000000000L and 9000000000L",
    ]
    found = rows(project, "in_bigint")
    assert [key for key, note in found.items() if note != "sixth"] == ["7000000000"]
    assert len(found) == MOST_LISTED + 2
