"""The metrics as Prometheus scrapes them from `run --follow`."""

import urllib.error
import urllib.request

import pytest

from ingestion.errors import UserError
from ingestion.report.metrics_server import metrics_server
from tests.support.kafka_broker import free_port


def scraped(port, path="/metrics"):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


def test_a_scrape_has_the_newest_text():
    port = free_port()
    with metrics_server(port) as server:
        server.text = "cdc_open_findings 3\n"
        kind, text = scraped(port)
        assert kind.startswith("text/plain; version=0.0.4")
        assert text == "cdc_open_findings 3\n"
        server.text = "cdc_open_findings 2\n"
        assert scraped(port)[1] == "cdc_open_findings 2\n"
        with pytest.raises(urllib.error.HTTPError, match="404"):
            scraped(port, "/")
    with pytest.raises(OSError):
        scraped(port)


def test_a_port_that_is_taken_is_named():
    port = free_port()
    with (
        metrics_server(port),
        pytest.raises(UserError, match=f"--metrics-port {port}: cannot serve there"),
        metrics_server(port),
    ):
        pass


def test_without_a_port_nothing_is_served():
    with metrics_server(None) as server:
        assert server is None
