"""`make new-format` makes a format whose tests pass, and touches nothing of another one."""

import subprocess
import sys

import pytest

from ingestion.config.formats import known_formats
from tests.support.checkout import copy_of_the_checkout
from tests.support.new_format import Refused, make

NAME, LIKE = "shop_canal_json", "canal_json"


def git(folder, *arguments):
    command = ["git", "-c", "user.name=x", "-c", "user.email=x", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def copy(tmp_path):
    folder = copy_of_the_checkout(tmp_path / "copy")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "before")
    return folder


def python(folder, *arguments):
    done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_only_files_of_its_name_are_new_and_two_lists_have_an_entry_more(copy):
    make(copy, NAME, LIKE)
    status = git(copy, "status", "--short", "--untracked-files=all").splitlines()
    assert [line for line in status if line.startswith("??") and NAME not in line] == []
    changed = [line[3:] for line in status if not line.startswith("??")]
    assert changed == [
        "models/silver/_silver__models.yml",
        "seeds/formats.csv",
    ]
    assert [
        line
        for line in git(copy, "diff").splitlines()
        if line.startswith("-") and line[:3] != "---"
    ] == []


def test_its_feeds_may_have_the_settings_of_the_other_one(copy):
    make(copy, NAME, LIKE)
    known = known_formats(copy)
    assert known[NAME].own_settings == known[LIKE].own_settings == ("after_images",)


@pytest.mark.parametrize(
    ("name", "like"), [("Shop", LIKE), (LIKE, LIKE), ("shop", "nothing"), ("shop", "_canal")]
)
def test_names_that_are_none_are_refused(copy, name, like):
    with pytest.raises(Refused):
        make(copy, name, like)


@pytest.mark.long
def test_its_tests_pass_at_once_and_dbt_knows_its_model(copy):
    for name in (".jars", "profiles.yml"):
        assert (copy / name).exists()
    python(copy, "-m", "tests.support.new_format", NAME, LIKE)
    python(copy, "-m", "tests.support.format_table")
    chosen = ["tests/formats", "tests/types", "--format", NAME, "-k", "not generated"]
    assert " passed" in python(copy, "-m", "pytest", "-q", *chosen)
    project = copy / "dbt_project.yml"
    project.write_text(project.read_text().replace("format: canal_json", f"format: {NAME}"))
    listed = python(copy, "-c", "from dbt.cli.main import cli; cli(['ls', '--select', 'silver'])")
    assert f"cdc.silver.formats.{NAME}_changes" in listed
