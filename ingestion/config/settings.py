"""The settings of one feed: their names, what they accept, and what to do about a mistake."""

import difflib
import re
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any
from zoneinfo import available_timezones

from ingestion.config.formats import Format
from ingestion.config.secrets import REFERENCE
from ingestion.errors import UserError

INPUTS = ("topics", "topic_pattern", "files")
KAFKA_ONLY = ("starting_offsets", "max_offsets_per_trigger", "kafka", "group")
JDBC = ("jdbc:postgresql:", "jdbc:mariadb:", "jdbc:mysql:")
# Encodings that macros/values/canonical_text.sql decodes without labels.
ENCODINGS = (
    "text",
    "variable_scale_decimal",
    "epoch_days",
    "epoch_millis",
    "epoch_micros",
    "epoch_nanos",
    "epoch_seconds",
    "instant_millis",
    "escaped_label",
    "millis_of_day",
    "micros_of_day",
    "nanos_of_day",
    "iso_date",
    "iso_timestamp",
    "iso_time",
    "base64_binary",
    "base64_text",
    "hex_binary",
    "latin1_binary",
    "latin1_text",
    "byte_list",
    "dtle_timestamp",
    "dtle_year",
    "go_quoted_binary",
    "located_wall_clock",
    "little_endian_bits",
    "big_endian_bits",
    "wrapped_unsigned_8",
    "wrapped_unsigned_16",
    "wrapped_unsigned_24",
    "wrapped_unsigned_32",
    "wrapped_unsigned_64",
)
# With the scale, without which a decimal has no value, or with the length of a BINARY(n).
NUMBERED_ENCODING = re.compile(
    r"connect_decimal\(-?[0-9]{1,4}\)|(latin1|base64)_binary\([0-9]{1,4}\)"
)
# As Spark reads them; of the names that Python has, Java lacks three.
OFFSET = re.compile(r"UTC|(UTC|GMT)?[+-](0?[0-9]|1[0-7])(:[0-5][0-9])?")
NOT_IN_JAVA = {"Factory", "ROC", "localtime"}
INSTANT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
# Spark sets these itself and refuses them as options.
OWNED_BY_SPARK = {
    "auto.offset.reset": "use starting_offsets",
    "enable.auto.commit": "the loader keeps its own offsets, and commits them to the feed's group",
    "interceptor.classes": "the loader reads records as they are",
    "key.deserializer": "the loader lands bytes",
    "value.deserializer": "the loader lands bytes",
}


