"""A full load whose rows no message marks as those of a new one: beside the stream, and started again, in every format that has one."""

import base64
import json
import shutil

import pytest

from ingestion.config.feeds import Feed
from tests.formats.drs_avro.reference import encoded
from tests.pipeline.conftest import ROOT
from tests.pipeline.shop_records import oms_record, selected_cases, shown

pytestmark = pytest.mark.long

MODEL = """{{{{ cdc.current_state(feed='{feed}', table='t', key=['id'], columns={{'id': 'int', 'v': 'string'}}) }}}}
"""


def streamx(kind, row, number):
    words = {"load": "INSERT", "update": "UPDATE_AFTER", "delete": "DELETE"}
    image = {"dataColumn": row}
    payload = (
        {"before": image, "after": None} if kind == "delete" else {"before": None, "after": image}
    )
    payload |= {"sequenceId": "-1" if kind == "load" else f"{1731661000000000000 + number}"}
    times = {"eventTime": 1731661000000 + number, "systemTime": 1731661000000, "checkpointTime": -1}
    payload |= {"timestamp": times, "op": words[kind], "ddl": None}
    columns = [{"name": "id", "type": "LONG"}, {"name": "v", "type": "STRING"}]
    source = {"dbType": "MySQL", "dbName": "shop", "tableName": "t"}
    schema = {"dataColumn": columns, "primaryKey": ["id"], "source": source}
    return {"schema": schema, "payload": payload, "version": "0.0.1"}


def oms_default(kind, row, number):
    words = {"load": "ROW", "update": "UPDATE", "delete": "DELETE"}
    told = {"store": "s1" if number < 4 else "s2", "old": row if kind == "update" else None}
    # another store takes over while the load goes on
    sequence = None if kind == "load" else 160934467150000000 + number
    record = oms_record("t", number, words[kind], row, sequence, **told)
    return json.loads(record["value"])


def oms_debezium_flatten(kind, row, number):
    source = {"connector": "OB_MYSQL", "name": "OMS", "version": "", "db": "shop", "table": "t"}
    if kind != "load":
        source |= {"pos": f"{100 + number}@1668495861", "ts_ms": 1668495861000}
    words = {"load": "c", "update": "u", "delete": "d"}
    images = {
        "load": {"after": row},
        "update": {"before": row, "after": row},
        "delete": {"before": row},
    }
    return {"op": words[kind], "source": source, "ts_ms": 1668495906356} | images[kind]


def oms_shareplex(kind, row, number):
    words = {"load": "ins", "update": "upd", "delete": "del"}
    told = {"posttime": "2020-12-07T13:59:09", "time": "2020-11-25T00:01:02", "op": words[kind]}
    told |= {"size": 10, "idx": "1/10", "table": "shop.t", "rowid": "1", "trans": None}
    if kind != "load":
        told |= {"scn": f"16093446715000{number:03}", "seq": 1}
    return {"data": row, "meta": told} | ({"key": row} if kind == "update" else {})


def qlik_replicate(kind, row, number):
    words = {"load": "REFRESH", "update": "UPDATE", "delete": "DELETE"}
    headers = {"operation": words[kind], "timestamp": "2017-11-06T16:31:28.000Z"}
    headers |= {
        "changeSequence": "" if kind == "load" else f"20171106163128000000000000000000{number:03}"
    }
    headers |= {"streamPosition": "", "transactionId": "", "changeMask": None, "columnMask": None}
    message = {"data": row, "beforeData": None, "headers": headers}
    return {"magic": "atMSG", "type": "DT", "headers": None, "message": message}


def oms_avro(kind, row, number):
    words = {"load": "INIT", "update": "UPDATE", "delete": "DELETE"}
    cells = [
        {"precision": 8, "value": str(row["id"])},
        {"charset": "utf8mb4", "value": {"bytes": row["v"]}},
    ]
    fields = [{"name": "id", "dataTypeNumber": 8}, {"name": "v", "dataTypeNumber": 253}]
    told = {
        "version": 1,
        "id": 0 if kind == "load" else 5000 + number,
        "sourceTimestamp": 1700000001,
    }
    told |= {
        "sourceTxid": "9",
        "source": {"sourceType": "MySQL", "version": "8.0"},
        "operation": words[kind],
    }
    told |= {"objectName": "shop.t", "processTimestamps": [1700000001100], "fields": fields}
    told |= {"tags": {"pk_uk_info": '{"PRIMARY":["id"]}'}}
    return told | {
        "beforeImages": None if kind == "load" else cells,
        "afterImages": None if kind == "delete" else cells,
    }


