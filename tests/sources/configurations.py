"""The producers' settings side by side: what each captures, and how its feed and its types are told."""

from dataclasses import dataclass, field

from tests.sources.tables import Form


@dataclass(frozen=True)
class Configuration:
    """One producer with its settings, which is one feed."""

    name: str
    # what stands before a table's name in the source, and in the messages
    schema: str
    tables: tuple[str, ...]
    settings: dict[str, str]
    # which of the world's databases it captures
    database: str = "postgres"
    feed: dict[str, object] = field(default_factory=dict)
    # whether the messages carry types, so that `generate` writes the models
    is_typed: bool = True
    # columns that this producer or setting cannot bring exactly: what they hold instead
    forms: dict[str, Form] = field(default_factory=dict)
    # tables whose rows this producer or setting cannot bring exactly: what gold holds instead
    relations: dict[str, str] = field(default_factory=dict)
    # types of hand-written models that are not the usual ones
    types: dict[str, str] = field(default_factory=dict)
    # columns that generated models lack, as the latest messages have them no longer
    left_out: tuple[str, ...] = ()
    # keys that the feed's key_columns name
    keys: dict[str, tuple[str, ...]] = field(default_factory=dict)
