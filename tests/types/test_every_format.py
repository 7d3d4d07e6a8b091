"""Every schema text in the golden rows of every format becomes columns that gold can use."""

import json
import re
from pathlib import Path

import pytest

from ingestion.config.settings import ENCODINGS

GOLDEN = Path(__file__).resolve().parents[1] / "formats"
FORMATS = sorted(path.parent.name for path in GOLDEN.glob("*/changes.jsonl"))
# Beside those that a feed may name, these come with what only the message knows.
FROM_MESSAGES = {
    "bare_number",
    "connect_decimal",
    "encoded_list",
    "enum_number",
    "set_mask",
    "zoned_wall_clock",
}
COLUMNS = [
    ("schema_id", "string"),
    ("column_name", "string"),
    ("ordinal", "int"),
    ("source_type", "string"),
    ("wire_encoding", "string"),
    ("scale", "int"),
    ("labels", "array<string>"),
    ("is_optional", "boolean"),
    ("comment", "string"),
    ("proposed_type", "string"),
]
SCALAR = r"(string|tinyint|smallint|int|bigint|float|double|boolean|binary|date|timestamp|timestamp_ntz|decimal\(\d+,\d+\))"
TYPE = rf"{SCALAR}|array<{SCALAR}>"


@pytest.mark.parametrize("format_name", FORMATS)
def test_schema_texts_become_columns(spark, macros, format_name):
    with (GOLDEN / format_name / "changes.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    texts = {row["schema_id"]: row["schema_text"] for row in rows if row["schema_id"]}
    frame = spark.createDataFrame(
        list(texts.items()), "schema_id string, schema_text string"
    ).coalesce(1)
    frame.createOrReplaceTempView("schemas")
    columns = spark.sql(getattr(macros, f"{format_name}_columns")("schemas"))
    assert columns.dtypes == COLUMNS
    found = columns.collect()
    assert {column.schema_id for column in found} <= texts.keys()
    assert found or not texts
    # NULL: neither the messages nor a document tells it
    assert {column.wire_encoding for column in found} <= {None} | FROM_MESSAGES.union(ENCODINGS)
    proposed = {column.proposed_type for column in found}
    assert [name for name in proposed if not re.fullmatch(TYPE, name)] == []