def dtle(kind, row, number):
    source = {
        "version": "0.0.1",
        "name": "d",
        "server_id": 1,
        "ts_sec": 1700000001,
        "row": 0,
        "db": "shop",
    }
    source |= {"table": "t", "query": None, "thread": None, "snapshot": kind == "load"}
    server = "acd7d195-06cd-11e9-928f-02000aba3e28"
    place = {"gtid": f"{server}:{number}", "file": "bin.000003", "pos": 500 + number}
    source |= {"gtid": None, "file": "", "pos": 0} if kind == "load" else place
    words = {"load": "c", "update": "u", "delete": "d"}
    images = {"before": None if kind == "load" else row, "after": None if kind == "delete" else row}
    return {"payload": images | {"source": source, "op": words[kind], "ts_ms": 1700000001234}}


def aws_dms(kind, row, number):
    told = {"timestamp": "2024-10-27T12:39:03.210671Z", "record-type": "data", "operation": kind}
    told |= {"partition-key-type": "schema-table", "schema-name": "shop", "table-name": "t"}
    if kind != "load":
        place = f"00000002/7C0071{number:02}.3.00000002/7C0071{number:02}"
        told |= {
            "transaction-id": 670014899490,
            "stream-position": place,
            "transaction-record-id": 1,
        }
    return {"data": row, "metadata": told}


def google_datastream(kind, row, number):
    source = {"database": "shop", "table": "t", "primary_keys": ["id"], "log_file": "bin.000004"}
    source |= {"log_position": 28000 + number, "is_deleted": kind == "delete"}
    source |= {"change_type": "INSERT" if kind == "load" else kind.upper()}
    told = {"uuid": "00c32134", "source_timestamp": "2021-12-25T05:42:03", "object": "shop_t"}
    told |= {"read_method": "mysql-backfill-jdbc" if kind == "load" else "mysql-cdc-binlog"}
    return told | {"stream_name": "s1", "source_metadata": source, "payload": row}


def canal(word):
    def told(kind, row, number):
        words = {"load": word, "update": "UPDATE", "delete": "DELETE"}
        texts = {name: str(value) for name, value in row.items()}
        old = [{"v": "older"}] if kind == "update" else None
        message = {"database": "shop", "table": "t", "type": words[kind], "isDdl": False, "sql": ""}
        message |= {
            "es": 1600161894000,
            "ts": 1600161894771,
            "id": 1,
            "pkNames": ["id"],
            "old": old,
        }
        return message | {"data": [texts], "mysqlType": {"id": "int", "v": "varchar(9)"}}

    return told


def drs_avro(kind, row, number):
    """The bytes of the message that drs_json has, by the schema that the feed names."""
    return base64.b64decode(encoded(SCHEMA, canal("INIT")(kind, row, number)))


def debezium_smt(kind, row, number):
    words = {"load": "r", "update": "u", "delete": "d"}
    told = {
        "__deleted": "true" if kind == "delete" else "false",
        "__op": words[kind],
        "__table": "t",
    }
    told |= {"__db": "shop", "__source_snapshot": "true" if kind == "load" else "false"}
    return row | told | {"__source_ts_ms": 1465581030000}


def enveloped(told):
    return lambda *change: {"payload": told(*change)}


