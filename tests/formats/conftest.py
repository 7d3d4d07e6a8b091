"""One small Spark session, and the format macros rendered without dbt."""

import base64
import json
from pathlib import Path

import jinja2
import pytest
from pyspark.sql import SparkSession

HERE = Path(__file__).parent
JARS = Path(__file__).resolve().parents[2] / ".jars"
MACROS = Path(__file__).resolve().parents[2] / "macros"
MACRO_FILES = ("decode.sql", "statement.sql", "unknown_error.sql", "run/feeds.sql", "formats/*.sql")

# What macros/run/new_messages.sql hands to a format macro.
MESSAGES = """
    feed string, format string, topic string, topic_generation int, partition int, offset bigint,
    timestamp timestamp, timestamp_type string, headers array<struct<key: string, value: binary>>,
    key binary, value binary, load_error string, load_id string, ingested_at timestamp,
    bronze_version bigint, feed_key_columns map<string, array<string>>, feed_settings map<string, string>
"""
# Bytes that are no Avro record may name any length, for which Avro would reserve memory: the JVM would end.
AVRO_LIMITS = (
    "-Dorg.apache.avro.limits.bytes.maxLength=67108864",
    "-Dorg.apache.avro.limits.string.maxLength=67108864",
    "-Dorg.apache.avro.limits.collectionItems.maxLength=1000000",
)
TIMES = ("message_timestamp", "changed_at", "captured_at")


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
    """A session without ANSI mode, as dbt-spark opens it."""
    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.driver.memory", "2g")
        .config("spark.jars", ",".join(str(path) for path in JARS.glob("spark-avro*.jar")))
        .config("spark.driver.extraJavaOptions", " ".join(AVRO_LIMITS))
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.ansi.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.debug.maxToStringFields", "10000")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def avro_schemas(format_name, files):
    """Stands for macros/run/avro_schemas.sql: the schemas that lie beside a format's golden messages."""
    return [
        {"file": f"schemas/{path.name}", "text": path.read_text("utf-8")}
        for path in sorted((HERE / format_name / "schemas").glob("*.avsc"))
    ]


def rendered_macros():
    """All macros under test, callable by name, as dbt would render them."""
    source = "\n".join(
        path.read_text() for glob in MACRO_FILES for path in sorted(MACROS.glob(glob))
    )
    environment = jinja2.Environment(extensions=["jinja2.ext.do"])
    environment.globals["avro_schemas"] = avro_schemas
    return environment.from_string(source).module


@pytest.fixture(scope="session")
def macros():
    """The rendered macros."""
    return rendered_macros()


@pytest.fixture(scope="session")
def parsed(spark, macros):
    """The DataFrame that a format's macro makes of records."""

    def run(format_name, records):
        schema = MESSAGES.replace("timestamp timestamp", "timestamp bigint").replace(
            "ingested_at timestamp", "ingested_at bigint"
        )
        rows = [as_bronze(record, format_name) for record in records]
        frame = spark.createDataFrame(rows, schema).coalesce(1)
        frame.selectExpr(
            *(
                f"timestamp_millis(`{name}`) as `{name}`"
                if name in ("timestamp", "ingested_at")
                else f"`{name}`"
                for name in frame.columns
            )
        ).createOrReplaceTempView("golden_messages")
        return spark.sql(getattr(macros, f"parse_{format_name}")("golden_messages"))

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


@pytest.fixture(scope="session")
def changes_of(parsed):
    """The rows of the change contract that records become, as plain objects."""

    def run(format_name, records):
        frame = parsed(format_name, records)
        columns = [
            f"cast(`{name}` as string) as `{name}`" if name in TIMES else f"`{name}`"
            for name in frame.columns
        ]
        return [plain(row.asDict(recursive=True)) for row in frame.selectExpr(*columns).collect()]

    return run
