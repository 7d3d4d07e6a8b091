"""Topics, and how their records land in bronze."""
