"""What the project declares of its feeds."""
