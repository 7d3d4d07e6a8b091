"""What Debezium does not bring exactly from PostgreSQL: what gold holds instead, and why."""

import base64
import json

from tests.sources.postgres_tables import CLOCK, FLOAT, JSON, MICROSECONDS, MISFIT
from tests.sources.tables import Form

SPECIAL = "('NaN', 'Infinity', '-Infinity')"


def of_base64(text: str) -> object:
    """A list of decimals with two digits behind the point, or the base64 of their bytes."""
    return [
        one
        if one is None
        else int(one.replace(".", ""))
        if "." in one
        else int.from_bytes(base64.b64decode(one), "big", signed=True)
        for one in json.loads(text)
    ]


# value.converter.replace.null.with.default=true
DEFAULTS = {
    "altered.c": Form("coalesce({c}, 1.5)::numeric(12,3)::text", limit="NULL comes as the default")
}
# decimal.handling.mode=precise
PRECISE = {
    "c_numeric": Form(
        f"case when {{c}}::text not in {SPECIAL} then trim_scale({{c}})::text end",
        limit="NaN and infinities are null; zeros at the end of a numeric without scale are gone",
    ),
    "c_numeric_10_2": Form("nullif({c}::text, 'NaN')", limit="NaN is null"),
    "c_numerics": Form(
        "to_json({c}::text[])::text",
        f"coalesce(cast(to_json({{c}}) as varchar), {MISFIT})",
        alike=of_base64,
        limit="a list of decimals in base64 is a misfit",
    ),
}
# decimal.handling.mode=string: words of its own, which only a string column keeps
WORDS = (
    "case {c}::text when 'NaN' then 'NAN' when 'Infinity' then 'POSITIVE_INFINITY'"
    " when '-Infinity' then 'NEGATIVE_INFINITY' else {c}::text end"
)
STRING = {
    "c_numeric": Form(WORDS, limit="NaN and infinities are words of Debezium's own"),
    "c_numeric_10_2": Form(
        WORDS, f"coalesce(cast({{c}} as varchar), {MISFIT})", limit="NaN is the word NAN: a misfit"
    ),
}
# decimal.handling.mode=double
DOUBLE = {
    name: Form(FLOAT.source, FLOAT.gold, FLOAT.alike, limit="15 to 17 digits")
    for name in (
        *("c_numeric", "c_numeric_10_2", "c_numeric_38_18", "c_numeric_60_20", "c_numeric_5_0"),
        *("composite.amount", "keyless.amount"),
    )
} | {
    "c_money": Form("{c}::numeric::float8::text", FLOAT.gold, FLOAT.alike, limit="15 to 17 digits"),
    "c_numerics": Form("to_json({c}::float8[])::text", alike=JSON.alike, limit="15 to 17 digits"),
}
# time.precision.mode=connect
MILLISECONDS = {
    "c_time": Form("left(to_char({c}, 'HH24:MI:SS.US'), 12) || '000'", limit="cut to milliseconds"),
    "c_timestamp": Form(
        MICROSECONDS.source.replace(
            "round(extract(epoch from {c}) * 1000000)",
            "(floor(extract(epoch from {c}) * 1000) * 1000)",
        ),
        MICROSECONDS.gold,
        limit="cut to milliseconds",
    ),
    "noted_at": Form(
        "to_char(date_trunc('milliseconds', {c}), 'YYYY-MM-DD HH24:MI:SS.US')",
        CLOCK.gold,
        limit="cut to milliseconds",
    ),
}
# interval.handling.mode=string
ISO_INTERVAL = {
    "c_interval": Form(
        "case when {c} is not null then concat('P', extract(year from {c}), 'Y', extract(month from {c}), 'M', extract(day from {c}), 'DT',"
        " extract(hour from {c}), 'H', extract(minute from {c}), 'M',"
        " trim_scale(extract(second from {c})), 'S') end"
    )
}
