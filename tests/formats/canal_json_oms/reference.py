"""What OMS's canal output must become: Canal's rules, and what docs/formats/canal_json_oms.md changes."""

from tests.formats.canal_family import changes_of_canal, read
from tests.formats.reference import canal_head


def rows(record):
    """Rows of one record."""
    return read(record, "canal_json_oms", head, changes_of_canal)


def head(message):
    """No message says which kind of database it comes from."""
    return canal_head(message) | {"source_type": None}
