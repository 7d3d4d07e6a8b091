"""What a record of OMS's DebeziumSmt output must become: a row of debezium_smt with `__deleted` as the only added field."""

from tests.formats.debezium_smt import reference as debezium_smt


def rows(record):
    """Rows of one record."""
    return debezium_smt.rows(record, "oms_debezium_smt")
