"""What a record of oms_default_ext must become: as oms_default, whose reading knows the types in an image."""

from tests.formats.oms_default.reference import default_rows


def rows(record):
    """Rows of one record."""
    return default_rows(record, "oms_default_ext")
