"""Makes the demo records of the shop again, from nothing.

Starts Kafka, MariaDB, PostgreSQL, Canal and Kafka Connect with Debezium on free ports of 127.0.0.1,
runs the four SQL files, waits until the topics are quiet and writes `records/` and `expected/`.
Before it writes anything it folds the records of every table and compares the keys that are left
with those of the database. Stops every server it started; their data goes to a temporary folder
that is removed, their output to `<work>/logs`.

    apt-get install --no-install-recommends postgresql mariadb-server maven openjdk-17-jre-headless
    pip install confluent-kafka
    python capture.py
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from string import Template
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient

HERE = Path(__file__).resolve().parent
CONFIG = HERE / "capture"

CANAL_TOPIC = "shop.mariadb"
DEBEZIUM_TOPICS = "shop.public."
HEARTBEAT_TOPIC = "__debezium-heartbeat.shop"
HEARTBEATS_KEPT = 3
READY_SECONDS = 90

CLUSTER_ID = "c2hvcC1kZW1vLWNhcHR1cg"
JAVA = ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
JAVA += ["-Dfile.encoding=UTF-8", "-Duser.timezone=UTC"]

Record = dict[str, Any]
Key = frozenset[tuple[str, str]]  # pairs of column and text: the order does not matter


@dataclass(frozen=True)
class Table:
    """The final state of a source table; every value is the database's own text, or None."""

    key: list[str]
    rows: list[dict[str, str | None]]

    def keys(self) -> set[Key]:
        return {key_of(row, self.key) for row in self.rows}


def key_of(row: Mapping[str, object], columns: Iterable[str]) -> Key:
    return frozenset((column, str(row[column])) for column in columns)


# -------------------------------------------------------------------------------------- processes
@dataclass(frozen=True)
class Workspace:
    """Folders: jars and logs are kept in `work`, the servers' data in `data` (temporary)."""

    work: Path
    data: Path

    def jars(self, name: str) -> Path:
        return self.work / "jars" / name

    def fill(self, template: Path, **values: object) -> Path:
        """Writes a configuration file of `capture/` with its ${...} filled in."""
        target = self.data / template.name
        target.write_text(Template(template.read_text()).substitute(values))
        return target

    @contextlib.contextmanager
    def server(
        self,
        name: str,
        command: list[str],
        ready: Callable[[], object],
        user: str | None = None,
        stop_signal: signal.Signals = signal.SIGTERM,
    ) -> Iterator[None]:
        """Runs a server until the block ends; enters the block when `ready` answers true."""
        log = self.log(name)
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self.data,
                start_new_session=True,  # Ctrl-C reaches this program only, which stops the servers
                **identity(user),
            )
        try:
            wait_for(name, ready, lambda: process.poll() is None, log)
            print(f"{name} is ready", flush=True)
            yield
        finally:
            process.send_signal(stop_signal)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def log(self, name: str) -> Path:
        return self.work / "logs" / f"{name}.log"


def wait_for(what: str, ready: Callable[[], object], alive: Callable[[], bool], log: Path) -> None:
    """Polls `ready` until it answers true; an OSError or a failed command counts as "not yet"."""
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and alive():
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            if ready():
                return
        time.sleep(0.1)
    raise SystemExit(f"{what} did not get ready, see {log}")


def run(command: list[str], user: str | None = None, text: str | None = None) -> str:
    """Runs a command and returns its output; an exception has the error output as a note."""
    done = subprocess.run(
        command,
        check=False,
        input=text,
        capture_output=True,
        encoding="utf-8",
        cwd="/",
        **identity(user),
    )
    if done.returncode:
        error = subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
        error.add_note(done.stderr)
        raise error
    return str(done.stdout)


def identity(user: str | None) -> dict[str, Any]:
    """Arguments that make `subprocess` run a command as `user`."""
    if user is None:
        return {}
    entry = pwd.getpwnam(user)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def account(name: str) -> str | None:
    """The user a database server runs as: none of the two runs as root."""
    return name if os.geteuid() == 0 else None


