"""A real Kafka Connect with Debezium's connectors: one standalone worker on 127.0.0.1."""

import json
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.error import HTTPError

from ingestion.spark.jars import fetch_server_jars
from tests.sources.server import JAVA, Server
from tests.support.kafka_broker import free_port

PROPERTIES = """
bootstrap.servers={servers}
listeners=http://127.0.0.1:{port}
key.converter=org.apache.kafka.connect.json.JsonConverter
value.converter=org.apache.kafka.connect.json.JsonConverter
offset.storage.file.filename={folder}/connect.offsets
# never by itself: only a connector that stops writes down where it is, so a killed worker repeats what came since
offset.flush.interval.ms=3600000
# finds the connectors by their manifests: a third of the time and memory of a scan
plugin.discovery=service_load
connector.client.config.override.policy=All
producer.override.max.request.size=20000000
"""


class Connect:
    def __init__(self, folder: Path, servers: str) -> None:
        self.port = free_port()
        self.connectors: dict[str, dict[str, str]] = {}
        properties = folder / "connect.properties"
        told = PROPERTIES.format(servers=servers, port=self.port, folder=folder)
        properties.write_text(told)
        jars = fetch_server_jars("kafka_connect")
        main = "org.apache.kafka.connect.cli.ConnectStandalone"
        command = [*JAVA, "-Xmx512m", "-cp", f"{jars}/*", main, properties]
        self.server = Server("connect", command)
        self.start()

    def start(self) -> None:
        self.server.start()
        self.server.wait_until(lambda: self._ask("GET", "/connectors") is not None)

    def add(self, name: str, settings: dict[str, str]) -> None:
        """Start a connector, whose topics begin with its name."""
        self.connectors[name] = settings
        self._ask("PUT", f"/connectors/{name}/config", settings)

    def wait_until_running(self) -> None:
        for name in self.connectors:
            self.server.wait_until(lambda name=name: self._is_running(name))

    def restart(self) -> None:
        """Kill the worker and start it again: a standalone one forgets its connectors, not their offsets."""
        self.server.kill()
        self.start()
        for name, settings in self.connectors.items():
            self._ask("PUT", f"/connectors/{name}/config", settings)
        self.wait_until_running()

    def note_offsets(self) -> None:
        """Let every connector write down where it is."""
        for name in self.connectors:
            self._stop(name)
        for name in self.connectors:
            self._resume(name)

    def load_again(self, name: str, meanwhile: Callable[[], object]) -> None:
        """Let a connector forget where it was, and miss something: it begins with a snapshot."""
        self._stop(name)
        meanwhile()
        self._ask("DELETE", f"/connectors/{name}/offsets")
        self._resume(name)

    def _stop(self, name: str) -> None:
        self._ask("PUT", f"/connectors/{name}/stop")
        self.server.wait_until(lambda: self._status(name)["connector"]["state"] == "STOPPED")

    def _resume(self, name: str) -> None:
        self._ask("PUT", f"/connectors/{name}/resume")
        self.server.wait_until(lambda: self._is_running(name))

    def failures(self) -> dict[str, str]:
        """Return the stack trace of every connector that has stopped."""
        tasks = {name: self._status(name)["tasks"] for name in self.connectors}
        return {
            name: task["trace"] for name, told in tasks.items() for task in told if "trace" in task
        }

    def _status(self, name: str) -> dict:
        return self._ask("GET", f"/connectors/{name}/status")

    def _is_running(self, name: str) -> bool:
        status = self._status(name)
        states = {status["connector"]["state"], *(task["state"] for task in status["tasks"])}
        if "FAILED" in states:
            raise RuntimeError(json.dumps(status)[:3000])
        return bool(status["tasks"]) and states == {"RUNNING"}

    def _ask(self, method: str, path: str, body: object = None) -> object:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=90) as answer:
                return json.loads(answer.read() or b"{}")
        except HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode()[:2000]}") from error
