"""`python -m ingestion.spark.jars`: fetches the jars listed in jars.toml into .jars/, once."""

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from ingestion.config.project_files import HERE, PROJECT_ROOT
from ingestion.errors import SOURCE, UserError

# pyspark ships these under another name: jcl-over-slf4j, and a RoaringBitmap that contains shims.
SUPERSEDED = {"commons-logging", "shims"}
LIST_JARS = "import sys; print(*[p for p in sys.path if p.endswith('.jar')], sep='\\n')"
STAMP = "coordinates.txt"
# where pyspark's Ivy keeps what it has fetched
IVY_HOME = ".ivy2.5.2"


def coordinates(name: str) -> list[str]:
    """Return the list called `name` of jars.toml."""
    return tomllib.loads((HERE / "spark" / "jars.toml").read_text(encoding="utf-8"))[name]


def spark_home() -> Path:
    """Return the folder of the installed pyspark package."""
    import pyspark

    return Path(pyspark.__file__).resolve().parent


def artifact(jar_name: str) -> str:
    """Return the artifact's name without organisation, version and ending."""
    return re.sub(r"-\d.*$", "", jar_name.removesuffix(".jar"))


def resolve(packages: list[str]) -> list[Path]:
    """Return the jars of the packages and of all they need, fetched by pyspark's own Ivy."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "list_jars.py"
        script.write_text(LIST_JARS, encoding="utf-8")
        command = [str(spark_home() / "bin" / "spark-submit"), "--packages", ",".join(packages)]
        environment = os.environ | {
            "SPARK_HOME": str(spark_home()),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_SUBMIT_OPTS": _without_local_maven(folder),
        }
        done = subprocess.run(
            [*command, str(script)], env=environment, cwd=folder, capture_output=True, text=True
        )
    jars = [Path(line) for line in done.stdout.splitlines() if line.endswith(".jar")]
    jars = [jar for jar in jars if not jar.is_relative_to(spark_home())]
    if done.returncode != 0 or not jars:
        raise UserError(_why_unresolved(packages, done.stdout + done.stderr), SOURCE)
    return jars


def _without_local_maven(home: str) -> str:
    """Return the environment's Java options, and those that keep Ivy from ~/.m2/repository.

    Spark makes Ivy look there first; if Maven has a POM there without its jar, Ivy stops.
    """
    options = os.environ.get("SPARK_SUBMIT_OPTS", "")
    return f'"-Divy.home={Path.home() / IVY_HOME}" {options} "-Duser.home={home}"'


def _why_unresolved(packages: list[str], output: str) -> str:
    missing = re.findall(r"unresolved dependency: (\S+?):? ", output)
    what = ", ".join(dict.fromkeys(missing)) or ", ".join(packages)
    return (
        f"The jars {what.replace('#', ':').replace(';', ':')} could not be fetched: check that "
        "this machine reaches Maven Central (or the mirror in your Ivy settings), and run it again."
    )


def fetch(packages: list[str], folder: Path, beside_pyspark: bool) -> bool:
    """Fill the folder with the packages' jars unless it holds them; return whether it was filled.

    `beside_pyspark` leaves out what pyspark ships itself: another version of it, first on Spark's
    class path, would break Spark.
    """
    stamp = folder / STAMP
    wanted = "\n".join(packages) + "\n"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return False
    shipped = {artifact(jar.name) for jar in (spark_home() / "jars").glob("*.jar")} | SUPERSEDED
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for jar in resolve(packages):
        name = jar.name.split("_", 1)[1]
        if not (beside_pyspark and artifact(name) in shipped):
            shutil.copy(jar, partial / name)
    (partial / STAMP).write_text(wanted, encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)
    return True


def fetch_spark_jars(project_dir: Path = PROJECT_ROOT) -> Path:
    """Fill .jars/ with what Spark needs beside its own jars, and return the folder."""
    folder = project_dir / ".jars"
    fetch(coordinates("spark_jars"), folder, beside_pyspark=True)
    return folder


def cache() -> Path:
    """Return the folder, in the user's cache, of what tests fetch."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cdc-lakehouse"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def fetch_server_jars(name: str) -> Path:
    """Return a folder, in the user's cache, with the jars of a server that tests start."""
    packages = coordinates(f"{name}_jars")
    folder = cache() / f"{name}-{packages[0].rsplit(':', 1)[1]}"
    # tests that run side by side need the same jars; only one process may use Ivy's cache
    with (folder.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if fetch(packages, folder, beside_pyspark=False):
            # Ivy leaves out Scala's library, as every Spark has it.
            for jar in (spark_home() / "jars").glob("scala-library-*.jar"):
                shutil.copy(jar, folder)
    return folder


def main(project_dir: Path = PROJECT_ROOT) -> int:
    """Fetch a project's jars and print one line; return the exit code."""
    print("Spark's extra jars: resolving ...", end="", flush=True)
    try:
        folder = fetch_spark_jars(project_dir)
    except UserError as error:
        print()
        print(error, file=sys.stderr)
        return error.exit_code
    print(f"\rSpark's extra jars: {len(list(folder.glob('*.jar')))} in {folder.name}/.      ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
