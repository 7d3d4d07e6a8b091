"""`python -m ingestion reconcile`: proves that gold equals its source, or shows what differs.

Rows are counted and compared by checksum, key range after key range; rows whose checksums differ
are read again. Tables are read by path: dbt may run at the same time.
"""

import argparse
import time

from pyspark.sql import SparkSession

from ingestion.config.arguments import positive, seconds_or_0
from ingestion.config.feeds import Config, choose, read_config
from ingestion.config.settings import nearest
from ingestion.errors import DIFFERENT, OK, UserError
from ingestion.gold_models.declared import declared_models
from ingestion.gold_models.models import Model
from ingestion.progress import say
from ingestion.reconcile.both_sides import Comparison, gold_table
from ingestion.reconcile.compare import Reading, compare_checksums, count_source
from ingestion.reconcile.comparisons import comparison_of
from ingestion.reconcile.completeness import complete_up_to
from ingestion.reconcile.differences import read_again
from ingestion.reconcile.one_row import compare_row
from ingestion.reconcile.sources import Source, now, source_of
from ingestion.spark.session import session


def add_parser(
    subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    """Describe the command line of `reconcile`."""
    parser = subparsers.add_parser(
        "reconcile", parents=[common], help="compare gold tables with the source database"
    )
    parser.add_argument("models", nargs="+", metavar="MODEL", help="gold models, such as orders")
    parser.add_argument(
        "--rows-per-piece", type=positive, default=50_000, metavar="N", help="default: 50000"
    )
    parser.add_argument(
        "--limit",
        type=positive,
        default=20,
        metavar="N",
        help="read again and show at most so many differing rows; default: 20",
    )
    parser.add_argument(
        "--settle",
        type=seconds_or_0,
        default=0.0,
        metavar="SECONDS",
        help="wait before differing rows are read again, so that gold can follow",
    )
    parser.add_argument(
        "--key",
        nargs="+",
        metavar="VALUE",
        help="compare one row of one model: the values of its key, in the model's order",
    )
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int:
    """Compare one gold table after the other."""
    config = read_config(args.project_dir)
    chosen = [
        (model, source_of(choose(config, [model.feed])[0]))
        for model in _chosen(declared_models(config.project_dir), args.models)
    ]
    if args.key:
        _check_key(args.key, [model for model, _ in chosen])
    spark = session(config.project_dir)
    # as in dbt: a value that does not fit is no error
    spark.conf.set("spark.sql.ansi.enabled", "false")
    equal = [_is_equal(spark, config, model, source, args) for model, source in chosen]
    return OK if all(equal) else DIFFERENT


def _chosen(declared: list[Model], names: list[str]) -> list[Model]:
    models = {model.name: model for model in declared if model.key}
    for name in names:
        if name not in models:
            raise UserError(
                f"There is no gold model {name}{nearest(name, models)}: the models with a key are "
                f"{', '.join(models) or 'none'}."
            )
        if any(isinstance(part, dict) for part in models[name].place):
            raise UserError(f"{name} has many source tables: reconcile compares one with one.")
    return [models[name] for name in names]


def _check_key(values: list[str], models: list[Model]) -> None:
    if len(models) > 1:
        raise UserError("--key is the key of one row: name one model.")
    (model,) = models
    if len(values) != len(model.key):
        raise UserError(
            f"--key has {len(values)} values, and the key of {model.name} has {len(model.key)}: "
            f"{', '.join(model.key)}."
        )


def _is_equal(
    spark: SparkSession, config: Config, model: Model, source: Source, args: argparse.Namespace
) -> bool:
    """Compare one table, show the result, and return whether nothing differs."""
    compared = comparison_of(spark, config, model, source)
    say(f"{model.name}: {len(compared.columns)} columns of {compared.table.relation}")
    for name in sorted(set(model.columns) - {column.source_name for column in compared.columns}):
        say(f"  {name} is not compared: it is gone at the source, or a geometry")
    started = now(spark, source)
    if args.key:
        values = dict(zip(model.key, args.key, strict=True))
        first = compare_row(compared, tuple(values[column.source_name] for column in compared.key))
    else:
        first = _compare_all(compared, config, args)
    ended = now(spark, source)
    if first.differing:
        time.sleep(args.settle)
    # asked before gold is read again, so that gold is complete at least up to this
    complete = complete_up_to(spark, config, source.feed, model)
    again = read_again(compared, first)
    for line in again.lines:
        say(f"  {model.name} {line}")
    known = f"gold is complete up to {complete}" if complete else "gold shows no time"
    say(f"  the source was read from {started} to {ended}, {known} (UTC)")
    if again.settled or again.changing:
        say(
            f"  in flight: {again.settled:,} equal now, {again.changing:,} changed at the source "
            "meanwhile and not judged"
        )
    left = first.differing - again.settled - again.changing
    # differing rows that were not read again may have been read before gold was complete
    is_complete = len(first.first) == first.differing and complete is not None
    nothing = "nothing is compared: neither side has a row of this key"
    say("  " + (nothing if first.is_nowhere else _verdict(left, is_complete and complete > ended)))
    return not left


def _compare_all(compared: Comparison, config: Config, args: argparse.Namespace) -> Reading:
    """Compare all rows, and show how many there are and how many differ."""
    gold = gold_table(compared)
    say(f"  rows: {count_source(compared):,} at the source, {gold.count():,} in gold")
    first = compare_checksums(compared, gold, args.rows_per_piece, args.limit, config.lakehouse)
    say(
        f"  key ranges: {first.ranges:,}; checksums that differ: {first.differing:,} "
        f"({first.only_at_source:,} only at the source, {first.only_in_gold:,} only in gold)"
    )
    return first


def _verdict(differing: int, is_past_reading: bool) -> str:
    if not differing:
        return "equal"
    if is_past_reading:
        return f"different rows: {differing:,}; no change in flight explains them"
    return (
        f"different rows: {differing:,}; changes may be in flight: load, `dbt run`, compare again"
    )
