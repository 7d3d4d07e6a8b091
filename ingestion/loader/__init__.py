"""All feeds land in bronze, once or again and again."""
