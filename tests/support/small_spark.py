"""The one small Spark session of tests that need no tables: formats and types."""

from functools import cache
from pathlib import Path

from pyspark.sql import SparkSession

from tests.support.java import BRIEF, ONE_THREAD

JARS = Path(__file__).resolve().parents[2] / ".jars"
# Bytes that are no Avro record may name any length, for which Avro would reserve memory: the JVM would end.
AVRO_LIMITS = (
    "-Dorg.apache.avro.limits.bytes.maxLength=67108864",
    "-Dorg.apache.avro.limits.string.maxLength=67108864",
    "-Dorg.apache.avro.limits.collectionItems.maxLength=1000000",
)
# What macros/run/code_generation.sql chooses for few records; COMPILED is what it chooses for many.
INTERPRETED = {
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
}
COMPILED = {"spark.sql.codegen.factoryMode": "FALLBACK", "spark.sql.codegen.wholeStage": "true"}


@cache
def small_session() -> SparkSession:
    """A session without ANSI mode, as dbt-spark opens it, that reads few records as the product does."""
    builder = (
        SparkSession.builder.master("local[1]")
        .config("spark.driver.memory", "2g")
        .config("spark.jars", ",".join(str(path) for path in JARS.glob("spark-avro*.jar")))
        .config("spark.driver.extraJavaOptions", " ".join((*AVRO_LIMITS, BRIEF, ONE_THREAD)))
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.ansi.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.debug.maxToStringFields", "10000")
    )
    session = builder.config(map=INTERPRETED).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session
