"""How long the project takes, against Flink and Paimon on the same messages.

`python benchmarks/peers.py` reads the same Canal messages with this project (bronze, silver, gold),
with Flink that parses them and keeps nothing, and with Flink that makes a table of Paimon, in turn.
The first run brings Flink and Paimon into benchmarks/.peers, outside the project's environment.
A peer that cannot be brought is left out. Spark has 2 GB of memory, as in pipeline.py.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import tempfile
import venv
from pathlib import Path

from pipeline import COLUMNS, FEED, KINDS, Project, messages
from timing import seconds

from ingestion.bronze.tables import append_messages, create_tables
from ingestion.errors import UserError
from ingestion.spark import jars

PEERS = Path(__file__).resolve().parent / ".peers"
JOB = Path(__file__).resolve().with_name("flink_job.py")
# Flink's dependencies need an old setuptools
FLINK = ["apache-flink==1.20.5", "setuptools<80"]
PAIMON = "org.apache.paimon:paimon-flink-1.20:1.3.1"
# Paimon asks for Hadoop's classes, which pyspark ships
HADOOP = ("hadoop-client-api-*.jar", "hadoop-client-runtime-*.jar")
TEXT_FILES = 8
WARM_UP = 3
PARSE = "Flink parses, keeps nothing"
TABLE = "Flink makes Paimon's table and counts it"
AGAIN = ", again in the same Java"
MODELS = {"silver's model": "canal_json_changes", "gold's model": "orders_0"}
BRONZE = "bronze"
DBT = "silver + gold (`dbt run`)"
WHOLE = "bronze to gold"


def bring_flink() -> Path | None:
    """Return the Python that has Flink, installed if necessary; None if that fails."""
    home, wanted = PEERS / "flink", "\n".join(FLINK)
    python, ready = home / "bin" / "python", home / "ready"
    if ready.exists() and ready.read_text(encoding="utf-8") == wanted:
        return python
    venv.create(home, clear=True, symlinks=True, with_pip=True)
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *FLINK]
    if subprocess.run(command, capture_output=True).returncode != 0:
        print(f"Flink and Paimon are left out: pip could not install {FLINK[0]}.")
        return None
    ready.write_text(wanted, encoding="utf-8")
    return python


def bring_paimon() -> list[str]:
    """Return the jars of Paimon, fetched if necessary; none if that fails."""
    try:
        jars.fetch([PAIMON], PEERS / "paimon", beside_pyspark=False)
    except UserError as error:
        print(f"Paimon is left out: {error}")
        return []
    found = list((PEERS / "paimon").glob("paimon-flink-*.jar"))
    for pattern in HADOOP:
        found += (jars.spark_home() / "jars").glob(pattern)
    return [str(jar) for jar in found]


def write_text(project: Project, raw: str, text: str) -> None:
    """Write one message per line; those of a key are in one file, in the order that Flink reads."""
    rows = project.spark.read.parquet(raw).repartition(TEXT_FILES, "key")
    lines = rows.sortWithinPartitions("offset").selectExpr("cast(value as string)")
    lines.write.text(text)


def ours(project: Project, raw: str, number: int) -> dict[str, float]:
    """Build bronze, silver and gold from nothing, and return how long each took."""
    spark = project.spark
    for schema in ("bronze", "silver", "gold"):
        spark.sql(f"drop schema if exists {schema} cascade")
    shutil.rmtree(project.bronze)
    create_tables(spark, project.bronze)
    load = f"{number:03}", ("bench", number)
    outcomes = []
    bronze = seconds(lambda: append_messages(spark.read.parquet(raw), project.bronze, FEED, *load))
    dbt = seconds(lambda: outcomes.append(project.lakehouse.dbt("run")))
    assert outcomes[0].success, outcomes[0].exception
    models = {result.node.name: result.execution_time for result in outcomes[0].result}
    parts = {name: models[model] for name, model in MODELS.items()}
    return {BRONZE: bronze, **parts, DBT: dbt, WHOLE: bronze + dbt}


def theirs(python: Path, text: str, warehouse: Path, paimon: list[str]) -> dict:
    """Run a Flink job, with Paimon if its jars are given, and return what it reports."""
    told = {"messages": text, "columns": KINDS, "jars": paimon, "warehouse": str(warehouse)}
    command = [python, JOB, json.dumps(told)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def compare(folder: Path, rounds: int, count: int) -> dict[str, list[float]]:
    """Return how long everything took in each round."""
    python = bring_flink()
    paimon = bring_paimon() if python else []
    project = Project(folder / "project")
    raw, text, warehouse = str(folder / "raw"), str(folder / "text"), folder / "warehouse"
    messages(project.spark, 0, count, count // 5).write.parquet(raw)
    write_text(project, raw, text)
    # Java goes on compiling for three runs; Flink's starts anew each time
    for number in range(WARM_UP):
        ours(project, raw, number)
    taken: dict[str, list[float]] = {}
    for number in range(WARM_UP, WARM_UP + rounds):
        one = ours(project, raw, number)
        if python:
            told = theirs(python, text, warehouse, [])
            one |= {PARSE: told["first"], PARSE + AGAIN: told["again"]}
        if paimon:
            told = theirs(python, text, warehouse, paimon)
            one |= {TABLE: told["first"], TABLE + AGAIN: told["again"]}
            gold = project.spark.table("gold.orders_0").count()
            assert told["rows"] == gold, f"Paimon counts {told['rows']} rows, gold has {gold}"
        for name, time in one.items():
            taken.setdefault(name, []).append(time)
    return taken


def against(taken: dict[str, list[float]], name: str, peer: str) -> str:
    """Return the median ratio between two, or a dash if the peer was left out."""
    if peer not in taken:
        return "-"
    pairs = zip(taken[name], taken[peer], strict=True)
    return f"{statistics.median(one / other for one, other in pairs):.2f} x"


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    try:
        taken = compare(folder, args.rounds, args.messages)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{args.messages:,} messages, {len(COLUMNS)} columns, {args.messages // 5:,} keys")
    print("| | seconds | against Flink's parse alone | against Flink + Paimon |")
    print("|---|---|---|---|")
    for name, times in taken.items():
        ratios = f"{against(taken, name, PARSE)} | {against(taken, name, TABLE)}"
        print(f"| {name} | {statistics.median(times):.1f} | {ratios} |")


if __name__ == "__main__":
    main()
