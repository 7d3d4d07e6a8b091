"""One text per value, the same for a source's text and for gold's value if they are equal.

A source's text becomes a value as a message's text does in gold: macros/values/typed.sql makes the
value, or finds that it does not fit. All functions return expressions of Spark SQL.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace

from ingestion.config.project_files import project_files
from ingestion.dbt.macros import macros_of

# A text without zeros at the end of its fraction.
SHORT = r"rtrim('.', regexp_replace({0}, r'(\.\d*?)0+$', '$1'))"
WALL_CLOCK = SHORT.format("rtrim('Z', translate({0}, 'T', ' '))")
# One text for all that mean the same; {0} is the text, {1} the instant that it means.
SAME_MEANING = {
    # some messages of a numeric without scale lack zeros at its end; ZEROFILL adds some in front
    "number": rf"regexp_replace({SHORT}, r'^(-?)0+(?=\d)', '$1')",
    "float": "coalesce(cast(try_cast({0} as float) as string), {0})",
    "double": "coalesce(cast(try_cast({0} as double) as string), {0})",
    "time": SHORT.format("rtrim('Z', {0})"),
    "wall_clock": WALL_CLOCK,
    "instant": f"coalesce(cast({{1}} as string), {WALL_CLOCK})",
    "json": "coalesce(to_json(try_parse_json({0})), {0})",
}
# 0044-03-15 BC is the year -0043.
WITHOUT_BC = (
    "if({0} like '% BC', concat("
    "format_string('-%04d', cast(substring_index({0}, '-', 1) as int) - 1),"
    " substring({0}, 5, length({0}) - 7)), {0})"
)
# Texts that PostgreSQL writes otherwise than its messages.
REWRITTEN = {"bits": "conv({0}, 2, 10)", "wall_clock": WITHOUT_BC, "instant": WITHOUT_BC}


@dataclass(frozen=True)
class Forms:
    """The expressions of a project: its typing rules, its feed's time zone."""

    project_dir: Path
    time_zone: str

    @cached_property
    def typing(self) -> SimpleNamespace:
        """Return the macros that make values from texts."""
        typing = project_files(self.project_dir) / "macros" / "values" / "typed.sql"
        text = typing.read_text(encoding="utf-8")
        return macros_of(text)

    def of_source(self, text: str, kind: str, type_text: str) -> str:
        """Return the form of a source's text, for a column that gold declares with this type."""
        zone = "UTC" if kind == "instant" else self.time_zone
        written = REWRITTEN.get(kind, "{0}").format(text)
        declared = type_text.lower().strip()
        as_text = self._as_text(written, kind, zone)
        if declared == "string":
            return as_text
        value = self.typing.typed(written, type_text, zone)
        is_misfit = self.typing.does_not_fit(written, f"({value}) is null", f"'{declared}'")
        return f"if({is_misfit}, {as_text}, {_value_as_text(value, kind, declared)})"

    def of_gold(self, column: str, kind: str, type_text: str) -> str:
        """Return the form of gold's value, or of the text of a misfit."""
        declared = type_text.lower().strip()
        value = f"`{column.replace('`', '``')}`"
        if declared == "string":
            return self._as_text(value, kind, self.time_zone)
        name = column.replace("\\", "\\\\").replace("'", "\\'")
        misfit = f"filter(_change.misfits, misfit -> misfit.column_name = '{name}')"
        text = self._as_text(f"get({misfit}, 0).value", kind, self.time_zone)
        return f"coalesce({text}, {_value_as_text(value, kind, declared)})"

    def _as_text(self, text: str, kind: str, zone: str) -> str:
        instant = self.typing.typed(text, "timestamp", zone)
        return SAME_MEANING.get(kind, "{0}").format(text, instant)


def _value_as_text(value: str, kind: str, declared: str) -> str:
    if declared == "binary":
        return f"hex({value})"
    if declared.startswith("array<"):
        return f"to_json({value})"
    if kind == "float":
        # gold may hold the nearest double of a text with fewer digits
        return f"cast(cast({value} as float) as string)"
    return f"cast({value} as string)"
