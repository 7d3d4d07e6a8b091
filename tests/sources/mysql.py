"""A real MySQL: one server on 127.0.0.1 with a row-based binary log."""

from typing import ClassVar

from tests.sources.mariadb import SETTINGS, MariaDB
from tests.sources.workload import MYSQL, Dialect


class MySQL(MariaDB):
    """Is made and written to as MariaDB is, by MariaDB's client."""

    dialect: ClassVar[Dialect] = MYSQL
    settings: ClassVar[tuple[str, ...]] = (
        *SETTINGS,
        *("--mysqlx=OFF", "--secure-file-priv=NULL", "--innodb-redo-log-capacity=8M"),
    )
    position_statement: ClassVar[str] = "show binary log status;"

    def _make_system_tables(self) -> None:
        self._make([*self.command, "--initialize-insecure", "--innodb-buffer-pool-size=32M"])
