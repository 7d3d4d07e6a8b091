"""Java's options for processes of tests."""

# what runs for a minute or two does not earn back what Java's second compiler takes
BRIEF = "-XX:TieredStopAtLevel=1"
# and collects its garbage in the one thread that has work, beside another process
ONE_THREAD = "-XX:+UseSerialGC"
