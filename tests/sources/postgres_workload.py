"""What happens in PostgreSQL: the same in schema `public` and, with REPLICA IDENTITY FULL, in schema `whole`."""

from tests.sources.postgres import Postgres
from tests.sources.postgres_tables import (
    COMPOSITE,
    DOCUMENTS,
    EMPTIED,
    EVERYTHING,
    INDEXED,
    KEYLESS,
    TABLES,
    UNCHANGED,
)
from tests.sources.releases import POSTGRES_RELEASE
from tests.sources.tables import Table
from tests.sources.workload import LARGE_TRANSACTION, POSTGRES, Writer, script

WHOLE = (EVERYTHING, DOCUMENTS, COMPOSITE, EMPTIED, KEYLESS)
MOVING = [EVERYTHING, DOCUMENTS, COMPOSITE, INDEXED]
BEFORE = """
create extension hstore;
create type mood as enum ('sad', 'happy, very', '');
create domain positive as int check (value > 0);
create schema whole;
create schema lost;
create table public.marker (id bigint primary key, note text);
create table public."Odd Näme" ("Ünï key" int primary key, "with.dot" text, "quo""te" text);
insert into public."Odd Näme" values (1, 'snapshot', null);
create table public."Zoë" (id int primary key);
insert into public."Zoë" values (1);
create table public.signals (id varchar(64) primary key, type varchar(32) not null, data text);
"""
# what stands in columns and key at the end is reached by ALTER TABLE
BEGINNINGS = {
    "altered": "id int primary key, a int, b varchar(20)",
    "rekeyed": "id int primary key, region varchar(10) not null, v text",
    "indexed": "id int, code text not null, v numeric(12,4)",
}
AFTER = """
create unique index indexed_code on public.indexed (code);
alter table public.indexed replica identity using index indexed_code;
create table lost.emptied (id int, v text, round int);
create publication everything for tables in schema public, whole{options};
"""
# otherwise 18 refuses changes of a table whose identity holds a generated column
PUBLICATION_OPTIONS = (
    " with (publish_generated_columns = stored)" if POSTGRES_RELEASE == "18" else ""
)


def create(schema: str, table: Table) -> str:
    """Return the statements that make the table as it is before anything happens."""
    columns = [f"{column.name} {column.ddl}" for column in table.columns]
    if table.key:
        columns.append(f"primary key ({', '.join(table.key)})")
    body = BEGINNINGS.get(table.name, ", ".join(columns))
    options = [*table.options, *(["replica identity full"] if schema == "whole" else [])]
    altered = [f"alter table {schema}.{table.name} {option};" for option in options]
    return "\n".join([f"create table {schema}.{table.name} ({body});", *altered])


def set_up(database: Postgres, seed: str) -> None:
    """Make the tables, and the rows that a snapshot finds."""
    tables = [("public", table) for table in TABLES] + [("whole", table) for table in WHOLE]
    script_of_tables = "\n".join(create(schema, table) for schema, table in tables)
    database.run(BEFORE + script_of_tables + AFTER.format(options=PUBLICATION_OPTIONS))
    for schema in ("public", "whole"):
        writer = Writer(seed, POSTGRES, schema, 0)
        database.run(writer.every_value(EVERYTHING, 100, "snapshot"))
        for table in (DOCUMENTS, COMPOSITE, EMPTIED):
            database.run(writer.put(table, list(range(1, 12))))
        database.run("\n".join(writer.equal_rows(KEYLESS)))
    writer = Writer(seed, POSTGRES, "public", 0)
    database.run(writer.put(INDEXED, list(range(1, 12))))
    database.run(writer.insert(UNCHANGED, list(range(1, 12))))
    database.run(
        "insert into public.altered values (1, 10, 'x'), (2, 20, 'y'), (3, null, null);"
        "insert into public.rekeyed values (1, 'north', 'a'), (2, 'south', 'b'), (3, 'north', 'c');"
    )


