"""Which columns of a gold table can be compared, and with which table of the source."""

from pyspark.sql import SparkSession

from ingestion.config.feeds import Config
from ingestion.errors import SOURCE, UserError
from ingestion.gold_models.models import Model
from ingestion.reconcile.both_sides import Column, Comparison
from ingestion.reconcile.canonical_forms import Forms
from ingestion.reconcile.sources import Source, find_table, spelled_as


def comparison_of(spark: SparkSession, config: Config, model: Model, source: Source) -> Comparison:
    """Return the comparison of a model with its source; both tables must exist."""
    path = config.tables_of("gold") / model.table
    if not (path / "_delta_log").exists():
        raise UserError(
            f"{model.name} is not in gold yet: run `dbt build`. A table in a schema of its own is "
            "not compared.",
            SOURCE,
        )
    _, database, schema, name = model.place
    place = source.dialect.schema_of(database, schema)
    table = find_table(spark, source, place, str(name))
    if table is None:
        where = f"{place}.{name}" if place else name
        raise UserError(
            f"Feed {model.feed}: its source has no table {where} that the user may read.", SOURCE
        )
    table = spelled_as(model.columns, table)
    columns = {
        name: Column(model.gold_names[name], name, type_text)
        for name, type_text in model.columns.items()
        if name in table.columns and table.kind(name) != "not_compared"
    }
    absent = [name for name in model.key if name not in columns]
    if absent:
        raise UserError(f"{model.name}: the source has no key column {', '.join(absent)}.", SOURCE)
    # in the primary key's order, the source finds a range by its index
    same = set(table.primary_key) == set(model.key)
    key = tuple(columns.pop(name) for name in (table.primary_key if same else model.key))
    forms = Forms(config.project_dir, source.feed.meaning.get("time_zone", "UTC"))
    return Comparison(spark, table, path, forms, key, (*key, *columns.values()))