def own_folder(path: Path, user: str | None) -> Path:
    path.mkdir()
    if user:
        shutil.chown(path, **{name: identity(user)[name] for name in ("user", "group")})
    return path


def resolve(space: Workspace, name: str) -> None:
    """Lets Maven copy the jars of `capture/<name>/pom.xml`, unless they are there already."""
    pom = CONFIG / name / "pom.xml"
    done = space.jars(name) / "pom.xml"
    if done.exists() and done.read_bytes() == pom.read_bytes():
        return
    print(f"resolving the jars of {name}", flush=True)
    shutil.rmtree(space.jars(name), ignore_errors=True)
    goal = ["dependency:copy-dependencies", "-DincludeScope=runtime"]
    goal += [f"-DoutputDirectory={space.jars(name)}"]
    subprocess.run(["mvn", "-q", "-B", "-f", str(pom), *goal], check=True)
    shutil.copy(pom, done)


# ---------------------------------------------------------------------------------------- servers
@contextlib.contextmanager
def kafka(space: Workspace) -> Iterator[int]:
    """A broker; yields its port."""
    port, folder = free_port(), space.data / "kafka"
    values = {"port": port, "controller_port": free_port(), "data": folder}
    config = str(space.fill(CONFIG / "connect" / "server.properties", **values))
    java = [*JAVA, f"-Dlog4j2.configurationFile={CONFIG / 'connect' / 'log4j2.yaml'}"]
    java += ["-Xmx128m", "-cp", f"{space.jars('connect')}/*"]
    run([*java, "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", config])
    admin = AdminClient({"bootstrap.servers": f"127.0.0.1:{port}", "log_level": 0})

    def ready() -> bool:
        try:
            return bool(admin.list_topics(timeout=1).brokers)
        except KafkaException:
            return False

    with space.server("kafka", [*java, "kafka.Kafka", config], ready):
        yield port


@dataclass(frozen=True)
class MariaDb:
    """The running MariaDB server."""

    port: int
    client: list[str]

    def sql(self, text: str) -> str:
        return run([*self.client, "--raw", "-N", "-B"], text=text)

    def binlog_end(self) -> tuple[str, str]:
        """A fresh binary log: Canal repeats the transaction before its start, so there is none."""
        name, position, *_ = self.sql("FLUSH BINARY LOGS; SHOW MASTER STATUS").split("\t")
        return name, position


@contextlib.contextmanager
def mariadb(space: Workspace) -> Iterator[MariaDb]:
    user, port = account("mysql"), free_port()
    folder = own_folder(space.data / "mariadb", user)
    sock = folder / "socket"
    install = ["mariadb-install-db", "--no-defaults", f"--datadir={folder / 'data'}"]
    run([*install, "--skip-test-db", "--auth-root-authentication-method=normal"], user)
    command = [
        shutil.which("mariadbd") or "/usr/sbin/mariadbd",
        "--no-defaults",
        f"--datadir={folder / 'data'}",
        f"--socket={sock}",
        f"--pid-file={folder / 'pid'}",
        f"--port={port}",
        "--bind-address=127.0.0.1",
        "--server-id=1",
        "--log-bin=binlog",
        "--binlog-format=ROW",
        "--binlog-row-image=FULL",
        "--character-set-server=utf8mb4",
        "--default-time-zone=+00:00",
        "--innodb-buffer-pool-size=32M",
    ]
    client = ["mariadb", "--no-defaults", f"--socket={sock}", "-uroot"]
    client += ["--default-character-set=utf8mb4"]
    server = MariaDb(port, client)
    with space.server("mariadb", command, partial(server.sql, "SELECT 1"), user):
        yield server


