"""A real MariaDB: one server on 127.0.0.1 with a row-based binary log."""

import json
import subprocess
from pathlib import Path
from typing import ClassVar

from tests.sources.releases import Programs
from tests.sources.server import Server, identity, own_folder
from tests.sources.workload import MARIADB, Dialect
from tests.support.kafka_broker import free_port

SETTINGS = (
    *("--log-bin=binlog", "--binlog-format=ROW", "--binlog-row-image=FULL", "--server-id=1"),
    *("--character-set-server=utf8mb4", "--default-time-zone=+00:00", "--performance-schema=OFF"),
    *("--innodb-buffer-pool-size=32M", "--innodb-flush-log-at-trx-commit=2"),
)
# Maxwell takes MariaDB's own greeting for MySQL 5.5.5, which has no fractions of a second, and stops at annotations
# and at tables in utf8mb3. Debezium, in turn, does not read a MariaDB that says it is MySQL.
AS_MYSQL = ("--version=5.7.10-log", "--old-mode=", "--binlog-annotate-row-events=OFF")


class MariaDB:
    dialect: ClassVar[Dialect] = MARIADB
    settings: ClassVar[tuple[str, ...]] = (
        *SETTINGS,
        "--innodb-log-file-size=8M",
        # Canal stops at a generated column where the log describes columns in full
        "--binlog-row-metadata=NO_LOG",
    )
    position_statement: ClassVar[str] = "show master status;"

    def __init__(
        self,
        parent: Path,
        programs: Programs,
        name: str,
        options: tuple[str, ...] = (),
        has_generated_columns: bool = True,
    ) -> None:
        self.programs, self.port = programs, free_port()
        self.has_generated_columns = has_generated_columns
        folder = own_folder(parent, name, "mysql")
        self.socket = folder / "socket"
        self.command = [
            programs.server,
            "--no-defaults",
            f"--basedir={programs.base}",
            f"--datadir={folder}/data",
        ]
        own_folder(folder, "data", "mysql")
        self._make_system_tables()
        self.server = Server(
            name,
            [
                *self.command,
                f"--socket={self.socket}",
                f"--pid-file={folder}/pid",
                f"--port={self.port}",
                "--bind-address=127.0.0.1",
                *self.settings,
                *options,
            ],
            user="mysql",
        )
        self.server.start()
        self.server.wait_until(lambda: self.run("select 1;"))
        self.run("create user cdc@'%' identified by 'cdc'; grant all on *.* to cdc@'%';")
        # Canal does not start without its database
        self.run("create database shop character set utf8mb4;")

    def _make_system_tables(self) -> None:
        """Do what mariadb-install-db does, which finds its server only where that is installed."""
        share = self.programs.base / "share"
        # the folder and the files are named for MySQL or for MariaDB
        (first,) = (*share.glob("*_system_tables.sql"), *share.glob("m*/*_system_tables.sql"))
        names = ("_system_tables.sql", "_performance_tables.sql", "_system_tables_data.sql")
        found = [first.with_name(first.name.replace(names[0], name)) for name in names]
        # root has no password
        script = "create database mysql;\nuse mysql;\nset @auth_root_socket = null;\n"
        self._make(
            [*self.command, "--bootstrap"], script + "".join(one.read_text() for one in found)
        )

    def _make(self, command: list[str | Path], script: str = "") -> None:
        done = subprocess.run(
            command, input=script, capture_output=True, text=True, cwd="/", **identity("mysql")
        )
        assert done.returncode == 0, done.stderr[-3000:]

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
        file, place, *_ = self.run(self.position_statement).split("\t")
        return file, int(place)

    def release(self) -> str:
        return self.run("select version();").strip()
