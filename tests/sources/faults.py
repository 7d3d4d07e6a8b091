"""What goes wrong in the middle: processes are killed, topics grow, tables are loaded once more."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tests.sources import mariadb_workload, postgres_workload
from tests.sources.project import Project
from tests.sources.world import World

GROWN = {"pg_string.public.composite": 3, "ma_default.shop.everything": 2, "maxwell": 4}
SIGNAL = """{{"data-collections": [{tables}], "type": "incremental"}}"""


def strike(world: World, count: int) -> None:
    """Kill every producer and the broker while all writers write, then let them catch up."""
    place = world.mariadb.position()
    work = (
        postgres_workload.more(world.seed, count),
        mariadb_workload.more(world.seed, count),
    )
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(world.work, *work)
        for topic, partitions in GROWN.items():
            world.broker.add_partitions(topic, partitions)
        world.broker.restart(kill=True)
        writing.result()
    # what has come through since the last flush of the worker's offsets is repeated
    world.drain()
    world.connect.restart()
    world.maxwell.restart()
    for canal in world.canals:
        canal.restart(*place)
    snapshot_by_signal(world)
    world.connect.load_again("pg_index")
    world.drain()


def snapshot_by_signal(world: World) -> None:
    """Ask for an incremental snapshot of some tables."""
    told = "insert into {schema}.signals values ('one', 'execute-snapshot', '{data}');"
    for database, schema, tables in (
        (world.postgres, "public", ("composite", "documents")),
        # a table without FLOAT: a snapshot has six digits of it
        (world.mariadb, "shop", ("composite",)),
    ):
        names = ", ".join(f'"{schema}.{table}"' for table in tables)
        database.run(told.format(schema=schema, data=SIGNAL.format(tables=names)))


def kill_in_the_middle(start: Callable[[], subprocess.Popen], commits: Callable[[], int]) -> None:
    """Start a command and kill it, with its Java, after its first commit to a table."""
    before = commits()
    command = start()
    while commits() == before:
        assert command.poll() is None, "the command ended before it could be killed"
        time.sleep(0.02)
    os.killpg(command.pid, signal.SIGKILL)
    command.wait()


def commits_of(project: Project, folder: str) -> Callable[[], int]:
    """Return a count of the commits to the Delta tables below a folder of the lakehouse."""
    place = project.folder / "lakehouse" / folder
    return lambda: len(list(place.glob("**/_delta_log/*.json")))
