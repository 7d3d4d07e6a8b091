"""Spark as the `embedded` target of profiles/profiles.yml describes it, in this process."""

import logging
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import yaml
from jinja2 import Environment
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from ingestion.config.project_files import project_files
from ingestion.errors import SOURCE, UserError

REDACTED = {
    # Broker options hold secrets under names that Spark's own rule does not know.
    "spark.redaction.regex": "(?i)secret|password|passphrase|token|access[.]?key|jaas|[.]key$",
    "spark.sql.redaction.options.regex": "(?i)url|^kafka[.]|jaas|password|secret",
}
# In a process of seconds, Java's second compiler takes more time than it saves.
BRIEF = "-XX:TieredStopAtLevel=1"
LOGGING = "profiles/log4j2.properties"
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
LOADER = {
    # A follower must not hold the Derby metastore (one process at a time): bronze is a path.
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.streaming.numRecentProgressUpdates": "20",
    # Bronze's logs are short: Delta's default of 50 tasks to read a log is for long ones.
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # A broker that restarts in the middle of a load costs a retry, not the load.
    "spark.master": "local[*,4]",
}


def session(
    project_dir: Path, hive: bool = False, brief: bool = False, inherited: Iterable[int] = ()
) -> SparkSession:
    """Return the running session, or start one in the project's root.

    `brief` is for a process of seconds: Java's second compiler is off. `inherited` are file
    descriptors of locks that the JVM keeps as long as it lives.
    """
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    java_version()
    _require_jars(project_dir)
    os.chdir(project_dir)
    conf = spark_conf(project_dir, hive, brief)
    # Without a handler of its own, Python prints what this bridge logs on the screen.
    logging.getLogger("py4j").addHandler(logging.NullHandler())
    logging.getLogger("py4j").propagate = False
    start_jvm(project_dir, conf, tuple(inherited))
    return SparkSession.builder.config(conf=conf).getOrCreate()


def spark_conf(project_dir: Path, hive: bool, brief: bool) -> SparkConf:
    """Return the settings of a session of dbt (with Hive's metastore) or of the loader."""
    settings = {**_profile_settings(project_dir), **REDACTED}
    if hive:
        settings["spark.sql.catalogImplementation"] = "hive"
    else:
        settings |= LOADER
    if brief:
        settings[JAVA_OPTIONS] += f" {BRIEF}"
    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    return conf.setAppName("cdc-lakehouse")


def _profile_settings(project_dir: Path) -> dict[str, str]:
    profiles = project_files(project_dir) / "profiles"
    text = (profiles / "profiles.yml").read_text(encoding="utf-8")
    # the path is relative to the project that has profiles/, where dbt runs
    if not (project_dir / "profiles").exists():
        text = text.replace(LOGGING, str(profiles / Path(LOGGING).name))
    profile = yaml.safe_load(text)["cdc_lakehouse"]["outputs"]["embedded"]
    environment = Environment()
    environment.globals["env_var"] = lambda name, default="": os.environ.get(name, default)
    return {
        key: environment.from_string(str(value)).render()
        for key, value in profile["server_side_parameters"].items()
    }


def start_jvm(
    project_dir: Path, conf: SparkConf, inherited: tuple[int, ...] = ()
) -> subprocess.Popen:
    """Start the JVM; its first output, which no logger catches, goes to a file."""
    log = project_dir / "lakehouse" / "logs" / "jvm.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        streams = {"stdout": output, "stderr": output, "pass_fds": inherited}
        try:
            gateway = launch_gateway(conf, popen_kwargs=streams)
        except PySparkRuntimeError as error:
            raise UserError(f"Spark did not start; its last words are in {log}.", SOURCE) from error
    SparkContext._ensure_initialized(gateway=gateway)
    return gateway.proc


def _require_jars(project_dir: Path) -> None:
    if not any((project_dir / ".jars").glob("*.jar")):
        raise UserError(
            "Spark's extra jars are missing: run `make setup`, or `cdc init` in your own project.",
            SOURCE,
        )


def java_version() -> str:
    """Return Java's version text; a UserError if Spark cannot run on it."""
    home = os.environ.get("JAVA_HOME")
    java = f"{home}/bin/java" if home else shutil.which("java")
    if java is None or not Path(java).exists():
        raise UserError("Java is missing: install Java 17 or 21, or set JAVA_HOME.", SOURCE)
    words = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
    version = re.search(r'version "(\d+)', words)
    if version is None or int(version[1]) < 17:
        found = words.splitlines()[0] if words else "nothing"
        raise UserError(f"Java 17 or later is needed, but {java} says: {found}.", SOURCE)
    return words
