"""When the newest change in each gold table was made, by the source's clock."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

from ingestion.cycles.building import Built
from ingestion.gold_models.models import is_named_so
from ingestion.report.standing import moment

if TYPE_CHECKING:
    from dbt.contracts.graph.manifest import Manifest

GOLD = ("current_state", "current_rows")
# feed, catalog, database, schema, table, as in the messages
Place = tuple[str | None, ...]
PARTS = ("source_catalog", "database", "schema", "table")
# What macros/gold/current_state.sql makes gold from; statements and marks of producers change
# no rows.
NEWEST = """
    select
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        unix_micros(max(changed_at)) as changed_at
    from {silver}
    where
        bronze_version > {after}
        and bronze_version <= {up_to}
        and operation in (
            'insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before', 'truncate'
        )
        -- what Python has no date for is no time of a clock either
        and year(changed_at) between 1970 and 9998
    group by all
"""


@dataclass(frozen=True)
class GoldTable:
    """A model of gold, and where its changes come from."""

    name: str
    # the model of silver that it reads, and that model's table
    silver: str
    relation: str
    feed: str
    place: tuple[Any, ...]

    def reads(self, place: Place) -> bool:
        """Return whether the table takes changes of this feed and source table."""
        feed, *parts = place
        return feed == self.feed and is_named_so(self.place, tuple(parts))


@dataclass(frozen=True)
class Newest:
    """What is known of the newest changes."""

    in_silver: dict[Place, datetime] = field(default_factory=dict)
    # model of silver -> the bronze version up to which it has been asked
    asked: dict[str, int] = field(default_factory=dict)
    in_gold: dict[str, datetime] = field(default_factory=dict)


def gold_tables(manifest: "Manifest") -> list[GoldTable]:
    """Return the gold tables of the project."""
    models = {node.name: node for node in manifest.nodes.values() if node.resource_type == "model"}
    return [
        GoldTable(
            name,
            node.config.meta["silver"],
            models[node.config.meta["silver"]].relation_name,
            node.config.meta["feed"],
            tuple(node.config.meta.get(part) for part in PARTS),
        )
        for name, node in models.items()
        if node.config.materialized in GOLD and node.config.meta.get("silver") in models
    ]


def note_newest(
    spark: SparkSession, newest: Newest, tables: Iterable[GoldTable], built: Built, version: int
) -> None:
    """Note the newest changes of the tables that have come up to this version of bronze."""
    done = [table for table in tables if table.name in built.done]
    for silver, relation in {(table.silver, table.relation) for table in done}:
        after = newest.asked.get(silver, -1)
        if after < version:
            query = NEWEST.format(silver=relation, after=after, up_to=version)
            for *place, micros in spark.sql(query).collect():
                time = moment(micros)
                known = newest.in_silver.get(tuple(place), time)
                newest.in_silver[tuple(place)] = max(known, time)
            newest.asked[silver] = version
    for table in done:
        times = [time for place, time in newest.in_silver.items() if table.reads(place)]
        if times:
            newest.in_gold[table.name] = max(times)
    for name in newest.in_gold.keys() - {table.name for table in tables}:
        del newest.in_gold[name]
