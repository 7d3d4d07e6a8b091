"""Schemas that records name are fetched; the registry here answers as Confluent documents it, as no real one installs."""

import base64
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from ingestion.cli.schemas import fetch
from ingestion.errors import CONFIGURATION, OK, SOURCE, UserError
from tests.support.project import Project, make_project

SCHEMAS = Path(__file__).resolve().parents[1] / "formats" / "debezium_avro" / "schemas"
SPECIAL = {
    901: {"schemaType": "PROTOBUF", "schema": "message x {}"},
    902: {"schema": "{}", "references": [{"name": "x", "subject": "x", "version": 1}]},
    903: {"error": "this is no registry"},
}
USER = "Basic " + base64.b64encode(b"reader:secret").decode()


class Registry(BaseHTTPRequestHandler):
    # what came with each request, and where it is sent on to
    authorities: ClassVar[list[str | None]] = []
    moved_to: ClassVar[dict[int, str]] = {}

    def do_GET(self) -> None:
        self.authorities.append(self.headers.get("Authorization"))
        if self.server.server_port in self.moved_to:
            self.send_response(302)
            self.send_header("Location", self.moved_to[self.server.server_port] + self.path)
            self.end_headers()
            return
        number = int(self.path.rsplit("/", 1)[1])
        path = SCHEMAS / f"{number}.avsc"
        answer = SPECIAL.get(number) or (path.exists() and {"schema": path.read_text()})
        code = 404 if not answer else 401 if self.headers.get("Authorization") != USER else 200
        self.send_response(code)
        self.end_headers()
        self.wfile.write(json.dumps(answer if code == 200 else {"error_code": code}).encode())

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served() -> Iterator[HTTPServer]:
    server = HTTPServer(("127.0.0.1", 0), Registry)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("SCHEMA_REGISTRY_AUTH", "reader:secret")
    with served() as server:
        yield f"http://127.0.0.1:{server.server_port}/"


def load(project: Project, *contents: bytes | None) -> None:
    project.configure(
        {"crm": {"format": "debezium_avro", "files": "in", "avro_schemas": "schemas/crm"}}
    )
    (project.folder / "in").mkdir()
    lines = [
        {"topic": "t", "partition": 0, "offset": offset, "timestamp": 1}
        | {"value_base64": None if content is None else base64.b64encode(content).decode()}
        for offset, content in enumerate(contents)
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (project.folder / "in" / "a.jsonl").write_text(text)
    assert project.load().code == OK


def framed(number: int) -> bytes:
    return b"\x00" + number.to_bytes(4, "big") + b"\x02"


def test_what_records_name_is_fetched_once(project: Project, registry: str):
    load(project, framed(3), framed(12), framed(3), None, b"", b'{"id":1}', b"\x00\x00")
    folder = project.folder / "schemas" / "crm"
    folder.mkdir(parents=True)
    (folder / "3.avsc").write_text("kept as it is")
    result = project.command("schemas", "crm", "--registry", registry)
    assert (result.code, result.err) == (OK, "")
    assert "2 schemas named by its records, 1 of them new" in result.out
    assert "reparse crm --unknown" in result.out
    assert (folder / "12.avsc").read_text() == (SCHEMAS / "12.avsc").read_text()
    assert sorted(path.name for path in folder.iterdir()) == ["12.avsc", "3.avsc"]
    assert (folder / "3.avsc").read_text() == "kept as it is"
    assert "0 of them new" in project.command("schemas", "crm", "--registry", registry).out


@pytest.mark.parametrize(
    ("number", "code", "words"),
    [
        (77_000, SOURCE, "has no schema 77000, which records name"),
        (901, CONFIGURATION, "Schema 901 is PROTOBUF, not Avro"),
        (902, CONFIGURATION, "Schema 902 refers to other subjects"),
        (903, SOURCE, "not as a schema registry"),
    ],
)
def test_what_cannot_be_fetched_is_said(
    project: Project, registry: str, number: int, code: int, words: str
):
    load(project, framed(number))
    result = project.command("schemas", "crm", "--registry", registry)
    assert (result.code, result.out) == (code, "")
    assert words in result.err
    assert not (project.folder / "schemas").exists()


@pytest.mark.long
def test_a_registry_that_is_not_reached_or_opened_is_named(
    project: Project, registry: str, monkeypatch: pytest.MonkeyPatch
):
    load(project, framed(3))
    nowhere = project.command("schemas", "crm", "--registry", "http://127.0.0.1:9")
    assert nowhere.code == SOURCE
    assert "http://127.0.0.1:9 gives no schema 3" in nowhere.err
    monkeypatch.setenv("SCHEMA_REGISTRY_AUTH", "reader:wrong")
    closed = project.command("schemas", "crm", "--registry", registry)
    assert closed.code == SOURCE
    assert "SCHEMA_REGISTRY_AUTH" in closed.err
    assert "wrong" not in closed.err
    assert project.command("schemas", "crm", "--registry", "registry:8081").code == CONFIGURATION


def test_an_address_with_a_password_is_refused_and_not_shown(tmp_path: Path):
    feed = {"format": "debezium_avro", "files": "in", "avro_schemas": "schemas"}
    project = make_project(tmp_path)
    project.configure({"crm": feed})
    for address in ("http://cdc:S3cret@127.0.0.1:1", "http://cdc:S3cret@host", "cdc:S3cret@host"):
        result = project.command("schemas", "crm", "--registry", address)
        assert (result.code, result.out) == (CONFIGURATION, "")
        assert "SCHEMA_REGISTRY_AUTH" in result.err
        assert "S3cret" not in result.err
        assert "cdc" not in result.err


def test_a_host_to_which_the_registry_redirects_gets_no_password(
    registry: str, monkeypatch: pytest.MonkeyPatch
):
    with served() as moved:
        monkeypatch.setattr(Registry, "moved_to", {moved.server_port: registry.rstrip("/")})
        monkeypatch.setattr(Registry, "authorities", [])
        with pytest.raises(UserError, match="redirects to an address that wants a user") as refused:
            fetch(f"http://localhost:{moved.server_port}", 3)
    assert Registry.authorities == [USER, None]
    assert refused.value.exit_code == SOURCE


@pytest.mark.parametrize("address", ["http://127.0.0.1:{port}", "http://127.0.0.1:{port} 1"])
def test_an_address_that_speaks_no_http_or_is_none_is_one_sentence(address: str):
    """Such as a broker's, which closes the connection after bytes of its own."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with suppress(OSError):
                connection, _ = server.accept()
                with connection:
                    connection.recv(1000)
                    connection.sendall(b"\x00\x00\x00\x05hello\r\n\r\n")

        threading.Thread(target=answer, daemon=True).start()
        port = server.getsockname()[1]
        with pytest.raises(UserError, match="gives no schema 7") as refused:
            fetch(address.format(port=port), 7)
        server.shutdown(socket.SHUT_RDWR)
    assert refused.value.exit_code == SOURCE
    assert "\n" not in str(refused.value)
