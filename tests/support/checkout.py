"""A copy of the checkout, as `git clone` leaves it, with what git does not yet know."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def copy_of_the_checkout(folder: Path) -> Path:
    """Copy all files that git lists into a folder; what `make setup` brought is there by links."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    for name in listed:
        # a file that was deleted is listed until the deletion is committed
        if (ROOT / name).is_symlink() or (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name, follow_symlinks=False)
    for name in (".venv", ".jars"):
        if (ROOT / name).exists():
            (folder / name).symlink_to(ROOT / name)
    return folder
