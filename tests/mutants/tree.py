"""A copy of the project, in which faults are planted one at a time."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.mutants.mutant import ROOT, Mutant


def copy_project(folder: Path) -> None:
    """Copy what git knows of the project, with links to its environment and jars."""
    told = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(told, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.splitlines():
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name, follow_symlinks=False)
    for name in (".venv", ".jars"):
        (folder / name).symlink_to(ROOT / name)
    _refuse_another_package(folder)


def _refuse_another_package(folder: Path) -> None:
    """Stop where Python would take the package from elsewhere: its faults would not be tested."""
    asked = [sys.executable, "-c", "import ingestion; print(ingestion.__file__)"]
    found = subprocess.run(
        asked, cwd=folder, env=environment(), capture_output=True, text=True, check=True
    ).stdout.strip()
    if not Path(found).is_relative_to(folder):
        raise SystemExit(f"Python imports {found} and not the copy in {folder}: nothing was run.")


def environment() -> dict[str, str]:
    """Return the environment of the tests: no bytecode, which two texts of a second could share."""
    return os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": ""}


@contextmanager
def planted(folder: Path, mutant: Mutant) -> Iterator[None]:
    """Plant the fault in the copy, and take it away again."""
    path = folder / mutant.file
    text = path.read_text(encoding="utf-8")
    path.write_text(mutant.faulty(text), encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(text, encoding="utf-8")
