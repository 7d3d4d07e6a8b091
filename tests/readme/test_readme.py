"""Every command of README.md runs, in order, in a fresh copy of the project."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ingestion.config import PROJECT_ROOT
from tests.support.java import BRIEF

README = (PROJECT_ROOT / "README.md").read_text()
# `make test` runs this test
LEFT_OUT = ("make test",)


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def commands():
    lines = "".join(blocks("sh")).replace("\\\n", " ").splitlines()
    kept = [line.split("  #")[0].strip() for line in lines if line.strip()]
    return [line for line in kept if line not in LEFT_OUT and not line.startswith("#")]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    if not (PROJECT_ROOT / ".venv" / "ready").exists():
        pytest.skip("needs the environment that `make setup` makes")
    folder = tmp_path_factory.mktemp("readme")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    for name in listed:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT_ROOT / name, folder / name, follow_symlinks=False)
    for name in (".venv", ".jars"):
        (folder / name).symlink_to(PROJECT_ROOT / name)
    (folder / ".venv" / "ready").touch()
    return folder


def shell(folder, script):
    """What a user's own shell would print: this one may run below another make."""
    command = ["bash", "-euo", "pipefail", "-c", script]
    ours = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    ours["JDK_JAVA_OPTIONS"] = BRIEF
    return subprocess.run(command, cwd=folder, env=ours, capture_output=True, text=True)


def test_dbt_before_any_load_says_what_to_do(copy):
    done = shell(copy, ".venv/bin/dbt run --select silver")
    assert done.returncode != 0
    assert "nothing has been loaded yet: run `python -m ingestion load` first" in done.stdout
    assert "\tat " not in done.stdout + done.stderr


def hive_folders():
    """Hive makes one per session where nobody tells it another place, and leaves it there."""
    return set(Path("/tmp").glob("*_resources"))


def test_make_run_shows_one_quiet_screen(copy):
    before = hive_folders()
    done = shell(copy, "make run")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (done.stdout + done.stderr).splitlines()
    assert len(lines) <= 60
    noise = re.compile(r"Traceback|^\s+at |\b(INFO|WARN|ERROR)\b|Ivy|Derby|jdk\.incubator")
    assert [line for line in lines if noise.search(line)] == []
    assert "gold.orders: 6 rows" in done.stdout
    assert "1 unknown" in done.stdout
    assert hive_folders() == before


def test_the_commands_run_in_order(copy):
    listed = [command for command in commands() if command != "make run"]
    assert "dbt build" in listed
    # -x: the command that failed stands last in what it prints
    done = shell(copy, "\n".join(["set -x", *listed]))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "format: canal_json" in done.stdout
    assert "shop_postgres" in done.stdout
    assert not (copy / "metastore_db").exists()
    for snippet in blocks("python"):
        path = copy / "snippet.py"
        path.write_text(snippet)
        ran = shell(copy, ".venv/bin/python snippet.py")
        assert ran.returncode == 0, ran.stderr
