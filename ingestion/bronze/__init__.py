"""The Delta tables that raw records land in."""
