"""A real Canal: one server with one instance that writes to Kafka what MariaDB's binary log says."""

from pathlib import Path

from ingestion.spark.jars import fetch_server_jars
from tests.sources.mariadb import MariaDB
from tests.sources.server import JAVA, Server

JAVA_FILES = Path(__file__).parent / "java"


class Canal:
    def __init__(
        self, name: str, folder: Path, servers: str, database: MariaDB, settings: dict[str, str]
    ) -> None:
        self.database, self.properties = database, folder / f"{name}.properties"
        self.settings = {
            "destination": name,
            "database.port": str(database.port),
            "kafka.bootstrap.servers": servers,
            "kafka.acks": "all",
            "kafka.max.request.size": "20000000",
            "canal.mq.flatMessage": "true",
            "canal.mq.topic": name,
        } | settings
        jars = fetch_server_jars("canal")
        # two loggers come with it: the first on the class path is taken
        (logger,) = jars.glob("slf4j-log4j12-*.jar")
        logging = f"-Dlog4j.configuration=file:{JAVA_FILES}/log4j.properties"
        self.server = Server(
            name,
            [
                *JAVA,
                "-Xmx256m",
                logging,
                "-cp",
                f"{logger}:{jars}/*",
                JAVA_FILES / "CanalServer.java",
                self.properties,
            ],
        )
        self.starts = 0
        self.start(*database.position())

    def start(self, file: str, place: int) -> None:
        """Begin at a position of the binary log; Canal itself begins a little before it."""
        told = self.settings | {"binlog.file": file, "binlog.place": str(place)}
        self.properties.write_text(
            "".join(f"{name}={value}\n" for name, value in told.items()).replace("\\", "\\\\")
        )
        self.server.start()
        self.starts += 1
        ready = "find start position successfully"
        self.server.wait_until(lambda: self.server.log.read_text().count(ready) >= self.starts)

    def restart(self, file: str, place: int) -> None:
        self.server.kill()
        self.start(file, place)
