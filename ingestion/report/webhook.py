"""New findings go to a webhook, each once, as JSON: LAKEHOUSE_WEBHOOK holds its URL."""

import fcntl
import http.client
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from ingestion.config.feeds import Config
from ingestion.local_files import replace_file
from ingestion.progress import complain
from ingestion.report.facts import Finding

VARIABLE = "LAKEHOUSE_WEBHOOK"
# Seconds that a run waits for one answer, and for all of them.
PATIENCE, ALL_PATIENCE = 5.0, 20.0


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Takes a redirect as an answer: urllib would follow it with a GET, without the finding."""

    def redirect_request(self, *_: object) -> None:
        """Return no request to follow it with."""


def send_findings(config: Config, findings: Iterable[Finding]) -> None:
    """Send the open findings that were not sent yet; those that were not taken are sent next time.

    Each is noted after it was sent: after a kill between the two, it is sent again.
    """
    url = os.environ.get(VARIABLE)
    if not url:
        return
    path = config.lakehouse / "webhook.json"
    lock = config.lakehouse / "locks" / "webhook.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("ab") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # another run sends them
            return
        _send(url, path, list(findings))


def _send(url: str, path: Path, findings: list[Finding]) -> None:
    sent = set(json.loads(path.read_bytes())) if path.exists() else set()
    # resolved ones need not be remembered: one that comes back is another finding
    remembered = {_name(finding) for finding in findings} & sent
    until = time.monotonic() + ALL_PATIENCE
    for finding in reversed(findings):
        if _name(finding) in sent:
            continue
        if time.monotonic() > until:
            complain(f"{VARIABLE}: slow; the other findings are sent by the next run.")
            return
        problem = _post(url, finding)
        if problem:
            complain(f"{VARIABLE}: a finding was not taken ({problem}); the next run tries again.")
            return
        remembered.add(_name(finding))
        replace_file(path, json.dumps(sorted(remembered)).encode())


def _name(finding: Finding) -> str:
    """Return a name of the finding; one that was resolved and came back gets another."""
    return f"{finding.finding_id} {finding.first_seen.isoformat()}"


def _post(url: str, finding: Finding) -> str | None:
    """Return why the finding was not taken, in words without the URL, which is a secret."""
    content = asdict(finding) | {"text": sentence(finding), "explain": finding.explain}
    body = json.dumps(content, default=lambda time: time.isoformat(), ensure_ascii=False).encode()
    try:
        request = urllib.request.Request(
            url, data=body, headers={"Content-Type": "application/json"}, method="POST"
        )
        opener = urllib.request.build_opener(_NoRedirects)
        with opener.open(request, timeout=PATIENCE):
            return None
    except urllib.error.HTTPError as error:
        redirects = ", a redirect: give the URL it leads to" if 300 <= error.code < 400 else ""
        return f"HTTP status {error.code}{redirects}"
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        return type(reason if isinstance(reason, Exception) else error).__name__


def sentence(finding: Finding) -> str:
    """Return the finding in one line, as a person reads it in a chat."""
    about = finding.gold_table or finding.feed or "the lakehouse"
    place = f" ({finding.coordinates})" if finding.coordinates else ""
    return f"{about}: {finding.finding}{place} [{finding.test}]"
