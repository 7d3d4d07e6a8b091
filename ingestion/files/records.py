"""Lines of files become rows of bronze: captured records, or plain messages."""

import base64
import binascii
import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from ingestion.bronze.tables import NO_TIMESTAMP
from ingestion.errors import SOURCE, UserError

SCHEMA = pa.schema(
    [
        ("topic", pa.string()),
        ("topic_generation", pa.int32()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("timestamp", pa.timestamp("us", tz="UTC")),
        ("timestamp_type", pa.int32()),
        ("headers", pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("load_error", pa.string()),
    ]
)
Row = dict[str, Any]
# The last offset of each topic and partition; loads may only raise it.
Heads = dict[tuple[str, int], int]
# A line that is no record gets a partition that Kafka does not have, so no record can be there.
NO_PARTITION = -1


def read_rows(path: Path, name: str, lines: str, heads: Heads) -> Iterator[Row]:
    """Yield a row for every line that is not blank, and raise the last offsets in `heads`."""
    with readable(name), _open(path) as handle:
        for number, line in enumerate(handle, start=1):
            content = line.removesuffix(b"\n").removesuffix(b"\r")
            if not content.strip():
                continue
            if lines == "messages":
                yield _row(topic=name, partition=0, offset=number, value=content)
                continue
            try:
                yield _record(content.removeprefix(b"\xef\xbb\xbf"), heads)
            except (ValueError, RecursionError) as error:
                reason = f"{name}, line {number}: {_reason(error)}"
                yield _row(
                    topic=name,
                    partition=NO_PARTITION,
                    offset=number,
                    value=content,
                    load_error=reason,
                )


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Say which file it is that cannot be read."""
    try:
        yield
    except (EOFError, OSError, zlib.error) as error:
        raise UserError(
            f"{name} cannot be read to its end ({error}): put it there whole, for this user to "
            "read.",
            SOURCE,
        ) from error


def _open(path: Path) -> BinaryIO:
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")


def _row(**given: object) -> Row:
    row: Row = dict.fromkeys(SCHEMA.names)
    return row | {"topic_generation": 0, "timestamp_type": NO_TIMESTAMP} | given


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "the line is not UTF-8"
    if isinstance(error, UnicodeEncodeError):
        return "a text holds half of a surrogate pair, which has no bytes"
    if isinstance(error, json.JSONDecodeError):
        return f"the line is not JSON ({error.msg} at column {error.colno})"
    if isinstance(error, RecursionError):
        return "the line is not JSON (nested too deep)"
    return str(error)


def _record(content: bytes, heads: Heads) -> Row:
    record = json.loads(content.decode("utf-8"))
    if not isinstance(record, dict):
        raise ValueError("the line is not a JSON object")
    topic = record.get("topic")
    if not isinstance(topic, str) or not topic:
        raise ValueError("topic must be text")
    partition = _whole(record, "partition", 2**31)
    offset = _whole(record, "offset", 2**63)
    if "value" not in record and "value_base64" not in record:
        raise ValueError("the record has neither value nor value_base64")
    timestamp = record.get("timestamp")
    if timestamp is not None:
        timestamp = _whole(record, "timestamp", 2**63 // 1000) * 1000
    row = _row(
        topic=topic,
        partition=partition,
        offset=offset,
        timestamp=timestamp,
        timestamp_type=NO_TIMESTAMP if timestamp is None else _timestamp_type(record),
        headers=_headers(record.get("headers")),
        key=_bytes(record, "key"),
        value=_bytes(record, "value"),
    )
    if offset <= heads.get((topic, partition), -1):
        raise ValueError(
            f"offset {offset} of {topic}, partition {partition}, does not follow the offset "
            f"{heads[topic, partition]} that was read before"
        )
    heads[topic, partition] = offset
    return row


def _whole(record: dict[str, Any], name: str, limit: int) -> int:
    value = record.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < limit:
        raise ValueError(f"{name} must be a whole number from 0 to {limit - 1}")
    return value


def _timestamp_type(record: dict[str, Any]) -> int:
    kind = record.get("timestamp_type", 0)
    if kind not in (0, 1):
        raise ValueError("timestamp_type must be 0 (set by the producer) or 1 (set by the broker)")
    return kind


def _bytes(record: dict[str, Any], name: str) -> bytes | None:
    text, encoded = record.get(name), record.get(f"{name}_base64")
    if text is not None and encoded is not None:
        raise ValueError(f"{name} and {name}_base64 exclude each other")
    if encoded is not None:
        try:
            return base64.b64decode(encoded, validate=True)
        except (TypeError, ValueError, binascii.Error):
            raise ValueError(f"{name}_base64 must be base64") from None
    if text is not None and not isinstance(text, str):
        raise ValueError(f"{name} must be text or null")
    return None if text is None else text.encode("utf-8")


def _headers(given: object) -> list[dict[str, Any]] | None:
    pairs = list(given.items()) if isinstance(given, dict) else given
    if not pairs:
        return None
    headers = []
    for pair in pairs if isinstance(pairs, list) else [None]:
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not isinstance(pair[0], str):
            raise ValueError("headers must be a list of [name, text or null] or an object")
        if pair[1] is not None and not isinstance(pair[1], str):
            raise ValueError(f"header {pair[0]} must be text or null")
        value = None if pair[1] is None else pair[1].encode("utf-8")
        headers.append({"key": pair[0], "value": value})
    return headers
