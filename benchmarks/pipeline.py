"""How long a run takes from bronze to gold, as ratios between things that run in turn.

`python benchmarks/pipeline.py full` builds silver and gold from nothing, against the jobs of
by_hand.py: the same three tables, three lean ones, and the latest state alone.
`python benchmarks/pipeline.py batch` runs a batch of 5,000 changes behind 0.5, 5 and 10 million.
`python benchmarks/pipeline.py checks` does the same with all shipped tests (`dbt build`).
`python benchmarks/pipeline.py tables` runs news of 3 tables among 3 and among 200.
`python benchmarks/pipeline.py threads` runs news of 20 tables one, two and three models at a time.
`python benchmarks/pipeline.py files` runs a batch behind the files of 1,000 runs, and behind few.
`python benchmarks/pipeline.py marks` asks for the epochs of 200 tables behind 500 runs.
`python benchmarks/pipeline.py large` changes 5,000 keys of 200,000 rows, and of 20 million in a
gold table that is `large`.
Spark has 2 GB of memory, unless LAKEHOUSE_DRIVER_MEMORY says otherwise.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from by_hand import lean_tables, one_pass, same_tables
from pyspark.sql import DataFrame, SparkSession
from timing import seconds

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("LAKEHOUSE_DRIVER_MEMORY", "2g")

from ingestion.bronze.tables import append_messages, create_tables  # noqa: E402
from ingestion.config.feeds import Feed  # noqa: E402
from ingestion.spark.session import session  # noqa: E402
from tests.pipeline.conftest import Lakehouse  # noqa: E402

FEED = Feed(name="bench", format="canal_json")
COLUMNS = {
    "id": ("bigint", "cast({key} as string)"),
    "customer_id": ("bigint", "cast(pmod(hash({key}), 100000) as string)"),
    "total": ("decimal(12,2)", "cast(cast({n} % 1000000 / 100 as decimal(12, 2)) as string)"),
    "status": ("string", "element_at(array('new', 'paid', 'sent', 'done'), int({n} % 4) + 1)"),
    "changed": ("timestamp_ntz", "concat('2026-01-01 00:00:', lpad(string({n} % 60), 2, '0'))"),
    "rate": ("double", "cast({n} / 7 as string)"),
    **{f"n{i}": ("int", f"cast(pmod(hash({{n}}, {i}), 1000) as string)") for i in range(8)},
    **{f"t{i}": ("string", f"substring(md5(string({{n}} + {i})), 1, 12)") for i in range(8)},
}
KINDS = {name: kind for name, (kind, _) in COLUMNS.items()}
MODEL = """{{{{ cdc.current_state(
    feed='bench', database='shop', table='{table}', key=['id'],
    columns={columns}{more}
) }}}}
"""
TESTS = """version: 2
models:
  - name: orders_0
    data_tests: [key_is_unique, newest_change_wins, every_value_fits_its_type]
