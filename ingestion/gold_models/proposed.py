"""Source tables as silver knows them, and the columns that gold would declare of them."""

import re
from dataclasses import dataclass
from typing import Any

# catalog, database, schema and table, as in the messages
Place = tuple[str | None, str | None, str | None, str]
ARGUMENTS = ("catalog", "database", "schema", "table")
# What the feed's time_zone must declare.
ZONES = {
    "zoned_wall_clock": "written in the producer's zone, which the feed's time_zone must name",
    "instant_millis": "an instant made from a clock in the source's zone, which the feed's "
    "time_zone must name; timestamp_ntz or date where the source has no zone",
}
NO_TYPES = (
    "the messages carry no types: every column is string until you say otherwise, and what is not "
    "written as plain text the feed's encodings must name"
)
NO_ENCODINGS = (
    "string until you say otherwise, and the feed's encodings must name how they are written (text "
    "where it is plain), since neither the messages nor a document shows it"
)
# Names that macros/project/gold_models.sql lists as those of gold itself.
TAKEN = (
    *("_change", "_row_key", "_is_deleted", "_is_rebuilt", "_sequence", "_delete_sequence"),
    *("_base_sequence", "_column_sequences", "_topic", "_partition", "_changed_at"),
    *("_image", "_wires", "_decoded", "_places", "_copies", "_newest", "_copy_number"),
)


@dataclass(frozen=True)
class Column:
    """A column as in the latest messages; without a schema they carry its name only."""

    name: str
    source_type: str | None = None
    proposed_type: str | None = None
    comment: str | None = None
    # None: it is known neither from the messages nor from a document
    wire_encoding: str | None = "text"
    # the types of earlier messages, in their order
    earlier_types: tuple[str, ...] = ()
    # its times are in the producer's zone, which the feed does not declare
    lacks_zone: bool = False
    # its type does not show whether its wall clocks are followed by a zone
    may_name_zone: bool = False
    # its rows do not show their encoding, and the feed does not declare it
    lacks_encoding: bool = False

    @property
    def type(self) -> str:
        """Return the Spark type to declare."""
        return self.proposed_type or "string"

    @property
    def gold_name(self) -> str:
        """Return a name that Delta accepts and gold does not use itself."""
        name = re.sub(r"[ ,;{}()\n\t=]+", "_", self.name)
        return f"{name}_" if name.lower() in TAKEN else name

    def in_call(self) -> str:
        """Return its declaration as an entry of a model's argument `columns`."""
        if self.gold_name == self.name:
            return f"{self.name!r}: {self.type!r}"
        return f"{self.gold_name!r}: {{'type': {self.type!r}, 'source': {self.name!r}}}"

    def source_in_yaml(self) -> dict[str, Any]:
        """Return what its declaration in YAML says of its name in the messages."""
        if self.gold_name == self.name:
            return {}
        return {"config": {"meta": {"source": self.name}}}

    def under_another_name(self, owner: str) -> str:
        """Return what to do where gold has its name for the column `owner` already."""
        return (
            f"gold takes its name for that of {owner}; declare it under another name, with the "
            f"type {self.type} and the source {self.name!r}"
        )

    def doubt(self) -> str | None:
        """Return why a person should check the type, or None."""
        source_type = self.source_type or ""
        if self.lacks_encoding:
            return f"written as {self.wire_encoding}, which the feed's encodings must name"
        if self.wire_encoding == "encoded_list":
            return (
                "a list of encoded values, which is not decoded and would be a misfit: "
                "call it text in the feed's encodings to have it as the messages do"
            )
        if others := [
            earlier for earlier in dict.fromkeys(self.earlier_types) if earlier != self.type
        ]:
            return f"earlier messages say {', '.join(others)}: their rows may not fit"
        if self.type == "string" and re.match(r"(?i)dec|num|.*decimal", source_type):
            return "more than Spark's 38 digits, or no fixed scale: string keeps them all"
        if self.type == "string" and re.match(r"(?i)time\b|.*[.](Micro|Nano)?Time$", source_type):
            return "Spark has no type for a time of day"
        if self.lacks_zone:
            return ZONES[self.wire_encoding or ""]
        if self.may_name_zone:
            return "timestamp, if its texts name a zone, such as Asia/Shanghai"
        if re.match(r"(?i)tinyint\(1\)", source_type):
            return "boolean, if it holds nothing but 0 and 1"
        return None


