"""Errors that a user can act on, and the exit codes that go with them.

| code | meaning                                                                    |
|------|----------------------------------------------------------------------------|
| 0    | everything asked for was done                                              |
| 1    | unexpected: a defect of ours or of a tool; the log file has the stack trace |
| 2    | wrong configuration or wrong command line                                  |
| 3    | a source is unreachable or missing: broker, topic, file, jar, Java         |
| 4    | records were lost at the brokers before they were read (a gap)             |
| 5    | the configuration changed after data had landed                            |
| 6    | another process holds the lock                                             |
| 7    | everything was loaded, but some lines of a file are no records             |
| 8    | dbt did not build everything, or a test failed                             |
| 9    | a gold table differs from its source                                       |
"""

import traceback
from datetime import UTC, datetime
from pathlib import Path

OK = 0
UNEXPECTED = 1
CONFIGURATION = 2
SOURCE = 3
GAP = 4
CHANGED = 5
LOCKED = 6
BAD_LINES = 7
BUILD = 8
DIFFERENT = 9


class UserError(Exception):
    """One sentence for the user: what is wrong and what to do."""

    def __init__(self, sentence: str, exit_code: int = CONFIGURATION) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code


def log_trace(project_dir: Path, error: BaseException) -> Path:
    """Add the stack trace of an unexpected error to the log file, and return the file's path."""
    log = project_dir / "lakehouse" / "logs" / "ingestion.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    trace = "".join(traceback.format_exception(error))
    with log.open("a", encoding="utf-8") as output:
        output.write(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}\n{trace}\n")
    return log
