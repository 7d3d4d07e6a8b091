"""`python -m ingestion schemas`: fetches the Avro schemas that a feed's records use.

The request is the one that Confluent documents: GET /schemas/ids/<number>. If the registry wants a
user and password, the environment variable SCHEMA_REGISTRY_AUTH has them as `user:password`.
"""

import argparse
import base64
import http.client
import json
import os
import urllib.error
import urllib.request
from pathlib import Path

from pyspark.sql import SparkSession

from ingestion.bronze.tables import create_tables
from ingestion.config.feeds import choose, read_config
from ingestion.errors import OK, SOURCE, UserError
from ingestion.local_files import replace_file
from ingestion.progress import say
from ingestion.spark.session import session

SECONDS = 20


def add_parser(
    subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    """Describe the command line of `schemas`."""
    parser = subparsers.add_parser(
        "schemas", parents=[common], help="fetch a feed's Avro schemas from their registry"
    )
    parser.add_argument("feed", metavar="FEED", help="a feed of debezium_avro")
    parser.add_argument("--registry", metavar="URL", required=True, help="such as http://host:8081")
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int:
    """Write a file for every schema that the landed records use and that has none yet."""
    config = read_config(args.project_dir)
    feed = choose(config, [args.feed])[0]
    if feed.format != "debezium_avro":
        raise UserError(
            f"Feed {feed.name}: records of {feed.format} name no schema of a registry; those of "
            "debezium_avro do."
        )
    registry = _address(args.registry)
    folder = config.project_dir / str(feed.meaning["avro_schemas"])
    spark = session(config.project_dir, brief=True)
    create_tables(spark, config.bronze)
    numbers = named_schemas(spark, config.bronze, feed.name)
    missing = [number for number in numbers if not (folder / f"{number}.avsc").exists()]
    for number in missing:
        write_schema(folder, number, fetch(registry, number))
        say(f"{feed.name}: schema {number} written to {folder / f'{number}.avsc'}")
    say(f"{feed.name}: {len(numbers)} schemas named by its records, {len(missing)} of them new")
    if missing:
        say(f"Records that waited for them: `python -m ingestion reparse {feed.name} --unknown`")
    return OK


def _address(registry: str) -> str:
    # one with a password is never shown
    if "@" in registry:
        raise UserError(
            "--registry must hold no user and no password: give the address alone, and export "
            "SCHEMA_REGISTRY_AUTH as user:password."
        )
    if not registry.startswith(("http://", "https://")):
        raise UserError(
            f"--registry must be an address such as http://host:8081, but it is {registry}."
        )
    return registry.rstrip("/")


def named_schemas(spark: SparkSession, bronze: str, feed: str) -> list[int]:
    """Return the schema numbers that follow the zero byte at the start of a key or value."""
    messages = spark.read.format("delta").load(f"{bronze}/messages").where(f"feed = '{feed}'")
    headers = messages.selectExpr("explode(array(key, value)) as content").where(
        "length(content) >= 5 and substring(content, 1, 1) = X'00'"
    )
    numbers = headers.selectExpr(
        "cast(conv(hex(substring(content, 2, 4)), 16, 10) as bigint) as number"
    )
    return sorted(row.number for row in numbers.distinct().collect())


def fetch(registry: str, number: int) -> dict[str, object]:
    """Return the registry's answer about a schema; a UserError says why there is none."""
    request = urllib.request.Request(f"{registry}/schemas/ids/{number}")
    if authority := os.environ.get("SCHEMA_REGISTRY_AUTH"):
        coded = base64.b64encode(authority.encode()).decode()
        # another host, to which the registry redirects, gets no password
        request.add_unredirected_header("Authorization", f"Basic {coded}")
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            registered = json.loads(answer.read())
    except urllib.error.HTTPError as error:
        is_elsewhere = error.url != request.full_url
        why = _why_refused(registry, number, error.code, is_elsewhere)
        raise UserError(why, SOURCE) from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        # the text of such an error may be any bytes
        is_no_http = isinstance(error, http.client.HTTPException)
        reason = type(error).__name__ if is_no_http else error
        raise UserError(
            f"The registry {registry} gives no schema {number} ({reason}): check the address and "
            "that this machine reaches it.",
            SOURCE,
        ) from None
    if not isinstance(registered, dict) or not isinstance(registered.get("schema"), str):
        raise UserError(
            f"{registry} answers about schema {number}, but not as a schema registry: check the "
            "address.",
            SOURCE,
        )
    return registered


def write_schema(folder: Path, number: int, registered: dict[str, object]) -> None:
    """Write the schema's text where dbt reads it, if Spark can decode records with it."""
    kind = registered.get("schemaType", "AVRO")
    if kind != "AVRO":
        raise UserError(f"Schema {number} is {kind}, not Avro: such records cannot be read.")
    if registered.get("references"):
        raise UserError(
            f"Schema {number} refers to other subjects: put its whole text, with theirs in it, "
            f"into {folder / f'{number}.avsc'}."
        )
    replace_file(folder / f"{number}.avsc", str(registered["schema"]).encode())


def _why_refused(registry: str, number: int, code: int, is_elsewhere: bool) -> str:
    if code == 404:
        return (
            f"The registry {registry} has no schema {number}, which records name: give the address "
            "of the registry that their producer uses."
        )
    if code in (401, 403) and is_elsewhere:
        return (
            f"The registry {registry} redirects to an address that wants a user ({code}), which "
            "is sent to none but the registry's own: give that address."
        )
    if code in (401, 403):
        return (
            f"The registry {registry} refuses the user ({code}): export SCHEMA_REGISTRY_AUTH as "
            "user:password and run again."
        )
    return f"The registry {registry} answers {code} about schema {number}: try again later."
