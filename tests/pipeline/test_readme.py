"""The first commands of README.md in a fresh copy of the project, as a new user runs them."""

import os
import re
import shutil
import subprocess

import pytest

from tests.pipeline.conftest import ROOT


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    if not (ROOT / ".venv" / "ready").exists():
        pytest.skip("needs the environment that `make setup` makes")
    folder = tmp_path_factory.mktemp("readme")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    for name in listed:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name, follow_symlinks=False)
    for name in (".venv", ".jars"):
        (folder / name).symlink_to(ROOT / name)
    (folder / ".venv" / "ready").touch()
    return folder


def shell(folder, script):
    """What a user's own shell would print: this one may run below another make."""
    command = ["bash", "-euo", "pipefail", "-c", script]
    ours = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(command, cwd=folder, env=ours, capture_output=True, text=True)


def test_dbt_before_any_load_says_what_to_do(copy):
    done = shell(copy, ".venv/bin/dbt run --select silver")
    assert done.returncode != 0
    assert "nothing has been loaded yet: run `python -m ingestion load` first" in done.stdout
    assert "\tat " not in done.stdout + done.stderr


def test_make_run_shows_one_quiet_screen(copy):
    done = shell(copy, "make run")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (done.stdout + done.stderr).splitlines()
    assert len(lines) <= 60
    noise = re.compile(r"Traceback|^\s+at |\b(INFO|WARN|ERROR)\b|Ivy|Derby|jdk\.incubator")
    assert [line for line in lines if noise.search(line)] == []
    assert "gold.orders: 6 rows" in done.stdout
    assert "1 unknown" in done.stdout
