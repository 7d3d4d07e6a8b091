"""The format of records is recognised by their signs, and a feed is proposed that reads them."""

import csv
import json
from collections import Counter
from collections.abc import Iterator

import pytest
import yaml

from ingestion.__main__ import main
from ingestion.config.project_files import PROJECT_ROOT
from ingestion.files.loading import find_files
from ingestion.sniff.inspect import READ_FROM_KAFKA_KEY, Finding, describe, examine
from ingestion.sniff.recognise import candidates, read_document
from tests.formats.conftest import load_lines, wire_bytes
from tests.support.kafka_broker import KafkaBroker
from tests.support.project import Project

FORMATS = PROJECT_ROOT / "tests" / "formats"
# What the messages of a format alone leave open, beside the format itself.
UNDECIDABLE = {
    "canal_json": {"canal_json_dts"},
    "maxwell": {"ticdc_maxwell"},
    "oms_debezium_smt": {"debezium_smt"},
}
# signs.jsonl names the vendors' sample files, some of which share a format.
OF_DEBEZIUM = [
    "heartbeat",
    "mongodb",
    "mysql",
    "oracle",
    "postgres",
    "schema_change",
    "sqlserver",
    "transaction",
]
FORMAT_OF = {f"debezium_{name}": "debezium_json" for name in OF_DEBEZIUM}
FORMAT_OF["dtle_schema_change"] = "dtle"
# A flattened row without an added field bears no sign at all.
BARE_ROWS = ('{"id":1,"name":"a"}', '{"field1":"after_value1","field2":"after_value2"}')


def candidates_of(value: bytes | None) -> set[str] | None:
    return candidates(None, value, read_document(value))


def golden_samples() -> dict[str, list[dict]]:
    """The vendors' sample messages among the golden ones, by format."""
    samples: dict[str, list[dict]] = {}
    for path in sorted(FORMATS.glob("*/messages.jsonl")):
        for record in load_lines(path):
            if record["case"].startswith(f"{path.parent.name} line "):
                samples.setdefault(path.parent.name, []).append(record)
    return samples


SAMPLES = golden_samples()


def found_in(records: list[dict]) -> Finding:
    names = ("key", "value")
    return examine(
        record | {name: record.get(name) and record[name].encode() for name in names}
        for record in records
        if "value" in record
    )


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_is_recognised(name: str):
    found = found_in(SAMPLES[name])
    assert name in found.formats
    assert set(found.formats) - {name} <= UNDECIDABLE.get(name, set())


def test_signs_of_all_formats_are_known():
    missed = Counter(
        (line["format"], line["text"][:80])
        for line in load_lines(FORMATS / "signs.jsonl")
        if FORMAT_OF.get(line["format"], line["format"]) not in candidates_of(line["text"].encode())
        and line["text"] not in BARE_ROWS
    )
    assert not missed


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (b"", None),
        (b"null", None),
        (b"{}", set()),
        (b"hello", set()),
        (b"[" * 100_000, set()),
        (b'{"a": 1}', set()),
        (b"\x00\x00\x00\x00\x07abc", {"debezium_avro"}),
        (b"\x02\x08\xff\xfe", {"dts_avro", "oms_avro", "drs_avro"}),
    ],
)
def test_records_without_a_sign_prove_nothing(value: bytes | None, expected: set | None):
    assert candidates_of(value) == expected


def test_frames_of_ticdc_are_recognised():
    framed = [
        record
        for record in load_lines(FORMATS / "ticdc_open" / "messages.jsonl")
        if record["case"].startswith("ticdc_open line ") and "value_base64" in record
    ]
    assert framed
    for record in framed:
        key, value = (wire_bytes(record, name) for name in ("key", "value"))
        assert candidates(key, value, read_document(value)) == {"ticdc_open"}


def test_several_rows_in_one_record_of_ticdc_are_recognised_by_its_key():
    row = b'{"database":"d","table":"t","type":"insert","ts":1,"data":{"id":1}}'
    key = b"\x00\x00\x00\x00\x00\x00\x00\x01"
    assert candidates(key, row + row, read_document(row + row)) == {"ticdc_maxwell"}


