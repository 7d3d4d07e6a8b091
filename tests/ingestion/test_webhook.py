"""The webhook, with a server that takes findings, refuses them, or is not there."""

import json
import threading
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ingestion.config.feeds import read_config
from ingestion.config.project_files import PROJECT_ROOT
from ingestion.report.facts import Finding
from ingestion.report.webhook import VARIABLE, send_findings

SECRET = "secret-token"
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def finding(number, first_seen=NOW):
    return Finding(
        finding_id=str(number),
        test="a_test",
        gold_table="orders",
        feed="shop",
        topic="t",
        partition=0,
        offset=number,
        row_key=("1",),
        finding=f"thing {number}",
        unlisted=None,
        first_seen=first_seen,
        last_seen=NOW,
        resolved_at=None,
    )


@contextmanager
def receiver(status=200):
    """A server that answers with the status, and the list of what it was sent."""
    received = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append((self.path, self.headers["Content-Type"], json.loads(body)))
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", f"{self.path}/")
            self.end_headers()

        def do_GET(self):
            received.append((self.path, None, None))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/{SECRET}", received
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def config(tmp_path):
    return replace(read_config(PROJECT_ROOT), project_dir=tmp_path)


def test_each_finding_is_sent_once_as_json_the_oldest_first(config, monkeypatch):
    with receiver() as (url, received):
        monkeypatch.setenv(VARIABLE, url)
        send_findings(config, [finding(2), finding(1)])
        send_findings(config, [finding(3), finding(2), finding(1)])
        assert [body["offset"] for _, _, body in received] == [1, 2, 3]
        path, kind, body = received[0]
        assert (path, kind) == (f"/{SECRET}", "application/json")
        assert body["text"] == "orders: thing 1 (topic t, partition 0, offset 1) [a_test]"
        assert "explain_row" in body["explain"]
        # what was resolved and is open again is another finding
        send_findings(config, [finding(1, datetime(2026, 2, 1, tzinfo=UTC))])
        assert len(received) == 4


def test_what_was_not_taken_is_sent_by_the_next_run_and_no_word_names_the_url(
    config, monkeypatch, capsys
):
    with receiver(status=503) as (url, received):
        monkeypatch.setenv(VARIABLE, url)
        send_findings(config, [finding(2), finding(1)])
        assert [body["offset"] for _, _, body in received] == [1]
    # nobody listens there any more
    send_findings(config, [finding(1)])
    monkeypatch.setenv(VARIABLE, f"no url {SECRET}")
    send_findings(config, [finding(1)])
    told = capsys.readouterr()
    assert told.err.count("the next run tries again") == 3
    assert "HTTP status 503" in told.err
    assert SECRET not in told.err + told.out
    assert "127.0.0.1" not in told.err + told.out
    with receiver() as (url, received):
        monkeypatch.setenv(VARIABLE, url)
        send_findings(config, [finding(2), finding(1)])
        assert [body["offset"] for _, _, body in received] == [1, 2]


def test_without_the_variable_nothing_is_sent_or_written(config, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    send_findings(config, [finding(1)])
    assert not config.lakehouse.exists()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_finding_that_a_redirect_does_not_take_along_is_not_noted_as_sent(
    config, monkeypatch, capsys, status
):
    """urllib would follow it with a GET, which has no body."""
    with receiver(status) as (url, received):
        monkeypatch.setenv(VARIABLE, url)
        send_findings(config, [finding(1)])
        assert [body["offset"] for _, _, body in received] == [1]
        problem = capsys.readouterr().err
        assert f"HTTP status {status}, a redirect: give the URL it leads to" in problem
        assert SECRET not in problem
    with receiver() as (url, received):
        monkeypatch.setenv(VARIABLE, url)
        send_findings(config, [finding(1)])
        assert len(received) == 1
