"""What a record of OMS's DebeziumFlatten output must become: oms_debezium without the envelope."""

from tests.formats.oms_debezium import reference as oms_debezium


def rows(record):
    """Rows of one record."""
    return oms_debezium.rows(record, "oms_debezium_flatten")