def streams(seed: str, count: int) -> list[str]:
    """Return the scripts of the writers that write at the same time."""
    scripts = []
    for schema in ("public", "whole"):
        tables = MOVING if schema == "public" else [EVERYTHING, DOCUMENTS, COMPOSITE]
        for number in (1, 2):
            writer = Writer(seed, POSTGRES, schema, number)
            told = [*writer.transactions(tables, count), *map(writer.often, tables)]
            if number == 1:
                told.insert(0, writer.every_value(EVERYTHING, 200, "stream"))
                told += truncate(writer)
                told.append(writer.large(COMPOSITE, LARGE_TRANSACTION))
            scripts.append("\n".join(told))
        scripts.append("\n".join(Writer(seed, POSTGRES, schema, 3).equal_rows(KEYLESS)))
    scripts.append(
        """insert into public."Odd Näme" values (2, 'stream', null);
        update public."Odd Näme" set "with.dot" = 'x.y' where "Ünï key" = 1;
        insert into public."Zoë" values (2);"""
    )
    # COPY writes equal rows at one position of the log
    scripts.append("copy public.keyless (b) from stdin;\n" + "copied\n" * 3 + "\\.\n")
    writer = Writer(seed, POSTGRES, "public", 3)
    scripts.append("\n".join([*alter(), *rekey(), writer.insert(UNCHANGED, [50, 51])]))
    return scripts


def more(seed: str, count: int) -> list[str]:
    """Return further scripts of the writers whose keys may come and go without an end."""
    told = []
    for schema, tables in (("public", MOVING), ("whole", [EVERYTHING, DOCUMENTS, COMPOSITE])):
        for number in (1, 2):
            writer = Writer(f"{seed} more", POSTGRES, schema, number, fresh=500_000)
            changes = [*writer.transactions(tables, count), writer.large(COMPOSITE, count)]
            if number == 1:
                changes += truncate(writer, times=(3, 4))
            told.append("\n".join(changes))
        told.append("\n".join(Writer(f"{seed} more", POSTGRES, schema, 3).equal_rows(KEYLESS)))
    return told


def unseen(seed: str) -> list[str]:
    """Return changes that only a new snapshot tells: it has no rows that were deleted."""
    writer = Writer(f"{seed} unseen", POSTGRES, "public", 0)
    return [
        writer.put(INDEXED, [1, 2, 3, 13]),
        writer.delete(INDEXED, 1),
        writer.delete(INDEXED, 2),
        writer.move(INDEXED, 3, 14),
        *writer.equal_rows(KEYLESS),
    ]


def truncate(writer: Writer, times: tuple[int, int] = (1, 2)) -> list[str]:
    """Empty a table twice: alone, and amid other changes of a transaction."""
    name = writer.name(EMPTIED)
    # what a producer that skips TRUNCATE keeps
    first, second = (
        [f"insert into lost.emptied select id, v, {number} from {name};"]
        * (writer.schema == "public")
        for number in times
    )
    return [
        writer.put(EMPTIED, [21, 22, 23]),
        script([*first, f"truncate {name};"]),
        writer.put(EMPTIED, [1, 2, 31]),
        script(
            [
                writer.put(EMPTIED, [41]),
                *second,
                f"truncate {name};",
                writer.put(EMPTIED, [2, 51, 52]),
            ]
        ),
        writer.change(EMPTIED, 51),
        writer.delete(EMPTIED, 52),
    ]


def alter() -> list[str]:
    return [
        "insert into public.altered values (4, 40, 'z');",
        "alter table public.altered add column c numeric(10,2) default 1.50;",
        "insert into public.altered values (5, 50, 'w', 2.25);",
        "update public.altered set b = 'y2' where id = 2;",
        "alter table public.altered rename column a to a2;",
        "update public.altered set a2 = 31 where id = 3;",
        "alter table public.altered alter a2 type bigint, alter c type numeric(12,3);",
        "update public.altered set a2 = 9223372036854775807, c = 1.125 where id = 4;",
        "alter table public.altered drop column b, add column d varchar(40);",
        "insert into public.altered values (6, 60, null, 'd');",
        # every row is told once more: PostgreSQL sends no DDL, and its old rows have other columns
        "update public.altered set d = concat('d', id);",
        "delete from public.altered where id = 5;",
    ]


def rekey() -> list[str]:
    return [
        "update public.rekeyed set v = 'a2' where id = 1;",
        "alter table public.rekeyed drop constraint rekeyed_pkey, add primary key (id, region);",
        "update public.rekeyed set v = 'b2' where id = 2;",
        "insert into public.rekeyed values (4, 'west', 'd');",
        "delete from public.rekeyed where id = 3;",
    ]
