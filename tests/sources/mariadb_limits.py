"""What Debezium, Canal and Maxwell do not bring exactly from MariaDB: what gold holds instead, and why."""

from decimal import Decimal

from tests.sources.mariadb_tables import (
    CLOCK,
    FLOAT,
    INSTANT,
    TEXT,
)
from tests.sources.tables import Form

NO_ZERO_DATE = {
    name: Form(
        form.source.replace("cast({c} as char)", "null"), form.gold, limit="zero dates are null"
    )
    for name, form in {"c_datetime": CLOCK, "c_datetime6": CLOCK}.items()
}
WKB = Form("hex(st_asbinary({c}))", "hex(from_base64(json_extract_string({c}, '$.wkb')))")
DEBEZIUM = NO_ZERO_DATE | {
    "c_date": Form("nullif(cast({c} as char), '0000-00-00')", limit="zero dates are null"),
    "c_timestamp": Form(
        "case when {c} is null then null when {c} <> 0 then "
        + INSTANT.source
        + " when phase = 'stream' then '1970-01-01 00:00:00' end",
        INSTANT.gold,
        limit="the zero timestamp is null in a snapshot and 1970-01-01 in the stream",
    ),
    "c_float": Form(
        "if(phase = 'snapshot' and {c} = 16777216, '16777200', " + FLOAT.source + ")",
        FLOAT.gold,
        FLOAT.alike,
        limit="a snapshot has six digits of a float",
    ),
    "c_point": WKB,
    "c_geometry": WKB,
}
# bigint.unsigned.handling.mode=long
LONG = {
    name: Form(
        "cast(cast({c} as signed) as char)",
        limit="numbers from 9223372036854775808 on wrap below zero",
    )
    for name in ("everything.id", "c_big_unsigned", "altered.a2")
}
CANAL = {
    "c_latin1": Form(
        "regexp_replace(convert({c} using utf8mb4), '[^ -~]', _utf8mb4 x'EFBFBD')",
        limit="letters beyond ASCII are U+FFFD",
    ),
    "c_decimal_65_30": Form(TEXT.source, alike=Decimal, limit="zeros at the end may be missing"),
    "c_time": TEXT,
    "c_time3": TEXT,
    "c_time6": TEXT,
    # four bytes of the spatial reference, then the well-known bytes
    "c_point": Form("hex({c})", "hex({c})"),
    "c_geometry": Form("hex({c})", "hex({c})"),
}
WELL_KNOWN_TEXT = Form("replace(replace(st_astext({c}), '(', ' ('), ',', ', ')")
WRAPPED = (
    "case when {{c}} < 0 then {negative} else concat("
    "lpad(hour({{c}}) % 24, 2, '0'), substr(cast({{c}} as char), locate(':', cast({{c}} as char)))) end"
)
MAXWELL = {
    "c_decimal_65_30": Form(TEXT.source, alike=Decimal, limit="zero is 0E-30"),
    "c_zerofill": Form(
        "cast(if({c} > 2147483647, cast({c} as signed) - 4294967296, {c} + 0) as char)",
        limit="ZEROFILL numbers from 2147483648 on wrap below zero",
    ),
    "c_binary": Form(
        "hex(trim(trailing x'00' from {c}))",
        "hex({c})",
        limit="zero bytes at the end of BINARY are cut",
    ),
    "c_set": Form(TEXT.source, "array_to_string({c}, ',')"),
    "c_time": Form(WRAPPED.format(negative="'17:04:05'"), limit="TIME outside a day wraps"),
    "c_time3": Form(WRAPPED.format(negative="'16:04:09.552'"), limit="TIME outside a day wraps"),
    "c_time6": Form(WRAPPED.format(negative="'16:04:19.777215'"), limit="TIME outside a day wraps"),
    "c_point": WELL_KNOWN_TEXT,
    "c_geometry": WELL_KNOWN_TEXT,
}
