"""`dbt run` is killed, or ends before each of its statements in turn; the tables end as those of a run that got through."""

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
from tests.support.java import BRIEF

FEED = "shop_postgres"
TABLES = ("shipments",)
SHARES = 10
LAG = 2
KILLED_BEFORE = "merge into gold.shipments"
SHIPMENTS = len(
    (ROOT / "examples/shop/expected/postgres.shipments.jsonl").read_text().rstrip("\n").split("\n")
)
# seconds that no run takes, on however slow a machine
HANGS = 2400
GOLD, STATE = "gold.db/shipments", "state.db/shipments"
SILVER = "silver.db/debezium_json_changes"


def project_of_postgres(folder):
    project = project_of_tables(folder, TABLES)
    (folder / "in").mkdir()
    project.set_feeds({FEED: project.feeds[FEED] | {"files": "in/*.jsonl"}})
    return project


def hand_in(project, first, end):
    """Hand in shares of the records: each has some of every topic."""
    write_shares(project.root / "in", first, end)


def write_shares(folder, first, end):
    for share in range(first, end):
        part = [
            record
            for (_, partition), lying in partitions().items()
            for record in lying[cut(share, partition, lying) : cut(share + 1, partition, lying)]
        ]
        lines = "".join(json.dumps(one) + "\n" for one in part)
        (folder / f"{share:02}.jsonl").write_text(lines)


def partitions():
    """Every other record of a topic lies in a second partition, as only positions can bring in order again."""
    lying = defaultdict(list)
    for number, record in enumerate(sorted(records_of("postgres"), key=lambda one: one["topic"])):
        partition = (number + 1) % 2
        there = lying[record["topic"], partition]
        there.append(record | {"partition": partition, "offset": len(there)})
    return lying


def cut(share, partition, lying):
    """Where a share begins: what the second partition has in it is older than what the first has."""
    count = SHARES - LAG
    return min(max(share - partition * LAG, 0), count) * len(lying) // count


def run(project, *then):
    return python(project, ROOT, "tests.crashes.killed_run", str(project.root), *then)


def python(project, folder, module, *arguments):
    settings = {
        "LAKEHOUSE_DRIVER_MEMORY": "2g",
        # a killed Java leaves its temporary files: here they go with the project
        "JDK_JAVA_OPTIONS": f"{BRIEF} -Djava.io.tmpdir={project.root}",
    }
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=folder,
        env=os.environ | settings,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        timeout=HANGS,
    ).returncode


def table_of(project, table, version=None):
    return DeltaTable(str(project.root / "lakehouse" / "warehouse" / table), version=version)


def operations(project, table):
    return [commit["operation"] for commit in table_of(project, table).history()]


def rows(project, table, version=None, columns=None):
    arrow = table_of(project, table, version).to_pyarrow_table(columns=columns)
    return sorted(map(repr, arrow.to_pylist()))


def places_of_changes(project, table, version=None):
    columns = ["topic", "partition", "offset", "row_index", "operation"]
    return rows(project, table, version, columns)


def deletes(project, table, version=None):
    """The newest delete of each key: a run that is repeated adds its deletes again."""
    newest = {}
    for row in table_of(project, table, version).to_pyarrow_table().to_pylist():
        key = repr((row["row_key"], row["topic"], row["partition"]))
        sequences = [row["delete_sequence"], row["moved_sequence"]]
        known = newest.get(key, [None, None])
        newest[key] = [newer_of(*pair) for pair in zip(known, sequences, strict=True)]
    return newest


def newer_of(one, other):
    return max(
        filter(None, (one, other)), key=lambda sequence: tuple(sequence.values()), default=None
    )


@pytest.mark.long
def test_a_run_that_is_killed_between_state_and_gold_is_made_good_by_the_next(tmp_path):
    """A first run, then one of new records, killed; the next one makes of all records what a full refresh does."""
    project = project_of_postgres(tmp_path)
    hand_in(project, 0, 4)
    write_shares(tmp_path, 4, SHARES)
    late = tmp_path / f"{SHARES - 1:02}.jsonl"
    parts = sorted(path for path in tmp_path.glob("*.jsonl") if path != late)
    kept = tmp_path / "kept.jsonl"
    kept.write_text("".join(path.read_text() for path in parts))
    (tmp_path / "kill.json").write_text(json.dumps(KILLED_BEFORE))
    assert run(project, str(kept)) == -signal.SIGKILL
    assert json.loads((tmp_path / "killed.json").read_text()) == KILLED_BEFORE
    # the state had been written, gold had not
    assert "WRITE" in operations(project, STATE)
    assert "MERGE" not in operations(project, GOLD)
    for name in ("kill.json", "killed.json"):
        (tmp_path / name).unlink()
    assert run(project, str(late), "--full-refresh") == 0
    assert_nothing_is_lost_or_doubled(project)


@pytest.mark.long
def test_a_run_that_ends_before_any_of_its_statements_is_made_good_by_the_next(tmp_path):
    project = project_of_postgres(tmp_path)
    hand_in(project, 0, 1)
    write_shares(tmp_path, 1, SHARES)
    files = sorted(map(str, tmp_path.glob("*.jsonl")))
    assert python(project, ROOT, "tests.crashes.stopped_runs", str(tmp_path), *files) == 0
    stopped = json.loads((tmp_path / "stopped.json").read_text())
    # silver, its order, what a gold table keeps of deletes, itself, and the marks of what was applied
    assert len(stopped) >= 5, stopped
    places = {statement.split()[2].strip("`").split(".")[0] for statement in stopped}
    assert places == {"silver", "state", "gold"}, stopped
    assert_nothing_is_lost_or_doubled(project)


def assert_nothing_is_lost_or_doubled(project):
    """The last run was a full refresh: what it made of all records is what the tables had before it."""
    assert len(rows(project, GOLD)) == SHIPMENTS
    for table, content in ((GOLD, rows), (STATE, deletes), (SILVER, places_of_changes)):
        (made,) = [
            commit["version"]
            for commit in table_of(project, table).history()
            if "REPLACE TABLE" in commit["operation"] and commit["version"] > 0
        ]
        assert content(project, table) == content(project, table, made - 1)
