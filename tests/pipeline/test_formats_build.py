"""Formats of several kinds, built by dbt from their golden messages, hold what the golden rows say.

That every format keeps the contract's columns and types is tested in tests/formats, without dbt.
"""

import json
import shutil

import pytest

from ingestion.__main__ import main as ingestion
from ingestion.config.feeds import Feed
from tests.formats.conftest import load_lines
from tests.pipeline.conftest import ROOT
from tests.pipeline.shop_records import canal_record, selected_cases

pytestmark = pytest.mark.long

# A format by position, three with binary Avro, one with rows that say little of themselves, one with a required setting.
SETTINGS = {
    "streamx": {},
    "dts_avro": {},
    "debezium_avro": {"avro_schemas": "schemas"},
    "drs_avro": {"avro_schemas": "schemas/record.avsc"},
    "debezium_smt": {},
    "canal_json_dts": {"dts_instance_created": "since_2022_03_20"},
}
NEW = sorted(SETTINGS)
SAME_MODEL = """{{{{ cdc.current_state(
    feed='{feed}', database='shop', table='same', key=['id'],
    columns={{'id': 'bigint', 'value': 'binary'}}
) }}}}
"""
COLUMNS = (
    "topic, partition, offset, row_index, operation, database_name, table_name, row_key, error"
)


def lines(format_name, file):
    return load_lines(ROOT / "tests" / "formats" / format_name / file)


@pytest.fixture(scope="module")
def built(request, project):
    """Silver of the formats that this session has selected."""
    before = project.feeds
    formats = sorted(selected_cases(request, "format_name"))
    for name in ("debezium_avro", "drs_avro"):
        schemas = ROOT / "tests" / "formats" / name / "schemas"
        shutil.copytree(schemas, project.root / "schemas", dirs_exist_ok=True)
    for name in formats:
        files = f"tests/formats/{name}/messages.jsonl"
        project.add_feed(f"golden_{name}", format=name, files=files, **SETTINGS[name])
    # 7: some golden records are there to show what the loader could not read
    assert project.load(*(f"golden_{name}" for name in formats)) in (0, 7)
    outcome = project.dbt("build", "--select", "silver", "every_record_is_in_silver")
    yield project, outcome
    project.set_feeds(before)
    for name in formats:
        assert ingestion(["retire", f"golden_{name}", "--project-dir", str(project.root)]) == 0
    project.run("--select", "cdc_changes")


@pytest.mark.cases(*NEW)
def test_dbt_builds_them_under_the_contract(built):
    project, outcome = built
    statuses = project.statuses(outcome)
    assert {statuses[f"{name}_changes"] for name in NEW} == {"success"}
    assert statuses["every_record_is_in_silver"] == "pass"


@pytest.mark.cases("drs_avro")
def test_avro_schemas_that_are_not_there_are_asked_for(built):
    project, _ = built
    feed = project.feeds["golden_drs_avro"]
    project.add_feed("golden_drs_avro", **(feed | {"avro_schemas": "schemas/none.avsc"}))
    outcome = project.dbt("compile", "--select", "drs_avro_changes")
    project.add_feed("golden_drs_avro", **feed)
    said = str(outcome.exception or outcome.result.results[0].message)
    assert "Feed golden_drs_avro: avro_schemas is schemas/none.avsc, but there is no" in said


@pytest.mark.parametrize("format_name", NEW)
def test_the_rows_are_the_golden_ones(built, format_name):
    project, _ = built
    # the options of a feed are per feed here, and per record there
    plain = {
        (record["topic"], record["partition"], record["offset"])
        for record in lines(format_name, "messages.jsonl")
        if record.get("feed", {}) == SETTINGS[format_name] and "load_error" not in record
    }
    names = COLUMNS.split(", ")
    expected = sorted(
        json.dumps([row[name] for name in names])
        for row in lines(format_name, "changes.jsonl")
        if (row["topic"], row["partition"], row["offset"]) in plain
    )
    rows = project.sql(f"select {COLUMNS} from silver.{format_name}_changes")
    got = sorted(
        json.dumps(list(row)) for row in rows if (row.topic, row.partition, row.offset) in plain
    )
    assert len(expected) > 50
    assert got == expected


# the same bytes, as each of them writes them
SAME_TYPES = {"canal_json": "A\u00ffB", "canal_json_ticdc": "A\u00ffB", "canal_json_oms": "Qf9C"}


def test_formats_that_write_the_same_types_keep_their_own_encodings(project):
    """Their schemas have one text and thus one id; one of them comes in a later run."""
    before = project.feeds
    for name in SAME_TYPES:
        project.add_feed(f"same_{name}", format=name, files=f"in/{name}")
        project.write_model(f"same_{name}", SAME_MODEL.format(feed=f"same_{name}"))
    for load, names in enumerate((["canal_json", "canal_json_ticdc"], ["canal_json_oms"])):
        for name in names:
            row, types = {"id": "1", "value": SAME_TYPES[name]}, {"id": "bigint", "value": "blob"}
            record = canal_record("same", load, "INSERT", row, 1000, types=types)
            project.land(Feed(name=f"same_{name}", format=name), load, [record])
        project.run("--select", "silver", *(f"same_{name}" for name in names))
    for name in SAME_TYPES:
        (row,) = project.sql(f"select value, _change.misfits from gold.same_{name}")
        assert (name, bytes(row.value), row.misfits) == (name, b"A\xffB", [])
    project.set_feeds(before)
    for name in SAME_TYPES:
        (project.root / "models" / "gold" / f"same_{name}.sql").unlink()
        if name != "canal_json":
            assert ingestion(["retire", f"same_{name}", "--project-dir", str(project.root)]) == 0
    project.run("--select", "cdc_changes")