@dataclass(frozen=True)
class Postgres:
    """The running PostgreSQL server."""

    port: int

    def sql(self, text: str, database: str = "postgres") -> str:
        command = ["psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres"]
        command += ["-d", database, "-v", "ON_ERROR_STOP=1", "-qAtX", "-f", "-"]
        return run(command, text=text)


@contextlib.contextmanager
def postgres(space: Workspace) -> Iterator[Postgres]:
    user, port = account("postgres"), free_port()
    folder = own_folder(space.data / "postgres", user)
    # Debian keeps the server's programs off PATH.
    programs = Path(run(["pg_config", "--bindir"]).strip())
    init = [str(programs / "initdb"), "-D", str(folder / "data"), "-U", "postgres", "-A", "trust"]
    run([*init, "-E", "UTF8", "--locale=C", "--no-sync"], user)
    command = [str(programs / "postgres"), "-D", str(folder / "data"), "-k", str(folder)]
    command += ["-h", "127.0.0.1", "-p", str(port)]
    for option in ("wal_level=logical", "timezone=UTC", "fsync=off", "shared_buffers=32MB"):
        command += ["-c", option]
    server = Postgres(port)
    with space.server("postgres", command, partial(server.sql, "SELECT 1"), user, signal.SIGINT):
        yield server


@contextlib.contextmanager
def canal(space: Workspace, kafka_port: int, source: MariaDb) -> Iterator[None]:
    """Canal, from the end of MariaDB's binary log on."""
    name, position = source.binlog_end()
    config = space.fill(
        CONFIG / "canal" / "canal.properties",
        db_port=source.port,
        kafka_port=kafka_port,
        binlog_file=name,
        binlog_position=position,
    )
    logback = CONFIG / "canal" / "logback.xml"
    command = [*JAVA, "-Xmx192m", f"-Dlogback.configurationFile={logback}"]
    command += ["-cp", f"{space.jars('canal')}/*"]
    command += [str(CONFIG / "canal" / "CanalMain.java"), str(config)]
    log = space.log("canal")
    with space.server("canal", command, lambda: "find start position success" in log.read_text()):
        yield


@contextlib.contextmanager
def debezium(space: Workspace, kafka_port: int, source: Postgres) -> Iterator[None]:
    """Kafka Connect with one Debezium connector: every default, but TRUNCATE is sent too."""
    port = free_port()
    values = {"port": port, "kafka_port": kafka_port, "data": space.data}
    config = space.fill(CONFIG / "connect" / "connect.properties", **values)
    connector = {
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "topic.prefix": "shop",
        "database.hostname": "127.0.0.1",
        "database.port": str(source.port),
        "database.user": "postgres",
        "database.password": "unused",
        "database.dbname": "warehouse",
        "plugin.name": "pgoutput",
        "skipped.operations": "none",
        "heartbeat.interval.ms": "1000",
    }
    url = f"http://127.0.0.1:{port}/connectors"
    log4j = CONFIG / "connect" / "log4j2.yaml"
    command = [*JAVA, "-Xmx256m", f"-Dlog4j2.configurationFile={log4j}"]
    command += ["-cp", f"{space.jars('connect')}/*"]
    command += ["org.apache.kafka.connect.cli.ConnectStandalone", str(config)]
    with space.server("connect", command, lambda: http("GET", url) is not None):
        http("PUT", f"{url}/shop/config", connector)
        log = space.log("connect")
        wait_for("debezium", lambda: is_running(f"{url}/shop/status"), lambda: True, log)
        yield


