"""A real MariaDB: one server on 127.0.0.1 with a row-based binary log."""

import json
import subprocess
from pathlib import Path

from tests.sources.server import Server, own_folder
from tests.support.kafka_broker import free_port

SETTINGS = (
    *("--log-bin=binlog", "--binlog-format=ROW", "--binlog-row-image=FULL", "--server-id=1"),
    # Canal stops at a generated column where the log describes columns in full
    "--binlog-row-metadata=NO_LOG",
    *("--character-set-server=utf8mb4", "--default-time-zone=+00:00", "--performance-schema=OFF"),
    *("--innodb-buffer-pool-size=32M", "--innodb-log-file-size=8M"),
    "--innodb-flush-log-at-trx-commit=2",
)
# Maxwell takes MariaDB's own greeting for MySQL 5.5.5, which has no fractions of a second, and stops at annotations
# and at tables in utf8mb3. Debezium, in turn, does not read a MariaDB that says it is MySQL.
AS_MYSQL = ("--version=5.7.10-log", "--old-mode=", "--binlog-annotate-row-events=OFF")


class MariaDB:
    def __init__(self, parent: Path, name: str = "mariadb", options: tuple[str, ...] = ()) -> None:
        self.port = free_port()
        folder = own_folder(parent, name, "mysql")
        self.socket = folder / "socket"
        subprocess.run(
            [
                "mariadb-install-db",
                "--no-defaults",
                f"--datadir={folder}/data",
                "--skip-test-db",
                "--user=mysql",
                "--auth-root-authentication-method=normal",
            ],
            check=True,
            capture_output=True,
            cwd="/",
        )
        self.server = Server(
            name,
            [
                "mariadbd",
                "--no-defaults",
                f"--datadir={folder}/data",
                f"--socket={self.socket}",
                f"--pid-file={folder}/pid",
                f"--port={self.port}",
                "--bind-address=127.0.0.1",
                *SETTINGS,
                *options,
            ],
            user="mysql",
        )
        self.server.start()
        self.server.wait_until(lambda: self.run("select 1;"))
        self.run("create user cdc@'%' identified by 'cdc'; grant all on *.* to cdc@'%';")
        # Canal does not start without its database
        self.run("create database shop character set utf8mb4;")

    def run(self, script: str, among_others: bool = False) -> str:
        """Run a script; each statement is a transaction of its own unless it says otherwise.

        Among other writers the database may end a transaction to resolve a deadlock, and the script goes on.
        """
        done = subprocess.run(
            [
                "mariadb",
                "--no-defaults",
                f"--socket={self.socket}",
                "-uroot",
                "-N",
                "-B",
                "--raw",
                "--default-character-set=utf8mb4",
                *(["--force"] if among_others else []),
            ],
            input=script,
            capture_output=True,
            text=True,
        )
        told = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        # a transaction that was ended has no savepoints any more
        expected = ("ERROR 1213", "ERROR 1305") if among_others else ()
        errors = [line for line in told if not line.startswith(expected)]
        assert not errors, done.stderr[-2000:]
        assert among_others or done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    def rows(self, columns: dict[str, str], relation: str) -> list[dict[str, str | None]]:
        """Return for each row the texts of these expressions."""
        told = ", ".join(columns.values())
        # JSON has no raw line breaks, so a line is a row
        lines = self.run(f"select json_array({told}) from {relation};").split("\n")
        return [dict(zip(columns, json.loads(line), strict=True)) for line in lines if line]

    def position(self) -> tuple[str, int]:
        """Return file and place where the binary log ends now."""
        file, place, *_ = self.run("show master status;").split("\t")
        return file, int(place)
