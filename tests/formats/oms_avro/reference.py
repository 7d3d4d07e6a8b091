"""What an OMS record must become, in plain Python: a second reading of docs/formats/oms_avro.md."""

from tests.formats.dts_avro.reference import rows_of

NO_TABLE = (
    "objectName names no database or no table: where it is a table, name its database in the setting "
    "database of the feed"
)


def rows(record):
    """Rows of one OMS record."""
    return rows_of(record, "oms_avro", oms_place, NO_TABLE)


def oms_place(parts, database, statement):
    """table, if the feed names its database, or database; database.table; tenant.database.table."""
    of_database = statement is not None and statement.is_of_database
    if len(parts) == 1 and database and not of_database:
        return {"database_name": database, "table_name": parts[0]}
    return {
        "catalog_name": parts[0] if len(parts) == 3 else None,
        "database_name": parts[1] if len(parts) == 3 else parts[0],
        "table_name": parts[-1] if len(parts) > 1 else None,
    }
