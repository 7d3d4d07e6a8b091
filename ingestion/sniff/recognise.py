"""Which formats a record can be of, by the signs in it.

`macros/parse/unknown_error.sql` looks at the same signs in SQL, to name one format in a
sentence; here all possible formats are kept, since one record often fits several.
"""

import json
from typing import Any

Candidates = frozenset[str]

NOTHING: Candidates = frozenset()
DRS = frozenset({"drs_json", "drs_json_c"})
DEBEZIUM_CONNECTORS = frozenset(
    ("mysql", "mariadb", "postgresql", "oracle", "sqlserver", "mongodb", "db2", "vitess", "spanner")
)
# Without a registry's header, nothing in the bytes shows which format's Avro it is.
BARE_AVRO = frozenset({"dts_avro", "oms_avro", "drs_avro"})
WHOLE_UPDATES = frozenset({"INSERT", "UPDATE", "DELETE"})
SECONDS = 10**11
TICDC_VERSION = b"\x00\x00\x00\x00\x00\x00\x00\x01"


def candidates(
    key: bytes | None, value: bytes | None, message: dict[str, Any] | None
) -> Candidates | None:
    """Return the formats that a record can be of, none if it has no sign; None if it is empty.

    `message` is the document that the value holds, if it holds one.
    """
    if value is None:
        return None
    if value[:1] == b"\x00":
        framed = key is not None and key[:8] == TICDC_VERSION
        return frozenset({"ticdc_open"} if framed else {"debezium_avro"})
    if key == TICDC_VERSION:
        return frozenset({"ticdc_maxwell"})
    if message is None:
        return None if value.strip() in (b"", b"null") else _of_bytes(value)
    named = _of_message(message, read_document(key) or {})
    return frozenset({named}) if isinstance(named, str) else named


def read_document(content: bytes | None) -> dict[str, Any] | None:
    """Return the JSON object that the bytes hold, unwrapped once if it was encoded as a text."""
    if content is None:
        return None
    try:
        found = json.loads(content.decode("utf-8-sig"))
        found = json.loads(found) if isinstance(found, str) else found
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _of_bytes(value: bytes) -> Candidates:
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return BARE_AVRO
    return BARE_AVRO if any(byte < 9 for byte in value[:64]) else NOTHING


def _of_message(message: dict[str, Any], key: dict[str, Any]) -> Candidates | str:
    payload = message.get("payload")
    body = payload if isinstance(payload, dict) else message
    meta = mapping(message, "meta")
    if message.keys() == {"schema", "payload"} and payload is None and message["schema"] is None:
        return "dtle"
    if message.get("version") == "2.0" and "op" in mapping(message, "payload"):
        return "dataworks_v2"
    if "sequenceId" in body or "dataColumn" in mapping(message, "schema"):
        return "streamx"
    if "recordType" in message and "allMetaData" in message:
        return _oms_default(message)
    if "op" in meta:
        return _shareplex(meta)
    if "operation" in message and {"beforeImages", "afterImages", "objectName"} & message.keys():
        return _dts_record(message)
    if "record-type" in mapping(message, "metadata"):
        return "aws_dms"
    if "source_metadata" in message and "read_method" in message:
        return "google_datastream"
    if message.get("magic") == "atMSG" or "changeSequence" in mapping(message, "headers"):
        return "qlik_replicate"
    if "op_type" in message and "table" in message:
        return "ogg_json"
    if "op" in body and {"source", "before", "after"} & body.keys():
        return _debezium(body, wrapped=body is payload)
    if body.get("op") == "HEARTBEAT":
        return frozenset({"oms_debezium" if body is payload else "oms_debezium_flatten"})
    if "ddl" in body and {"databaseName", "tableChanges", "position"} & body.keys():
        return "dtle" if "position" in body else _debezium(body, wrapped=True)
    if (body.get("status") in ("BEGIN", "END") and "id" in body) or body.keys() == {"ts_ms"}:
        return "debezium_json"
    if "action" in message and {"entryType", "dbValType", "jdbcType"} & message.keys():
        return "cloudcanal_json"
    return _of_type(message, key)


def _of_type(message: dict[str, Any], key: dict[str, Any]) -> Candidates | str:
    kind = message.get("type")
    if "commitTs" in message and "version" in message:
        return "ticdc_simple"
    if message and (message.keys() <= {"u", "p", "d"} or message.keys() == {"q", "t"}):
        return "ticdc_open"
    if isinstance(kind, str) and kind == kind.lower() and "ts" in message:
        return _maxwell(message, kind, key)
    if isinstance(kind, str) and ("isDdl" in message or isinstance(message.get("data"), list)):
        return _canal(message, kind)
    # SeaTunnel's one row may be without a list
    if kind in ("INSERT", "DELETE") and isinstance(message.get("data"), dict):
        return _canal(message, kind)
    if any(name.startswith("__") for name in message):
        only_deleted = {name for name in message if name.startswith("__")} == {"__deleted"}
        return frozenset({"debezium_smt"} | ({"oms_debezium_smt"} if only_deleted else set()))
    return NOTHING


