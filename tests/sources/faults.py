"""What goes wrong in the middle: processes are killed, topics grow, tables are loaded once more."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from tests.sources import mariadb_workload, postgres_workload
from tests.sources.lakehouse import configuration
from tests.sources.project import Project
from tests.sources.world import World

# topics and how many partitions they have in the end
GROWN = {
    "pg_string.public.composite": 3,
    "pg_string.public.emptied": 3,
    "ma_default.shop.everything": 2,
    "maxwell": 4,
}
# a table without FLOAT: a snapshot has six digits of it
SNAPSHOT_BY_SIGNAL = {"pg_string": ("composite", "documents"), "ma_string": ("composite",)}
SIGNAL = """{{"data-collections": [{tables}], "type": "incremental"}}"""


def strike(world: World, count: int) -> None:
    """Kill every producer and the broker while all writers write, then let them catch up."""
    world.connect.note_offsets()
    place = world.shops["canal"].position()
    work = (
        postgres_workload.more(world.seed, count),
        partial(mariadb_workload.more, world.seed, count),
    )
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(world.work, *work)
        for topic, partitions in GROWN.items():
            world.broker.add_partitions(topic, partitions)
        world.broker.restart(kill=True)
        writing.result()
    # what has come through since the connectors noted their offsets is repeated
    world.drain()
    world.connect.restart()
    world.maxwell.restart()
    for canal in world.canals:
        canal.restart(*place)
    snapshot_by_signal(world)
    told = "\n".join(postgres_workload.unseen(world.seed))
    world.connect.load_again("pg_index", lambda: world.postgres.run(told))
    world.drain()


def snapshot_by_signal(world: World) -> None:
    """Ask for an incremental snapshot of some tables."""
    told = "insert into {schema}.signals values ('one', 'execute-snapshot', '{data}');"
    for feed, tables in SNAPSHOT_BY_SIGNAL.items():
        one = configuration(feed)
        names = ", ".join(f'"{one.schema}.{table}"' for table in tables)
        sql = told.format(schema=one.schema, data=SIGNAL.format(tables=names))
        world.source(one).run(sql)


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
