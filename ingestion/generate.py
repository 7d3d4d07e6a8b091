"""`python -m ingestion generate`: writes gold models for the tables that a feed brings.

It reads silver with delta-rs and DuckDB, as `report` does. A table that a gold model declares
already is compared with it, and the differences are told: nothing of the user's is overwritten.
"""

import argparse
from pathlib import Path

from ingestion.config import Feed, choose, read_config
from ingestion.errors import OK, SOURCE, UserError
from ingestion.gold_models import Table, declared_models, differences, model_name, write
from ingestion.progress import say
from ingestion.source_tables import source_tables


def add_parser(
    subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    """Describe the command line of `generate`."""
    parser = subparsers.add_parser(
        "generate", parents=[common], help="write gold models for a feed's tables"
    )
    parser.add_argument("feed", metavar="FEED")
    parser.add_argument(
        "tables", nargs="*", metavar="TABLE", help="only these, such as orders or shop.orders"
    )
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int:
    """Write a model and its YAML for each table without one; tell what differs for the others."""
    config = read_config(args.project_dir)
    feed = choose(config, [args.feed])[0]
    every_table = source_tables(config, feed)
    tables = _chosen(feed, every_table, args.tables)
    declared = declared_models(config.project_dir)
    written: list[str] = []
    for table in tables:
        known = next((model for model in declared if model.is_of(feed.name, table)), None)
        if known is not None:
            _tell(known.path, table, differences(known, table))
        elif others := table.others_under_its_names(every_table):
            lacking = table.parts_that_others_name(others)
            say(
                f"{table}: its rows name no {lacking}, and those of {', '.join(map(str, others))} "
                f"do. A model without {lacking} holds them all, so none is written: write it by "
                "hand, and none for the others, if they are one table."
            )
        elif not table.key:
            named = ", ".join(table.key_beside_rows)
            told = (
                f"rows name no key, other messages name {named}"
                if named
                else "messages name no key"
            )
            say(
                f"{table}: its {told}. Name it under key_columns of the feed, then "
                f"`python -m ingestion rebuild {feed.name}`, and generate again; if the table has "
                "none, write its model with current_rows (docs/gold/declare.md)."
            )
        else:
            name = model_name(config.project_dir, feed.name, table)
            path, remarks = write(config.project_dir, feed.name, name, table)
            written.append(name)
            _tell(path, table, remarks + table.doubts())
    if written:
        say(f"Next: dbt build --select {' '.join(written)}")
    return OK


def _tell(path: Path, table: Table, remarks: list[str]) -> None:
    say(f"{path}: {table}, {len(table.columns)} columns" + ("" if remarks else ", no remarks"))
    for remark in remarks:
        say(f"  {remark}")


def _chosen(feed: Feed, tables: list[Table], names: list[str]) -> list[Table]:
    if not tables:
        raise UserError(
            f"Silver has no rows of feed {feed.name} yet: run `python -m ingestion load`, then "
            "`dbt run --select silver`.",
            SOURCE,
        )
    for name in names:
        if not any(table.is_called(name) for table in tables):
            listed = ", ".join(str(table) for table in tables)
            raise UserError(f"Feed {feed.name} has brought no table {name}; it has: {listed}.")
    return [table for table in tables if not names or any(table.is_called(name) for name in names)]