def mapping(message: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the object of that name; an empty one where there is none."""
    found = message.get(name)
    return found if isinstance(found, dict) else {}


def _oms_default(message: dict[str, Any]) -> Candidates | str:
    images = [mapping(message, name) for name in ("prevStruct", "postStruct")]
    if any("__light_type" in image for image in images):
        return "oms_default_ext"
    # a heartbeat has no image that could show the format
    return "oms_default" if any(images) else frozenset({"oms_default", "oms_default_ext"})


def _shareplex(meta: dict[str, Any]) -> str:
    own = str(meta.get("rowid", "")).startswith(f"{meta.get('table')}-")
    return "oms_shareplex" if own else "shareplex_quest"


def _dts_record(message: dict[str, Any]) -> str:
    of_oceanbase = mapping(message, "source").get("version") == "OBMySQL"
    return "oms_avro" if of_oceanbase else "dts_avro"


def _debezium(body: dict[str, Any], wrapped: bool) -> Candidates | str:
    source = mapping(body, "source")
    connector = source.get("connector")
    if source.get("name") == "OMS" or str(connector).startswith("OB_"):
        return "oms_debezium" if wrapped else "oms_debezium_flatten"
    if connector == "TiCDC":
        return "ticdc_debezium"
    if connector == "MySQL":
        return "debezium_cloudcanal"
    if str(connector) in DEBEZIUM_CONNECTORS:
        return "debezium_json"
    if connector is None and "ts_sec" in source:
        return "dtle"
    return "flink_cdc_debezium" if source.keys() <= {"db", "schema", "table"} else NOTHING


def _maxwell(message: dict[str, Any], kind: str, key: dict[str, Any]) -> Candidates | str:
    of_tidb = {"ts", "scm", "tbl", "t"} <= key.keys()
    is_ddl = kind.startswith(("table-", "database-"))
    if of_tidb or (kind == "delete" and "data" not in message):
        return "ticdc_maxwell"
    if is_ddl and isinstance(message["ts"], int) and message["ts"] > 10**14:
        return "ticdc_maxwell"
    if {"xid", "position", "server_id"} & message.keys() or kind.startswith("bootstrap-") or is_ddl:
        return "maxwell"
    return frozenset({"maxwell", "ticdc_maxwell"})


def _canal(message: dict[str, Any], kind: str) -> Candidates | str:
    if "_tidb" in message or kind == "TIDB_WATERMARK":
        return "canal_json_ticdc"
    if "tableChanges" in message:
        return "canal_json_cloudcanal"
    if not {"es", "isDdl"} & message.keys():
        return "flink_cdc_canal"
    if isinstance(message.get("es"), int) and 0 < message["es"] < SECONDS:
        return "canal_json_ckafka"
    if "id" not in message:
        return "canal_json_oms"
    if kind == "INIT_DDL" or 94 in mapping(message, "sqlType").values():
        return _drs(message, kind)
    if kind == "DDL":
        return DRS | {"canal_json_dts"}
    if kind == "INIT":
        return _drs(message, kind) | {"canal_json_dts"}
    if message["id"] in (0, "0"):
        return frozenset({"canal_json_cloudcanal", "canal_json_ticdc"})
    if kind not in WHOLE_UPDATES:
        return frozenset({"canal_json", "canal_json_dts"} | (DRS if kind == "TRUNCATE" else set()))
    return _drs(message, kind) | {"canal_json_dts"} | _canal_itself(message)


def _canal_itself(message: dict[str, Any]) -> Candidates:
    """Canal writes a type as the table's definition has it: a varchar has its length."""
    types = [str(name).lower() for name in mapping(message, "mysqlType").values()]
    without_length = {"varchar", "char", "decimal", "varbinary"} & set(types)
    return NOTHING if without_length else frozenset({"canal_json"})


def _drs(message: dict[str, Any], kind: str) -> Candidates:
    """DRS writes types without length; its two formats differ in deleted rows and timestamps."""
    types = mapping(message, "mysqlType")
    if "gtid" in message or any("(" in str(name) for name in types.values()):
        return NOTHING
    rows = message.get("data") or message.get("old")
    if kind == "DELETE":
        return frozenset({"drs_json_c" if message.get("data") else "drs_json"})
    if isinstance(rows, list) and rows and isinstance(rows[0], dict):
        times = [rows[0].get(name) for name, word in types.items() if word == "timestamp"]
        for text in filter(None, times):
            is_number = str(text).replace(".", "", 1).isdigit()
            return frozenset({"drs_json" if is_number else "drs_json_c"})
    return DRS
