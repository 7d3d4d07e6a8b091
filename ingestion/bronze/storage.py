"""Small files beside bronze, through Hadoop's file systems: on a local disk or an object store."""

from typing import Any

from pyspark.sql import SparkSession


def exists(spark: SparkSession, path: str) -> bool:
    """Return whether there is a file or folder at the path."""
    files, where = _locate(spark, path)
    return files.exists(where)


def list_names(spark: SparkSession, folder: str) -> list[str]:
    """Return the names in the folder, without hidden ones; a missing folder has none."""
    files, where = _locate(spark, folder)
    if not files.exists(where):
        return []
    names = [status.getPath().getName() for status in files.listStatus(where)]
    return sorted(name for name in names if not name.startswith("."))


def read_text(spark: SparkSession, path: str) -> str:
    """Return the whole text of the file."""
    files, where = _locate(spark, path)
    stream = files.open(where)
    try:
        return bytes(stream.readAllBytes()).decode("utf-8")
    finally:
        stream.close()


def write_text(spark: SparkSession, path: str, text: str) -> None:
    """Write the text to the path, whole or not at all; it replaces what was there."""
    jvm = spark._jvm
    manager = jvm.org.apache.spark.sql.execution.streaming.CheckpointFileManager
    where = jvm.org.apache.hadoop.fs.Path(path)
    files = manager.create(where.getParent(), spark._jsc.hadoopConfiguration())
    files.mkdirs(where.getParent())
    stream = files.createAtomic(where, True)
    try:
        stream.write(text.encode("utf-8"))
        stream.close()
    except Exception:
        stream.cancel()
        raise


def _locate(spark: SparkSession, path: str) -> tuple[Any, Any]:
    where = spark._jvm.org.apache.hadoop.fs.Path(path)
    return where.getFileSystem(spark._jsc.hadoopConfiguration()), where
