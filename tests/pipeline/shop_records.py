"""Records and gold models for feeds of a test's own, and what gold and dbt show of them."""

import json
import re

import pytest
import yaml
from pyspark.sql import SparkSession

from tests.pipeline.conftest import ROOT, Lakehouse

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


def project_of_tables(folder, tables):
    """Make a project with these gold tables of the shop only."""
    copy = Lakehouse(folder)
    for model in (copy.root / "models" / "gold" / "shop").glob("*.sql"):
        if model.stem not in tables:
            model.unlink()
    path = copy.root / "models" / "gold" / "_gold__models.yml"
    listed = yaml.safe_load(path.read_text())
    listed["models"] = [model for model in listed["models"] if model["name"] in tables]
    path.write_text(yaml.safe_dump(listed))
    return copy


def listed(rows):
    return [rows] if isinstance(rows, dict) else rows


def content(lakehouse, table):
    rows = lakehouse.sql(f"select to_json(struct(*)) as row from gold.{table}")
    return sorted(row.row for row in rows)


def shown(lakehouse, *query):
    """Return the rows of a query (--inline) or of a test (--select)."""
    outcome = lakehouse.dbt("show", *query, "--limit", "50")
    assert outcome.success, outcome.exception or outcome.result
    tables = [result.agate_table for result in outcome.result.results]
    return [row.dict() for table in tables if table is not None for row in table.rows]


def explained(lakehouse, table, row_key):
    return shown(lakehouse, "--inline", f"{{{{ explain_row('{table}', {list(row_key)}) }}}}")


def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which every statement that Spark gets from now on is added, without dbt's comment."""
    sent = []
    sql = SparkSession.sql

    def listed_first(spark: SparkSession, query: str, *more: object, **named: object) -> object:
        sent.append(re.sub(r"/\*.*?\*/", "", query, count=1, flags=re.DOTALL).strip())
        return sql(spark, query, *more, **named)

    monkeypatch.setattr(SparkSession, "sql", listed_first)
    return sent
