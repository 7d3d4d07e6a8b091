"""A real Maxwell: one daemon that writes to Kafka what MariaDB's binary log says."""

import subprocess
from pathlib import Path

from ingestion.spark.jars import fetch_server_jars
from tests.sources.server import JAVA, Server

MAIN = "com.zendesk.maxwell.Maxwell"
STUB = Path(__file__).parent / "java" / "ScriptObjectMirror.java"


class Maxwell:
    def __init__(
        self, name: str, folder: Path, servers: str, port: int, settings: dict[str, str]
    ) -> None:
        jars = fetch_server_jars("maxwell")
        subprocess.run(["javac", "-d", folder / "stub", STUB], check=True)
        told = {
            "host": "127.0.0.1",
            "port": str(port),
            "user": "cdc",
            "password": "cdc",
            "jdbc_options": "useSSL=false",
            "producer": "kafka",
            "kafka.bootstrap.servers": servers,
            "kafka_topic": name,
            "client_id": name,
            "schema_database": name,
            "filter": "exclude: *.*, include: shop.*",
            "bootstrapper": "async",
        } | settings
        arguments = [f"--{option}={value}" for option, value in told.items()]
        self.server = Server(
            name,
            [*JAVA, "-Xmx256m", "-cp", f"{jars}/*:{folder}/stub", MAIN, *arguments],
        )
        self.connections = 0
        self.start()

    def start(self) -> None:
        """Go on from the position that Maxwell keeps in the database."""
        self.server.start()
        self.connections += 1
        self.server.wait_until(
            lambda: self.server.log.read_text().count("Binlog connected") >= self.connections
        )

    def restart(self) -> None:
        self.server.kill()
        self.start()
