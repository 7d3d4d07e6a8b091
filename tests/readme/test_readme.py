"""Every command of README.md runs, in order, in a fresh copy of the project."""

import os
import re
import subprocess

import pytest
import yaml

from ingestion.config.feeds import read_config
from ingestion.config.project_files import PROJECT_ROOT
from tests.support.checkout import copy_of_the_checkout
from tests.support.java import BRIEF

README = (PROJECT_ROOT / "README.md").read_text()
QUERIES = (PROJECT_ROOT / "docs" / "gold" / "values.md").read_text()


def blocks(language, page=README):
    return re.findall(rf"^```{language}\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)


def commands():
    lines = "".join(blocks("sh")).replace("\\\n", " ").splitlines()
    kept = [line.split("  #")[0].strip() for line in lines if line.strip()]
    return [line for line in kept if not line.startswith("#")]


def inputs():
    """What a reader types for a topic of their own, where no broker is that the test could ask."""
    lines = "".join(blocks("console")).splitlines()
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def make_copy(folder):
    """The project as `git clone` and `make setup` leave it."""
    if not (PROJECT_ROOT / ".venv" / "ready").exists():
        pytest.skip("needs the environment that `make setup` makes")
    copy_of_the_checkout(folder)
    for what in ("run", "ready"):
        (folder / ".venv" / what).touch()
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
    # two warnings, which a second run would not show
    assert "docs/tests.md" in done.stdout
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
    # explain_row names the record that gold shows, as docs/gold/explain.md prints it
    assert "gold shows it" in done.stdout
    assert not (folder / "metastore_db").exists()
    snippets = blocks("python", QUERIES)
    assert snippets
    for snippet in snippets:
        path = folder / "snippet.py"
        path.write_text(snippet)
        ran = shell(folder, ".venv/bin/python snippet.py")
        assert ran.returncode == 0, ran.stderr


def test_the_sample_can_be_removed_as_the_readme_says(tmp_path):
    """Without the sample, with the README's feed in its place, dbt finds nothing that is missing."""
    folder = make_copy(tmp_path)
    removal = next(line for line in inputs() if line.startswith("rm "))
    loading = next(line for line in inputs() if " load " in line)
    assert inputs().index(removal) < inputs().index(loading), (
        "it would take the reader's topic away"
    )
    shell(folder, removal).check_returncode()
    project = yaml.safe_load((folder / "dbt_project.yml").read_text())
    project["vars"] |= yaml.safe_load(blocks("yaml")[0])
    (folder / "dbt_project.yml").write_text(yaml.safe_dump(project, sort_keys=False))
    listed = shell(folder, ".venv/bin/dbt --quiet ls --resource-type model --output name")
    assert listed.returncode == 0, listed.stdout + listed.stderr
    models = listed.stdout.split()
    assert "canal_json_changes" in models
    assert not {"orders", "customers", "debezium_json_changes"} & set(models)
    feeds = read_config(folder).feeds
    assert list(feeds) == ["crm"]
    assert all(loading.split()[-1] in line for line in inputs() if "ingestion" in line)
