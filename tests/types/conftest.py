"""One small Spark session, and the macros rendered without dbt."""

from pathlib import Path

import pytest

from ingestion.dbt.macros import macros_of
from tests.support.small_spark import small_session

ROOT = Path(__file__).resolve().parents[2]
MACRO_FILES = ("sql/*.sql", "schemas/*.sql", "values/*.sql")
WIRE = "wire_encoding string, scale int, labels array<string>"


class CompilerError(Exception):
    """What dbt raises for a bad macro argument."""


class Exceptions:
    """Stands for dbt's `exceptions`."""

    @staticmethod
    def raise_compiler_error(message):
        raise CompilerError(message)


@pytest.fixture(scope="session")
def macros():
    """All macros of the folders under test, callable by name, as dbt would render them."""
    source = "\n".join(
        path.read_text() for glob in MACRO_FILES for path in sorted((ROOT / "macros").glob(glob))
    )
    return macros_of(source, {"exceptions": Exceptions})


@pytest.fixture(scope="module")
def spark():
    """The session that formats and types share, in a zone that is neither UTC nor a feed's."""
    session = small_session()
    session.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield session
    session.conf.set("spark.sql.session.timeZone", "UTC")


@pytest.fixture(params=["America/New_York", "Asia/Tokyo"])
def session_zone(spark, request):
    """Runs a test in two session time zones."""
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", request.param)
    yield request.param
    spark.conf.set("spark.sql.session.timeZone", before)


@pytest.fixture
def query(spark):
    """Rows of a SELECT as tuples, over `inputs`: the given tuples in their order."""

    def run(sql, rows, schema):
        spark.createDataFrame(rows, schema).coalesce(1).createOrReplaceTempView("inputs")
        return [tuple(row) for row in spark.sql(sql).collect()]

    return run


@pytest.fixture
def decode_each(query, macros):
    """Canonical texts of (wire text, encoding, scale, labels)."""

    def run(values):
        sql = f"select {macros.canonical_text('wire_text', 'wire')} from inputs"
        rows = [(wire_text, wire) for wire_text, *wire in values]
        return [text for (text,) in query(sql, rows, f"wire_text string, wire struct<{WIRE}>")]

    return run


@pytest.fixture
def decode(decode_each):
    """Canonical texts of wire texts, all in one encoding."""

    def run(encoding, wire_texts, scale=None, labels=None):
        return decode_each([(wire_text, encoding, scale, labels) for wire_text in wire_texts])

    return run


@pytest.fixture
def fit(query, macros):
    """The typed value of each text as text (instants in UTC), and whether it does not fit."""

    def run(type_name, texts, time_zone="Asia/Shanghai"):
        shown = {
            "timestamp": "timestamp_ntz '1970-01-01 00:00:00' + interval '0.000001' second"
            " * unix_micros(typed) || 'Z'",
            "binary": "hex(typed)",
        }.get(type_name, "to_json(typed)" if "<" in type_name else "cast(typed as string)")
        sql = f"""
            select {shown}, {macros.does_not_fit("x", "typed is null", f"'{type_name}'", [type_name])}
            from (select x, {macros.typed("x", type_name, time_zone)} as typed from inputs)
        """
        return query(sql, [(text,) for text in texts], "x string")

    return run
