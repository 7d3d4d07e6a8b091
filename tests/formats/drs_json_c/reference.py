"""What a record of drs_json_c must become: as drs_json, but the source may be Oracle."""

from tests.formats.drs_json.reference import drs_rows


def rows(record):
    """Rows of one record."""
    return drs_rows(record, "drs_json_c", None)