def test_a_file_gives_a_feed_that_loads_it(project: Project, capsys: pytest.CaptureFixture):
    record = {"topic": "shop.visits", "partition": 0, "key": None}
    message = {"data": [{"id": "1", "at": "2"}], "database": "shop", "table": "visits", "es": 10**12, "id": 7,
               "isDdl": False, "mysqlType": {"id": "bigint(20)", "at": "varchar(9)"}, "old": None, "pkNames": None,
               "sql": "", "sqlType": {}, "ts": 10**12, "type": "INSERT", "gtid": "x"}  # fmt: skip
    records = [
        record | {"offset": 0, "value": json.dumps(message)},
        record | {"offset": 1, "value": '{"op_type": "I", "table": "A.B"}'},
        record | {"offset": 2, "value": "{"},
        record | {"offset": 3, "value": json.dumps(message)},
        record | {"offset": 4, "value": None},
    ]
    project.configure({})
    path = project.folder / "visits.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in records))
    assert main(["inspect", "visits.jsonl", "--project-dir", str(project.folder)]) == 0
    shown = capsys.readouterr().out
    assert "2 look like canal_json or canal_json_dts" in shown
    assert "1 look like ogg_json, such as shop.visits, 0:1" in shown
    assert "1 look like no format known here, such as shop.visits, 0:2" in shown
    assert "shop.visits: []  # which of id, at?" in shown
    proposed = yaml.safe_load(shown.split("dbt_project.yml:\n\n")[1].split("\n\n")[0])
    assert proposed["visits"]["files"] == ["visits.jsonl"]
    assert proposed["visits"]["format"] == "canal_json"


def test_a_file_is_found_by_its_name_whatever_is_in_it(
    project: Project, capsys: pytest.CaptureFixture
):
    record = a_record(of_canal("shop", "visits", id=1))
    (project.folder / "visits [1].jsonl").write_text(json.dumps(record))
    # what the name would match as a pattern
    (project.folder / "visits 1.jsonl").write_text("")
    project.configure({})
    assert main(["inspect", "visits [1].jsonl", "--project-dir", str(project.folder)]) == 0
    shown = capsys.readouterr().out
    assert "1 look like canal_json" in shown
    proposed = yaml.safe_load(shown.split("dbt_project.yml:\n\n")[1].split("\n\n")[0])
    files = find_files(project.folder, proposed["visits"]["files"])
    assert [name for name, _ in files] == ["visits [1].jsonl"]


def test_records_are_read_as_records_below_lines_that_are_none(
    project: Project, capsys: pytest.CaptureFixture
):
    project.configure({})
    lines = ["cut off", '{"topic": "a"}', json.dumps(a_record(of_canal("shop", "visits", id=1)))]
    (project.folder / "visits.jsonl").write_text("\n".join(lines))
    assert main(["inspect", "visits.jsonl", "--project-dir", str(project.folder)]) == 0
    shown = capsys.readouterr().out
    assert "1 look like canal_json" in shown
    assert "lines: messages" not in shown


@pytest.mark.parametrize("number", ["-1", "0", "x"])
def test_a_number_of_records_that_is_none_is_refused(number: str, capsys: pytest.CaptureFixture):
    with pytest.raises(SystemExit) as refused:
        main(["inspect", "visits.jsonl", f"--records={number}"])
    assert refused.value.code == 2
    assert f"must be a whole number above 0, but it is {number}" in capsys.readouterr().err


def others_of(value: object) -> Iterator[object]:
    """Yield values like this one in which a part is another one."""
    for other in ([], {}, 5, "x", None, True, [[]]):
        yield other
    parts = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for place, part in parts:
        for other in others_of(part):
            yield (value | {place: other}) if isinstance(value, dict) else [other]


@pytest.mark.parametrize("name", SAMPLES)
def test_no_message_is_too_strange_to_be_looked_at(name: str):
    for record in SAMPLES[name][:3]:
        if message := read_document((record.get("value") or "").encode()):
            found_in([a_record(other) for other in others_of(message)])


@pytest.mark.kafka
def test_a_topic_is_looked_at_without_landing_it(
    project: Project, broker: KafkaBroker, capsys: pytest.CaptureFixture
):
    topic = broker.create("inspected", 2)
    message = {"op": "c", "after": {"id": 1}, "source": {"connector": "mysql", "table": "t"}}
    with broker.transaction("inspected", abort=True) as producer:
        producer.produce(topic, value="taken back")
    broker.produce(topic, [{"key": b'{"id":1}', "value": json.dumps(message).encode()}])
    project.configure({}, broker.servers)
    assert main(["inspect", "inspected", "--project-dir", str(project.folder)]) == 0
    shown = capsys.readouterr().out
    assert "1 look like debezium_json" in shown
    # what the loader would not land is not looked at either
    assert "taken back" not in shown and "1 records" in shown
    assert 'topics: ["inspected"]' in shown
    assert main(["inspect", "nowhere", "--project-dir", str(project.folder)]) != 0
    assert "have no topic nowhere" in capsys.readouterr().err


def test_the_formats_that_take_a_key_from_kafkas_are_those_of_the_seed():
    with (PROJECT_ROOT / "seeds" / "formats.csv").open(encoding="utf-8", newline="") as lines:
        told = {row["format"] for row in csv.DictReader(lines) if "Kafka key" in row["key_source"]}
    assert told == READ_FROM_KAFKA_KEY


