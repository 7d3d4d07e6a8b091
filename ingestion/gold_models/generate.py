"""`python -m ingestion generate`: writes gold models for the tables of feeds.

It reads silver with delta-rs and DuckDB, as `report` does. A table that a gold model already
declares is compared with it, and the differences are shown: no file of the user is overwritten.
"""

import argparse
from pathlib import Path

from ingestion.config.feeds import Config, Feed, choose, read_config
from ingestion.errors import OK, SOURCE, UserError
from ingestion.gold_models.declared import declared_models
from ingestion.gold_models.model_differences import differences
from ingestion.gold_models.models import Model
from ingestion.gold_models.new_models import Missing, missing_models, show_model, write_models
from ingestion.gold_models.proposed import Table
from ingestion.gold_models.source_tables import known_places, source_tables
from ingestion.progress import say

# With more names than this, the shown command has no --select.
NAMED = 10


def add_parser(
    subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    """Describe the command line of `generate`."""
    parser = subparsers.add_parser(
        "generate", parents=[common], help="write gold models for a feed's tables"
    )
    parser.add_argument("feed", metavar="FEED", nargs="?")
    parser.add_argument(
        "tables", nargs="*", metavar="TABLE", help="only these, such as orders or shop.orders"
    )
    parser.add_argument(
        "--all", action="store_true", help="the tables without a model, of all feeds"
    )
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int:
    """Write a model and its YAML for each table without one; show what differs for the others."""
    config = read_config(args.project_dir)
    if args.all == bool(args.feed):
        raise UserError("generate writes the models of one feed, generate FEED, or of all, --all.")
    written = _of_all_feeds(config) if args.all else _of_feed(config, args.feed, args.tables)
    if written:
        names = f" --select {' '.join(path.stem for path in written)}"
        if len(written) > NAMED:
            names = ""
        # their tests look at what came before there were models
        say(f"Next: dbt build{names} --vars 'check_all_history: true'")
    return OK


def _of_feed(config: Config, name: str, names: list[str]) -> list[Path]:
    """Write the models that the feed lacks, of these tables or of all; compare those that exist."""
    feed = choose(config, [name])[0]
    every_table = source_tables(config, feed)
    if not every_table:
        raise UserError(
            f"Silver has no rows of feed {feed.name} yet: run `python -m ingestion load`, then "
            "`dbt run --select silver`.",
            SOURCE,
        )
    declared = declared_models(config.project_dir)
    missing = []
    for table in _chosen(feed, every_table, names):
        if model := next((one for one in declared if one.is_of(feed.name, table)), None):
            show_model(model.path, table, differences(model, table))
        elif not names and feed.leaves_out(table.own_name):
            say(f"{table}: left out, as leave_out of the feed says")
        else:
            missing.append(Missing(feed, table, every_table))
    return _written(config, missing, declared)


def _of_all_feeds(config: Config) -> list[Path]:
    """Write the models that every feed lacks; for tables that have one nothing is shown."""
    if not any(known_places(config, feed) for feed in config.feeds.values()):
        raise UserError(
            "Silver has no rows of any feed yet: run `python -m ingestion load`, then "
            "`dbt run --select silver`.",
            SOURCE,
        )
    declared = declared_models(config.project_dir)
    missing = [
        table for feed in config.feeds.values() for table in missing_models(config, feed, declared)
    ]
    written = _written(config, missing, declared)
    say(f"{len(missing)} tables had no model: {len(written)} have one now")
    return written


def _written(config: Config, missing: list[Missing], declared: list[Model]) -> list[Path]:
    outcomes = write_models(config.project_dir, missing, declared)
    for outcome in outcomes:
        outcome.show()
    return [outcome.path for outcome in outcomes if outcome.path]


def _chosen(feed: Feed, tables: list[Table], names: list[str]) -> list[Table]:
    for name in names:
        if not any(table.is_called(name) for table in tables):
            listed = ", ".join(str(table) for table in tables)
            raise UserError(f"Feed {feed.name} has sent no table {name}; it has: {listed}.")
    return [table for table in tables if not names or any(table.is_called(name) for name in names)]
