"""Every command of README.md runs, in order, in a fresh copy of the project."""

import os
import re
import shutil
import subprocess

import pytest

from ingestion.project_files import PROJECT_ROOT
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


def make_copy(folder):
    """The project as `git clone` and `make setup` leave it."""
    if not (PROJECT_ROOT / ".venv" / "ready").exists():
        pytest.skip("needs the environment that `make setup` makes")
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
    # others' tests may leave something in /tmp at the same time
    java_tmp(folder).mkdir(parents=True)
    return folder


def java_tmp(folder):
    return folder / ".java_tmp"


def shell(folder, script):
    """What a user's own shell would print: this one may run below another make."""
    command = ["bash", "-euo", "pipefail", "-c", script]
    ours = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    ours["JDK_JAVA_OPTIONS"] = f"{BRIEF} -Djava.io.tmpdir={java_tmp(folder)}"
    return subprocess.run(command, cwd=folder, env=ours, capture_output=True, text=True)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy in which `make run` has run, once for all tests, and what it printed."""
    folder = make_copy(tmp_path_factory.mktemp("readme"))
    return folder, shell(folder, "make run")


def test_dbt_before_any_load_says_what_to_do(tmp_path):
    done = shell(make_copy(tmp_path), ".venv/bin/dbt run --select silver")
    assert done.returncode != 0
    assert "nothing has been loaded yet: run `python -m ingestion load` first" in done.stdout
    assert "\tat " not in done.stdout + done.stderr


def test_make_run_shows_one_quiet_screen_and_leaves_nothing_outside(copy):
    folder, done = copy
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (done.stdout + done.stderr).splitlines()
    assert len(lines) <= 60
    noise = re.compile(r"Traceback|^\s+at |\b(INFO|WARN|ERROR)\b|Ivy|Derby|jdk\.incubator")
    assert [line for line in lines if noise.search(line)] == []
    assert "gold.orders: 6 rows" in done.stdout
    assert "1 unknown" in done.stdout
    # Hive makes one per session where nobody tells it another place, and leaves it there
    assert list(java_tmp(folder).glob("*_resources")) == []


def test_the_commands_run_in_order(copy):
    folder, _ = copy
    listed = [command for command in commands() if command != "make run"]
    assert "dbt build" in listed
    # -x: the command that failed stands last in what it prints, behind the seconds since the first
    done = shell(folder, "\n".join(["PS4='+ $SECONDS s: '", "set -x", *listed]))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "format: canal_json" in done.stdout
    assert "shop_postgres" in done.stdout
    assert not (folder / "metastore_db").exists()
    for snippet in blocks("python"):
        path = folder / "snippet.py"
        path.write_text(snippet)
        ran = shell(folder, ".venv/bin/python snippet.py")
        assert ran.returncode == 0, ran.stderr
