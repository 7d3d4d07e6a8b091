"""`run --follow`: cycle after cycle, what is new in the feeds is loaded and built."""
