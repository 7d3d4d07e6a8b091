"""A plugin of pytest that writes down the first failure: which test, when, and what it raised."""

import json
import os
from pathlib import Path

import pytest

# names the file to write
PLACE = "MUTANTS_FIRST_FAILURE"


def pytest_exception_interact(
    node: pytest.Item | pytest.Collector, call: pytest.CallInfo, report: pytest.TestReport
) -> None:
    place = Path(os.environ[PLACE])
    if not place.exists():
        raised = call.excinfo.type
        told = {"test": node.nodeid, "when": getattr(report, "when", "collect")}
        told |= {"raised": raised.__name__, "module": raised.__module__}
        place.write_text(json.dumps(told | {"message": str(call.excinfo.value)[:300]}))
