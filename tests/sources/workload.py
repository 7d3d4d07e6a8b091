"""The workload: transactions of a seed, each a script that either database understands in its own dialect."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tests.sources.tables import Table

# rows, with two and a half changes of each: more than Debezium takes at a time, which is 2,048
LARGE_TRANSACTION = 1_000


@dataclass(frozen=True)
class Dialect:
    """Where the two databases say the same in different words."""

    upsert: str
    excluded: str
    numbers: str
    # deletes one of equal rows
    delete_one: str

    def put(self, table: str, names: list[str], key: tuple[str, ...], rows: list[str]) -> str:
        """Return a statement of several rows that inserts what is new and replaces what is there."""
        told = ", ".join(f"{name} = {self.excluded.format(name=name)}" for name in names)
        end = self.upsert.format(key=", ".join(key))
        return f"insert into {table} ({', '.join(names)}) values {', '.join(rows)} {end} {told};"


POSTGRES = Dialect(
    upsert="on conflict ({key}) do update set",
    excluded="excluded.{name}",
    numbers="(select n from generate_series(1, {count}) as n) as numbers",
    delete_one="delete from {table} where ctid = (select min(ctid) from {table} where {where});",
)
MARIADB = Dialect(
    upsert="on duplicate key update",
    excluded="values({name})",
    numbers="(select seq as n from seq_1_to_{count}) as numbers",
    delete_one="delete from {table} where {where} limit 1;",
)
MYSQL = replace(
    MARIADB,
    numbers="(with recursive counted as (select 1 as n union all select n + 1 from counted"
    " where n < {count}) select n from counted) as numbers",
)


class Writer:
    """One of several that write at a time: it moves, swaps and rolls back rows whose keys are its own."""

    def __init__(
        self, seed: str, dialect: Dialect, schema: str, number: int, fresh: int = 0
    ) -> None:
        self.random = random.Random(f"{seed} {schema} {number}")
        self.dialect, self.schema, self.number = dialect, schema, number
        self.first, self.fresh = 1000 * number, fresh

    def name(self, table: Table) -> str:
        return f"{self.schema}.{table.name}"

    def key(self) -> int:
        return self.first + self.random.randrange(12)

    def shared_key(self) -> int:
        """A key that all writers write."""
        return 1 + self.random.randrange(12)

    def row(self, table: Table, key: int, nth: int | None = None, phase: str = "stream") -> str:
        """Return the literals of a row: of each column the nth value, or any, or NULL."""
        values = [self._value(table, column.name, key, nth, phase) for column in written(table)]
        return f"({', '.join(values)})"

    def _value(self, table: Table, name: str, key: int, nth: int | None, phase: str) -> str:
        values = table.column(name).values
        if name == mover(table):
            return f"'k{key}'" if name == "code" else str(key)
        if name == "phase":
            return f"'{phase}'"
        if not values:
            return f"'r{key % 3}'" if name in table.key else str(key % 100)
        return self.random.choice((*values, "null")) if nth is None else values[nth % len(values)]

    def every_value(self, table: Table, first: int, phase: str) -> str:
        """Return a statement whose rows hold every value of every column, and one of NULLs."""
        count = max(len(column.values) for column in table.columns)
        rows = [self.row(table, first + nth, nth, phase) for nth in range(count)]
        nulls = [self._null(table, column.name, first + count, phase) for column in written(table)]
        names = [column.name for column in written(table)]
        rows.append(f"({', '.join(nulls)})")
        return f"insert into {self.name(table)} ({', '.join(names)}) values {', '.join(rows)};"

    def _null(self, table: Table, name: str, key: int, phase: str) -> str:
        is_told = name in (*table.key, mover(table), "phase")
        return self._value(table, name, key, 0, phase) if is_told else "null"

    def insert(self, table: Table, keys: list[int]) -> str:
        rows = ", ".join(self.row(table, key) for key in keys)
        return f"insert into {self.name(table)} values {rows};"

    def put(self, table: Table, keys: list[int]) -> str:
        names = [column.name for column in written(table)]
        rows = [self.row(table, key) for key in sorted(set(keys))]
        return self.dialect.put(self.name(table), names, conflict(table), rows)

    def change(self, table: Table, key: int) -> str:
        """Return an update of some columns."""
        free = [column for column in written(table) if column.values]
        some = self.random.sample(free, min(len(free), 1 + self.random.randrange(3)))
        told = [f"{one.name} = {self.random.choice((*one.values, 'null'))}" for one in some]
        return self._update(table, told, f"{mover(table)} = {literal(table, key)}")

    def _update(self, table: Table, told: list[str], where: str) -> str:
        if any(column.name == "phase" for column in table.columns):
            told = [*told, "phase = 'stream'"]
        return f"update {self.name(table)} set {', '.join(told)} where {where};"

    def delete(self, table: Table, key: int) -> str:
        return f"delete from {self.name(table)} where {mover(table)} = {literal(table, key)};"

    def move(self, table: Table, old: int, new: int) -> str:
        column = mover(table)
        return self._update(
            table, [f"{column} = {literal(table, new)}"], f"{column} = {literal(table, old)}"
        )

    def swap(self, table: Table) -> list[str]:
        """Swap two keys through a third."""
        one, other = self.random.sample(range(self.first, self.first + 12), 2)
        aside = 900_000 + self.number
        steps = ((one, aside), (other, one), (aside, other))
        return [self.move(table, old, new) for old, new in steps]

    def move_away(self, table: Table) -> list[str]:
        self.fresh += 1
        return [self.move(table, self.key(), 1_000_000 * self.number + self.fresh)]

    def churn(self, table: Table) -> list[str]:
        """A key comes, changes, goes and comes back within one transaction."""
        key = self.key()
        return [
            self.put(table, [key]),
            self.change(table, key),
            self.delete(table, key),
            self.put(table, [key]),
        ]

    def often(self, table: Table) -> str:
        """One row in one transaction: it comes, changes, moves, comes back, goes and comes again, changing each time."""
        key, aside = self.first + 20, self.first + 21
        free = next(one for one in written(table) if one.values)

        def change(key: int, nth: int) -> str:
            told = [f"{free.name} = {free.values[nth % len(free.values)]}"]
            return self._update(table, told, f"{mover(table)} = {literal(table, key)}")

        return script(
            [
                self.put(table, [key]),
                *(change(key, nth) for nth in (0, 1)),
                self.move(table, key, aside),
                *(change(aside, nth) for nth in (0, 1)),
                self.move(table, aside, key),
                change(key, 0),
                self.delete(table, key),
                self.put(table, [key]),
                *(change(key, nth) for nth in (0, 1)),
            ]
        )

    def several(self, table: Table) -> list[str]:
        """A statement of several rows, and an update and a delete that meet several."""
        column = mover(table)
        between = f"{column} between {literal(table, self.first)} and {literal(table, self.key())}"
        free = next(one for one in written(table) if one.values)
        return [
            self.put(table, [self.key() for _ in range(6)]),
            self._update(table, [f"{free.name} = {self.random.choice(free.values)}"], between),
            f"delete from {self.name(table)} where {between} and {free.name} is null;",
        ]

    def transaction(self, table: Table) -> str:
        """Return a transaction on the writer's own keys, or a change of a row that all write."""
        kind = self.random.randrange(10)
        if kind < 2:
            key = self.shared_key()
            return self.random.choice(
                (self.put(table, [key]), self.change(table, key), self.delete(table, key))
            )
        make = (self.swap, self.move_away, self.churn, self.several)[kind % 4]
        told = make(table)
        if kind == 2:
            return script(told, end="rollback")
        if kind == 3:
            undone = ["savepoint s;", *self.churn(table), "rollback to savepoint s;"]
            return script([*told, *undone, self.put(table, [self.key()])])
        return script(told)

    def equal_rows(self, table: Table) -> list[str]:
        """Let rows of a table without a key come, change and go, equal ones among them."""
        name, (number, *others) = self.name(table), table.columns
        few = [
            ", ".join([one, *(self.random.choice((*free.values, "null")) for free in others)])
            for one in number.values
        ]
        rows = ", ".join(f"({self.random.choice(few)})" for _ in range(12))
        put = f"insert into {name} values {{rows}};".format
        where = [f"{number.name} = {value}" for value in number.values]
        free = others[0]
        return [
            put(rows=rows),
            f"update {name} set {free.name} = {free.values[-1]} where {where[0]};",
            put(rows=f"({few[1]}), ({few[1]}), ({few[2]})"),
            self.dialect.delete_one.format(table=name, where=where[1]),
            f"delete from {name} where {where[2]};",
            script([put(rows=f"({few[2]})"), put(rows=f"({few[2]})")]),
            script([f"delete from {name};"], end="rollback"),
            # rows of one transaction come, change, change back, go and come again
            script(
                [
                    put(rows=f"({few[1]})"),
                    f"update {name} set {number.name} = {number.values[2]} where {where[1]};",
                    f"update {name} set {number.name} = {number.values[1]} where {where[2]};",
                    f"delete from {name} where {where[1]};",
                    *([put(rows=f"({few[1]})")] * 2),
                    f"update {name} set {number.name} = {number.values[2]} where {where[1]};",
                    f"update {name} set {number.name} = {number.values[1]} where {where[2]};",
                ]
            ),
            # back and forth: a row that is equal to what it was
            f"update {name} set {number.name} = {number.values[2]} where {where[1]};",
            f"update {name} set {number.name} = {number.values[1]} where {where[2]};",
            self.dialect.delete_one.format(table=name, where=where[1]),
        ]

    def large(self, table: Table, count: int) -> str:
        """A transaction of many rows, most of which change and half of which go again."""
        column, first = mover(table), 50_000_000 + 1_000_000 * self.number
        names = [one.name for one in written(table)]
        values = {one: "null" for one in names} | dict.fromkeys(table.key, "'large'")
        values |= {column: f"{first} + n"}
        if "phase" in names:
            values["phase"] = "'stream'"
        told = ", ".join(values[one] for one in names)
        free = next(one for one in written(table) if one.values)
        beyond = f"{column} > {first} and {column} < {first + 1_000_000}"
        return script(
            [
                f"delete from {self.name(table)} where {beyond};",
                f"insert into {self.name(table)} ({', '.join(names)}) select {told}"
                f" from {self.dialect.numbers.format(count=count)};",
                self._update(table, [f"{free.name} = {free.values[-1]}"], beyond),
                f"delete from {self.name(table)} where {beyond} and {column} % 2 = 0;",
            ]
        )

    def transactions(self, tables: list[Table], count: int) -> Iterator[str]:
        for _ in range(count):
            yield self.transaction(self.random.choice(tables))


def script(statements: list[str], end: str = "commit") -> str:
    return "\n".join(["begin;", *statements, f"{end};"])


def written(table: Table) -> list:
    """The columns that statements name: those that the database does not make itself."""
    return [column for column in table.columns if " generated " not in column.ddl]


def mover(table: Table) -> str:
    """The column of the key by which rows are found, and which moves."""
    return "k1" if "k1" in table.key else table.key[0]


def conflict(table: Table) -> tuple[str, ...]:
    return table.key


def literal(table: Table, key: int) -> str:
    return f"'k{key}'" if mover(table) == "code" else str(key)
