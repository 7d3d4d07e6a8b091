"""Up to which time of the source's clock gold has every change of a table."""

from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

from jinja2 import Environment
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from ingestion.config.feeds import Config, Feed
from ingestion.config.project_files import project_files
from ingestion.gold_models.models import Model
from ingestion.tables import query_table

MARK = "select bronze_version from applied where model = ?"
PLACE = ("catalog_name", "database_name", "schema_name", "table_name")


def complete_up_to(
    spark: SparkSession, config: Config, feed: Feed, model: Model
) -> datetime | None:
    """Return what the view silver.complete_up_to gives for what is in gold; None if unknown.

    The view's own SQL reads the tables by path: the metastore is left to dbt, which may run. So
    silver may have more than gold; it counts as far as the gold table has come.
    """
    silver = config.tables_of("silver")
    if not (silver / "applied_versions").exists():
        return None
    read = query_table(
        silver / "applied_versions", "applied", ["model", "bronze_version"], MARK, [model.name]
    )
    if not read:
        return None
    changes = f"delta.`{silver / feed.format}_changes` where bronze_version <= {read[0][0]}"
    relations = {
        ("silver", "cdc_changes"): f"(select * from {changes})",
        ("bronze", "gaps"): f"delta.`{config.bronze}/gaps`",
    }
    text = view_sql(config.project_dir, relations)
    times = spark.sql(text).where(F.col("feed") == feed.name)
    for column, name in zip(PLACE, model.place, strict=True):
        if name is not None:
            times = times.where(F.col(column) == name)
    # as text: a datetime of Python would be in this machine's zone
    earliest = F.min("complete_up_to").cast("string")
    # a partition without a known time keeps the table from being complete
    known = F.count("complete_up_to") == F.count("*")
    ((time,),) = times.select(F.when(known, earliest)).collect()
    return datetime.fromisoformat(time) if time else None


def view_sql(project_dir: Path, relations: dict[tuple[str, str], str]) -> str:
    """Return the SQL of the view silver.complete_up_to over these relations, as Spark reads it."""
    environment = Environment()
    environment.globals |= {
        # the view asks for the feeds only to decide whether dbt makes it
        "cdc": SimpleNamespace(feeds=dict),
        "config": lambda **_: "",
        "ref": lambda model: relations["silver", model],
        "source": lambda schema, table: relations[schema, table],
    }
    path = project_files(project_dir) / "models" / "silver" / "cdc_complete_up_to.sql"
    return environment.from_string(path.read_text(encoding="utf-8")).render()
