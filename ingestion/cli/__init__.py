"""The commands, and what they do in order."""
