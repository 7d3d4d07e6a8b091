"""dbt inside a test's own process: its options, and what it reads only once."""

from dbt_common.tests import enable_test_caching

# nobody there reads dbt's log or its JSON files, and they take up to a second of each run
QUIET = ("--log-level", "none", "--log-level-file", "none", "--no-write-json")

# dbt reads all macros again whenever a test gives the project another feed: half of that is taking apart texts that are as before
enable_test_caching()
