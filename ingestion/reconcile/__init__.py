"""Gold against its source, row by row."""