def http(method: str, url: str, body: dict[str, str] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def is_running(status_url: str) -> bool:
    status = http("GET", status_url)
    states = [status["connector"]["state"], *(task["state"] for task in status["tasks"])]
    if "FAILED" in states:
        raise SystemExit(f"Debezium failed: {status}")
    return len(states) > 1 and set(states) == {"RUNNING"}


# ---------------------------------------------------------------------------------------- records
class Topics:
    """All records of all topics, read as they come."""

    def __init__(self, kafka_port: int) -> None:
        self._consumer = Consumer(
            {
                "bootstrap.servers": f"127.0.0.1:{kafka_port}",
                "group.id": "capture",
                "enable.auto.commit": False,
                "log_level": 0,
            }
        )
        self._next: dict[str, int] = {}
        self.records: list[Record] = []

    def close(self) -> None:
        self._consumer.close()

    def poll(self, seconds: float = 0.5) -> list[Record]:
        """What came within `seconds`."""
        known = {name for name in self._consumer.list_topics(timeout=10).topics if is_ours(name)}
        if new := known - self._next.keys():
            self._next |= dict.fromkeys(new, OFFSET_BEGINNING)
            self._consumer.assign([TopicPartition(t, 0, at) for t, at in self._next.items()])
        messages = self._consumer.consume(500, timeout=seconds)
        came = [as_record(message) for message in messages if not message.error()]
        self._next |= {record["topic"]: record["offset"] + 1 for record in came}
        self.records += came
        return came

    def until(self, what: str, found: Callable[[Record], bool], seconds: float = 60) -> None:
        """Reads until a record of which `found` is true."""
        deadline = time.monotonic() + seconds
        while not any(found(record) for record in self.poll()):
            if time.monotonic() > deadline:
                raise SystemExit(f"no {what} within {seconds} s")

    def until_quiet(self, seconds: float = 5) -> None:
        """Reads until nothing but heartbeats came for `seconds`."""
        last = time.monotonic()
        while time.monotonic() - last < seconds:
            if any(record["topic"] != HEARTBEAT_TOPIC for record in self.poll()):
                last = time.monotonic()


def is_ours(topic: str) -> bool:
    return topic in (CANAL_TOPIC, HEARTBEAT_TOPIC) or topic.startswith(DEBEZIUM_TOPICS)


def as_record(message: Any) -> Record:
    headers = [[name, None if v is None else v.decode()] for name, v in message.headers() or []]
    return {
        "topic": message.topic(),
        "partition": message.partition(),
        "offset": message.offset(),
        "timestamp": message.timestamp()[1],
        "headers": headers,
        **as_text("key", message.key()),
        **as_text("value", message.value()),
    }


def as_text(name: str, data: bytes | None) -> dict[str, str | None]:
    """Text if it is UTF-8, else `<name>_base64`."""
    try:
        return {name: None if data is None else data.decode()}
    except UnicodeDecodeError:
        return {f"{name}_base64": base64.b64encode(data or b"").decode()}


def place(record: Record) -> tuple[str, int, int]:
    return record["topic"], record["partition"], record["offset"]


def payload(text: str) -> Any:
    return json.loads(text)["payload"]


def is_last_of_snapshot(record: Record) -> bool:
    if not record["topic"].startswith(DEBEZIUM_TOPICS) or record["value"] is None:
        return False
    return bool(payload(record["value"])["source"]["snapshot"] == "last")


def broken(records: list[Record]) -> list[Record]:
    """Two records as they never should be, each at the offset after the last one of its topic."""
    messages = [r for r in records if r["topic"] == CANAL_TOPIC]
    insert = [r["value"] for r in messages if '"type":"INSERT"' in r["value"]][-1]
    stock = [r for r in records if r["topic"] == f"{DEBEZIUM_TOPICS}stock" and r["value"]]
    unknown = json.loads(stock[-1]["value"])
    unknown["payload"]["op"] = "z"
    cut_off = {"offset": messages[-1]["offset"] + 1, "value": insert[: len(insert) // 2]}
    odd = {"offset": stock[-1]["offset"] + 1, "value": json.dumps(unknown, separators=(",", ":"))}
    return [messages[-1] | cut_off, stock[-1] | odd]


# ------------------------------------------------------------------------------------ final state
def mariadb_tables(source: MariaDb) -> dict[str, Table]:
    schema = "table_schema = 'shop'"
    columns = source.sql(
        "SELECT table_name, column_name, data_type FROM information_schema.columns"
        f" WHERE {schema} ORDER BY table_name, ordinal_position"
    )
    keys = source.sql(
        "SELECT table_name, column_name FROM information_schema.key_column_usage"
        f" WHERE {schema} AND constraint_name = 'PRIMARY' ORDER BY table_name, ordinal_position"
    )

    def rendered(column: str, kind: str) -> str:
        if kind.endswith(("binary", "blob")):
            return f"HEX(`{column}`)"
        return f"CAST(`{column}`{' + 0' if kind == 'bit' else ''} AS CHAR)"

    def query(table: str, values: str, key: list[str]) -> str:
        order = ", ".join(f"`{column}`" for column in key)
        return source.sql(f"SELECT JSON_ARRAY({values}) FROM shop.`{table}` ORDER BY {order}")

    return tables(columns, keys, rendered, query)


def postgres_tables(source: Postgres) -> dict[str, Table]:
    columns = source.sql(
        "SELECT concat_ws(E'\\t', table_name, column_name, data_type)"
        " FROM information_schema.columns WHERE table_schema = 'public'"
        " ORDER BY table_name, ordinal_position",
        "warehouse",
    )
    keys = source.sql(
        "SELECT concat_ws(E'\\t', table_name, column_name)"
        " FROM information_schema.key_column_usage WHERE table_schema = 'public'"
        " ORDER BY table_name, ordinal_position",
        "warehouse",
    )

    def rendered(column: str, kind: str) -> str:
        return f"upper(encode(\"{column}\", 'hex'))" if kind == "bytea" else f'"{column}"::text'

    def query(table: str, values: str, key: list[str]) -> str:
        order = ", ".join(f'"{column}"' for column in key)
        select = f'SELECT json_build_array({values}) FROM "{table}" ORDER BY {order}'
        return source.sql(select, "warehouse")

    return tables(columns, keys, rendered, query)


def tables(
    columns: str,
    keys: str,
    rendered: Callable[[str, str], str],
    query: Callable[[str, str, list[str]], str],
) -> dict[str, Table]:
    """Reads all tables, given their columns and keys as tab-separated lines."""
    kinds: dict[str, dict[str, str]] = {}
    for line in columns.splitlines():
        table, column, kind = line.split("\t")
        kinds.setdefault(table, {})[column] = kind
    pairs = [line.split("\t") for line in keys.splitlines()]
    result = {}
    for table, of_table in kinds.items():
        key = [column for name, column in pairs if name == table]
        values = ", ".join(rendered(column, kind) for column, kind in of_table.items())
        lines = query(table, values, key).splitlines()
        rows = [dict(zip(of_table, json.loads(line), strict=True)) for line in lines]
        result[table] = Table(key, rows)
    return result


# ------------------------------------------------------------------------------------------ check
def canal_keys(records: Iterable[Record]) -> dict[str, set[Key]]:
    """The keys that are left in each table after all Canal messages."""
    left: dict[str, set[Key]] = {}
    for record in records:
        message = json.loads(record["value"])
        keys = left.setdefault(message["table"], set())
        kind, names = message["type"], message["pkNames"]
        if kind in ("TRUNCATE", "ERASE"):
            keys.clear()
        for index, row in enumerate(message["data"] or []):
            if kind in ("UPDATE", "DELETE"):
                old = message["old"][index] if message["old"] else {}
                keys.remove(key_of(row | old, names))
            if kind in ("UPDATE", "INSERT"):
                keys.add(key_of(row, names))
    return left


def debezium_keys(records: Iterable[Record]) -> dict[str, set[Key]]:
    """The keys that are left in each table after all Debezium records."""
    left: dict[str, set[Key]] = {}
    for record in records:
        keys = left.setdefault(record["topic"].removeprefix(DEBEZIUM_TOPICS), set())
        if record["value"] is None:
            continue  # a tombstone follows its delete
        operation = payload(record["value"])["op"]
        if operation == "t":
            keys.clear()
            continue
        key = payload(record["key"])
        if operation == "d":
            keys.remove(key_of(key, key))
        else:
            keys.add(key_of(key, key))
    return left


def check(records: list[Record], maria: dict[str, Table], pg: dict[str, Table]) -> None:
    """Compares the keys that the records leave with the databases; looks for the special cases."""
    from_canal = canal_keys(r for r in records if r["topic"] == CANAL_TOPIC)
    from_debezium = debezium_keys(r for r in records if r["topic"].startswith(DEBEZIUM_TOPICS))
    for left, final in ((from_canal, maria), (from_debezium, pg)):
        for name in left.keys() | final.keys():
            expected = final[name].keys() if name in final else set()
            require(left.get(name) == expected, f"keys of {name}: {left.get(name)}, {expected}")
    values = [record["value"] or "" for record in records]
    for text in ('"type":"TRUNCATE"', '"op":"t"', '"__debezium_unavailable_value"'):
        require(any(text in value for value in values), text)


def require(true: bool, what: str) -> None:
    if not true:
        raise SystemExit(f"check failed: {what}")


# ------------------------------------------------------------------------------------------- main
def write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(lines, encoding="utf-8", newline="\n")


def capture(space: Workspace, out: Path) -> None:
    with contextlib.ExitStack() as stack:
        kafka_port = stack.enter_context(kafka(space))
        maria = stack.enter_context(mariadb(space))
        pg = stack.enter_context(postgres(space))
        topics = Topics(kafka_port)
        stack.callback(topics.close)

        maria.sql((HERE / "mariadb_setup.sql").read_text())
        pg.sql((HERE / "postgres_setup.sql").read_text())
        stack.enter_context(canal(space, kafka_port, maria))
        stack.enter_context(debezium(space, kafka_port, pg))
        topics.until("end of the snapshot", is_last_of_snapshot)

        maria.sql((HERE / "mariadb_changes.sql").read_text())
        pg.sql((HERE / "postgres_changes.sql").read_text())
        topics.until("last Canal message", lambda r: '"type":"ERASE"' in (r["value"] or ""))
        topics.until_quiet()
        save(out, topics.records, mariadb_tables(maria), postgres_tables(pg))


def save(out: Path, records: list[Record], maria: dict[str, Table], pg: dict[str, Table]) -> None:
    records = sorted(records, key=place)
    check(records, maria, pg)
    from_canal = [r for r in records if r["topic"] == CANAL_TOPIC]
    heartbeats = [r for r in records if r["topic"] == HEARTBEAT_TOPIC][:HEARTBEATS_KEPT]
    from_debezium = heartbeats + [r for r in records if r["topic"].startswith(DEBEZIUM_TOPICS)]
    write_lines(out / "records" / "mariadb.jsonl", from_canal)
    write_lines(out / "records" / "postgres.jsonl", from_debezium)
    for record in broken(records):
        source = "mariadb" if record["topic"] == "shop.mariadb" else "postgres"
        write_lines(out / "records" / f"{source}_broken.jsonl", [record])
    for database, tables_ in (("mariadb", maria), ("postgres", pg)):
        for name, table in tables_.items():
            write_lines(out / "expected" / f"{database}.{name}.jsonl", table.rows)
    print(f"{len(from_canal)} records of Canal, {len(from_debezium)} of Debezium")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--work", type=Path, default=CONFIG / "build", help="for jars and logs")
    parser.add_argument("--out", type=Path, default=HERE, help="gets records/ and expected/")
    options = parser.parse_args()
    work = options.work.resolve()
    (work / "logs").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="shop-") as folder:
        data = Path(folder)
        data.chmod(0o755)  # the databases' own users must get in
        space = Workspace(work, data)
        resolve(space, "connect")
        resolve(space, "canal")
        capture(space, options.out)


if __name__ == "__main__":
    main()
