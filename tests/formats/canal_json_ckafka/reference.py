"""What CKafka's canal output must become: Canal's rules, and what docs/formats/canal_json_ckafka.md changes."""

from tests.formats.canal_family import changes_of_canal, read
from tests.formats.reference import canal_head, field, instant, whole


def rows(record):
    """Rows of one record."""
    return read(record, "canal_json_ckafka", head, changes_of_canal)


def head(message):
    """Canal's, with times by their magnitude."""
    plain = message | {"es": None, "ts": None}
    times = {"changed_at": time(field(message, "es")), "captured_at": time(field(message, "ts"))}
    return canal_head(plain) | times


def time(text):
    """Seconds below 10^11, milliseconds above; no instant beyond all calendars."""
    number = whole(text)
    if number is None or abs(number) > 10**15:
        return None
    return instant(number * (1_000_000 if abs(number) < 10**11 else 1_000))
