"""What happens in MariaDB and in MySQL, in the database `shop`."""

from tests.sources.mariadb import MariaDB
from tests.sources.mariadb_tables import (
    COMPOSITE,
    EMPTIED,
    EVERYTHING,
    KEYLESS,
    TABLES,
)
from tests.sources.tables import Table
from tests.sources.workload import LARGE_TRANSACTION, Dialect, Writer, script, written

# the widest unsigned number, as a key
LARGEST = 18446744073709551615
# zero dates and invalid labels are taken; a scan for a row must not lock the rows of other writers
SESSION = "set sql_mode = ''; set session transaction isolation level read committed; use shop;\n"
BEFORE = """
create database lost character set utf8mb4;
create table shop.marker (id bigint primary key, note text);
create table shop.signals (id varchar(64) primary key, type varchar(32) not null, data text);
create table lost.emptied (id int, v text, round int);
"""
# made while Canal runs, which learns of it by its CREATE TABLE; Maxwell would stop at it
LATE = """
create table shop.late (id int primary key, j json);
insert into shop.late values (1, '{"é": 1}'), (2, '"plain"'), (3, null);
"""
BEGINNINGS = {
    "altered": "id int primary key, a int, b varchar(20)",
    "rekeyed": "id int primary key, region varchar(10) not null, v text",
}


def create(table: Table, has_generated_columns: bool) -> str:
    """Return the statement that makes the table as it is before anything happens."""
    columns = table.columns if has_generated_columns else written(table)
    parts = [f"{column.name} {column.ddl}" for column in columns]
    if table.key:
        parts.append(f"primary key ({', '.join(table.key)})")
    if table.constraint:
        parts.append(table.constraint)
    return f"create table shop.{table.name} ({BEGINNINGS.get(table.name, ', '.join(parts))});"


def make_tables(database: MariaDB) -> None:
    tables = [create(table, database.has_generated_columns) for table in TABLES]
    database.run(BEFORE + "\n".join(tables))
    # Canal begins a little before the place it is told, but not in another file: the CREATE TABLEs are in the first
    database.run("flush binary logs;")


def fill(database: MariaDB, seed: str) -> None:
    """Write the rows that a snapshot finds."""
    writer = Writer(seed, database.dialect, "shop", 0)
    database.run(
        SESSION
        + writer.every_value(EVERYTHING, 100, "snapshot")
        + writer.every_value(EVERYTHING, LARGEST - 1, "snapshot").split(", (")[0].rstrip(";")
        + ";"
        + writer.put(COMPOSITE, list(range(1, 12)))
        + writer.put(EMPTIED, list(range(1, 12)))
        + "insert into altered values (1, 10, 'x'), (2, 20, 'y'), (3, null, null);"
        "insert into rekeyed values (1, 'north', 'a'), (2, 'south', 'b'), (3, 'north', 'c');"
        + "\n".join(writer.equal_rows(KEYLESS))
    )


def streams(seed: str, count: int, dialect: Dialect) -> list[str]:
    """Return the scripts of the writers that write at the same time."""
    scripts = []
    for number in (1, 2):
        writer = Writer(seed, dialect, "shop", number)
        told = list(writer.transactions([EVERYTHING, COMPOSITE], count))
        told += [writer.often(EVERYTHING), writer.often(COMPOSITE)]
        if number == 1:
            told.insert(0, writer.every_value(EVERYTHING, 200, "stream"))
            told.append(f"update shop.everything set c_int = 1 where id = {LARGEST};")
            told += truncate(writer)
            told.append(writer.large(COMPOSITE, LARGE_TRANSACTION))
        scripts.append("\n".join(told))
    writer = Writer(seed, dialect, "shop", 3)
    scripts.append("\n".join([*alter(), *rekey(), *writer.equal_rows(KEYLESS)]))
    return [SESSION + told for told in scripts]


def more(seed: str, count: int, dialect: Dialect) -> list[str]:
    """Return further scripts of the writers whose keys may come and go without an end."""
    told = []
    for number in (1, 2):
        writer = Writer(f"{seed} more", dialect, "shop", number, fresh=500_000)
        changes = [*writer.transactions([EVERYTHING, COMPOSITE], count)]
        if number == 1:
            changes += truncate(writer, times=(3, 4))
        told.append("\n".join([SESSION, *changes, writer.large(COMPOSITE, count)]))
    writer = Writer(f"{seed} more", dialect, "shop", 3)
    return [*told, "\n".join([SESSION, *writer.equal_rows(KEYLESS)])]


def truncate(writer: Writer, times: tuple[int, int] = (1, 2)) -> list[str]:
    """Empty a table twice, each time with rows before and after it."""
    name = writer.name(EMPTIED)
    # what a producer that skips TRUNCATE keeps
    remember = "insert into lost.emptied select id, v, {round} from shop.emptied;"
    return [
        writer.put(EMPTIED, [21, 22, 23]),
        remember.format(round=times[0]),
        f"truncate {name};",
        script([writer.put(EMPTIED, [1, 2, 31]), writer.put(EMPTIED, [41])]),
        remember.format(round=times[1]),
        f"truncate {name};",
        writer.put(EMPTIED, [2, 51, 52]),
        writer.change(EMPTIED, 51),
        writer.delete(EMPTIED, 52),
    ]


def alter() -> list[str]:
    return [
        "insert into altered values (4, 40, 'z');",
        "alter table altered add column c decimal(10,2) default 1.50 first;",
        "insert into altered (id, a, b) values (5, 50, 'w');",
        "update altered set b = 'y2' where id = 2;",
        "alter table altered change column a a2 bigint unsigned;",
        "update altered set a2 = 31 where id = 3;",
        "alter table altered modify column c decimal(12,3);",
        "update altered set a2 = 18446744073709551615, c = 1.125 where id = 4;",
        "alter table altered drop column b, add column d varchar(40);",
        "insert into altered (id, a2, d) values (6, 60, 'd');",
        # every row is told once more: gold keeps what the messages told, not what ALTER did to old rows
        "update altered set d = concat('d', id);",
        "delete from altered where id = 5;",
    ]


def rekey() -> list[str]:
    return [
        "update rekeyed set v = 'a2' where id = 1;",
        "alter table rekeyed drop primary key, add primary key (id, region);",
        "update rekeyed set v = 'b2' where id = 2;",
        "insert into rekeyed values (4, 'west', 'd');",
        "delete from rekeyed where id = 3;",
    ]
