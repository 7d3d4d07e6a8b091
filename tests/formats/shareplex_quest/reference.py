"""What a record of SharePlex must become, in plain Python: a second reading of docs/formats/shareplex_quest.md."""

from tests.formats.oms_shareplex.reference import shareplex_rows


def rows(record):
    """Rows of one SharePlex record."""
    return shareplex_rows(record, "shareplex_quest", names, position, is_key_whole=False)


def names(table):
    """Owner and table of `OWNER.TABLE`."""
    owner, point, rest = table.partition(".")
    if not point:
        return {"schema_name": None, "table_name": owner or None}
    return {"schema_name": owner or None, "table_name": rest or None}


def position(scn, _options):
    """The system change number."""
    return [int(scn)]
