"""Records and gold models for feeds of a test's own, and what gold and dbt show of them."""

import json
import re
from pathlib import Path

import pytest
import yaml
from pyspark.sql import SparkSession

from tests.pipeline.conftest import ROOT, Lakehouse

UNAVAILABLE = "__debezium_unavailable_value"
RECORDS = ROOT / "examples" / "shop" / "records"


def records_of(source):
    lines = (RECORDS / f"{source}.jsonl").read_text().rstrip("\n").split("\n")
    return [json.loads(line) for line in lines]


def canal_record(table, offset, kind, row, time, partition=0, types=None, old=None):
    """A message of Canal for a row (or more) of shop.<table> with the key id, at a time in milliseconds."""
    told = {"database": "shop", "table": table, "type": kind, "isDdl": False, "sql": "", "id": 1}
    told |= {"es": time, "ts": time, "pkNames": ["id"], "data": listed(row), "old": listed(old)}
    return {
        "topic": f"shop.{table}",
        "partition": partition,
        "offset": offset,
        "timestamp": time,
        "headers": [],
        "key": None,
        "value": json.dumps(told | ({"mysqlType": types} if types else {})),
    }


def canal_ddl(table, offset, kind, text):
    record = canal_record(table, offset, kind, None, 1000 + offset)
    return record | {
        "value": json.dumps(json.loads(record["value"]) | {"isDdl": True, "sql": text})
    }


def postgres_source(table, sequence, snapshot="false"):
    source = {"connector": "postgresql", "db": "shop", "schema": "public", "table": table}
    return source | {"snapshot": snapshot, "sequence": sequence, "ts_ms": 1}


def debezium_record(offset, operation, row, source, schema=None):
    """A message of Debezium for a row with the key id; without a row it is a TRUNCATE."""
    images = {"before": row, "after": None} if operation == "d" else {"before": None, "after": row}
    message = images | {"source": source, "op": operation, "ts_ms": 2}
    return {
        "topic": f"shop.{source['table']}",
        "partition": 0,
        "offset": offset,
        "timestamp": 0,
        "headers": [],
        "key": row and json.dumps({"id": row["id"]}),
        "value": json.dumps({"schema": schema, "payload": message} if schema else message),
    }


def postgres(table, position, snapshot="false", second=1):
    # in a full load Debezium knows of no commit
    commit = str(position) if snapshot == "false" else None
    sequence = position and json.dumps([commit, str(position)])
    return postgres_source(table, sequence, snapshot) | {"ts_ms": second * 1000}


def mysql(table, file, position, server=1, snapshot="false"):
    source = {"connector": "mysql", "db": "shop", "table": table, "snapshot": snapshot}
    return source | {
        "server_id": server,
        "file": f"bin.{file:06}",
        "pos": position,
        "row": 0,
        "ts_ms": 1,
    }


def change(offset, operation, row, source, partition=0, key=("id",), **told):
    """A record of Debezium: `old_key` for its header, `before`, `schema` and Kafka's `second`."""
    record = debezium_record(
        offset, operation, row and {"id": None} | row, source, told.get("schema")
    )
    message = json.loads(record["value"])
    images = message.get("payload", message)
    images |= {image: row for image in ("before", "after") if images[image]}
    images |= {"before": told["before"]} if "before" in told else {}
    record |= {"value": json.dumps(message), "partition": partition}
    record["key"] = json.dumps({name: row[name] for name in key}) if row and key else None
    record["timestamp"] = told.get("second", 0) * 1000
    if "old_key" in told:
        record["headers"] = [("__debezium.oldkey", json.dumps(told["old_key"]))]
    return record


def ddl(offset, source, text):
    """A record of the schema change topic of Debezium for MySQL."""
    told = {"source": source, "ts_ms": 2, "databaseName": "shop", "schemaName": None, "ddl": text}
    record = debezium_record(offset, "t", None, source)
    value = json.dumps(told | {"tableChanges": []})
    return record | {"topic": f"{source['table']}_ddl", "value": value}


def oms_record(table, offset, kind, row, sequence=None, store="s1", tenant="t1", old=None):
    """A message of OMS for a row of shop.<table> with the key id; rows of a full load (ROW) have no sequence."""
    told = {"dbType": "OB_MYSQL", "db": f"{tenant}.shop" if tenant else "shop", "table_name": table}
    told |= {"record_primary_key": "id", "timestamp": "1609344671", "transId": "1_1"}
    told |= {"storeDataSequence": sequence, "source_identity": store if sequence else "7"}
    images = {"prevStruct": row if kind == "DELETE" else old}
    images |= {"postStruct": None if kind == "DELETE" else row}
    record = canal_record(table, offset, kind, row, offset * 1000)
    return record | {"value": json.dumps(images | {"allMetaData": told, "recordType": kind})}


def schema(**types):
    columns = [{"field": name, "type": kind, "optional": True} for name, kind in types.items()]
    image = {"type": "struct", "optional": True, "field": "after", "fields": columns}
    return {"type": "struct", "fields": [image], "name": "envelope"}


SHOP_MODELS = Path("examples", "shop", "models", "gold", "shop")


def project_of_tables(folder, tables):
    """Make a project with these gold tables of the shop only."""
    copy = Lakehouse(folder)
    for model in (copy.root / SHOP_MODELS).glob("*.sql"):
        if model.stem not in tables:
            model.unlink()
    path = copy.root / SHOP_MODELS / "_shop__models.yml"
    listed = yaml.safe_load(path.read_text())
    listed["models"] = [model for model in listed["models"] if model["name"] in tables]
    # it reads more of them
    listed.pop("exposures", None)
    path.write_text(yaml.safe_dump(listed))
    return copy


def selected_cases(request, *parameters):
    """Return the cases that the module's tests of this session ask for, by parameter or by the marker `cases`."""
    found = set()
    for item in request.session.items:
        if item.path != request.path:
            continue
        marker = item.get_closest_marker("cases")
        told = getattr(item, "callspec", None)
        found |= set(marker.args) if marker else set()
        found |= {told.params[name] for name in parameters if told and name in told.params}
    return found


def listed(rows):
    return [rows] if isinstance(rows, dict) else rows


def content(lakehouse, table):
    rows = lakehouse.sql(f"select to_json(struct(*)) as row from gold.{table}")
    return sorted(row.row for row in rows)


def shown(lakehouse, *query):
    """Return the rows of a query (--inline) or of a test (--select)."""
    outcome = lakehouse.dbt("show", *query, "--limit", "1000")
    assert outcome.success, outcome.exception or outcome.result
    tables = [result.agate_table for result in outcome.result.results]
    return [row.dict() for table in tables if table is not None for row in table.rows]


def explained(lakehouse, table, row_key):
    return shown(lakehouse, "--inline", f"{{{{ cdc.explain_row('{table}', {list(row_key)}) }}}}")


def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which every statement that Spark gets from now on is added, without dbt's comment."""
    sent = []
    sql = SparkSession.sql

    def listed_first(spark: SparkSession, query: str, *more: object, **named: object) -> object:
        sent.append(re.sub(r"/\*.*?\*/", "", query, count=1, flags=re.DOTALL).strip())
        return sql(spark, query, *more, **named)

    monkeypatch.setattr(SparkSession, "sql", listed_first)
    return sent


def made(shop, monkeypatch, *arguments):
    """Run dbt, and return the views that it made."""
    with monkeypatch.context() as patched:
        sent = statements(patched)
        shop.run(*arguments)
    views = [text.split()[4] for text in sent if text.startswith("create or replace view")]
    return {view.replace("`", "") for view in views}