def check_settings(feed: str, settings: object, formats: dict[str, Format]) -> dict[str, Any]:
    """Return the feed's settings in their final types; a UserError says what is wrong."""
    if not isinstance(settings, dict):
        raise UserError(f"Feed {feed}: its settings must be a mapping with format and topics.")
    for key in settings:
        if key not in CHECKS:
            raise UserError(
                f"Feed {feed}: there is no setting {key}{nearest(str(key), CHECKS)}; "
                f"the settings are {', '.join(sorted(CHECKS))}."
            )
    _check_format(feed, settings.get("format"), formats)
    inputs = [name for name in INPUTS if settings.get(name)]
    if len(inputs) != 1:
        given = " and ".join(inputs) or "nothing to read"
        raise UserError(
            f"Feed {feed} has {given}: give exactly one of topics, topic_pattern and files."
        )
    if inputs == ["files"]:
        for name in KAFKA_ONLY:
            if name in settings:
                raise UserError(f"Feed {feed}: {name} is for topics, not for files: remove it.")
    elif "lines" in settings:
        raise UserError(f"Feed {feed}: lines is for files, not for {inputs[0]}: remove it.")
    if settings.get("lines") == "messages" and settings.get("cut_overs"):
        raise UserError(
            f"Feed {feed}: cut_overs compare the time that Kafka gave a record, which "
            "lines: messages do not have: remove cut_overs, or write the lines as records with a "
            "timestamp."
        )
    given = {key: value for key, value in settings.items() if value is not None}
    _check_belonging(feed, formats[settings["format"]], formats, given)
    return {key: _checked(feed, key, value) for key, value in given.items()}


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a guess at what was meant, as the end of a clause, or nothing."""
    guess = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {guess[0]}?)" if guess else ""


def _enumerated(words: list[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _check_format(feed: str, name: object, formats: dict[str, Format]) -> None:
    if isinstance(name, str) and name in formats:
        return
    accepted = ", ".join(formats) or "none, as seeds/formats.csv is empty"
    if name is None:
        raise UserError(f"Feed {feed} has no format: the formats are {accepted}.")
    raise UserError(
        f"Feed {feed}: there is no format {name}{nearest(str(name), formats)}; "
        f"the formats are {accepted}."
    )


def _check_belonging(feed: str, known: Format, formats: dict[str, Format], given: dict) -> None:
    for name in given:
        owners = [one.name for one in formats.values() if name in one.own_settings]
        if owners and known.name not in owners:
            raise UserError(
                f"Feed {feed}: {name} is for {_enumerated(owners)}, "
                f"not for {known.name}: remove it."
            )
    needed = known.required_setting
    if needed and needed not in given:
        raise UserError(
            f"Feed {feed}: {known.name} needs {needed}, which no message carries "
            f"(docs/formats/{known.name}.md)."
        )


def _checked(feed: str, key: str, value: object) -> object:
    try:
        return CHECKS[key](value)
    except ValueError as error:
        raise UserError(f"Feed {feed}: {key} must be {error}, but it is {value!r}.") from None
    except UserError as error:
        raise UserError(f"Feed {feed}: {error}") from None


def _string(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("text")
    return value


def _path(value: object) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_./-]+", _string(value)):
        raise ValueError("a path of letters, digits, _ . - and /")
    return str(value)


def _strings(value: object) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(one, str) and one for one in listed):
        raise ValueError("text or a list of texts")
    return tuple(dict.fromkeys(listed))


def _positive(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError("a whole number above 0")
    return value


def _one_of(*accepted: str) -> Callable[[object], str]:
    def check(value: object) -> str:
        # YAML reads a bare 10 as a number
        if str(value) not in accepted:
            raise ValueError(" or ".join(accepted))
        return str(value)

    return check


def _mapping(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("a mapping")
    return value


def _named(value: object) -> dict[str, Any]:
    if not all(isinstance(name, str) for name in _mapping(value)):
        raise ValueError("a mapping of names, in quotes where YAML reads no text: '1', 'no'")
    return value


def _time_zone(value: object) -> str:
    zones = available_timezones() - NOT_IN_JAVA
    if str(value) not in zones and not OFFSET.fullmatch(str(value)):
        places = [zone for zone in zones if "/" in zone]
        raise ValueError(f"a zone like Asia/Shanghai, UTC or '+08:00'{nearest(str(value), places)}")
    return str(value)


def _key_columns(value: object) -> dict[str, Any]:
    if not all(_named(value).values()):
        raise ValueError("a mapping of table names to lists of columns")
    for columns in value.values():
        _strings(columns)
    return value


def _encodings(value: object) -> dict[str, dict[str, str]]:
    for columns in _named(value).values():
        for encoding in _named(columns).values():
            if encoding not in ENCODINGS and not NUMBERED_ENCODING.fullmatch(str(encoding)):
                raise ValueError(
                    "a mapping table: {column: encoding} with the encodings connect_decimal(2), "
                    "which takes its scale, " + ", ".join(ENCODINGS)
                )
    return value


def _cut_overs(value: object) -> dict[str, Any]:
    for given in _named(value).values():
        times = [_instant(time) for time in (given if isinstance(given, list) else [given])]
        if times != sorted(times):
            raise ValueError("a mapping of tables to times, the earliest first")
    return value


def _instant(time: object) -> datetime:
    try:
        return datetime.fromisoformat(INSTANT.fullmatch(time)[0])
    except (TypeError, ValueError):
        raise ValueError(
            "a mapping table: time with its zone, '2026-03-01 08:30:00Z', in quotes"
        ) from None


def _offsets(value: object) -> str | dict[str, dict[int, int]]:
    if value in ("earliest", "latest"):
        return value
    wanted = "earliest, latest or a mapping topic: {partition: offset}"
    if not isinstance(value, dict) or not all(isinstance(one, dict) for one in value.values()):
        raise ValueError(wanted)
    try:
        return {
            str(topic): {_whole(partition): _whole(one) for partition, one in partitions.items()}
            for topic, partitions in value.items()
        }
    except ValueError:
        raise ValueError(wanted) from None


def _whole(number: object) -> int:
    if not re.fullmatch(r"-?[0-9]+", str(number)):
        raise ValueError
    return int(str(number))


def kafka_options(value: object) -> dict[str, str]:
    """Return the options as texts; a UserError says what is wrong, without their values."""
    # a wrong value is never shown: it may hold a password
    if not isinstance(value, dict):
        raise UserError("kafka must be a mapping of Kafka's consumer options.")
    for key, option in value.items():
        name = str(key).removeprefix("kafka.")
        # Spark knows them in upper case too
        if name.lower() in OWNED_BY_SPARK:
            raise UserError(f"kafka must not set {name}: {OWNED_BY_SPARK[name.lower()]}.")
        if name != str(key):
            raise UserError(f"kafka names its options as Kafka does: write {name}, not {key}.")
        if not isinstance(option, str | int | float):
            raise UserError(
                f"kafka: {name} must be text, a number, true or false; a list is one text, with "
                "commas."
            )
    return {
        str(key): str(option).lower() if isinstance(option, bool) else str(option)
        for key, option in value.items()
    }


def _source(value: object) -> dict[str, str]:
    # the wrong value is never shown: it may hold a password
    if not isinstance(value, dict):
        raise UserError("source must be a mapping of url, user and password.")
    if not all(isinstance(text, str) for text in value.values()):
        raise UserError("source: url, user and password must be text, in quotes.")
    source = {str(key): text for key, text in value.items()}
    if set(source) not in ({"url", "user"}, {"url", "user", "password"}):
        raise UserError(
            f"source has {', '.join(sorted(source)) or 'nothing'}: give it url, user and password."
        )
    if not source["url"].startswith(JDBC) or re.search(r"(?i)password|@", source["url"]):
        raise UserError(
            f"source: url must begin with {' or '.join(JDBC)} and hold no user and no password."
        )
    if not REFERENCE.fullmatch(source.get("password", "${NONE}")):
        raise UserError("source: password must be ${NAME}, which names an environment variable.")
    return source


CHECKS: dict[str, Callable[[Any], object]] = {
    "format": _string,
    "topics": _strings,
    "topic_pattern": _string,
    "files": _strings,
    "lines": _one_of("records", "messages"),
    "starting_offsets": _offsets,
    "max_offsets_per_trigger": _positive,
    "kafka": kafka_options,
    "group": _string,
    "source": _source,
    "time_zone": _time_zone,
    "key_columns": _key_columns,
    "encodings": _encodings,
    "on_drop": _one_of("remove", "keep"),
    "tables": _one_of("report", "auto"),
    "leave_out": _strings,
    "cut_overs": _cut_overs,
    "added_prefix": _string,
    "after_images": _one_of("as_sent", "complete"),
    "avro_schemas": _path,
    "base64_columns": _string,
    "before_image_prefix": _string,
    "before_images": _one_of("as_sent", "complete"),
    "database": _string,
    "dts_instance_created": _one_of("since_2022_03_20", "before_2022_03_20"),
    "old_values": _one_of("kept", "dropped"),
    "order": _one_of("position", "offset"),
    "output_nulls": _one_of("kept", "dropped"),
    "schema": _string,
    "sequence": _one_of("enabled", "disabled"),
    "sequence_time_digits": _one_of("10", "13"),
    "table": _string,
    "table_name": _string,
    "timestamp_fraction": _one_of("microseconds", "milliseconds", "nanoseconds"),
    "unavailable_value": _string,
}
