"""Files of captured records, or of plain messages, land in bronze once each."""

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from os import SEEK_CUR
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from ingestion.bronze.feeds import under_a_new_name
from ingestion.bronze.storage import exists, read_text, write_text
from ingestion.bronze.tables import (
    append_messages,
    append_rows,
    landed_batches,
    new_load_id,
    read_table,
    small_table,
)
from ingestion.config.feeds import Config, Feed
from ingestion.errors import BAD_LINES, CHANGED, OK, SOURCE, UserError
from ingestion.files.records import SCHEMA, Heads, Row, read_rows, readable
from ingestion.progress import Batch, complain, show_batch

# Chunks are cut by content alone, so that a repeated load cuts at the same lines.
CHUNK_BYTES = 32_000_000
CHUNK_ROWS = 50_000
SHOWN_BAD_LINES = 5


@dataclass(frozen=True)
class File:
    """A file as it was when its load began."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Plan:
    """The files of one load, kept beside bronze until all of them have landed."""

    load_id: str
    files: tuple[File, ...]


def load_files(
    spark: SparkSession,
    config: Config,
    feed: Feed,
    landed_batch: Callable[[Batch], None] = show_batch,
) -> int | None:
    """Land the files that have not landed yet; return the exit code, None if none is new.

    `landed_batch` is called with each batch that has landed.
    """
    bad: list[str] = []
    landed = False
    began = time.time()
    unfinished = _unfinished(spark, config, feed)
    for plan in (unfinished, None) if unfinished else (None,):
        plan = plan or _new_plan(spark, config, feed)
        if plan.files:
            landed = True
            bad += _land(spark, config, feed, plan, began, landed_batch)
    for reason in bad[:SHOWN_BAD_LINES]:
        complain(f"Feed {feed.name}: {reason}.")
    if bad:
        complain(
            f"Feed {feed.name}: {len(bad)} lines are no records; they lie in bronze with "
            "load_error, everything else has landed."
        )
    if not landed:
        return None
    return BAD_LINES if bad else OK


def find_files(project_dir: Path, patterns: Iterable[str]) -> list[tuple[str, Path]]:
    """Return the files that match the patterns, by their names in bronze, sorted."""
    found: dict[str, Path] = {}
    for pattern in patterns:
        whole = project_dir / pattern
        if whole.is_dir():
            paths = [path for path in whole.rglob("*") if path.is_file()]
        else:
            anchor = Path(whole.anchor)
            paths = [path for path in anchor.glob(str(whole.relative_to(anchor))) if path.is_file()]
        for path in paths:
            if not any(part.startswith(".") for part in path.relative_to(_base(whole)).parts):
                found[_name(project_dir, path)] = path
    return sorted(found.items())


def _base(pattern: Path) -> Path:
    """Return the part of the path before the first wildcard."""
    while any(sign in pattern.name for sign in "*?[") or not pattern.is_dir():
        pattern = pattern.parent
    return pattern


def _name(project_dir: Path, path: Path) -> str:
    inside = path.is_relative_to(project_dir)
    return (path.relative_to(project_dir) if inside else path).as_posix()


def _application(feed: Feed, load_id: str) -> str:
    """Return the name under which Delta remembers the chunks of this load."""
    return f"files/{feed.name}/{load_id}"


def _plan_path(config: Config, feed: Feed) -> str:
    return f"{config.bronze}/_checkpoints/{feed.name}/files.json"


def _unfinished(spark: SparkSession, config: Config, feed: Feed) -> Plan | None:
    """Return the plan of which a part has landed; None if there is none."""
    begun = _plan_path(config, feed)
    if not exists(spark, begun):
        return None
    stored = json.loads(read_text(spark, begun))
    plan = Plan(stored["load_id"], tuple(File(**file) for file in stored["files"]))
    files = small_table(spark, config.bronze, "files")
    landed = landed_batches(spark, config.bronze).contains(_application(feed, plan.load_id))
    if not landed or any(file.load_id == plan.load_id for file in files):
        return None
    for file in plan.files:
        path = config.project_dir / file.path
        if not path.is_file() or _is_changed(file, path):
            raise UserError(
                f"Feed {feed.name}: {file.path} changed while its load was unfinished: put back "
                f"what it held ({file.size} bytes), or {under_a_new_name(feed.name)}.",
                CHANGED,
            )
    return plan


def _new_plan(spark: SparkSession, config: Config, feed: Feed) -> Plan:
    """Write down which files come next, so that a load after a crash takes the same ones."""
    rows = small_table(spark, config.bronze, "files")
    loaded = {row.path: row for row in rows if row.feed == feed.name}
    found = find_files(config.project_dir, feed.files)
    if not found and not loaded:
        raise UserError(f"Feed {feed.name}: no file matches {', '.join(feed.files)}.", SOURCE)
    files = []
    for name, path in found:
        if name not in loaded:
            files.append(_file(name, path))
            continue
        row = loaded[name]
        if _is_changed(File(name, row.size, row.sha256), path, row.loaded_at.timestamp()):
            raise UserError(
                f"Feed {feed.name}: {name} changed after it was loaded: put back what it held "
                f"({row.size} bytes), and give the new content a new name.",
                CHANGED,
            )
    plan = Plan(new_load_id(feed.name), tuple(file for file in files if file))
    if plan.files:
        write_text(spark, _plan_path(config, feed), json.dumps(asdict(plan), indent=1))
    return plan


def _file(name: str, path: Path) -> File | None:
    if not path.is_file():
        return None
    with readable(name), path.open("rb") as handle:
        digest = hashlib.file_digest(handle, "sha256").hexdigest()
        # how much was read, as it may be growing
        return File(name, handle.seek(0, SEEK_CUR), digest)


def _is_changed(file: File, path: Path, since: float = 0) -> bool:
    """Return whether the file is there and not as it was; it is read if it changed since then."""
    if not path.is_file():
        return False
    now = path.stat()
    # ctime moves with every change and cannot be set back; it may count in whole seconds
    recent = now.st_ctime > since - 1
    return now.st_size != file.size or (recent and _file(file.path, path) != file)


def _refuse_a_change(config: Config, feed: Feed, file: File, began: float) -> None:
    if _is_changed(file, config.project_dir / file.path, began):
        raise UserError(
            f"Feed {feed.name}: {file.path} changed while it was loaded: load it again when it is "
            "written to its end.",
            CHANGED,
        )


def _land(
    spark: SparkSession,
    config: Config,
    feed: Feed,
    plan: Plan,
    began: float,
    landed_batch: Callable[[Batch], None],
) -> list[str]:
    """Land the plan's files chunk by chunk, and return what is wrong with their lines."""
    heads = _heads(spark, config.bronze, feed.name, plan.load_id) if feed.lines == "records" else {}
    counts = {file.path: [0, 0] for file in plan.files}
    bad: list[str] = []
    started = time.monotonic()
    rows = _rows(config, feed, plan, began, heads, counts, bad)
    for number, chunk in enumerate(_chunks(rows)):
        table = pa.Table.from_pylist(chunk, schema=SCHEMA)
        append_messages(
            spark.createDataFrame(table),
            config.bronze,
            feed,
            load_id=plan.load_id,
            once=(_application(feed, plan.load_id), number),
        )
        seconds = time.monotonic() - started
        size = sum(len(row["key"] or b"") + len(row["value"] or b"") for row in chunk)
        landed_batch(Batch(feed.name, len(chunk), size, seconds))
        started = time.monotonic()
    # those that have been read while later ones were landing
    for file in plan.files:
        _refuse_a_change(config, feed, file, began)
    append_rows(
        spark,
        config.bronze,
        "files",
        [
            (feed.name, *asdict(file).values(), *counts[file.path], plan.load_id)
            for file in plan.files
        ],
    )
    return bad


def _rows(
    config: Config,
    feed: Feed,
    plan: Plan,
    began: float,
    heads: Heads,
    counts: dict[str, list[int]],
    bad: list[str],
) -> Iterator[Row]:
    for file in plan.files:
        for row in read_rows(config.project_dir / file.path, file.path, feed.lines, heads):
            counts[file.path][0] += 1
            if row["load_error"] is not None:
                counts[file.path][1] += 1
                bad.append(row["load_error"])
            yield row
        _refuse_a_change(config, feed, file, began)


def _chunks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    chunk: list[Row] = []
    size = 0
    for row in rows:
        chunk.append(row)
        size += len(row["value"] or b"")
        if size >= CHUNK_BYTES or len(chunk) >= CHUNK_ROWS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _heads(spark: SparkSession, bronze: str, feed: str, load_id: str) -> Heads:
    """Return the last offsets that earlier loads landed."""
    landed = read_table(spark, bronze, "messages").where(
        (F.col("feed") == feed) & (F.col("load_id") != load_id) & F.col("load_error").isNull()
    )
    last = landed.groupBy("topic", "partition").agg(F.max("offset").alias("offset"))
    return {(row.topic, row.partition): row.offset for row in last.collect()}
