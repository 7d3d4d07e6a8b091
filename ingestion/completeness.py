"""Up to which time of the source's clock gold has every change of a table."""

from datetime import datetime

from jinja2 import Environment
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from ingestion.config import Config, Feed
from ingestion.gold_models import Model

PLACE = ("catalog_name", "database_name", "schema_name", "table_name")


def complete_up_to(
    spark: SparkSession, config: Config, feed: Feed, model: Model
) -> datetime | None:
    """Return the time that the view silver.complete_up_to tells, or None where it tells none.

    The view's own SQL reads the tables by path: the metastore is left to dbt, which may run.
    """
    changes = config.tables_of("silver") / f"{feed.format}_changes"
    if not changes.exists():
        return None
    environment = Environment()
    environment.globals |= {
        "config": lambda **_: "",
        "ref": lambda _: f"delta.`{changes}`",
        "source": lambda _, table: f"delta.`{config.bronze}/{table}`",
    }
    text = (config.project_dir / "models" / "silver" / "complete_up_to.sql").read_text()
    told = spark.sql(environment.from_string(text).render()).where(F.col("feed") == feed.name)
    for column, name in zip(PLACE, model.place, strict=True):
        if name is not None:
            told = told.where(F.col(column) == name)
    # as text: a datetime of Python would be in this machine's zone
    ((time,),) = told.select(F.min("complete_up_to").cast("string")).collect()
    return datetime.fromisoformat(time) if time else None
