"""Java's options for processes of tests."""

# what runs for a minute or two does not earn back what Java's second compiler takes
BRIEF = "-XX:TieredStopAtLevel=1"
