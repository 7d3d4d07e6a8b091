"""dbt's options for runs inside a test's own process."""

# nobody there reads dbt's log or its JSON files, and they take up to a second of each run
QUIET = ("--log-level", "none", "--log-level-file", "none", "--no-write-json")