SCHEMA = "schemas/record.avsc"
KEY = {"key_columns": {"shop.t": ["id"]}}
FORMATS = {
    "aws_dms": (aws_dms, KEY),
    "canal_json": (canal("ROW"), {}),
    "canal_json_ckafka": (canal("ROW"), KEY),
    "canal_json_cloudcanal": (canal("ROW"), {}),
    "canal_json_dts": (canal("INIT"), {"dts_instance_created": "since_2022_03_20"}),
    "canal_json_oms": (canal("ROW"), {}),
    "debezium_smt": (debezium_smt, {}),
    "drs_avro": (drs_avro, {"avro_schemas": SCHEMA}),
    "drs_json": (canal("INIT"), KEY),
    "drs_json_c": (canal("INIT"), KEY),
    "dtle": (dtle, {}),
    "dts_avro": (oms_avro, {}),
    "google_datastream": (google_datastream, {}),
    "oms_avro": (oms_avro, {}),
    "oms_debezium": (enveloped(oms_debezium_flatten), KEY),
    "oms_debezium_flatten": (oms_debezium_flatten, KEY),
    "oms_default": (oms_default, {}),
    "oms_default_ext": (oms_default, {}),
    "oms_shareplex": (oms_shareplex, KEY | {"sequence": "enabled"}),
    "qlik_replicate": (qlik_replicate, {"key_columns": {"t": ["id"]}}),
    "streamx": (streamx, {}),
}
LOADS = [
    # rows of the load stand between changes of the stream
    [("load", 1, "loaded"), ("load", 2, "loaded"), ("update", 4, "changed"), ("load", 3, "loaded")],
    # they were read before the changes that stand before them
    [
        ("delete", 5, "loaded"),
        ("load", 4, "loaded"),
        ("load", 5, "loaded"),
        ("update", 3, "changed"),
    ],
    # or a full load begins again: 2 was deleted meanwhile
    [("load", 1, "read again"), ("load", 3, "read again")],
]
ROWS = {1: "loaded", 2: "loaded", 3: "changed", 4: "changed"}
AFTER_CHANGES = "a full load came after changes, and replaced no change and removed no row: was it started again?"
KEYS_AGAIN = "a full load brought keys again, but replaced no newer change and removed no row: was it started again?"


def records(name, load):
    write, _ = FORMATS[name]
    first = sum(map(len, LOADS[:load]))
    return [
        {
            "topic": "t",
            "partition": 0,
            "offset": first + number,
            "timestamp": 1700000000000 + first + number,
            "headers": [],
            "key": json.dumps({"id": key}),
            "value": sent(write(kind, {"id": key, "v": value}, first + number)),
        }
        for number, (kind, key, value) in enumerate(LOADS[load])
    ]


def sent(message):
    """Avro as it is, all else as JSON."""
    return message if isinstance(message, bytes) else json.dumps(message)


@pytest.fixture(scope="module")
def built(project, request):
    """Gold behind each load of each format, and what order_is_decided says then."""
    before = project.feeds
    feeds = {f"loads_{name}": name for name in sorted(selected_cases(request, "name"))}
    schemas = ROOT / "tests" / "formats" / "drs_avro" / "schemas"
    shutil.copytree(schemas, project.root / "schemas", dirs_exist_ok=True)
    for feed, name in feeds.items():
        project.add_feed(feed, format=name, files=f"in/{feed}", **FORMATS[name][1])
        project.write_model(feed, MODEL.format(feed=feed))
    rows, found = [], []
    for load in range(len(LOADS)):
        for feed, name in feeds.items():
            project.land(Feed(name=feed, format=name), load, records(name, load))
        project.run("--select", "silver", *feeds)
        rows.append(
            {
                name: {row.id: row.v for row in project.sql(f"select id, v from gold.{feed}")}
                for feed, name in feeds.items()
            }
        )
        if load > 0:
            reported = shown(project, "--select", "order_is_decided")
            found.append({(feeds.get(row["feed"]), row["finding"]) for row in reported})
    yield rows, found
    project.set_feeds(before)
    for feed in feeds:
        (project.root / "models" / "gold" / f"{feed}.sql").unlink()


@pytest.mark.parametrize("name", FORMATS)
def test_a_full_load_beside_the_stream_removes_nothing_and_replaces_no_change(built, name):
    rows, found = built
    assert rows[0][name] == {1: "loaded", 2: "loaded", 3: "loaded", 4: "changed"}
    assert rows[1][name] == ROWS
    assert {finding for feed, finding in found[0] if feed == name} == {AFTER_CHANGES}


@pytest.mark.parametrize("name", FORMATS)
def test_a_full_load_that_brings_keys_again_is_reported(built, name):
    rows, found = built
    assert rows[2][name] == ROWS | {1: "read again"}
    assert {finding for feed, finding in found[1] if feed == name} == {KEYS_AGAIN}
