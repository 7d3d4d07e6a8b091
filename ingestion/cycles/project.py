"""The project while it is followed: its files, read again when they change."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

from ingestion.bronze.feeds import feeds_in_doubt, landed_settings
from ingestion.config.feeds import Config, read_config, read_project, read_vars
from ingestion.cycles.building import parse_project
from ingestion.cycles.troubles import Sentences
from ingestion.errors import UserError

if TYPE_CHECKING:
    from dbt.contracts.graph.manifest import Manifest

# dbt's defaults for its folders, where dbt_project.yml declares no others
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
    """The files of a project; two equal ones mean that no file has changed."""

    # path, and its size and time
    stamps: tuple[tuple[str, tuple[int, int]], ...]


@dataclass(frozen=True)
class Project:
    """The project as it was last read, and what of it could not be read."""

    config: Config
    files: Files | None = None
    manifest: "Manifest | None" = None
    # feeds that are not loaded, each with the reason
    doubts: Mapping[str, str] = field(default_factory=dict)
    # the feeds of dbt_project.yml when it was last readable
    read: Mapping[str, Any] = field(default_factory=dict)
    # the feeds as dbt gets them, where they differ from those of dbt_project.yml
    feeds: Mapping[str, Any] | None = None
    troubles: Sentences = field(default_factory=dict)


def read_again(spark: SparkSession, project: Project) -> tuple[Project, bool]:
    """Return the project as its files are now, and whether it is another one than before.

    What cannot be read stays as it was last read, and a trouble says so.
    """
    files = files_of_project(project.config.project_dir, project.manifest)
    same = files == project.files
    if same and not project.doubts:
        return project, False
    config, read, troubles = project.config, project.read, {}
    try:
        config = read_config(project.config.project_dir)
        read = read_vars(project.config.project_dir).get("feeds") or {}
    except UserError as error:
        troubles["project", "project"] = str(error)
    doubts = {name: str(error) for name, error in feeds_in_doubt(spark, config).items()}
    if same and doubts == project.doubts:
        return project, False
    # A feed that is gone or has changed settings is not loaded. Its landed records keep their
    # meaning, so that other feeds' tables need not wait for it.
    landed = {name: landed_settings(spark, config.bronze, name) for name in doubts}
    feeds = {**read, **landed} if doubts or troubles else None
    manifest = project.manifest
    try:
        manifest = parse_project(config.project_dir, feeds)
    except UserError as error:
        troubles.setdefault(("project", "project"), str(error))
    if manifest is not project.manifest:
        files = _as_of(files, files_of_project(config.project_dir, manifest))
    return Project(config, files, manifest, doubts, read, feeds, troubles), True


def _as_of(before: Files, after: Files) -> Files:
    """Return the files that are known after dbt has parsed, with their stamps from before.

    So a file that changed while dbt parsed is parsed again.
    """
    known = dict(before.stamps)
    return Files(tuple((path, known.get(path, stamp)) for path, stamp in after.stamps))


def files_of_project(project_dir: Path, manifest: "Manifest | None" = None) -> Files:
    """Return the files that dbt reads, each with its size and the time of its last change.

    Folders that cannot be taken from dbt_project.yml are known from the manifest, which holds the
    files that dbt has found.
    """
    roots = [path for path in project_dir.glob("*.yml") if path.is_file()]
    stamps = {_stamp(path) for path in roots}
    folders_of_dbt = {
        Path(file.path.project_root, file.path.searched_path)
        for file in (manifest.files.values() if manifest is not None else ())
    }
    for folder in {*_folders(project_dir), *folders_of_dbt}:
        for where, folders, names in os.walk(folder, followlinks=True):
            folders[:] = [name for name in folders if not name.startswith((".", "__pycache__"))]
            stamps |= {_stamp(Path(where, name)) for name in names if name.endswith(PARSED)}
    return Files(tuple(sorted(stamp for stamp in stamps if stamp is not None)))


def _folders(project_dir: Path) -> list[Path]:
    try:
        named = read_project(project_dir)
    except UserError:
        # reported where its content is read
        named = {}
    listed = [named.get(key) or usual for key, usual in FOLDERS.items()]
    names = [name for one in listed if isinstance(one, list) for name in one]
    names.append(named.get(PACKAGES[0]) or PACKAGES[1])
    return [project_dir / str(name) for name in names]


def _stamp(path: Path) -> tuple[str, tuple[int, int]] | None:
    try:
        stat = path.stat()
    except OSError:
        # removed after it was listed
        return None
    return str(path), (stat.st_size, stat.st_mtime_ns)
