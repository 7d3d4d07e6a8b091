"""All feeds land in bronze, once or until stopped."""
