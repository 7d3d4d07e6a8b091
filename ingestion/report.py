"""`python -m ingestion report`: what became of each feed's records, and what gold holds.

It reads the tables with delta-rs and DuckDB, as any other tool would: Spark need not run.
"""

import argparse
import os
import sys
from pathlib import Path

from deltalake import DeltaTable

from ingestion.bronze import table_path
from ingestion.config import Config, read_config, schema_name
from ingestion.errors import OK, SOURCE, UserError
from ingestion.progress import say
from ingestion.tables import query_table

TRY_NEXT = (
    'show --quiet --inline "select * from {gold}.{table} limit 5"',
    'show --quiet --inline "select topic, offset, error from {silver}.unknown_messages"',
    "docs generate",
)
RECORDS = """
    select feed, count(*) as records from messages group by feed order by feed
"""
OUTCOMES = """
    select
        operation,
        count(distinct (topic, topic_generation, "partition", "offset")) as records,
        count(*) as row_count
    from changes where feed = ? group by operation order by records desc, operation
"""


def add_parser(
    subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    """Describe the command line of `report`."""
    parser = subparsers.add_parser(
        "report", parents=[common], help="show feeds, their records and the gold tables"
    )
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int:
    """Show the report."""
    show(read_config(args.project_dir))
    return OK


def show(config: Config) -> None:
    """Print what came in, what became of it, what gold holds, and what to try next."""
    messages = table_path(config.bronze, "messages")
    if not DeltaTable.is_deltatable(messages):
        raise UserError("Nothing has been loaded yet: run `python -m ingestion load`.", SOURCE)
    gold = schema_name("gold")
    counted = dict(query_table(messages, "messages", ["feed"], RECORDS))
    say("\nRecords and what became of them")
    for name, feed in config.feeds.items():
        say(f"  {name} ({feed.format}): {counted.get(name, 0)} records")
        silver = config.tables_of("silver") / f"{feed.format}_changes"
        if silver.exists():
            say("    " + _outcomes(silver, name))
    say("\nGold")
    tables = sorted(log.parent for log in config.tables_of("gold").glob("*/_delta_log"))
    for table in tables:
        rows = DeltaTable(str(table)).to_pyarrow_dataset().count_rows()
        say(f"  {gold}.{table.name}: {rows} rows")
    if tables:
        say("\nTry next")
        dbt = os.path.relpath(Path(sys.executable).with_name("dbt"))
        names = {"gold": gold, "silver": schema_name("silver"), "table": tables[0].name}
        for command in TRY_NEXT:
            say(f"  {dbt} {command.format(**names)}")


def _outcomes(silver: Path, feed: str) -> str:
    columns = ["feed", "operation", "topic", "topic_generation", "partition", "offset"]
    found = query_table(silver, "changes", columns, OUTCOMES, [feed])
    return ", ".join(
        f"{records} {operation}" + (f" ({rows} rows)" if rows != records else "")
        for operation, records, rows in found
    )
