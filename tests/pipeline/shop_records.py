"""Records and gold models for feeds of a test's own, and what gold and dbt show of them."""

import json

from tests.pipeline.conftest import ROOT

RECORDS = ROOT / "examples" / "shop" / "records"


def records_of(source):
    lines = (RECORDS / f"{source}.jsonl").read_text().rstrip("\n").split("\n")
    return [json.loads(line) for line in lines]


def model_of(table, source, feed):
    text = (ROOT / "models" / "gold" / "shop" / f"{table}.sql").read_text()
    return text.replace(f"feed='shop_{source}'", f"feed='{feed}'")


def canal_record(table, offset, kind, row, time, partition=0, types=None):
    """A message of Canal for a row of shop.<table> with the key id, at a time in milliseconds."""
    told = {"database": "shop", "table": table, "type": kind, "isDdl": False, "sql": "", "id": 1}
    told |= {"es": time, "ts": time, "pkNames": ["id"], "data": [row], "old": None}
    return {
        "topic": f"shop.{table}",
        "partition": partition,
        "offset": offset,
        "timestamp": time,
        "headers": [],
        "key": None,
        "value": json.dumps(told | ({"mysqlType": types} if types else {})),
    }


def content(lakehouse, table):
    rows = lakehouse.sql(f"select to_json(struct(*)) as row from gold.{table}")
    return sorted(row.row for row in rows)


def shown(lakehouse, inline):
    outcome = lakehouse.dbt("show", "--inline", inline, "--limit", "50")
    assert outcome.success, outcome.exception or outcome.result
    return [row.dict() for row in outcome.result.results[0].agate_table.rows]


def explained(lakehouse, table, row_key):
    return shown(lakehouse, f"{{{{ explain_row('{table}', {list(row_key)}) }}}}")
