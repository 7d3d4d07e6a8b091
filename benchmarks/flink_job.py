"""One Flink job, started by peers.py with the Python that has Flink.

Its only argument is a JSON object: the messages' folder, the columns, Paimon's warehouse and jars.
It makes Paimon's table of the messages, or only parses them where there are no jars. It prints a
JSON object: how long the first and a second run in the same Java took, and the table's rows.
"""

import json
import sys
import time

from pyflink.table import EnvironmentSettings, TableEnvironment

TYPES = {"timestamp_ntz": "timestamp(6)"}
SETTINGS = {
    "parallelism.default": "2",
    "taskmanager.numberOfTaskSlots": "2",
    "restart-strategy.type": "none",
}
# Paimon commits with each checkpoint; a job that keeps nothing needs none
CHECKPOINTS = ("execution.checkpointing.interval", "10 s")


def environment(told: dict, settings: EnvironmentSettings) -> TableEnvironment:
    """Return Flink, with the jars and the catalog of Paimon if there are any."""
    flink = TableEnvironment.create(settings)
    for name, value in SETTINGS.items():
        flink.get_config().set(name, value)
    if told["jars"]:
        flink.get_config().set(*CHECKPOINTS)
        jars = ";".join(f"file://{jar}" for jar in told["jars"])
        flink.get_config().set("pipeline.jars", jars)
        warehouse = f"'type' = 'paimon', 'warehouse' = 'file://{told['warehouse']}'"
        flink.execute_sql(f"create catalog paimon with ({warehouse})")
    return flink


def columns(told: dict) -> str:
    """Return the columns as Flink declares them."""
    return ", ".join(f"`{name}` {TYPES.get(kind, kind)}" for name, kind in told["columns"].items())


def parse(flink: TableEnvironment) -> None:
    """Read every message and discard its rows."""
    flink.execute_sql("insert into nothing select * from messages").wait()


def build(flink: TableEnvironment, told: dict) -> int:
    """Make Paimon's table again and return how many rows it has."""
    flink.execute_sql("drop table if exists paimon.`default`.orders")
    flink.execute_sql(f"""
        create table paimon.`default`.orders ({columns(told)}, primary key (id) not enforced)
        with ('bucket' = '2')""")
    flink.execute_sql("insert into paimon.`default`.orders select * from messages").wait()
    batch = environment(told, EnvironmentSettings.in_batch_mode())
    result = batch.execute_sql("select count(*) from paimon.`default`.orders")
    with result.collect() as rows:
        return next(iter(rows))[0]


def main() -> None:
    """Declare the messages and run the job twice."""
    told = json.loads(sys.argv[1])
    flink = environment(told, EnvironmentSettings.in_streaming_mode())
    flink.execute_sql(f"""
        create table messages ({columns(told)}, primary key (id) not enforced)
        with (
            'connector' = 'filesystem', 'path' = 'file://{told["messages"]}',
            'format' = 'canal-json'
        )""")
    flink.execute_sql(f"create table nothing ({columns(told)}) with ('connector' = 'blackhole')")
    seconds, counts = [], []
    for _ in range(2):
        start = time.perf_counter()
        counts.append(build(flink, told) if told["jars"] else parse(flink))
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"first": seconds[0], "again": seconds[1], "rows": counts[0]}))


if __name__ == "__main__":
    main()
