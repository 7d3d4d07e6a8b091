"""Gold models for tables without one: their names, or why none is written."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ingestion.config.feeds import Config, Feed
from ingestion.gold_models.declared import declared_models, described_models
from ingestion.gold_models.model_files import (
    folder_of_models,
    model_names,
    names_in_use,
    tests_in,
    write,
)
from ingestion.gold_models.models import Model
from ingestion.gold_models.proposed import Place, Table
from ingestion.gold_models.source_tables import known_places, source_tables
from ingestion.progress import say

Owner = tuple[str, Place]


@dataclass(frozen=True)
class Missing:
    """A table without a model, with all tables of its feed."""

    feed: Feed
    table: Table
    tables_of_feed: list[Table]

    @property
    def owner(self) -> Owner:
        """Return what identifies the table among all: its feed and its names."""
        return self.feed.name, self.table.place


@dataclass(frozen=True)
class Outcome:
    """What became of a table without a model: the path of its new one, or why there is none."""

    missing: Missing
    path: Path | None
    remarks: tuple[str, ...]

    def show(self) -> None:
        """Show the outcome, with what a person should decide."""
        table = self.missing.table
        if self.path is None:
            say(f"{table}: {self.remarks[0]}")
        else:
            show_model(self.path, table, list(self.remarks))


def show_model(path: Path, table: Table, remarks: list[str]) -> None:
    """Show the model of a table and what a person should check."""
    say(f"{path}: {table}, {len(table.columns)} columns" + ("" if remarks else ", no remarks"))
    for remark in remarks:
        say(f"  {remark}")


def models_for_new_tables(config: Config, seen: set[Owner]) -> list[Path]:
    """Write the models that tables of feeds with `tables: auto` lack; return their paths.

    Silver must be built before, and the models are built after; silver is read without Spark.
    `seen` keeps the tables that were examined: a later call with it reads only new ones, and a
    table without a model is shown once. A folder that cannot be written is a UserError.
    """
    new = {
        (feed.name, place)
        for feed in config.feeds.values()
        if feed.tables == "auto"
        for place in known_places(config, feed)
    } - seen
    if not new:
        return []
    declared = declared_models(config.project_dir)
    missing = [
        table
        for name in sorted({name for name, _ in new})
        for table in missing_models(config, config.feeds[name], declared)
        if table.owner in new
    ]
    outcomes = write_models(config.project_dir, missing, declared)
    seen |= new
    for outcome in outcomes:
        outcome.show()
    return [outcome.path for outcome in outcomes if outcome.path]


def missing_models(config: Config, feed: Feed, declared: list[Model]) -> list[Missing]:
    """Return the tables of a feed that have no model and should have one."""
    tables = source_tables(config, feed)
    return [
        Missing(feed, table, tables)
        for table in tables
        if not feed.leaves_out(table.own_name)
        and not any(model.is_of(feed.name, table) for model in declared)
    ]


def write_models(project_dir: Path, tables: list[Missing], declared: list[Model]) -> list[Outcome]:
    """Write a model for each table, or return why not; no file that exists is changed."""
    if not tables:
        return []
    reasons = {one.owner: _why_none(one) for one in tables}
    possible = {
        one.owner: model_names(one.feed.name, one.table) for one in tables if not reasons[one.owner]
    }
    taken = names_in_use(project_dir) | {model.table for model in declared}
    described = {
        name: path.relative_to(project_dir)
        for name, (path, _) in described_models(project_dir).items()
    }
    chosen = choose_names(possible, taken)
    tests = tests_in(project_dir)
    folder = folder_of_models(project_dir)
    outcomes = []
    for one in tables:
        name = chosen.get(one.owner)
        path = folder / one.feed.name / f"{name}.sql"
        if name is None:
            reason = reasons[one.owner] or _why_unnamed(possible[one.owner])
            outcomes.append(Outcome(one, None, (reason,)))
        elif (project_dir / path).exists():
            outcomes.append(Outcome(one, None, (_why_kept(path),)))
        else:
            remarks = write(project_dir, path, one.feed.name, one.table, described.get(name), tests)
            outcomes.append(Outcome(one, path, (*remarks, *one.table.doubts())))
    return outcomes


def choose_names(possible: dict[Owner, list[str]], taken: set[str]) -> dict[Owner, str | None]:
    """Return the shortest name of each table that no file and no other table has, if any.

    Tables that would share a name all get longer ones, whatever their order.
    """
    tried = dict.fromkeys(possible, 0)
    while True:
        names = {
            owner: next(iter(possible[owner][number:]), None) for owner, number in tried.items()
        }
        counts = Counter(names.values())
        clashing = [
            owner for owner, name in names.items() if name and (name in taken or counts[name] > 1)
        ]
        if not clashing:
            return names
        for owner in clashing:
            tried[owner] += 1


def _why_none(missing: Missing) -> str | None:
    table = missing.table
    if others := table.others_under_its_names(missing.tables_of_feed):
        lacking = table.parts_that_others_name(others)
        return (
            f"its rows name no {lacking}, and those of {', '.join(map(str, others))} do. A model "
            f"without {lacking} holds them all, so none is written: write it by hand, and none for "
            "the others, if they are one table."
        )
    if table.key:
        return None
    named = ", ".join(table.key_beside_rows)
    why = f"rows name no key, other messages name {named}" if named else "messages name no key"
    return (
        f"its {why}. Name it under key_columns of the feed, then `python -m ingestion rebuild "
        f"{missing.feed.name}`, and generate again; if the table has none, write its model with "
        "current_rows (docs/gold/declare.md)."
    )


def _why_kept(path: Path) -> str:
    return (
        f"its model would be {path}, which is there and which dbt does not read, as below a link "
        "to a folder: move that file to where dbt reads it, or remove it."
    )


def _why_unnamed(names: list[str]) -> str:
    listed = ", ".join(names)
    if not names:
        return (
            "no model can be called like it, by letters from a to z, digits and underscores: write "
            "its model by hand, under a name of yours (docs/gold/declare.md)."
        )
    return (
        f"each name for its model is that of another model or of another table's: {listed}. "
        "Nothing was written over: write its model by hand, under a name of yours "
        "(docs/gold/declare.md)."
    )
