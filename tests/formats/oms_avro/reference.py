"""What an OMS record must become, in plain Python: a second reading of docs/formats/oms_avro.md."""

from tests.formats.dts_avro.reference import rows_of


def rows(record):
    """Rows of one OMS record."""
    return rows_of(record, "oms_avro", oms_place)


def oms_place(parts):
    """database, database.table or tenant.database.table."""
    return {
        "catalog_name": parts[0] if len(parts) == 3 else None,
        "database_name": parts[1] if len(parts) == 3 else parts[0],
        "table_name": parts[-1] if len(parts) > 1 else None,
    }