@pytest.mark.parametrize(
    ("name", "table", "column"),
    [
        ("oms_shareplex", "mock_database.mock_table", "col1"),
        ("shareplex_quest", "PHUNT1013U1.ROCK_BAND", "BAND_NAME"),
        ("aws_dms", "public.foo", "id"),
        ("qlik_replicate", "sample_qlik_replicate", "EmployeeID"),
    ],
)
def test_a_key_is_asked_for_where_no_message_names_one(name: str, table: str, column: str):
    """A key of Kafka's says nothing of the table's where the format does not read it."""
    for key in (None, "1"):
        found = found_in(
            [{"topic": f"sample_{name}"} | record | {"key": key} for record in SAMPLES[name]]
        )
        assert column in found.keyless[table]


def test_the_tenant_is_no_part_of_a_table_in_key_columns():
    message = {"meta": {"op": "upd", "table": "t1.shop.orders", "rowid": "t1.shop.orders-3"},
               "data": {"n": 1}, "key": {"id": 1}}  # fmt: skip
    record = {"topic": "t", "partition": 0, "offset": 0, "key": None, "value": json.dumps(message)}
    assert found_in([record]).keyless == {"shop.orders": ["id", "n"]}


def a_record(message: dict) -> dict:
    return {"topic": "t", "partition": 0, "offset": 0, "key": None, "value": json.dumps(message)}


def of_canal(database: str | None, table: str, **row: object) -> dict:
    return {"data": [row], "database": database, "table": table, "es": 10**12, "id": 7, "isDdl": False,
            "mysqlType": {"id": "bigint(20)"}, "old": None, "pkNames": None, "sql": "", "sqlType": {},
            "ts": 10**12, "type": "INSERT"}  # fmt: skip


@pytest.mark.parametrize("column", ["data", "dataColumn"])
@pytest.mark.parametrize("value", ["x", {"a": 1}])
def test_a_column_of_a_table_is_no_wrapping_of_its_rows(column: str, value: object):
    row = {"id": 1, column: value}
    of_dms = {
        "data": row,
        "metadata": {"record-type": "data", "schema-name": "crm", "table-name": "notes"},
    }
    assert found_in([a_record(of_dms)]).keyless == {"crm.notes": ["id", column]}
    assert found_in([a_record(of_canal("crm", "notes", **row))]).keyless == {
        "crm.notes": ["id", column]
    }
    source = {"dbType": "x", "dbName": "crm", "tableName": "notes", "table": "notes"}
    of_streamx = {"schema": {"dataColumn": [], "source": source}, "payload": {"op": "INSERT", "sequenceId": "1", "after": {"dataColumn": row}}}  # fmt: skip
    of_dataworks = {"version": "2.0", "schema": {"source": source}, "payload": {"op": "INSERT", "after": {"data": row}}}  # fmt: skip
    for message in (of_streamx, of_dataworks):
        assert found_in([a_record(message)]).keyless == {"crm.notes": ["id", column]}


OF_DEBEZIUM = {"op": "c", "after": {"id": 1}}
OF_DEBEZIUM_SOURCE = {"connector": "postgresql", "db": "a", "schema": "a", "table": "a"}
OF_CLOUDCANAL = {"action": "INSERT", "entryType": "ROWDATA", "data": [{"id": 1}]}


@pytest.mark.parametrize(
    ("message", "table"),
    [
        (of_canal("a", "a", id=1), "a.a"),
        (OF_DEBEZIUM | {"source": OF_DEBEZIUM_SOURCE}, "a.a.a"),
        # a source without schemas has its database in both fields
        (OF_CLOUDCANAL | {"db": "a", "schema": "a", "table": "a"}, "a.a"),
        (OF_CLOUDCANAL | {"db": "a", "schema": "b", "table": "b"}, "a.b.b"),
        (OF_DEBEZIUM | {"source": OF_DEBEZIUM_SOURCE | {"connector": "MySQL"}}, "a.a"),
        (OF_DEBEZIUM | {"source": {"connector": "MySQL", "db": "a", "table": "a"}}, "a.a"),
    ],
)
def test_a_table_is_named_as_silver_looks_it_up_whatever_its_names(message: dict, table: str):
    assert found_in([a_record(message)]).keyless == {table: ["id"]}


def test_names_in_a_proposal_are_those_of_the_tables_whatever_is_in_them():
    names = ("a: b #c", "2024", "订单", "[x]", "-", "y" * 200)
    found = found_in([a_record(of_canal(None, name, id=1)) for name in names])
    shown = "\n".join(describe("visits.jsonl", "records", found, {}))
    proposed = yaml.safe_load(shown.split("dbt_project.yml:\n\n")[1].split("\n\n")[0])
    assert proposed["visits"]["key_columns"] == {name: [] for name in names}


def test_no_key_is_asked_for_where_a_hidden_one_is():
    """ApsaraDB for MySQL, by StreamX."""
    assert found_in(SAMPLES["streamx"]).keyless == {}
