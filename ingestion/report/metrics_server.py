"""The newest metrics over HTTP, for Prometheus to scrape."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from ingestion.errors import SOURCE, UserError

CONTENT = "text/plain; version=0.0.4; charset=utf-8"


class MetricsServer(ThreadingHTTPServer):
    """Answers `/metrics` with the last text that it got; before the first it is empty."""

    daemon_threads = True
    text = ""


class _Handler(BaseHTTPRequestHandler):
    server: MetricsServer

    def do_GET(self) -> None:
        """Answer a scrape."""
        if self.path.split("?")[0] != "/metrics":
            self.send_error(404, "only /metrics is here")
            return
        body = self.server.text.encode()
        self.send_response(200)
        self.send_header("Content-Type", CONTENT)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing: a scrape comes every few seconds."""


@contextmanager
def metrics_server(port: int | None) -> Iterator[MetricsServer | None]:
    """Serve on all addresses of this machine inside the block; without a port nothing is served.

    A port that cannot be had is a UserError.
    """
    if port is None:
        yield None
        return
    try:
        server = MetricsServer(("", port), _Handler)
    except OSError as error:
        raise UserError(
            f"--metrics-port {port}: cannot serve there ({error.strerror}); name another port.",
            SOURCE,
        ) from None
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
