"""The archive of Java's classes: it is used where it fits, and does no harm where it does not."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ingestion.config.project_files import PROJECT_ROOT
from ingestion.spark.archive import ARCHIVE, FOLDER, MADE_FOR, make_archive
from ingestion.spark.jars import fetch_spark_jars, spark_home
from ingestion.spark.session import JAVA_OPTIONS, spark_conf

MAPPED = "source: shared objects file (top)"
START = "from ingestion.spark.session import session; session(Path.cwd(), {})"
MAKE = "from ingestion.spark.archive import make_archive; make_archive(Path.cwd())"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What Java sees of a project: profiles, and jars with an archive made for them."""
    fetch_spark_jars()
    # in a process of its own, as `make setup` does: this one may have a Spark, which would be another one then
    assert python(PROJECT_ROOT, MAKE).wait() == 0
    for name in (".jars", "profiles"):
        (tmp_path / name).symlink_to(PROJECT_ROOT / name)
    return tmp_path


def own_jars(folder: Path) -> None:
    """Give the folder jars that it may change; copies keep their times, so that the archive fits."""
    (folder / ".jars").unlink()
    shutil.copytree(PROJECT_ROOT / ".jars", folder / ".jars")


def python(folder: Path, statements: str, **environment: str) -> subprocess.Popen:
    command = [sys.executable, "-c", f"from pathlib import Path; {statements}"]
    environment = os.environ | {"PYTHONPATH": str(PROJECT_ROOT)} | environment
    return subprocess.Popen(command, cwd=folder, env=environment, start_new_session=True)


def java(folder: Path, *options: str) -> subprocess.CompletedProcess:
    """Start Java as Spark does with the profile, to say its version only."""
    spark = spark_home()
    first = next((spark / "jars").glob("slf4j-api-*.jar"))
    path = f".jars/*:hive-jackson/*:{spark}/conf:{first}:{spark}/jars/*"
    profile = shlex.split(spark_conf(folder, hive=True, brief=False).get(JAVA_OPTIONS))
    command = ["java", "-cp", path, *profile, *options, "-version"]
    # with this one Java says that it has read it
    plain = {name: value for name, value in os.environ.items() if name != "JDK_JAVA_OPTIONS"}
    return subprocess.run(command, cwd=folder, env=plain, capture_output=True, text=True)


def assert_says_its_version_alone(done: subprocess.CompletedProcess) -> None:
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 3 and " version " in done.stderr, done.stderr


@pytest.mark.parametrize("hive", [True, False])
def test_a_session_maps_nearly_all_its_classes_from_the_archive(folder: Path, hive: bool):
    log = folder / "classes.txt"
    options = f"-Xlog:class+load:file={log}"
    assert python(folder, START.format(f"hive={hive}"), SPARK_SUBMIT_OPTS=options).wait() == 0
    loaded = [line for line in log.read_text().splitlines() if " source: " in line]
    mapped = sum(MAPPED in line for line in loaded)
    assert mapped > 5000
    assert mapped > 10 * sum(" source: file:" in line for line in loaded)
    said = (folder / "lakehouse" / "logs" / "jvm.log").read_text()
    assert "cds" not in said and "archive" not in said


def test_what_is_no_archive_does_no_harm_and_prints_nothing(folder: Path):
    own_jars(folder)
    whole = (folder / ARCHIVE).read_bytes()
    for content in (b"", b"no archive", whole[1:]):
        (folder / ARCHIVE).unlink()
        (folder / ARCHIVE).write_bytes(content)
        assert_says_its_version_alone(java(folder))
    (folder / ARCHIVE).unlink()
    assert_says_its_version_alone(java(folder))


def test_an_archive_for_other_jars_does_no_harm_and_prints_nothing(folder: Path):
    assert java(folder, "-Xshare:on").returncode == 0
    own_jars(folder)
    for jar in (folder / ".jars").glob("*.jar"):
        jar.touch()
    assert_says_its_version_alone(java(folder))
    assert java(folder, "-Xshare:on").returncode != 0


@pytest.mark.long
def test_a_making_that_is_killed_leaves_no_archive_and_the_next_one_makes_it(folder: Path):
    own_jars(folder)
    (folder / ARCHIVE).unlink()
    (folder / FOLDER / MADE_FOR).unlink()
    making = python(folder, MAKE)
    while making.poll() is None and not list((folder / FOLDER).glob("*.partial")):
        time.sleep(0.01)
    assert making.poll() is None
    os.killpg(making.pid, signal.SIGKILL)
    making.wait()
    assert not (folder / ARCHIVE).exists()
    # in a process of its own, as a user makes it: this one may have a Spark
    assert python(folder, MAKE).wait() == 0
    assert (folder / ARCHIVE).exists()
    assert not list((folder / FOLDER).glob("*.partial"))
    assert java(folder, "-Xshare:on").returncode == 0
    assert not make_archive(folder)
