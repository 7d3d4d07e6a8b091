"""Files of records, and how they land in bronze."""
