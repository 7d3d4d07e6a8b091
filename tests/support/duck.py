"""DuckDB with its own Delta extension."""

from importlib.resources import files

import duckdb


def connect() -> duckdb.DuckDBPyConnection:
    """Return a connection; the extension comes out of a package, so that a test loads nothing from DuckDB's site."""
    folder = files("duckdb_extension_delta") / "extensions" / f"v{duckdb.__version__}"
    connection = duckdb.connect()
    connection.execute("set timezone = 'UTC'")
    connection.execute(f"load '{folder / 'delta.duckdb_extension'}'")
    return connection
