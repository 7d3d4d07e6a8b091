"""`dbt run` is killed at each of its statements in turn; the tables end as those of a run that nobody killed."""

import json
import os
import signal
import subprocess
import sys
from collections import defaultdict

import pytest
from deltalake import DeltaTable

from tests.pipeline.conftest import ROOT
from tests.pipeline.shop_records import project_of_tables, records_of

FEED = "shop_postgres"
TABLES = ("shipments",)
SHARES = 12
SILVER = ["topic", "partition", "offset", "row_index", "operation"]


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    project = project_of_postgres(tmp_path_factory.mktemp("unbroken"))
    hand_in(project, 0, SHARES)
    assert run(project) == 0
    return project


def project_of_postgres(folder):
    project = project_of_tables(folder, TABLES)
    (folder / "in").mkdir()
    project.set_feeds({FEED: project.feeds[FEED] | {"files": "in/*.jsonl"}})
    return project


def hand_in(project, first, end):
    """Hand in shares of the records: each has some of every topic."""
    topics = defaultdict(list)
    for record in records_of("postgres"):
        topics[record["topic"]].append(record)
    for share in range(first, end):
        part = [
            one
            for told in topics.values()
            for one in told[share * len(told) // SHARES : (share + 1) * len(told) // SHARES]
        ]
        lines = "".join(json.dumps(one) + "\n" for one in part)
        (project.root / "in" / f"{share:02}.jsonl").write_text(lines)


def run(project, last=0):
    settings = {
        "LAKEHOUSE_DRIVER_MEMORY": "2g",
        # a killed Java leaves its temporary files: here they go with the project
        "JDK_JAVA_OPTIONS": f"-Djava.io.tmpdir={project.root}",
    }
    command = [sys.executable, "-m", "tests.crashes.killed_run", str(project.root), str(last)]
    return subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | settings,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        timeout=400,
    ).returncode


def written(project):
    return json.loads((project.root / "statements.json").read_text())


def rows(project, table, columns=None):
    path = project.root / "lakehouse" / "warehouse" / table
    arrow = DeltaTable(str(path)).to_pyarrow_table(columns=columns)
    return sorted(map(repr, arrow.to_pylist()))


def test_a_run_that_is_killed_at_any_statement_is_made_good_by_the_next(tmp_path, unbroken):
    project = project_of_postgres(tmp_path)
    hand_in(project, 0, 1)
    assert run(project) == 0
    kills = 0
    for share in range(1, SHARES):
        hand_in(project, share, share + 1)
        if (ended := run(project, kills + 1)) == 0:
            break
        assert ended == -signal.SIGKILL
        kills += 1
        assert len(written(project)) == kills
    # the run that got through wrote silver, its order, gold's state and gold, and the marks of what was applied
    statements = written(project)
    assert kills == len(statements) >= 5, statements
    places = {statement.split()[2].strip("`").split(".")[0] for statement in statements}
    assert {"silver", "state", "gold"} <= places
    hand_in(project, share + 1, SHARES)
    assert run(project) == 0
    assert rows(project, "gold.db/shipments") == rows(unbroken, "gold.db/shipments")
    assert rows(project, "state.db/shipments") == rows(unbroken, "state.db/shipments")
    silver = "silver.db/debezium_json_changes"
    assert rows(project, silver, SILVER) == rows(unbroken, silver, SILVER)
