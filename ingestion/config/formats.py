"""What is known of each format: the registry, seeds/formats.csv."""

import csv
from dataclasses import dataclass
from pathlib import Path

from ingestion.config.project_files import project_files
from ingestion.errors import UserError


@dataclass(frozen=True)
class Format:
    """A format: its facts in words, and the settings that feeds of few other formats have.

    Without its `required_setting` no row can be parsed; None: the format has no such setting.
    """

    name: str
    own_settings: tuple[str, ...]
    required_setting: str | None
    facts: dict[str, str]


def known_formats(project_dir: Path) -> dict[str, Format]:
    """Return the formats that can be read, by name."""
    registry = project_files(project_dir) / "seeds" / "formats.csv"
    try:
        with registry.open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines, restval=""))
        return {row["format"]: _format(row) for row in rows}
    except (OSError, UnicodeDecodeError, csv.Error, KeyError) as error:
        raise UserError(
            f"{registry} cannot be read as the registry of formats ({type(error).__name__}: "
            f"{error}): restore it."
        ) from None


def _format(row: dict[str, str]) -> Format:
    own = tuple(row["own_settings"].split())
    return Format(row["format"], own, row["required_setting"] or None, row)
