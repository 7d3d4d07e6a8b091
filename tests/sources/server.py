"""Servers of the tests: a process with a log in target/test-sources, a check that says when it is ready, an end."""

import os
import pwd
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from ingestion.config.project_files import PROJECT_ROOT

LOGS = PROJECT_ROOT / "target" / "test-sources"
JAVA = ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xms64m", "-Dfile.encoding=UTF-8"]


class Server:
    """One process, started anew as often as a test wants."""

    started: ClassVar[list["Server"]] = []

    def __init__(
        self,
        name: str,
        command: list[str | Path],
        user: str | None = None,
        end: signal.Signals = signal.SIGTERM,
    ) -> None:
        self.name, self.command, self.user = name, [str(part) for part in command], user
        self.end = end
        LOGS.mkdir(parents=True, exist_ok=True)
        self.log = LOGS / f"{name}.log"
        self.log.unlink(missing_ok=True)

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                cwd="/",
                # Ctrl-C is for the tests, which then stop their servers
                process_group=0,
                **identity(self.user),
            )
        if self not in Server.started:
            Server.started.append(self)

    def wait_until(self, ready: Callable[[], object], seconds: float = 90) -> None:
        """Ask until the answer is true; an error counts as no."""
        error = None
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            assert self.process.poll() is None, f"{self.name} ended: {self.last_words()}"
            try:
                if ready():
                    return
            except Exception as told:
                error = told
            time.sleep(0.1)
        raise TimeoutError(f"{self.name} is not ready ({error}): {self.last_words()}")

    def last_words(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")[-3000:]

    def stop(self) -> None:
        self.process.send_signal(self.end)
        self.process.wait(60)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(60)


def stop_all() -> None:
    """Stop every server that was started, the last one first."""
    while Server.started:
        Server.started.pop().stop()


def identity(user: str | None) -> dict[str, object]:
    """Return how a process becomes this user, where root starts it; the databases refuse root."""
    if user is None or os.geteuid() != 0:
        return {}
    known = pwd.getpwnam(user)
    return {"user": known.pw_uid, "group": known.pw_gid, "extra_groups": []}


def own_folder(parent: Path, name: str, user: str) -> Path:
    """Return a new folder that belongs to the user of a database."""
    folder = parent / name
    folder.mkdir(mode=0o755)
    if os.geteuid() == 0:
        known = pwd.getpwnam(user)
        os.chown(folder, known.pw_uid, known.pw_gid)
    return folder
