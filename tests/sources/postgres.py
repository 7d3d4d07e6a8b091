"""A real PostgreSQL: one cluster on 127.0.0.1 whose log feeds logical replication."""

import json
import signal
import subprocess
from pathlib import Path

from tests.sources.releases import postgres_programs
from tests.sources.server import Server, identity, own_folder
from tests.support.kafka_broker import free_port

SETTINGS = {
    "wal_level": "logical",
    "max_replication_slots": "12",
    "max_wal_senders": "12",
    "fsync": "off",
    "shared_buffers": "32MB",
    "timezone": "UTC",
}


class Postgres:
    def __init__(self, parent: Path, release: str) -> None:
        programs = postgres_programs(release, parent)
        self.port = free_port()
        folder = own_folder(parent, "postgres", "postgres")
        subprocess.run(
            [
                programs / "initdb",
                "-D",
                folder / "data",
                "-U",
                "postgres",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--locale=C",
                "--no-sync",
            ],
            check=True,
            capture_output=True,
            cwd="/",
            **identity("postgres"),
        )
        options = [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")]
        self.server = Server(
            "postgres",
            [
                programs / "postgres",
                "-D",
                folder / "data",
                "-p",
                str(self.port),
                "-h",
                "127.0.0.1",
                "-k",
                folder,
                *options,
            ],
            user="postgres",
            # does not wait for the connectors' sessions
            end=signal.SIGINT,
        )
        self.server.start()
        self.server.wait_until(lambda: self.run("select 1;"))

    def run(self, script: str) -> str:
        """Run a script whose lines are transactions of their own unless they say otherwise."""
        done = subprocess.run(
            [
                "psql",
                "-h",
                "127.0.0.1",
                "-p",
                str(self.port),
                "-U",
                "postgres",
                "-v",
                "ON_ERROR_STOP=1",
                "-qAtX",
                "-f",
                "-",
            ],
            input=script,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    def rows(self, columns: dict[str, str], relation: str) -> list[dict[str, str | None]]:
        """Return for each row the texts of these expressions."""
        told = ", ".join(columns.values())
        # JSON has no raw line breaks, so a line is a row
        lines = self.run(f"select json_build_array({told}) from {relation};").split("\n")
        return [dict(zip(columns, json.loads(line), strict=True)) for line in lines if line]

    def release(self) -> str:
        return self.run("show server_version;").strip()