@dataclass(frozen=True)
class Table:
    """A source table as silver knows it."""

    place: Place
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    # columns that earlier messages had and the latest have not
    gone: tuple[str, ...] = ()
    # what its rows show beside their columns
    remark: str | None = None
    # the key that messages beside its rows carry
    key_beside_rows: tuple[str, ...] = ()
    # its source takes names that differ in case only for one column
    ignores_case: bool = False

    def __str__(self) -> str:
        return ".".join(part for part in self.place if part)

    @property
    def own_name(self) -> str:
        """Return its name in the settings of feeds, without the catalog."""
        return ".".join(part for part in self.place[1:] if part)

    def is_called(self, name: str) -> bool:
        """Return whether a user means this table, with or without the names before its own."""
        return f".{self}".endswith(f".{name}")

    def others_under_its_names(self, tables: list["Table"]) -> list["Table"]:
        """Return the tables whose rows a model declared with this one's names would have too."""
        return [
            other
            for other in tables
            if other.place != self.place
            and all(mine in (None, its) for mine, its in zip(self.place, other.place, strict=True))
        ]

    def parts_that_others_name(self, others: list["Table"]) -> str:
        """Return which parts of the name those tables have and this one lacks."""
        return " and ".join(
            part
            for part, mine, *theirs in zip(
                ARGUMENTS, self.place, *(other.place for other in others), strict=True
            )
            if mine is None and any(theirs)
        )

    def columns_of_gold(self) -> list[Column]:
        """Return the columns; of those whose names Spark takes as equal, only one."""
        owners = self._owners()
        return [column for column in self.columns if owners[column.gold_name.lower()] is column]

    def _owners(self) -> dict[str, Column]:
        """Return one column for each name as Spark compares names: one of the key, or the first."""
        owners: dict[str, Column] = {}
        for column in sorted(self.columns, key=lambda column: column.name not in self.key):
            owners.setdefault(column.gold_name.lower(), column)
        return owners

    def doubts(self) -> list[str]:
        """Return what a person should decide, one line each."""
        remarks = [self.remark] if self.remark else []
        return [*remarks, *self._doubts_of_types(), *self._left_out()]

    def _doubts_of_types(self) -> list[str]:
        columns = self.columns_of_gold()
        without_type = [column.name for column in columns if column.source_type is None]
        if len(without_type) == len(columns):
            return [NO_TYPES]
        doubts = [
            f"{column.name} is {column.type} ({column.source_type}): {doubt}"
            for column in columns
            if (doubt := column.doubt())
        ]
        return (
            doubts
            + [
                f"{name} is string until you say otherwise: no message carries its type"
                for name in without_type
            ]
            + self._doubts_of_encodings(columns)
        )

    def _doubts_of_encodings(self, columns: list[Column]) -> list[str]:
        unknown = [column for column in columns if column.wire_encoding is None]
        listed = ", ".join(f"{column.name} ({column.source_type})" for column in unknown)
        return [f"{NO_ENCODINGS}: {listed}"] if unknown else []

    def _left_out(self) -> list[str]:
        owners = self._owners()
        collided = [
            f"{column.name} is left out: {column.under_another_name(owner.name)}"
            for column in self.columns
            if (owner := owners[column.gold_name.lower()]) is not column
        ]
        return collided + [
            f"{name} is left out: only earlier messages have it" for name in self.gone
        ]
