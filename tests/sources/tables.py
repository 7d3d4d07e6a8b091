"""What a table of the workload is: columns with values to try, and how a value is compared."""

import base64
import json
import struct
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Form:
    """The canonical form of a value: SQL of the source, SQL of gold (DuckDB), and what makes both texts alike.

    `{c}` is the column. `limit` says why the form is not the plain one: what the producer or a setting loses.
    """

    source: str
    gold: str = "cast({c} as varchar)"
    alike: Callable[[str], object] = str
    limit: str | None = None


@dataclass(frozen=True)
class Column:
    name: str
    ddl: str
    # SQL literals; every one of them occurs in the snapshot and in the stream
    values: tuple[str, ...]
    form: Form
    # the type in gold models that are written by hand, where messages tell no types
    type: str = "string"


@dataclass(frozen=True)
class Table:
    name: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    # behind the columns in CREATE TABLE, and after it
    constraint: str = ""
    options: tuple[str, ...] = field(default=())

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)


def unscaled(text: str) -> int:
    """A number of four digits behind the point, or the base64 of it without the point."""
    if "." in text:
        return int(text.replace(".", ""))
    return int.from_bytes(base64.b64decode(text), "big", signed=True)


def number(text: str) -> float | str:
    """Doubles are alike if they are the same double; NaN is itself."""
    value = float(text)
    return "NaN" if value != value else value.hex()


def document(text: str) -> str:
    """JSON texts are alike if they hold the same values."""
    return json.dumps(json.loads(text), sort_keys=True)


def point(text: str) -> tuple[float, float]:
    """A point as text, or as Debezium's object whose parts must agree."""
    if text.startswith("("):
        x, y = text.strip("()").split(",")
        return float(x), float(y)
    told = json.loads(text)
    order, kind, x, y = struct.unpack("<BIdd", base64.b64decode(told["wkb"]))
    assert (order, kind, x, y, told["srid"]) == (1, 1, told["x"], told["y"], None), told
    return x, y
