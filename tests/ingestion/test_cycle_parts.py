"""What a cycle says, what of it once, and when the project counts as changed: without Spark."""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from ingestion.__main__ import _parser, main
from ingestion.cli import run
from ingestion.config.feeds import Config, read_config
from ingestion.config.project_files import PROJECT_ROOT
from ingestion.cycles import ending, project
from ingestion.cycles.ages import GoldTable
from ingestion.cycles.project import files_of_project
from ingestion.cycles.troubles import keep
from ingestion.errors import CONFIGURATION, OK
from ingestion.report import command
from ingestion.report.cycle import Cycle, Trouble
from ingestion.report.facts import Facts
from ingestion.report.standing import standing_of_tables

AT = datetime(2026, 11, 26, 20, 41, 15, tzinfo=UTC)


def cycle(**facts: object) -> Cycle:
    usual = {
        "number": 1,
        "started_at": AT,
        "seconds": 6.08,
        "records": {"crm": 1200, "erp": 40},
        "bytes": {"crm": 1, "erp": 1},
        "lag": {},
        "tables_changed": ("orders", "people"),
        "newest_changes": {},
    }
    return Cycle(**usual | facts)


@pytest.mark.parametrize(
    ("facts", "line"),
    [
        ({}, "1,240 records, 2 tables changed, 6.1 s"),
        ({"records": {"crm": 1}, "tables_changed": ("t",)}, "1 record, 1 table changed, 6.1 s"),
        # the newest of all tables; a busy one tells how fresh gold is
        (
            {"newest_changes": {"t": AT - timedelta(seconds=400), "u": AT - timedelta(seconds=4)}},
            "1,240 records, 2 tables changed, 6.1 s, newest change 4 s old",
        ),
        (
            {"newest_changes": {"t": AT - timedelta(hours=3, minutes=5)}},
            "1,240 records, 2 tables changed, 6.1 s, newest change 3 h 5 min old",
        ),
        (
            {"tests": {"warned": 1, "passed": 40}},
            "1,240 records, 2 tables changed, 6.1 s, tests: 40 passed, 1 warned",
        ),
        (
            {"troubles": (Trouble("feed", "erp", "x", AT), Trouble("dbt", "dbt", "x", AT))},
            "1,240 records, 2 tables changed, 6.1 s, in trouble: feed erp, dbt",
        ),
    ],
)
def test_a_cycle_is_one_line(facts: dict, line: str):
    assert ending.line_of(cycle(**facts), AT) == f"2026-11-26 20:41:15  {line}"


def test_a_trouble_is_said_when_it_is_new_or_another_and_when_it_is_over(capsys):
    standing = {}
    later = AT + timedelta(minutes=1)
    keep(standing, {("feed", "crm"): "no broker answers"}, AT)
    keep(standing, {("feed", "crm"): "no broker answers"}, later)
    assert capsys.readouterr().err == "no broker answers\n"
    keep(standing, {("feed", "crm"): "a gap"}, later)
    assert standing == {("feed", "crm"): Trouble("feed", "crm", "a gap", AT)}
    keep(standing, {}, later)
    assert standing == {}
    assert tuple(capsys.readouterr()) == ("feed crm: in order again\n", "a gap\n")


def test_a_listener_that_fails_keeps_no_other_from_the_cycle(tmp_path, capsys, monkeypatch):
    heard = []

    def failing(_: Config, cycle: Cycle) -> None:
        raise ValueError("no page")

    listeners = (failing, lambda _, cycle: heard.append(cycle.number))
    ending.end_cycle(Config(tmp_path, "bronze", {}, {}), cycle(number=7), listeners)
    assert heard == [7]
    assert "failing of cycle 7 failed: no page" in capsys.readouterr().err


def test_the_project_has_changed_where_a_file_that_dbt_reads_has(tmp_path: Path):
    for name in ("models", "macros"):
        shutil.copytree(PROJECT_ROOT / name, tmp_path / name)
    shutil.copy(PROJECT_ROOT / "dbt_project.yml", tmp_path)
    first = files_of_project(tmp_path)
    assert files_of_project(tmp_path) == first
    seen = [first]
    model = tmp_path / "models" / "gold" / "new.sql"
    for change in (
        lambda: model.write_text("select 1"),
        lambda: model.write_text("select 22"),
        lambda: model.unlink(),
        lambda: (tmp_path / "dbt_project.yml").write_text("name: [half"),
    ):
        change()
        seen.append(files_of_project(tmp_path))
        assert seen[-1] != seen[-2]
    (tmp_path / "models" / "notes.txt").write_text("not dbt's")
    assert files_of_project(tmp_path) == seen[-1]


def test_a_gold_table_takes_the_changes_of_its_place_alone():
    of_shards = (None, {"pattern": "shop_[0-9]+"}, None, "orders")
    table = GoldTable("orders", "silver", "silver.changes", "crm", of_shards)
    assert table.reads(("crm", None, "shop_1", None, "orders"))
    assert table.reads(("crm", "any", "shop_22", "any", "orders"))
    assert not table.reads(("crm", None, "shop", None, "orders"))
    assert not table.reads(("erp", None, "shop_1", None, "orders"))
    assert not table.reads(("crm", None, "shop_1", None, "people"))


