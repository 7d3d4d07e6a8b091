"""Queries of Delta tables without Spark: delta-rs reads, DuckDB answers."""

from pathlib import Path

import duckdb
from deltalake import DeltaTable


def query_table(
    table: Path | str, name: str, columns: list[str], sql: str, values: list[object] | None = None
) -> list[tuple]:
    """Run the query, which knows the table by this name, over some of its columns.

    The rows reach DuckDB as a stream, so that a long history need not fit in memory.
    """
    dataset = DeltaTable(str(table)).to_pyarrow_dataset()
    with duckdb.connect() as connection:
        connection.register(name, dataset.scanner(columns=columns).to_reader())
        return connection.execute(sql, values or []).fetchall()
