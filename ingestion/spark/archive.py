"""`python -m ingestion.spark.archive`: the classes that Spark loads, for Java."""

import fcntl
import hashlib
import os
import sys
import tempfile
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from ingestion.config.project_files import PROJECT_ROOT, project_files
from ingestion.errors import SOURCE, UserError
from ingestion.progress import human_bytes
from ingestion.spark.jars import spark_home
from ingestion.spark.session import JAVA_OPTIONS, java_version, spark_conf, start_jvm

# profiles/profiles.yml names it; where it is missing or does not fit, Java starts without it.
FOLDER = Path(".jars") / "archive"
ARCHIVE = FOLDER / "classes.jsa"
USE = f"-XX:SharedArchiveFile={ARCHIVE}"
MADE_FOR = "made_for.txt"
STARTING = "An archive of Java's classes for faster starts: half a minute, Ctrl-C leaves it out ..."
# The kinds of statements of a load and a run: the classes that they load are archived.
STATEMENTS = (
    "create schema if not exists warm location 'lakehouse/warm'",
    """create table warm.messages (
        id bigint, value binary, headers array<struct<key: string, value: binary>>, at timestamp
    ) using delta tblproperties (delta.enableChangeDataFeed = true)""",
    """insert into warm.messages
    select id, cast('{"id": 1, "data": {"a": "1"}}' as binary), null, current_timestamp()
    from range(3)""",
    # a statement's own classes cannot be archived; the classes that generate them are loaded by now
    "set spark.sql.codegen.wholeStage = false",
    "set spark.sql.codegen.factoryMode = NO_CODEGEN",
    """create or replace table warm.changes using delta as
    with parsed as (
        select
            id,
            at,
            from_json(cast(value as string), 'id bigint, data map<string, string>') as sent
        from table_changes('warm.messages', 0)
    )
    select
        parsed.id,
        parsed.sent.data as data,
        md5(cast(parsed.sent.id as string)) as text,
        array(cast(parsed.id as string)) as row_key,
        cast(parsed.sent.id as decimal(38, 10)) as amount,
        transform_values(parsed.sent.data, (name, value) -> concat(name, value)) as image,
        exists(map_keys(parsed.sent.data), name -> name = 'b') as is_odd,
        row_number() over (partition by parsed.sent.id order by parsed.at) as place
    from parsed
    left join
        (select max(id) as id from warm.messages group by at) as newest
        on newest.id = parsed.id
    lateral view explode(array(1, 2)) numbers as number""",
    """merge into warm.changes as gold
    using (
        select id, max_by(data, id) as data, count(distinct text) as texts
        from warm.changes
        where not exists (select 1 from warm.messages where messages.id = changes.id + 9)
        group by id
    ) as new on gold.id = new.id
    when matched and new.texts > 0 then update set data = new.data
    when matched then delete
    when not matched then insert (id, data) values (new.id, new.data)""",
    "create or replace view warm.newest as select id, text from warm.changes where place = 1",
    "select * from warm.newest order by id limit 5",
    "delete from warm.changes where id = 2",
    "alter table warm.changes set tblproperties ('warm' = 'yes')",
    "comment on table warm.changes is 'none'",
    "describe history warm.changes limit 1",
    "describe table extended warm.changes",
    "show tables in warm",
    "show table extended in warm like '*'",
    "drop view warm.newest",
)


def make_archive(project_dir: Path) -> bool:
    """Make the archive, in one step, unless one that fits is there; return whether it was made.

    Prints a line before it starts Spark, which takes half a minute.
    """
    folder = project_dir / FOLDER
    # before Java lists the jars beside it, whose order may change with a new folder
    folder.mkdir(exist_ok=True)
    stamp = folder / MADE_FOR
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = _made_for(project_dir)
        if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
            return False
        print(STARTING, end="", flush=True)
        stamp.unlink(missing_ok=True)
        partial = folder / "classes.partial"
        partial.unlink(missing_ok=True)
        _start_and_archive(project_dir, partial)
        if not partial.exists():
            raise UserError("Java ended without writing it", SOURCE)
        partial.rename(project_dir / ARCHIVE)
        stamp.write_text(wanted, encoding="utf-8")
    return True


def _made_for(project_dir: Path) -> str:
    """Return a text of what the archive fits: the Java, the jars, the statements, the profile."""
    jars = [*(project_dir / ".jars").glob("*.jar"), *(spark_home() / "jars").glob("*.jar")]
    files = sorted((str(jar), jar.stat().st_size, jar.stat().st_mtime_ns) for jar in jars)
    profiles = project_files(project_dir) / "profiles" / "profiles.yml"
    recipe = (STATEMENTS, profiles.read_text(encoding="utf-8"))
    digest = hashlib.sha256(repr((files, recipe)).encode()).hexdigest()
    return f"{java_version()}{digest}\n"


def _start_and_archive(project_dir: Path, archive: Path) -> None:
    """Run the statements on a temporary lakehouse, and let Java write what it loaded."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as home:
        (Path(home) / ".jars").symlink_to(project_dir / ".jars")
        os.chdir(home)
        try:
            conf = spark_conf(Path(home), hive=True, brief=True)
            making = conf.get(JAVA_OPTIONS).replace(USE, f"-XX:ArchiveClassesAtExit={archive}")
            conf.set(JAVA_OPTIONS, making)
            java = start_jvm(Path(home), conf)
            try:
                spark = SparkSession.builder.config(conf=conf).getOrCreate()
                for statement in STATEMENTS:
                    spark.sql(statement).collect()
                spark.stop()
                # Java ends when this is closed, and writes what it has loaded
                java.stdin.close()
                java.wait()
            finally:
                java.kill()
        finally:
            os.chdir(before)


def main(project_dir: Path = PROJECT_ROOT) -> int:
    """Make a project's archive if need be; without one everything starts, but later."""
    try:
        if not make_archive(project_dir):
            return 0
    except KeyboardInterrupt:
        print("\nNo class archive was made. Each start takes some seconds longer.")
        return 0
    except (UserError, OSError, PySparkException, Py4JError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        print()
        print(f"No class archive was made, so each start takes longer: {reason}", file=sys.stderr)
        return 0
    size = (project_dir / ARCHIVE).stat().st_size
    made = f"Java's class archive: {human_bytes(size)} in {FOLDER}/."
    print(f"\r{made:{len(STARTING)}}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
