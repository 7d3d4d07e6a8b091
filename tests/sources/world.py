"""Everything that runs: the databases, the broker and the producers."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.sources import (
    mariadb_configurations,
    mariadb_workload,
    mysql_configurations,
    postgres_configurations,
    postgres_workload,
)
from tests.sources.canal import Canal
from tests.sources.configurations import Configuration
from tests.sources.connect import Connect
from tests.sources.mariadb import AS_MYSQL, MariaDB
from tests.sources.maxwell import Maxwell
from tests.sources.mysql import MySQL
from tests.sources.postgres import Postgres
from tests.sources.releases import (
    INSTALLED,
    MARIADB_RELEASE,
    POSTGRES_RELEASE,
    mariadb_programs,
    mysql_programs,
)
from tests.sources.server import stop_all
from tests.sources.streams import Stream
from tests.sources.workload import Dialect
from tests.support.kafka_broker import KafkaBroker

OF_BINLOGS = (*mariadb_configurations.DEBEZIUM, *mysql_configurations.CONFIGURATIONS)
CONFIGURATIONS = (
    *postgres_configurations.CONFIGURATIONS,
    *mariadb_configurations.CONFIGURATIONS,
    *mysql_configurations.CONFIGURATIONS,
)
MARKERS = {
    "canal_one": "canal_one",
    "canal_hash": "shop_marker",
    "maxwell": "maxwell",
    **{one.name: f"{one.name}.public.marker" for one in postgres_configurations.CONFIGURATIONS},
    **{one.name: f"{one.name}.shop.marker" for one in OF_BINLOGS},
}


class World:
    def __init__(self, folder: Path, seed: str) -> None:
        self.folder, self.seed, self.markers = folder, seed, 0
        self.broker = KafkaBroker(folder / "kafka", creates_topics=True)

    def start(self) -> None:
        """Start the rest; Canal and Maxwell, which have no snapshot of all tables, before there are rows.

        Maxwell wants to find the tables: from CREATE TABLE it would take MariaDB's JSON for MySQL's binary one. Neither of
        the two runs on the newest MariaDB.
        """
        folder, installed = self.folder, mariadb_programs(INSTALLED, self.folder)
        self.postgres = Postgres(folder, POSTGRES_RELEASE)
        self.shops = {
            "mariadb": MariaDB(
                folder,
                mariadb_programs(MARIADB_RELEASE, folder),
                "mariadb",
                has_generated_columns=mariadb_configurations.HAS_GENERATED_COLUMNS,
            ),
            "canal": MariaDB(folder, installed, "for_canal"),
            "maxwell": MariaDB(folder, installed, "for_maxwell", AS_MYSQL),
            "mysql": MySQL(folder, mysql_programs(folder), "mysql"),
        }
        for database in self.shops.values():
            mariadb_workload.make_tables(database)
        self._start_canal_and_maxwell()
        postgres_workload.set_up(self.postgres, self.seed)
        for database in self.shops.values():
            mariadb_workload.fill(database, self.seed)
        self._start_debezium()
        self.streams = [Stream(self.broker.servers, topic) for topic in MARKERS.values()]
        self.drain()

    def _start_canal_and_maxwell(self) -> None:
        servers, port = self.broker.servers, self.shops["maxwell"].port
        for table in ("marker", "signals", "late", *mariadb_configurations.ALL):
            self.broker.create(f"shop_{table}", 3)
        self.broker.create("maxwell", 3)
        self.canals = [
            Canal(one.name, self.folder, servers, self.shops["canal"], one.settings)
            for one in mariadb_configurations.CANAL
        ]
        maxwell = mariadb_configurations.MAXWELL
        self.maxwell = Maxwell(maxwell.name, self.folder, servers, port, maxwell.settings)

    def _start_debezium(self) -> None:
        servers = self.broker.servers
        self.connect = Connect(self.folder, servers)
        for one in postgres_configurations.CONFIGURATIONS:
            settings = postgres_configurations.settings(one, self.postgres.port)
            self.connect.add(one.name, settings)
        for number, one in enumerate(OF_BINLOGS):
            port = self.shops[one.database].port
            told = mariadb_configurations.settings(one, number, port, servers)
            self.connect.add(one.name, told)
        self.connect.wait_until_running()

    def work(self, postgres: list[str], shop: Callable[[Dialect], list[str]]) -> None:
        """Let all writers write at the same time."""
        told = [
            (database, text) for database in self.shops.values() for text in shop(database.dialect)
        ]
        with ThreadPoolExecutor(len(postgres) + len(told)) as pool:
            running = [pool.submit(self.postgres.run, text) for text in postgres]
            running += [pool.submit(database.run, text, True) for database, text in told]
        for one in running:
            one.result()

    def drain(self) -> None:
        """Return once every producer has written all that was committed before.

        Two rows after each other: the second leaves a producer when all that went before the first is written.
        """
        for _ in range(2):
            self.markers += 1
            token = f"marker-{self.markers}-of-{self.seed}"
            row = f"values ({self.markers}, '{token}');"
            self.postgres.run(f"insert into public.marker {row}")
            for database in self.shops.values():
                database.run(f"insert into shop.marker {row}")
            for stream in self.streams:
                stream.wait_for(token)
        assert self.connect.failures() == {}

    def source(self, configuration: Configuration) -> Postgres | MariaDB:
        return self.shops.get(configuration.database, self.postgres)

    def stop(self) -> None:
        stop_all()
        self.broker.stop()
