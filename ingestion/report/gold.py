"""The tables of gold, and how far each has come."""

from datetime import datetime
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable

from ingestion.config.feeds import Config
from ingestion.gold_models.declared import declared_models
from ingestion.gold_models.models import Model
from ingestion.report.facts import GoldTable
from ingestion.report.standing import Standing, standing_of_tables
from ingestion.tables import query_table

MARKS = "select model, bronze_version from applied"


def gold_tables(
    config: Config, connection: duckdb.DuckDBPyConnection | None
) -> tuple[GoldTable, ...]:
    """Return the tables that exist; without a connection to silver their times are unknown."""
    models = {model.table: model for model in declared_models(config.project_dir)}
    marks = _marks(config) if connection else {}
    standing = standing_of_tables(connection, config.project_dir) if connection else ()
    tables = sorted(log.parent for log in config.tables_of("gold").glob("*/_delta_log"))
    return tuple(_gold_table(path, models.get(path.name), marks, standing) for path in tables)


def _gold_table(
    path: Path, model: Model | None, marks: dict[str, int], standing: tuple[Standing, ...]
) -> GoldTable:
    rows, size = size_of(DeltaTable(str(path)))
    mark = marks.get(model.name) if model else None
    read = [one for one in standing if model and model.reads(one.feed, one.place)]
    is_behind = mark is not None and any(one.newest_version > mark for one in read)
    times: list[datetime | None] = [one.complete_up_to for one in read]
    # the time is that of silver; it holds for gold if gold has read all of silver
    known = [time for time in times if time is not None]
    is_known = bool(known) and len(known) == len(times) and mark is not None and not is_behind
    return GoldTable(
        name=path.name,
        rows=rows,
        bytes=size,
        feed=model.feed if model else None,
        complete_up_to=min(known) if is_known else None,
        is_behind=is_behind,
    )


def size_of(table: DeltaTable) -> tuple[int, int]:
    """Return how many rows and bytes a table has, by its log and its deletion vectors."""
    actions = pa.table(table.get_add_actions(flatten=True))
    # true for each row that is not deleted
    kept = pc.list_flatten(pa.table(table.deletion_vectors())["selection_vector"])
    rows = _sum(actions["num_records"]) - _sum(pc.invert(kept))
    return rows, _sum(actions["size_bytes"])


def _sum(numbers: pa.ChunkedArray) -> int:
    return pc.sum(numbers.cast("int64")).as_py() or 0


def _marks(config: Config) -> dict[str, int]:
    applied = config.tables_of("silver") / "applied_versions"
    if not (applied / "_delta_log").exists():
        return {}
    return dict(query_table(applied, "applied", ["model", "bronze_version"], MARKS))
