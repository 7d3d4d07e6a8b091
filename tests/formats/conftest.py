"""One small Spark session, and the format macros rendered without dbt."""

import base64
import json
import pickle
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from pyspark.sql import DataFrame

from ingestion.dbt.macros import macros_of
from tests.support.small_spark import COMPILED, INTERPRETED, small_session

HERE = Path(__file__).parent
MACROS = Path(__file__).resolve().parents[2] / "macros"
MACRO_FILES = (
    "sql/*.sql",
    "project/feeds.sql",
    "parse/*.sql",
    "formats/*.sql",
    "checks/statements.sql",
)

# What macros/run/new_messages.sql hands to a format macro.
MESSAGES = """
    feed string, format string, topic string, topic_generation int, partition int, offset bigint,
    timestamp timestamp, timestamp_type string, headers array<struct<key: string, value: binary>>,
    key binary, value binary, load_error string, load_id string, ingested_at timestamp,
    bronze_version bigint, feed_key_columns map<string, array<string>>, feed_settings map<string, string>
"""
TIMES = ("message_timestamp", "changed_at", "captured_at")


def read_as(format_name):
    """The format whose macro reads the messages of this one: mostly itself."""
    text = (MACROS / "formats" / f"{format_name}.sql").read_text()
    called = re.search(r"cdc\.parse_(\w+)\(messages\)", text)
    return called[1] if called else format_name


@dataclass(frozen=True)
class Statement:
    """What a format's macro makes of the records that lie in a file when it runs."""

    path: Path
    frame: DataFrame
    shown: DataFrame

    def give(self, format_name, records):
        """From now on the statement reads these records."""
        self.path.write_bytes(pickle.dumps([as_bronze(record, format_name) for record in records]))


def load_lines(path):
    """The objects of a JSON Lines file."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def wire_bytes(record, field):
    """Bytes of a record's key or value; None stays None."""
    if f"{field}_base64" in record:
        return base64.b64decode(record[f"{field}_base64"])
    text = record.get(field)
    return None if text is None else text.encode("utf-8", "surrogatepass")


def as_bronze(record, format_name):
    """One record of messages.jsonl as a row of bronze with its feed's options."""
    options = record.get("feed", {})
    headers = [(name, None if text is None else text.encode()) for name, text in record["headers"]]
    return (
        f"golden_{format_name}",
        format_name,
        record["topic"],
        0,
        record["partition"],
        record["offset"],
        record["timestamp"],
        "CreateTime",
        headers,
        wire_bytes(record, "key"),
        wire_bytes(record, "value"),
        record.get("load_error"),
        "load-1",
        record["timestamp"],
        7,
        options.get("key_columns", {}),
        {name: value for name, value in options.items() if name != "key_columns"},
    )


@pytest.fixture(scope="session")
def spark():
    """The session that formats and types share."""
    return small_session()


def avro_schemas(format_name, files):
    """Stands for macros/project/avro_schemas.sql: the schemas that lie beside a format's golden messages."""
    return [
        {"file": f"schemas/{path.name}", "text": path.read_text("utf-8")}
        for path in sorted((HERE / format_name / "schemas").glob("*.avsc"))
    ]


def held_messages(spark, path):
    """The messages that lie in a file whenever a statement over this DataFrame runs."""

    def rows(_):
        return pickle.loads(Path(path).read_bytes())

    source = spark.sparkContext.parallelize([0], 1).mapPartitions(rows)
    schema = MESSAGES.replace("timestamp timestamp", "timestamp bigint").replace(
        "ingested_at timestamp", "ingested_at bigint"
    )
    frame = spark.createDataFrame(source, schema, verifySchema=False)
    return frame.selectExpr(
        *(
            f"timestamp_millis(`{name}`) as `{name}`"
            if name in ("timestamp", "ingested_at")
            else f"`{name}`"
            for name in frame.columns
        )
    )


def rendered_macros():
    """All macros under test, callable by name, as dbt would render them."""
    source = "\n".join(
        path.read_text() for glob in MACRO_FILES for path in sorted(MACROS.glob(glob))
    )
    return macros_of(source, {"avro_schemas": avro_schemas})


@pytest.fixture(scope="session")
def macros():
    """The rendered macros."""
    return rendered_macros()


@pytest.fixture(scope="session")
def statement_of(spark, macros, tmp_path_factory):
    """A format's statement, which Spark plans once, and a way to give it the records that it reads."""
    folder = tmp_path_factory.mktemp("records")

    @cache
    def planned(format_name, code):
        path = folder / f"{format_name}_{code}"
        for name, value in (INTERPRETED if code == "interpreted" else COMPILED).items():
            spark.conf.set(name, value)
        try:
            messages = held_messages(spark, path)
            messages.createOrReplaceTempView("golden_messages")
            frame = spark.sql(getattr(macros, f"parse_{format_name}")("golden_messages"))
            # the row before a change as silver.changes shows it
            before = {"before_image": f"{macros.row_before('told', format_name)} as before_image"}
            times = {n: f"cast(`{n}` as string) as `{n}`" for n in TIMES}
            shown = frame.alias("told").selectExpr(
                *((before | times).get(n, f"`{n}`") for n in frame.columns)
            )
            shown._jdf.queryExecution().executedPlan()
        finally:
            for name, value in INTERPRETED.items():
                spark.conf.set(name, value)
        return Statement(path, frame, shown)

    return planned


@pytest.fixture(scope="session")
def parsed(spark, macros, statement_of):
    """The DataFrame that a format's macro makes of records; the next call for the format changes what it reads."""

    def run(format_name, records):
        statement = statement_of(format_name, "interpreted")
        statement.give(format_name, records)
        return statement.frame

    return run


def plain(value):
    """A cell of Spark as JSON would hold it."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if type(value).__name__ == "Decimal":
        return int(value)
    return value


@pytest.fixture(
    scope="session", params=["interpreted", pytest.param("generated", marks=pytest.mark.long)]
)
def code(request):
    """How Spark runs a statement: as the product lets it for few records, and for many."""
    return request.param


@pytest.fixture(scope="session")
def changes_of(statement_of, code):
    """The rows of the change contract that records become, as plain objects."""

    def run(format_name, records):
        statement = statement_of(format_name, code)
        statement.give(format_name, records)
        return [plain(row.asDict(recursive=True)) for row in statement.shown.collect()]

    return run