"""
CONSERVATION = ("every_record_is_in_silver", "key_is_the_sources_key")
TYPES = "map('id', 'bigint', 'customer_id', 'bigint', 'total', 'decimal(12,2)')"


def messages(
    spark: SparkSession,
    first: int,
    count: int,
    keys: int,
    tables: int = 1,
    prefix: str = "orders_",
    first_key: int = 0,
) -> DataFrame:
    """Return Canal messages: each key is inserted once, then updated; one change in 50 deletes."""
    told = {"n": "id", "key": f"({first_key} + pmod(id * 7919, {keys}))"}
    kind = f"case when id < {keys} then 'INSERT' when id % 50 = 0 then 'DELETE' else 'UPDATE' end"
    table = f"concat('{prefix}', pmod({told['key']}, {tables}))"
    return _messages(spark, range(first, first + count), told, kind, "'old'", table)


def consistent_messages(spark: SparkSession, first: int, count: int, keys: int) -> DataFrame:
    """Return the same, but each change finds the row as the one before it left it.

    An update changes one column, the status; one key in 50 is deleted and inserted in turn.
    """
    key, turn = f"pmod(id * 7919, {keys})", f"(id div {keys})"
    told = {"n": key, "key": key}
    kind = f"""case
        when {key} % 50 = 0 then if({turn} % 2 = 0, 'INSERT', 'DELETE')
        when {turn} = 0 then 'INSERT' else 'UPDATE' end"""
    status = "concat('status ', if({key} % 50 = 0, 0, {turn}))"
    before = status.format(key=key, turn=f"({turn} - 1)")
    told["status"] = status.format(key=key, turn=turn)
    return _messages(spark, range(first, first + count), told, kind, before, "'orders_0'")


def _messages(
    spark: SparkSession, ids: range, told: dict[str, str], kind: str, before: str, table: str
) -> DataFrame:
    texts = {name: text.format(**told) for name, (_, text) in COLUMNS.items()}
    texts["status"] = told.get("status", texts["status"])
    row = ", ".join(f"'{name}', {text}" for name, text in texts.items())
    value = f"""to_json(named_struct(
        'data', array(named_struct({row})), 'database', 'shop', 'es', 1795232535000 + id, 'id', id,
        'isDdl', false, 'mysqlType', {TYPES},
        'old', if(({kind}) = 'UPDATE', array(named_struct('status', {before})), null),
        'pkNames', array('id'), 'sql', '', 'table', {table},
        'ts', 1795232535100 + id, 'type', {kind}))"""
    return spark.range(ids.start, ids.stop, 1, 8).selectExpr(
        "'bench' as topic",
        "0 as topic_generation",
        f"int(pmod({told['key']}, 4)) as partition",
        "id as offset",
        "timestamp_millis(1795232535100 + id) as timestamp",
        "0 as timestamp_type",
        "cast(array() as array<struct<key: string, value: binary>>) as headers",
        f"cast(string({told['key']}) as binary) as key",
        f"cast({value} as binary) as value",
        "cast(null as string) as load_error",
    )


class Project:
    """A copy of the project with the benchmark's feed and tables alone."""

    def __init__(self, folder: Path, tables: int = 1) -> None:
        self.lakehouse = Lakehouse(folder)
        shutil.rmtree(folder / "examples")
        self.lakehouse.set_feeds({"bench": {"format": "canal_json", "files": "in/bench"}})
        self.declare(tables)
        self.spark = session(folder, hive=True)
        self.spark.sparkContext.setLogLevel("ERROR")
        self.bronze = str(folder / "lakehouse" / "bronze")
        create_tables(self.spark, self.bronze)
        self.loads = self.offset = 0
        self.messages = messages

    def declare(self, tables: int) -> None:
        """Write the gold models."""
        for number in range(tables):
            text = MODEL.format(table=f"orders_{number}", columns=KINDS, more="")
            self.lakehouse.write_model(f"orders_{number}", text)

    def load(self, count: int, keys: int, *more: int | str) -> None:
        """Land the next messages in bronze; `more` goes to `messages`."""
        frame = self.messages(self.spark, self.offset, count, keys, *more)
        append_messages(frame, self.bronze, FEED, f"{self.loads:03}", ("bench", self.loads))
        self.loads, self.offset = self.loads + 1, self.offset + count

    def run(self, *arguments: str) -> float:
        """Return how long a `dbt run` takes."""
        return seconds(lambda: self.lakehouse.run(*arguments))

    def build(self) -> float:
        """Return how long a `dbt build` takes, in which no test may find anything."""
        outcomes = []
        took = seconds(lambda: outcomes.append(self.lakehouse.dbt("build")))
        found = {result.node.name: result.message for result in outcomes[0].result}
        assert outcomes[0].success, found
        return took

    def load_up_to(self, size: int, keys: int) -> None:
        """Land messages in loads of at most 2.5 million until bronze has so many."""
        while self.offset < size:
            self.load(min(2_500_000, size - self.offset), keys)

    def batches(
        self, rounds: int, keys: int, job: Callable[[], float] | None = None
    ) -> list[float]:
        """Return how long a warm-up and `rounds` more runs take, each with 5,000 new changes."""
        times = []
        for _ in range(rounds + 1):
            self.load(5_000, keys)
            times.append((job or self.run)())
        return times


def content(table: DataFrame) -> tuple:
    """Return how many rows a table has and what they hold, in any order."""
    texts = [
        f"array_sort(map_entries({name})) as {name}" if kind.startswith("map") else name
        for name, kind in table.dtypes
        if name not in ("load_id", "bronze_version")
    ]
    hashed = table.selectExpr(*texts).selectExpr("xxhash64(to_json(struct(*))) as hash")
    return hashed.selectExpr("count(*)", "sum(cast(hash as decimal(38, 0)))").first()


