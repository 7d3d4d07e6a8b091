"""A feed's source database, read through Spark: read only, in sessions that are all alike."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from py4j.java_gateway import is_instance_of
from py4j.protocol import Py4JJavaError
from pyspark.errors.exceptions.captured import CapturedException
from pyspark.sql import DataFrame, SparkSession

from ingestion.config.feeds import Feed
from ingestion.config.secrets import resolve, scrub
from ingestion.errors import SOURCE, UserError
from ingestion.reconcile.dialects import DIALECTS, Dialect, identifier, literal

FETCHED_AT_ONCE = "1000"
# Only such texts are put into SQL without quotes.
HEX = re.compile(r"([0-9A-F]{2})*")
NUMBER = re.compile(r"-?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?")


@dataclass(frozen=True)
class Source:
    """A feed's database."""

    feed: Feed
    dialect: Dialect
    options: dict[str, str]


@dataclass(frozen=True)
class SourceTable:
    """A table of a source: its name in SQL, its columns' types, its primary key."""

    source: Source
    relation: str
    columns: dict[str, str]
    primary_key: tuple[str, ...]

    def text(self, column: str) -> str:
        """Return the expression of a column's exact text."""
        _, text = self.source.dialect.writing(self.columns[column])
        return text.format(identifier(column))

    def kind(self, column: str) -> str:
        """Return the kind of a column's text."""
        return self.source.dialect.writing(self.columns[column])[0]

    def ordered(self, column: str) -> str:
        """Return a column's expression that sorts as it compares with a literal."""
        as_text = self.columns[column] in self.source.dialect.ordered_as_text
        return self.text(column) if as_text else identifier(column)

    def literal(self, column: str, text: str) -> str:
        """Return the literal of a column's text, in the column's own type."""
        kind, dialect = self.kind(column), self.source.dialect
        if kind == "bytes" and HEX.fullmatch(text):
            return dialect.bytes_literal.format(text)
        is_plain = kind in dialect.plain and NUMBER.fullmatch(text)
        return text if is_plain else dialect.literal(text)


def spelled_as(declared: Iterable[str], table: SourceTable) -> SourceTable:
    """Return the table with columns in the declared spelling, where its database ignores case."""
    if not table.source.dialect.ignores_case:
        return table
    known = {name.lower(): name for name in declared}

    def spelled(name: str) -> str:
        return name if name in known.values() else known.get(name.lower(), name)

    columns = {spelled(name): kind for name, kind in table.columns.items()}
    return replace(table, columns=columns, primary_key=tuple(map(spelled, table.primary_key)))


def source_of(feed: Feed) -> Source:
    """Return the feed's database; its secrets come from the environment."""
    if not feed.source:
        raise UserError(
            f"Feed {feed.name} has no source: give it url, user and password under source "
            "(docs/reconcile.md)."
        )
    options = resolve(feed.name, feed.source, of="source")
    dialect = next(d for scheme, d in DIALECTS.items() if options["url"].startswith(scheme))
    # MariaDB's driver reads MySQL too, but only under its own scheme
    url = options["url"].replace("jdbc:mysql:", "jdbc:mariadb:", 1)
    return Source(feed, dialect, dialect.options | options | {"url": url})


def read(spark: SparkSession, source: Source, sql: str) -> DataFrame:
    """Return the rows of one statement; it runs once they are used."""
    options = source.options | {"fetchsize": FETCHED_AT_ONCE, "query": sql}
    return spark.read.format("jdbc").options(**options).load()


def rows(spark: SparkSession, source: Source, sql: str) -> list[tuple]:
    """Return all rows of a statement that gives few."""
    with asking(source):
        return [tuple(row) for row in read(spark, source, sql).collect()]


@contextmanager
def asking(source: Source) -> Iterator[None]:
    """Turn errors of the database or its driver into a sentence without secrets."""
    try:
        yield
    except (Py4JJavaError, CapturedException) as error:
        reason = _first_words(error)
        if reason is None:
            raise
        message, state = reason
        shown = scrub(message, source.feed.source).rstrip(".")
        # class 22 of SQL states: the data are wrong, the connection and the statement are right
        advice = (
            "A value of the table cannot be asked for as docs/reconcile.md says of its type: look "
            "for it at the source."
            if state.startswith("22")
            else "Check url, user and password under source, and what the user may read."
        )
        raise UserError(
            f"Feed {source.feed.name}: its source cannot be read: {shown}. {advice}", SOURCE
        ) from None


def _first_words(error: Py4JJavaError | CapturedException) -> tuple[str, str] | None:
    """Return the driver's message and its SQL state, or None if the driver raised no error."""
    cause = error.java_exception if isinstance(error, Py4JJavaError) else error._origin
    gateway = SparkSession.getActiveSession().sparkContext._gateway
    while cause is not None:
        if is_instance_of(gateway, cause, "java.sql.SQLException"):
            message = " ".join((cause.getMessage() or "no reason").split())[:300]
            return message, cause.getSQLState() or ""
        cause = cause.getCause()
    return None


def now(spark: SparkSession, source: Source) -> datetime:
    """Return the time of the source's clock, in UTC."""
    text = source.dialect.text.format("current_timestamp(6)")
    ((time,),) = rows(spark, source, f"select {text} as at")
    return datetime.fromisoformat(time).replace(tzinfo=None)


def find_table(
    spark: SparkSession, source: Source, schema: str | None, table: str
) -> SourceTable | None:
    """Return the table, or None where the user sees none of that name."""
    within = literal(schema) if schema else source.dialect.here
    columns = rows(
        spark,
        source,
        f"select column_name as name, {source.dialect.data_type} as kind"
        " from information_schema.columns"
        f" where table_schema = {within} and table_name = {literal(table)}",
    )
    if not columns:
        return None
    relation = ".".join(identifier(part) for part in (schema, table) if part)
    names = {"relation": literal(relation), "schema": within, "table": literal(table)}
    key = rows(spark, source, source.dialect.primary_key.format(**names))
    in_order = tuple(name for name, _ in sorted(key, key=lambda row: row[1]))
    return SourceTable(source, relation, dict(columns), in_order)
