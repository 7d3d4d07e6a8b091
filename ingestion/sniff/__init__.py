"""What format a record may be of."""