def full(folder: Path, rounds: int, count: int) -> None:
    """Raw records to gold, by this project and by hand-written jobs."""
    project = Project(folder / "project")
    spark, raw = project.spark, str(folder / "raw")
    messages(spark, 0, count, count // 5).write.parquet(raw)

    def ours(number: int) -> None:
        feed = ("bench", number)
        append_messages(spark.read.parquet(raw), project.bronze, FEED, f"{number:03}", feed)
        project.lakehouse.run()

    jobs = {
        "the project": ours,
        "the same three tables by hand": lambda _: same_tables(spark, raw, folder, KINDS),
        "three lean tables by hand": lambda _: lean_tables(spark, raw, folder, KINDS),
        "the latest state in one pass": lambda _: one_pass(spark, raw, folder, KINDS),
    }
    taken: dict[str, list[float]] = {name: [] for name in jobs}
    for number in range(rounds + 1):
        for schema in ("bronze", "silver", "gold", "state"):
            spark.sql(f"drop schema if exists {schema} cascade")
        shutil.rmtree(project.bronze)
        create_tables(spark, project.bronze)
        for name, job in jobs.items():
            one = seconds(lambda j=job, n=number: j(n))
            if number:
                taken[name].append(one)
    for table, name in (("silver.canal_json_changes", "silver"), ("gold.orders_0", "gold")):
        by_hand = spark.read.format("delta").load(str(folder / f"same_{name}"))
        assert content(spark.table(table)) == content(by_hand), f"{name} is not the same"
    print(f"{count:,} changes, {len(COLUMNS)} columns, {count // 5:,} keys: raw records to gold")
    print("| | seconds | the project takes |\n|---|---|---|")
    for name, times in taken.items():
        pairs = zip(taken["the project"], times, strict=True)
        ratio = statistics.median(ours / theirs for ours, theirs in pairs)
        print(f"| {name} | {statistics.median(times):.1f} | {ratio:.2f} x |")


def batch(folder: Path, rounds: int, sizes: list[int], keys: int) -> None:
    """A batch of changes after a history that grows, with the same number of keys."""
    project = Project(folder / "project")
    taken = []
    for size in sizes:
        project.load_up_to(size, keys)
        built = project.run()
        _, *times = project.batches(rounds, keys)
        nothing_new = statistics.median(project.run() for _ in range(rounds + 1))
        taken.append((size, built, statistics.median(times), nothing_new))
    heap = os.environ["LAKEHOUSE_DRIVER_MEMORY"]
    print(f"5,000 changes of {keys:,} keys with {len(COLUMNS)} columns, Spark with {heap}")
    print(
        "| changes before | what was new of them took | a batch takes | against the first "
        "| a run without new changes |"
    )
    print("|---|---|---|---|---|")
    for size, built, one, none in taken:
        against = f"{one / taken[0][2]:.2f} x"
        print(f"| {size:,} | {built:.1f} s | {one:.1f} s | {against} | {none:.1f} s |")
    again = project.run("--full-refresh")
    print(f"Everything anew (`dbt run --full-refresh`): {again:.1f} s")


def checks(folder: Path, rounds: int, sizes: list[int], keys: int) -> None:
    """The same batch with all shipped tests, after a history that grows."""
    project = Project(folder / "project")
    project.messages = consistent_messages
    (project.lakehouse.root / "models" / "gold" / "orders_0.yml").write_text(TESTS)
    taken = []
    for size in sizes:
        project.load_up_to(size, keys)
        built = project.run()
        # what was checked before: a build would hold millions of new changes against each other
        project.lakehouse.dbt("test", "--select", *CONSERVATION)
        _, *times = project.batches(rounds, keys, project.build)
        taken.append((size, built, statistics.median(times)))
    print(f"5,000 changes of {keys:,} keys with {len(COLUMNS)} columns, with all shipped tests")
    print("| changes before | what was new of them took | a batch takes | against the first |")
    print("|---|---|---|---|")
    for size, built, one in taken:
        print(f"| {size:,} | {built:.1f} s | {one:.1f} s | {one / taken[0][2]:.2f} x |")


def tables(folder: Path, rounds: int, count: int) -> None:
    """New changes of three tables, in a project of these alone and in one of many."""
    project = Project(folder / "project", count)
    project.load(count * 200, count * 100, count)
    project.run()
    gold = project.lakehouse.root / "models" / "gold"
    taken: dict[int, list[float]] = {3: [], count: []}
    for number in range(rounds + 1):
        for size, times in taken.items():
            shutil.rmtree(gold)
            gold.mkdir()
            project.declare(size)
            # what other models cost once, such as reading their files, is no part of a run
            project.run()
            # orders_0 to orders_2 have new changes
            project.load(300, 3, 3)
            one = project.run()
            if number:
                times.append(one)
    print("| gold tables, of which 3 have news | seconds | against 3 |\n|---|---|---|")
    for size, times in taken.items():
        ratio = statistics.median(a / b for a, b in zip(times, taken[3], strict=True))
        print(f"| {size} | {statistics.median(times):.1f} | {ratio:.2f} x |")


def threads(folder: Path, rounds: int, count: int) -> None:
    """New changes of all tables, with 1, 2 and 3 models at a time."""
    project = Project(folder / "project", count)
    project.load(count * 200, count * 100, count)
    project.run()
    taken: dict[int, list[float]] = {1: [], 2: [], 3: []}
    for number in range(rounds + 1):
        for models, times in taken.items():
            project.load(100 * count, count, count)
            one = project.run("--threads", str(models))
            if number:
                times.append(one)
    print(f"| models at a time, {count} with news | seconds | against 1 |\n|---|---|---|")
    for models, times in taken.items():
        ratio = statistics.median(a / b for a, b in zip(times, taken[1], strict=True))
        print(f"| {models} | {statistics.median(times):.1f} | {ratio:.2f} x |")


def files(folder: Path, rounds: int, count: int) -> None:
    """A batch of changes after many loads, whose silver and gold are in few files or in many."""
    project = Project(folder / "project")
    keys = 100 * count
    for _ in range(count):
        project.load(500, keys)
    project.run()
    # Java warms up
    project.batches(rounds, keys)
    taken = {"as one run wrote them": project.batches(rounds, keys)}
    for table, column in (("silver.canal_json_changes", "bronze_version"), ("gold.orders_0", "id")):
        # one file for each run: its changes in silver, its share of the keys in gold
        cut = project.spark.table(table).repartitionByRange(count, column)
        cut.write.insertInto(table, overwrite=True)
    taken[f"in {count:,} files each"] = project.batches(rounds, keys)
    assert project.lakehouse.dbt("run-operation", "compact_tables").success
    taken["after compact_tables"] = project.batches(rounds, keys)
    print(f"5,000 changes of {keys:,} keys behind {count:,} loads of 500 changes")
    print("| silver and gold | first batch | the later ones | against the first line |")
    print("|---|---|---|---|")
    usual = None
    for name, (first, *later) in taken.items():
        one = statistics.median(later)
        usual = usual or one
        print(f"| {name} | {first:.1f} s | {one:.1f} s | {one / usual:.2f} x |")


def marks(folder: Path, rounds: int, count: int) -> None:
    """The epochs of 200 tables in 4 partitions, which each run reads, after many runs."""
    project = Project(folder / "project")
    project.load(10, 5)
    project.run()
    spark = project.spark
    spark.sql(f"""
        insert into silver.order_marks
        select
            'bench', concat('t', number), 0, place, null, 'shop', null, concat('t', number),
            10 * run, 10 * run + 9, false, true, 'x', null, 0,
            array(cast(10 * run as decimal(38, 0))), array(cast(10 * run + 9 as decimal(38, 0))),
            timestamp_seconds(run), timestamp_seconds(run), 0
        from (select explode(sequence(1, 200)) as number)
            cross join (select explode(sequence(0, 3)) as place)
            cross join (select explode(sequence(1, {count})) as run)""")
    told = "epoch > 0 or later_epochs is not null or inherited_position is not null"

    def asked() -> float:
        """Return how long the query takes."""
        ranges = spark.table("silver.sequence_ranges").where(told)
        _, *times = [seconds(lambda: ranges.count()) for _ in range(rounds + 1)]
        return statistics.median(times)

    as_written = asked()
    merging = seconds(lambda: project.lakehouse.dbt("run-operation", "merge_order_marks"))
    merged = asked()
    print("| marks | the question takes | against the first line |\n|---|---|---|")
    print(f"| {800 * count:,}, as {count:,} runs wrote them | {as_written:.1f} s | 1.00 x |")
    left = spark.table("silver.order_marks").count()
    print(f"| {left:,}, merged in {merging:.0f} s | {merged:.1f} s | {merged / as_written:.2f} x |")


def large(folder: Path, rounds: int, rows: int) -> None:
    """A batch of 5,000 keys into a large table, and into one of a hundredth of its rows."""
    few, project = rows // 100, Project(folder / "project")
    text = MODEL.format(table="large_0", columns=KINDS, more=", large=true")
    project.lakehouse.write_model("large_0", text)
    for prefix in ("orders_", "large_"):
        project.offset = 0
        project.load(few, few, 1, prefix)
    project.run()
    # the rows of the large table a hundred times, each time under other keys
    copies = ", ".join(f"id + copy * {few} as id" if name == "id" else name for name in KINDS)
    project.spark.sql(f"""
        insert into gold.large_0
        select
            {copies},
            named_struct(
                'row_key', array(string(id + copy * {few})),
                'sequence', _change.sequence,
                'column_sequences', _change.column_sequences,
                'topic', _change.topic,
                'partition', _change.partition,
                'changed_at', _change.changed_at,
                'misfits', _change.misfits
            )
        from gold.large_0
            cross join (select explode(sequence(1, 99)) as copy)""")
    assert project.lakehouse.dbt("run-operation", "compact_tables").success
    project.offset = rows
    # the table, and the first and the number of the keys of which 5,000 change
    cases = {
        "any keys": ("orders_0", 0, few),
        "any keys of the large table": ("large_0", 0, rows),
        "keys of its last hundredth": ("large_0", rows - few, few),
    }
    taken: dict[str, list[tuple[float, int]]] = {case: [] for case in cases}
    for number in range(rounds + 1):
        for case, (name, first, keys) in cases.items():
            project.load(5_000, keys, 1, name.removesuffix("0"), first)
            before = size_of(folder, name)
            one = project.run(), size_of(folder, name) - before
            if number:
                taken[case].append(one)
    print("| 5,000 changes | rows of the table | MB | take | against the first | bytes written |")
    print("|---|---|---|---|---|---|")
    usual = statistics.median(one for one, _ in taken["any keys"])
    for case, (name, *_) in cases.items():
        detail = project.spark.sql(f"describe detail gold.{name}").first()
        took = statistics.median(one for one, _ in taken[case])
        written = statistics.median(written for _, written in taken[case])
        count = project.spark.table(f"gold.{name}").count()
        print(
            f"| {case} | {count:,} | {detail.sizeInBytes / 1e6:,.0f} | {took:.1f} s "
            f"| {took / usual:.2f} x | {written / detail.sizeInBytes:.1%} |"
        )


def size_of(folder: Path, table: str) -> int:
    """Return the bytes of all files that a gold table ever had."""
    place = folder / "project" / "lakehouse" / "warehouse" / "gold.db" / table
    return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())


def main() -> None:
    """Measure one of the eight and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "what",
        choices=["full", "batch", "checks", "tables", "threads", "files", "marks", "large"],
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1.0, help="of all sizes, to try it out")
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    try:
        if args.what == "full":
            full(folder, args.rounds, int(1_000_000 * args.scale))
        elif args.what in ("batch", "checks"):
            sizes = [int(size * args.scale) for size in (500_000, 5_000_000, 10_000_000)]
            measure = batch if args.what == "batch" else checks
            measure(folder, args.rounds, sizes, int(200_000 * args.scale))
        elif args.what == "tables":
            tables(folder, args.rounds, max(4, int(200 * args.scale)))
        elif args.what == "threads":
            threads(folder, args.rounds, max(2, int(20 * args.scale)))
        elif args.what == "marks":
            marks(folder, args.rounds, int(500 * args.scale))
        elif args.what == "large":
            large(folder, args.rounds, int(20_000_000 * args.scale))
        else:
            files(folder, args.rounds, int(1_000 * args.scale))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
