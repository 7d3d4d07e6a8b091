"""What the project says of its feeds."""
