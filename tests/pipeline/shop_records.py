"""The shop's records and gold models for feeds of a test's own, and what a gold table holds."""

import json

from tests.pipeline.conftest import ROOT

RECORDS = ROOT / "examples" / "shop" / "records"


def records_of(source):
    lines = (RECORDS / f"{source}.jsonl").read_text().rstrip("\n").split("\n")
    return [json.loads(line) for line in lines]


def model_of(table, source, feed):
    text = (ROOT / "models" / "gold" / "shop" / f"{table}.sql").read_text()
    return text.replace(f"feed='shop_{source}'", f"feed='{feed}'")


def content(lakehouse, table, with_place):
    place = "to_json(_change)" if with_place else "to_json(_change.row_key)"
    names = lakehouse.spark.table(f"gold.{table}").columns
    columns = ", ".join(f"`{name}`" for name in names if name != "_change")
    return sorted(
        json.dumps([row[0], row[1]])
        for row in lakehouse.sql(f"select to_json(struct({columns})), {place} from gold.{table}")
    )
