"""`python -m ingestion inspect`: looks at records and proposes the feed that would read them."""

import argparse
import glob
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

from ingestion.config.arguments import positive
from ingestion.config.feeds import Config, Feed, read_config
from ingestion.config.formats import known_formats
from ingestion.errors import OK, SOURCE, UserError
from ingestion.files.loading import find_files
from ingestion.files.records import NO_PARTITION, Row, read_rows
from ingestion.kafka import brokers
from ingestion.kafka.consumer_options import consumer_options
from ingestion.progress import say
from ingestion.sniff.recognise import Candidates, candidates, mapping, read_document
from ingestion.spark.session import session

# So many lines show whether a file holds records: the first may be cut off.
LOOKED_AT = 100
TABLE_NAMES = (
    ("database", "db", "dbName"),
    ("schema", "schemaName", "schema-name"),
    ("table", "tableName", "table-name"),
)
# Fields in which a message carries the key of its table, in any format that does.
KEY_FIELDS = ("pkNames", "pks", "primaryKey", "pk", "primary_keys", "primary_key_columns")
# The formats that take a key from Kafka's, by key_source of seeds/formats.csv.
READ_FROM_KAFKA_KEY = frozenset(
    (
        *("debezium_avro", "debezium_json", "debezium_smt", "oms_debezium_smt", "ticdc_debezium"),
        *("flink_cdc_debezium", "dtle", "maxwell"),
    )
)
# ApsaraDB's hidden row number, the key of a table without one.
HIDDEN_KEY = "#alibaba_rds_row_id#"
# Where the columns of an image lie, in the formats that do not have them in the image itself.
WRAPPED_IMAGES = {"dataworks_v2": "data", "streamx": "dataColumn"}
# Formats that have the database of a source without schemas as its schema too.
DATABASE_AS_SCHEMA = frozenset(("cloudcanal_json", "debezium_cloudcanal"))
# Formats whose database names begin with a tenant, which key_columns leaves out.
OF_TENANTS = frozenset(("oms_debezium", "oms_debezium_flatten", "oms_shareplex"))


@dataclass
class Finding:
    """What all records show together."""

    records: int = 0
    silent: int = 0
    signs: Counter[Candidates] = field(default_factory=Counter)
    places: dict[Candidates, str] = field(default_factory=dict)
    keyless: dict[str, list[str]] = field(default_factory=dict)

    @property
    def formats(self) -> list[str]:
        """Return the formats that the most records can be of; several if they fit equally."""
        fits = {name: self.fitting(name) for signs in self.signs for name in signs}
        most = max(fits.values(), default=0)
        return sorted(name for name, count in fits.items() if count == most)

    def fitting(self, name: str) -> int:
        """Return how many records can be of a format."""
        return sum(count for signs, count in self.signs.items() if name in signs)

    def others(self) -> Iterator[tuple[Candidates, int]]:
        """Yield the signs of records that the proposed formats do not explain."""
        for signs, count in self.signs.most_common():
            if not signs.intersection(self.formats):
                yield signs, count


