"""Queries of Delta tables without Spark: delta-rs reads, DuckDB answers."""

from collections.abc import Iterable
from pathlib import Path

import duckdb
from deltalake import DeltaTable


def query_table(
    table: Path | str, name: str, columns: list[str], sql: str, values: list[object] | None = None
) -> list[tuple]:
    """Run the query, in which the table has this name, over some of its columns.

    The rows reach DuckDB as a stream, so that a long history need not fit in memory.
    """
    dataset = DeltaTable(str(table)).to_pyarrow_dataset()
    with duckdb.connect() as connection:
        connection.register(name, dataset.scanner(columns=columns).to_reader())
        return connection.execute(sql, values or []).fetchall()


def name_tables(
    connection: duckdb.DuckDBPyConnection, name: str, tables: Iterable[Path | str]
) -> None:
    """Let queries of the connection read the rows of all these tables under one name.

    The tables have the same columns; a query reads those that it needs, as often as it needs.
    """
    parts = []
    for number, table in enumerate(tables):
        connection.register(f"{name}_{number}", DeltaTable(str(table)).to_pyarrow_dataset())
        parts.append(f"select * from {name}_{number}")
    connection.execute(f"create temp view {name} as {' union all by name '.join(parts)}")
