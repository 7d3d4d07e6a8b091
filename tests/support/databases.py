"""PostgreSQL and MariaDB on 127.0.0.1, from Debian's packages, with a user who may only read."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from examples.shop.capture import MariaDb, Postgres, Workspace, mariadb, postgres

PASSWORD = 'it\'s "quite" a \\secret'
VARIABLE = "RECONCILE_PASSWORD"


@dataclass(frozen=True)
class Databases:
    mariadb: MariaDb
    postgres: Postgres

    def source(self, kind: str, database: str = "postgres") -> dict[str, str]:
        """Return a feed's setting `source`."""
        url = f"jdbc:{kind}://127.0.0.1:{{}}/"
        url = (
            url.format(self.mariadb.port)
            if kind != "postgresql"
            else url.format(self.postgres.port) + database
        )
        return {"url": url, "user": "reader", "password": f"${{{VARIABLE}}}"}


@contextmanager
def databases() -> Iterator[Databases]:
    """Start both servers; their data goes when the block ends."""
    with tempfile.TemporaryDirectory(prefix="databases-") as folder:
        # the databases' own users must get in
        Path(folder).chmod(0o755)
        (Path(folder) / "logs").mkdir()
        space = Workspace(Path(folder), Path(folder))
        with mariadb(space) as maria, postgres(space) as pg:
            quoted = PASSWORD.replace("\\", "\\\\").replace("'", "''")
            maria.sql(
                f"create user reader@'%' identified by '{quoted}'; grant select on *.* to reader@'%'"
            )
            # a password is asked of this user only
            access = Path(pg.sql("show hba_file").strip())
            access.write_text("host all reader 127.0.0.1/32 scram-sha-256\n" + access.read_text())
            quoted = PASSWORD.replace("'", "''")
            pg.sql(f"create user reader password '{quoted}'; grant pg_read_all_data to reader")
            pg.sql("select pg_reload_conf()")
            yield Databases(maria, pg)