def add_parser(
    subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    """Describe the command line of `inspect`."""
    parser = subparsers.add_parser(
        "inspect", parents=[common], help="look at records and propose the feed's settings"
    )
    parser.add_argument("what", metavar="FILE_OR_TOPIC", help="a file, folder, pattern or topic")
    parser.add_argument(
        "--records", type=positive, default=10_000, metavar="N", help="look at so many (10000)"
    )
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int:
    """Look at the records and print a proposal."""
    config = read_config(args.project_dir)
    # what is there by this name is no pattern
    is_there = (config.project_dir / args.what).is_file()
    what = glob.escape(args.what) if is_there else args.what
    files = find_files(config.project_dir, [what])
    if files:
        lines = _kind_of_lines(files)
        rows = _rows_of_files(files, lines)
    elif re.search(r"[/*?]|\.(jsonl?|gz)$", args.what):
        raise UserError(f"There is no file {args.what}: name a file, a folder or a topic.", SOURCE)
    else:
        lines = None
        rows = _rows_of_topic(config, args.what, args.records)
    found = examine(islice(rows, args.records))
    known = {one.name: one.facts for one in known_formats(config.project_dir).values()}
    for line in describe(what, lines, found, known):
        say(line)
    return OK if found.formats else SOURCE


def examine(rows: Iterable[Row]) -> Finding:
    """Return what all records show together."""
    found = Finding()
    for row in rows:
        found.records += 1
        message = read_document(row["value"])
        signs = candidates(row["key"], row["value"], message)
        if signs is None:
            found.silent += 1
            continue
        found.signs[signs] += 1
        found.places.setdefault(signs, "{topic}, {partition}:{offset}".format(**row))
        if signs and message:
            has_key = row["key"] is not None and bool(signs & READ_FROM_KAFKA_KEY)
            table = _keyless_table(message, signs, row["topic"], has_key)
            if table:
                found.keyless.setdefault(*table)
    return found


def describe(
    what: str, lines: str | None, found: Finding, known: dict[str, dict[str, str]]
) -> Iterator[str]:
    """Yield the proposal, line by line."""
    formats = found.formats
    yield f"{what}: {found.records} records"
    if found.silent:
        yield f"  {found.silent} have no message that shows a format"
    if formats:
        yield f"  {found.fitting(formats[0])} look like {' or '.join(formats)}"
    for signs, count in found.others():
        named = " or ".join(sorted(signs)) or "no format known here"
        yield f"  {count} look like {named}, such as {found.places[signs]}"
    if not formats:
        yield (
            "No feed can be proposed: docs/formats/README.md lists what is read, and "
            "CONTRIBUTING.md says how a format is added."
        )
        return
    if len(formats) > 1:
        yield "\nThe messages fit each of these. Which is it?"
        yield from (f"  {name}: {_producer(name, known)}" for name in formats)
    yield "\nUnder vars.feeds of dbt_project.yml:\n"
    yield f"    {_feed_name(what)}:"
    yield f"      format: {formats[0]}{'  # or ' + ' or '.join(formats[1:]) if formats[1:] else ''}"
    yield f"      {'files' if lines else 'topics'}: {json.dumps([what])}"
    if lines == "messages":
        yield "      lines: messages"
    if found.keyless:
        yield "      key_columns:  # messages of these tables name no key"
        for table, columns in sorted(found.keyless.items()):
            yield f"        {_in_yaml(table)}: []  # which of {', '.join(columns)}?"
    for name in formats:
        if name in known:
            yield f"\n{name}"
            yield f"  keys: {known[name]['key_source']}"
            yield f"  order: {known[name]['order_guarantee']}"
            if known[name]["settings"]:
                yield f"  settings: {known[name]['settings']}"
        else:
            yield f"\n{name}: there is no macro for it yet (CONTRIBUTING.md, add a format)."


def _producer(name: str, known: dict[str, dict[str, str]]) -> str:
    return known[name]["producer"] if name in known else "not read yet"


def _in_yaml(text: str) -> str:
    """Return the text as a scalar, in quotes where YAML needs them."""
    in_list = yaml.safe_dump([text], default_flow_style=True, allow_unicode=True, width=10**6)
    return in_list.strip()[1:-1]


def _feed_name(what: str) -> str:
    stem = Path(what.rstrip("/*")).name.split(".jsonl")[0]
    return re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_0123456789") or "feed"


def _kind_of_lines(files: Iterable[tuple[str, Path]]) -> str:
    first = islice(_rows_of_files(files, "records"), LOOKED_AT)
    return "records" if any(row["partition"] != NO_PARTITION for row in first) else "messages"


def _rows_of_files(files: Iterable[tuple[str, Path]], lines: str) -> Iterator[Row]:
    for name, path in files:
        yield from read_rows(path, name, lines, {})


def _rows_of_topic(config: Config, topic: str, records: int) -> Iterator[Row]:
    """Yield the first records that the brokers hold, without landing them."""
    feed = Feed(name=topic, format="", topics=(topic,), kafka=config.kafka)
    spark = session(config.project_dir, brief=True)
    with brokers.admin_client(spark, feed) as client:
        brokers.feed_topics(spark, client, feed)
    options = consumer_options(feed) | {"subscribe": topic}
    with brokers.broker_errors(feed):
        stored = spark.read.format("kafka").options(**options).load()
        columns = ("topic", "partition", "offset", "key", "value")
        taken = stored.select(*columns).limit(records).collect()
    for row in taken:
        yield {
            name: bytes(cell) if isinstance(cell, bytearray) else cell
            for name, cell in row.asDict().items()
        }


def _keyless_table(
    message: dict[str, Any], signs: Candidates, topic: str, has_key: bool
) -> tuple[str, list[str]] | None:
    """Return the table and the columns of a change that carries no key."""
    if "qlik_replicate" in signs:
        message = mapping(message, "message") or message
    body = message["payload"] if isinstance(message.get("payload"), dict) else message
    schema = mapping(message, "schema")
    image = body.get("data") or body.get("after") or body.get("before")
    image = next(iter(image), None) if isinstance(image, list) else image
    wrapping = next((WRAPPED_IMAGES[name] for name in signs & WRAPPED_IMAGES.keys()), None)
    if wrapping and isinstance(image, dict):
        image = image.get(wrapping)
    named = [place[name] for place in (message, schema) for name in KEY_FIELDS if name in place]
    if not isinstance(image, dict) or any(named) or (not named and has_key):
        return None
    if HIDDEN_KEY in image:
        return None
    if "op" in mapping(message, "meta"):
        # SharePlex: an update has the rest of its row in `key`
        image = mapping(message, "key") | image
    path = [topic] if "qlik_replicate" in signs else _path_of_table(message, body, schema, signs)
    path = path[-2:] if signs & OF_TENANTS else path
    return (".".join(path), list(image)) if path else None


def _path_of_table(
    message: dict[str, Any], body: dict[str, Any], schema: dict[str, Any], signs: Candidates
) -> list[str]:
    """Return the names of a message's table, as far as it has them."""
    source = body.get("source") or schema.get("source") or message.get("metadata")
    place = source if isinstance(source, dict) else mapping(message, "meta") or message
    names = [next((place[name] for name in part if place.get(name)), None) for part in TABLE_NAMES]
    if signs & DATABASE_AS_SCHEMA and names[0] == names[1]:
        del names[1]
    joined = ".".join(name for name in names if isinstance(name, str))
    return joined.split(".") if joined else []