def test_a_time_that_no_clock_shows_is_not_how_far_a_table_has_come():
    """Microseconds that a producer wrote, or a format read, as milliseconds: the year 58858."""
    connection = duckdb.connect()
    connection.execute("""
        create table silver_changes as
        select
            'crm' as feed, null::text as catalog_name, 'shop' as database_name,
            null::text as schema_name, 'orders' as table_name, 't' as topic, 0 as topic_generation, 0 as partition, "offset",
            'insert' as operation, null::text as source_type, null::text as snapshot_mark,
            {'phase': 1} as change_sequence, 1 as bronze_version,
            null::timestamptz as captured_at, make_timestamptz(micros) as changed_at
        from (values (0, 1795238317000000), (1, 1795238317000000000)) as changes ("offset", micros)
    """)
    connection.execute("create table bronze_gaps (feed text, topic text, partition int)")
    (orders,) = standing_of_tables(connection, PROJECT_ROOT)
    assert orders.complete_up_to == datetime(2026, 11, 21, 5, 18, 37, tzinfo=UTC)


def test_a_file_of_metrics_is_where_the_command_was_given(tmp_path, monkeypatch):
    """dbt goes to the project's folder, and the cycles with it."""
    asked = []
    monkeypatch.setattr(run, "follow", lambda _, options: asked.append(options) or 0)
    monkeypatch.chdir(tmp_path)
    project = ["--project-dir", str(PROJECT_ROOT)]
    assert main(["run", "--follow", "--metrics", "cdc.prom", "--interval", "3", *project]) == 0
    assert [one.metrics_file for one in asked] == [tmp_path / "cdc.prom"]
    assert [one.interval for one in asked] == [3]


@pytest.mark.parametrize(
    "option", [("run", "--interval"), ("load", "--interval"), ("reconcile", "orders", "--settle")]
)
@pytest.mark.parametrize("seconds", ["nan", "inf", "-1", "1e300", "31536001", "ten"])
def test_seconds_that_no_one_can_wait_are_refused_before_anything_runs(
    tmp_path, capsys, option, seconds
):
    with pytest.raises(SystemExit) as ended:
        main([*option[:-1], "--project-dir", str(tmp_path), f"{option[-1]}={seconds}"])
    assert ended.value.code == CONFIGURATION
    assert f"argument {option[-1]}: must be " in capsys.readouterr().err


def test_differing_rows_may_be_read_again_at_once(tmp_path, capsys):
    assert main(["reconcile", "orders", "--settle", "0", "--project-dir", str(tmp_path)]) != OK
    assert "--settle" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "cut",
    [b"name: x\n# \xe8\xae", b"name: x\nvars:\n  f", b"nam", b"vars: {feeds: {crm: {format: ["],
)
def test_a_follower_goes_on_with_the_project_as_it_was_while_its_file_is_half_written(
    tmp_path: Path, monkeypatch, cut: bytes
):
    for name in ("macros", "seeds"):
        (tmp_path / name).symlink_to(PROJECT_ROOT / name)
    path = tmp_path / "dbt_project.yml"
    path.write_text("vars: {feeds: {crm: {format: canal_json, files: in}}}")
    # dbt has its own say of such a file, and bronze none
    monkeypatch.setattr(project, "feeds_in_doubt", lambda *_: {})
    monkeypatch.setattr(project, "parse_project", lambda *_: None)
    before = project.Project(read_config(tmp_path))
    path.write_bytes(cut)
    now, is_another = project.read_again(None, before)
    assert is_another
    assert now.config == before.config
    assert now.troubles["project", "project"].startswith(("dbt_project.yml", "vars must"))


@pytest.mark.parametrize("paths", ["models", "5", "{a: b}", "[5]"])
def test_folders_that_are_no_list_are_left_to_dbt(tmp_path: Path, paths: str):
    (tmp_path / "dbt_project.yml").write_text(f"model-paths: {paths}")
    assert len(files_of_project(tmp_path).stamps) == 1


@pytest.mark.parametrize("port", ["70000", "65536", "0", "-1", "http"])
def test_a_port_that_is_none_is_refused_before_anything_starts(port: str, capsys):
    with pytest.raises(SystemExit) as refused:
        _parser().parse_args(["run", "--follow", "--metrics-port", port])
    assert refused.value.code == CONFIGURATION
    assert "--metrics-port" in capsys.readouterr().err


def test_a_report_that_cannot_be_written_where_it_is_wanted_says_so(
    tmp_path: Path, monkeypatch, capsys
):
    nothing = Facts(AT, 0, (), (), (), (), (), ())
    monkeypatch.setattr(command, "gather", lambda _: nothing)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    for option in ("--html", "--metrics"):
        for path, words in {
            ".": "this is a folder; name a file in it",
            str(tmp_path): "this is a folder; name a file in it",
            "file/report": "cannot be written there (File exists)",
            "a" * 300: "cannot be written there (File name too long)",
        }.items():
            asked = ["report", option, path, "--project-dir", str(PROJECT_ROOT)]
            assert main(asked) == CONFIGURATION
            told = capsys.readouterr().err
            assert told.startswith(f"{option} {path}: ") and words in told
    assert [one.name for one in tmp_path.iterdir()] == ["file"]
