"""The project while it is followed: its files, read again when they change."""

import os
from dataclasses import dataclass
from pathlib import Path

import yaml

# dbt's own names of its folders, where dbt_project.yml does not name others
FOLDERS = {
    "model-paths": ["models"],
    "macro-paths": ["macros"],
    "test-paths": ["tests"],
    "seed-paths": ["seeds"],
    "snapshot-paths": ["snapshots"],
    "function-paths": ["functions"],
}
PACKAGES = ("packages-install-path", "dbt_packages")
# what dbt parses, and what its parsing depends on
PARSED = (".sql", ".yml", ".yaml", ".md", ".csv", ".py")


@dataclass(frozen=True)
class Files:
    """Which files a project consists of: equal, and no file of it has changed."""

    stamps: tuple[tuple[str, int, int], ...]


def files_of_project(project_dir: Path) -> Files:
    """Return the files that dbt reads, each with its size and the time of its last change."""
    roots = [path for path in project_dir.glob("*.yml") if path.is_file()]
    stamps = {_stamp(path) for path in roots}
    for folder in _folders(project_dir):
        for where, folders, names in os.walk(folder, followlinks=True):
            folders[:] = [name for name in folders if not name.startswith((".", "__pycache__"))]
            stamps |= {_stamp(Path(where, name)) for name in names if name.endswith(PARSED)}
    return Files(tuple(sorted(stamp for stamp in stamps if stamp is not None)))


def _folders(project_dir: Path) -> list[Path]:
    try:
        text = (project_dir / "dbt_project.yml").read_text(encoding="utf-8")
        project = yaml.safe_load(text)
    except (OSError, yaml.YAMLError):
        # said by who reads it for what it says
        project = None
    told = project if isinstance(project, dict) else {}
    names = [name for key, usual in FOLDERS.items() for name in (told.get(key) or usual)]
    names.append(told.get(PACKAGES[0]) or PACKAGES[1])
    return [project_dir / str(name) for name in names]


def _stamp(path: Path) -> tuple[str, int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        # removed since it was listed
        return None
    return str(path), stat.st_size, stat.st_mtime_ns
