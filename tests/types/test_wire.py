"""Wire text becomes the text a person would write, exactly, or stays as it came."""

import base64
import json
import re
from datetime import datetime, timedelta
from decimal import Decimal, localcontext
from pathlib import Path

import pytest

from tests.types.conftest import WIRE

VECTORS = [
    json.loads(line)
    for line in (Path(__file__).parent / "vectors.jsonl").read_text("utf-8").splitlines()
]
ENCODINGS = {
    "connect_decimal_base64": "connect_decimal",
    "base64": "base64_binary",
    "latin1_chars": "latin1_binary",
    "base16_upper": "hex_binary",
    "debezium_bits_le_base64": "little_endian_bits",
    **{f"wrapped_unsigned_{bits}": f"wrapped_unsigned_{bits}" for bits in (8, 16, 24, 32, 64)},
    "epoch_days": "epoch_days",
    "debezium_timestamp_ms": "epoch_millis",
    "debezium_micro_timestamp": "epoch_micros",
    "pg_infinity_micros": "epoch_micros",
    "debezium_micro_time": "micros_of_day",
    "json_number_text": "text",
}


def test_vectors_of_the_format_specification(decode_each):
    vectors = [vector for vector in VECTORS if vector["rule"] in ENCODINGS]
    assert {vector["rule"] for vector in vectors} == set(ENCODINGS)
    decoded = decode_each(
        [(vector["in"], ENCODINGS[vector["rule"]], vector.get("scale"), None) for vector in vectors]
    )
    assert decoded == [vector["out"].replace("T", " ") for vector in vectors]


def connect_bytes(unscaled):
    """The shortest two's complement bytes, as Java's BigInteger.toByteArray gives them."""
    length = (unscaled + (unscaled < 0)).bit_length() // 8 + 1
    return base64.b64encode(unscaled.to_bytes(length, "big", signed=True)).decode()


def plain(unscaled, scale):
    with localcontext() as context:
        context.prec = 200
        return format(Decimal(unscaled).scaleb(-scale), "f")


UNSCALED = sorted(
    {
        sign * (2**bits + offset)
        for bits in (0, 7, 8, 15, 16, 31, 55, 56, 63, 64, 71, 72, 95, 120, 127, 128, 215, 300)
        for offset in (-1, 0, 1)
        for sign in (1, -1)
    }
    | {
        sign * (10**digits + offset)
        for digits in (9, 18, 27, 38, 39, 65)
        for offset in (-1, 0, 1)
        for sign in (1, -1)
    }
)


def test_connect_decimal_is_exact_at_any_width(decode_each):
    numbers = [(number, scale) for number in UNSCALED for scale in (0, 2, 18, 70, -3)]
    decoded = decode_each(
        [(connect_bytes(number), "connect_decimal", scale, None) for number, scale in numbers]
    )
    assert decoded == [plain(number, scale) for number, scale in numbers]


def test_connect_decimal_takes_needless_sign_bytes(decode):
    padded = [
        base64.b64encode(number.to_bytes(20, "big", signed=True)).decode() for number in (-5, 0, 5)
    ]
    assert decode("connect_decimal", padded, 2) == ["-0.05", "0.00", "0.05"]


def test_connect_decimal_of_65_digits_as_captured_from_mariadb(decode):
    assert decode("connect_decimal", ["HgK8HpeFi9xsuVBY80JNfTp/7HsD4maOPwrS"], 30) == [
        "12345678901234567890123456789012345.123456789012345678901234567890"
    ]


def test_variable_scale_decimal_brings_its_own_scale(decode):
    assert decode(
        "variable_scale_decimal",
        [
            '{"scale":9,"value":"XODppWAV/sWq36MorjmBFQ=="}',
            '{"value":"/w==","scale":9}',
            '{"scale":0,"value":"AA=="}',
            '{"scale":-20,"value":"AQ=="}',
        ],
    ) == [
        "123456789012345678901234567890.123456789",
        "-0.000000001",
        "0",
        "100000000000000000000",
    ]


# What each encoding must not take for one of its texts: (wire texts, scale). Labels are a, b and c.
UNREADABLE = {
    "connect_decimal": (
        *(
            "",
            "12",
            "123",
            "12.30",
            "-5",
            "12=",
            "12==",
            "12 34",
            " 1234",
            "1234\n",
            "AA=",
            "AB==",
            "AAB=",
        ),
        *(
            "AA",
            "AAA",
            "A",
            "AA==AA==",
            "====",
            "MTIz=",
            "-_8=",
            "1e100",
            "NaN",
            "é中==",
            "[1]",
            '"AA=="',
        ),
    ),
    "variable_scale_decimal": (
        *("12.30", "12", "", "{}", '{"value":"BQ=="}', '{"scale":2}', '{"scale":2,"value":1234}'),
        *('{"scale":2,"value":"12"}', '{"scale":2,"value":""}', '{"scale":"x","value":"BQ=="}'),
        *(
            '{"scale":2,"value":"BQ=="} ',
            '{"scale":2,"value":"BQ=="}{}',
            '{"scale":99999,"value":"BQ=="}',
        ),
        *('{"scale":2,"value":null}', '{"scale":2.5,"value":"BQ=="}', '["BQ=="]'),
    ),
    "epoch_days": (
        *(
            "-2147472690",
            "2932897",
            "1590315269",
            "1590315269000",
            "1590315269000000",
        ),
        *(
            "",
            " 1",
            "1 ",
            "+1",
            "01",
            "-0",
            "1.0",
            "1e3",
            "1\n",
            "x",
            "NaN",
            "99999999999999999999",
        ),
    ),
    "epoch_millis": (
        *("9223372036854775807", "253402300800000", "1590315269000000", "1590315269000000000"),
        *("", "1 ", "+1", "1.5", "1e3", "Infinity"),
    ),
    "epoch_micros": (
        *(
            "253402300800000000",
            "1590315269000000000",
            "9223372036854775808",
            "-9223372036854775808",
        ),
        *("", " 1", "+1", "007", "1.5", "1e15"),
    ),
    "epoch_nanos": (
        "9223372036854775808",
        "",
        "1.0",
        "+1",
        "1e18",
        "-9223372036854775809",
    ),
    "instant_millis": (
        *("9223372036854775807", "253402300800000", "-210866803200001", "1590315269000000"),
        *("", "1 ", "+1", "1.5", "1e3", "Infinity", "1731661114000Z"),
    ),
    "millis_of_day": ("3020400000", "1590315269000", "noon", "12:00:00", "", "+1", "1.5", "-0"),
    "micros_of_day": (
        "noon",
        "3020400000000",
        "-3020400000000",
        "1590315269000000",
        "12:00",
        "",
        "1e3",
    ),
    "nanos_of_day": ("3020400000000000", "-9223372036854775808", "12:00:00.000000001", "", "1.0"),
    "epoch_seconds": (
        *("0", "1e9", "soon", "", "-1", "+1", "1624614713000", "1624614713.", ".5", "1624614713 "),
        *("1624614713\n", "2021-06-25 09:51:53", "1624614713.2.0"),
    ),
    "byte_list": (
        *(
            "[256]",
            "[-129]",
            "[1.5]",
            "[1,]",
            "[,1]",
            "[33, 64",
            "33, 64]",
            "1234",
            "",
            "null",
            "[[1]]",
        ),
        *("[1],[2]", "[+1]", "[1 2]", "[a]", "[1]\n", "[--1]", "CAFE", "[1][2]", "[99999999999]"),
    ),
    "located_wall_clock": (
        *('{"value":"2024-02-26 16:32:23"}', '{"location":"UTC"}', "2024-02-26 16:32:23", "{}", ""),
        *('{"location":"UTC","value":"16:32:23"}', '{"location":"UTC","value":null}', "UTC"),
    ),
    "iso_date": (
        "2024",
        "20240229",
        "2024-02-29ZZ",
        "Z",
        "",
        "2024-02-29T00:00:00Z",
        "19782",
        "2024-2-9Z",
    ),
    "iso_timestamp": (
        "2024-02-29T12:00:00",
        "2024-02-29 12:00:00Z",
        "2024-02-29Z",
        "12:00:00Z",
        "Z",
        "",
    ),
    "iso_time": (
        "12:00:00",
        "24:00Z",
        "12:00:00.Z",
        "-12:00:00Z",
        "838:59:59Z",
        "12:00:00+01:00",
        "",
    ),
    "base64_binary": (
        *(
            "not base64!",
            "12",
            "123",
            "cafe00",
            "AA",
            "AAA",
            "AA=",
            "AB==",
            "AAB=",
            "AAAA\n",
            "AA AA",
        ),
        *(" AAAA", "AAAA====", "=AAA", "-_+/", "é", "AA==AA==", "0x1234", "[1]"),
    ),
    "base64_text": ("!!", "gA==", "YQ", "YR==", "YQ==\n", "text", "12", "YQ ==", "é"),
    "hex_binary": (
        "0",
        "abc",
        "zz",
        "0x0",
        "0X00",
        "0x0x00",
        r"\x00",
        "00 ",
        " 00",
        "00\n0",
        "é0",
        "AA==",
        "-1",
        "00-1",
    ),
    "latin1_binary": ("é中", "toolong", "\u0100"),
    "latin1_text": ("é", "Ã", "Ã©é"),
    "little_endian_bits": (
        *(
            "?",
            "12",
            "AA",
            "AQ",
            "AB==",
            "CA==",
            "AAE=",
            "//8=",
            "5",
            "101",
            "AA==\n",
            "AQ ==",
            "true",
        ),
    ),
    "big_endian_bits": (
        *("?", "12", "AA", "AQ", "AB==", "CA==", "AQA=", "//8=", "5", "AA==\n", "AQ ==", "true"),
    ),
    "wrapped_unsigned_8": ("-129", "-one"),
    "wrapped_unsigned_16": ("-32769", "-0"),
    "wrapped_unsigned_24": ("-8388609", "+1"),
    "wrapped_unsigned_32": ("-2147483649", "-01"),
    "wrapped_unsigned_64": (
        *(
            "-one",
            "one",
            "",
            "1.5",
            "1e3",
            " 1",
            "+1",
            "01",
            "-0",
            "-01",
            "-9223372036854775809",
            "NaN",
        ),
    ),
    "enum_number": ("9", "4", "-1", "01", " 1", "1.0", "1e0", "+1", "A", "a,b", "x", "99999999999"),
    "set_mask": (
        "8",
        "-1",
        "01",
        "1.0",
        " 1",
        "+1",
        "18446744073709551616",
        "x,z",
        "a,x",
        "a,",
        ",",
        "a, b",
    ),
    "dtle_year": ("20210", "-1", "MMXXI", "", "2021.0", "+21", "021"),
    "go_quoted_binary": (r"\q", "a\\", r"\x8", r"\X80", r"\u12", r"\xZZ"),
    "bare_number": ("1234", "-1.5"),
    "encoded_list": ("[19782]", '["bg=="]', "[]"),
    "no_such_encoding": ("a", ""),
}
SCALES = {"connect_decimal": 2, "latin1_binary": 4, "little_endian_bits": 3, "big_endian_bits": 3}
UNREADABLE_MARK = "\ufdd2"


def test_what_an_encoding_cannot_read_is_marked_and_never_another_value(decode_each):
    """The text stays behind the mark."""
    texts = [(encoding, text) for encoding, texts in UNREADABLE.items() for text in texts]
    decoded = decode_each(
        [(text, encoding, SCALES.get(encoding), ["a", "b", "c"]) for encoding, text in texts]
    )
    wrong = [
        (encoding, text, value)
        for (encoding, text), value in zip(texts, decoded, strict=True)
        if value != UNREADABLE_MARK + text
    ]
    assert not wrong
    assert len(texts) > 200


def test_a_marked_text_is_a_misfit_of_every_type(query, macros):
    """Of string too, where the column is decoded."""
    types = [
        *("string", "boolean", "tinyint", "bigint", "decimal(10,2)", "double", "date", "timestamp"),
        *("timestamp_ntz", "binary", "array<string>", "array<int>"),
    ]
    cells = []
    for name in types:
        typed = macros.typed("x", name, "UTC", is_decoded=True)
        misfit = macros.does_not_fit("x", f"({typed}) is null", f"'{name}'")
        cells.append(f"({typed}) is null and {misfit}")
    texts = ["1234", "2024-02-29 00:00:00", "CAFE", "true", "[1]", ""]
    rows = query(
        f"select {', '.join(cells)} from inputs",
        [(UNREADABLE_MARK + text,) for text in texts],
        "x string",
    )
    assert rows == [(True,) * len(types)] * len(texts)


def test_every_encoding_has_unreadable_texts(macros):
    """But those that take any text."""
    known = set(re.findall(r"when '(\w+)' then", macros.canonical_text("x", "wire")))
    assert known - set(UNREADABLE) == {"escaped_label", "dtle_timestamp"}


def test_days_and_moments_that_are_written_out_are_themselves(decode_each):
    texts = ["2024-02-29", "2024-02-29 10:00:00.5", "0000-00-00 00:00:00", "-0043-03-15T00:00:00"]
    for encoding in ("epoch_days", "epoch_millis", "epoch_micros", "epoch_nanos"):
        assert decode_each([(text, encoding, None, None) for text in texts]) == texts


def test_milliseconds_with_the_nanoseconds_of_their_second(decode, session_zone):
    """DataWorks V2.0."""
    texts = ["1590315269000.123456789", "1590315269123.123456789", "1590315269124.123456789"]
    assert decode("epoch_millis", texts) == [
        "2020-05-24 10:14:29.123456789",
        "2020-05-24 10:14:29.123456789",
        UNREADABLE_MARK + texts[2],
    ]


@pytest.mark.parametrize(
    ("millis", "time_zone", "text"),
    [
        ("1590315269000", "UTC", "2020-05-24 10:14:29 UTC+00:00:00"),
        ("1590286469001", "Asia/Shanghai", "2020-05-24 10:14:29.001 UTC+08:00:00"),
        ("1590286469000", "+08:00", "2020-05-24 10:14:29 UTC+08:00:00"),
        # a day, midnight in the source's zone, is the day before in UTC
        ("1732204800000", "Asia/Shanghai", "2024-11-22 00:00:00 UTC+08:00:00"),
        # the hour that comes twice
        ("1729987200000", "Europe/Berlin", "2024-10-27 02:00:00 UTC+02:00:00"),
        ("1729990800000", "Europe/Berlin", "2024-10-27 02:00:00 UTC+01:00:00"),
        ("-1", "America/St_Johns", "1969-12-31 20:29:59.999 UTC-03:30:00"),
        # before there were zones
        ("-2500000000000", "Asia/Shanghai", "1890-10-12 03:39:03 UTC+08:05:43"),
        ("2020-05-24 10:14:29", "Asia/Shanghai", "2020-05-24 10:14:29"),
    ],
)
def test_an_instant_is_the_clock_of_the_sources_zone(
    query, macros, fit, session_zone, millis, time_zone, text
):
    sql = macros.canonical_text("x", "wire", ["instant_millis"], time_zone)
    rows = [(millis, ("instant_millis", None, None))]
    assert query(f"select {sql} from inputs", rows, f"x string, wire struct<{WIRE}>") == [(text,)]
    clock = text.split(" UTC")[0]
    assert fit("timestamp_ntz", [text]) == [(clock, False)]
    is_midnight = clock.endswith("00:00:00")
    assert fit("date", [text]) == [(clock[:10], not is_midnight)]
    if millis.lstrip("-").isdigit():
        told = datetime(1970, 1, 1) + timedelta(milliseconds=int(millis))
        assert fit("timestamp", [text]) == [(f"{told}".removesuffix("000") + "Z", False)]


def test_null_stays_null_in_every_encoding(decode_each):
    encodings = {*ENCODINGS.values(), *UNREADABLE}
    values = [(None, encoding, 2, ["a"]) for encoding in encodings]
    assert decode_each(values) == [None] * len(values)


def test_null_wire_is_text(query, macros):
    sql = f"select {macros.canonical_text('x', 'wire')} from inputs"
    schema = "x string, wire struct<wire_encoding string, scale int, labels array<string>>"
    assert query(sql, [("MDk=", None)], schema) == [("MDk=",)]


def test_works_on_a_whole_image_inside_a_lambda(query, macros):
    body = macros.canonical_text("wire_text", "wires[column_name]")
    sql = f"select transform_values(image, (column_name, wire_text) -> {body}) from inputs"
    schema = (
        "image map<string, string>, wires map<string, struct<wire_encoding string, scale int,"
        " labels array<string>>>"
    )
    image = {"price": "MDk=", "wide": "SztMqFqGxHoJiiI//////w==", "name": "x", "gone": None}
    wires = {"price": ("connect_decimal", 2, None), "wide": ("connect_decimal", 10, None)}
    assert query(sql, [(image, wires)], schema) == [
        (
            {
                "price": "123.45",
                "wide": "9999999999999999999999999999.9999999999",
                "name": "x",
                "gone": None,
            },
        )
    ]


def test_epoch_days_from_the_first_day_of_postgresql(decode):
    assert decode("epoch_days", ["-2440588", "-719528", "0", "2932896"]) == [
        "-4713-11-24",
        "0000-01-01",
        "1970-01-01",
        "9999-12-31",
    ]
    streamed, found_by_snapshot = ["-2147472692", "-2147472691"], ["-622191234", "-625821272"]
    for infinities in (streamed, found_by_snapshot):
        assert decode("epoch_days", infinities) == ["infinity", "-infinity"]


def test_wall_clocks_are_the_same_in_every_session_zone(decode, session_zone):
    assert decode("epoch_millis", ["253402300799000", "-1", "9223372036825200"]) == [
        "9999-12-31 23:59:59",
        "1969-12-31 23:59:59.999",
        "infinity",
    ]
    # 2024-03-10 02:30 does not exist in New York
    assert decode("epoch_micros", ["1710037800000000", "-62167219200000000", "1600000"]) == [
        "2024-03-10 02:30:00",
        "0000-01-01 00:00:00",
        "1970-01-01 00:00:01.6",
    ]
    assert decode("epoch_nanos", ["-1", "1000", str(2**63 - 1), str(-(2**63))]) == [
        "1969-12-31 23:59:59.999999999",
        "1970-01-01 00:00:00.000001",
        "infinity",
        "-infinity",
    ]


def test_seconds_with_a_fraction_become_an_instant(decode, session_zone):
    texts = ["1624614713.201", "1624614713", "1624614713.123456789", "0", "1e9", "soon"]
    assert decode("epoch_seconds", texts) == [
        "2021-06-25 09:51:53.201Z",
        "2021-06-25 09:51:53Z",
        "2021-06-25 09:51:53.123456789Z",
        *(UNREADABLE_MARK + text for text in texts[3:]),
    ]


def test_lists_of_bytes_become_hexadecimal_digits(decode):
    lists = [
        "[0, 127, -128, -1]",
        "[0, 127, 128, 255]",
        "[]",
        "[106,103]",
        "[256]",
        "[1.5]",
        "[1,]",
        "[33, 64",
    ]
    assert decode("byte_list", lists) == [
        "007F80FF",
        "007F80FF",
        "",
        "6A67",
        *(UNREADABLE_MARK + text for text in lists[4:]),
    ]


def test_times_may_be_negative_or_longer_than_a_day(decode):
    assert decode("micros_of_day", ["-3020399000000", "-1", "86400000000", "0"]) == [
        "-838:59:59.000000",
        "-00:00:00.000001",
        "24:00:00.000000",
        "00:00:00.000000",
    ]
    assert decode("millis_of_day", ["86399124"]) == ["23:59:59.124000"]
    assert decode("nanos_of_day", ["1", "1000"]) == ["00:00:00.000000001", "00:00:00.000001"]


def test_iso_texts_are_written_as_counts_are(decode):
    """time.precision.mode=isostring of Debezium, PostgreSQL's infinities among them."""
    days = ["2024-02-29Z", "-0043-03-15Z", "-5877611-06-21Z", "-5877611-06-22Z"]
    assert decode("iso_date", days) == ["2024-02-29", "-0043-03-15", "infinity", "-infinity"]
    moments = ["2024-02-29T12:00:00.5Z", "-0043-03-15T00:00:00Z", "+10000-01-01T00:00:00.000001Z"]
    moments += ["+294247-01-10T04:00:25.2Z", "-290308-12-21T19:59:27.6Z"]
    assert decode("iso_timestamp", moments) == [
        "2024-02-29 12:00:00.5",
        "-0043-03-15 00:00:00",
        "+10000-01-01 00:00:00.000001",
        "infinity",
        "-infinity",
    ]
    assert decode("iso_time", ["12:00:00Z", "23:59:59.5Z", "00:00:00.000000001Z"]) == [
        "12:00:00.000000",
        "23:59:59.500000",
        "00:00:00.000000001",
    ]


def test_a_count_of_nanoseconds_that_wrapped_is_no_moment(decode):
    """9999-12-31 23:59:59.9999999 and 0001-01-01 of SQL Server, both infinities of PostgreSQL."""
    wrapped = ["-4852116231933722724", "-6795364578871345152", "22375808000", "-29575808000"]
    assert decode("epoch_nanos", wrapped) == [UNREADABLE_MARK + text for text in wrapped]
    assert decode("epoch_nanos", ["-4852116231933722624", "-4852202631933722625"]) == [
        "1816-03-30 05:56:08.066277376",
        "1816-03-29 05:56:08.066277375",
    ]


def test_latin1_binary_is_filled_up_to_its_length(decode):
    assert decode("latin1_binary", ["\x01", "", "\n\xff", "zoe!"], 4) == [
        "01000000",
        "00000000",
        "0AFF0000",
        "7A6F6521",
    ]


def test_latin1_text_is_utf_8_or_stays_as_it_is(decode):
    texts = ["中文é", "a", "", "\U0001f600"]
    assert decode("latin1_text", [text.encode().decode("latin-1") for text in texts]) == texts
    assert decode("latin1_text", ["中文é"]) == ["中文é"]


def test_base64_binary_is_filled_up_to_its_length(decode):
    texts = ["AQ==", "", "AQAA", "AQAAAAA="]
    assert decode("base64_binary", texts, 3) == [
        "010000",
        "000000",
        "010000",
        UNREADABLE_MARK + texts[3],
    ]
    assert decode("base64_binary", texts, None) == ["01", "", "010000", "0100000000"]


def test_binary_in_other_alphabets(decode):
    assert decode("base64_binary", ["-_8=", "+/8=", ""]) == ["FBFF", "FBFF", ""]
    assert decode("hex_binary", ["00ff10", "0xDEadBEEF", "0x", ""]) == [
        "00FF10",
        "DEADBEEF",
        "",
        "",
    ]


def test_bits_are_an_unsigned_number_of_any_length(decode):
    def wire(number, length):
        return base64.b64encode(number.to_bytes(length, "little")).decode()

    numbers = [(0, 0), (0, 1), (22, 1), (2**63 + 1, 8), (2**64 - 1, 8), (2**88 + 1, 12)]
    assert decode("little_endian_bits", [wire(*number) for number in numbers]) == [
        str(number) for number, _ in numbers
    ]


def test_enum_numbers_and_set_masks_become_labels(decode):
    labels = ["a", "it's", "c,d"]
    assert decode("enum_number", ["1", "2", "3", "0"], labels=labels) == ["a", "it's", "c,d", ""]
    assert decode("set_mask", ["5", "2", "7", "0"], labels=["x", "y", "z"]) == [
        "x,z",
        "y",
        "x,y,z",
        "",
    ]


def test_set_mask_of_64_labels(decode):
    labels = [f"l{number}" for number in range(64)]
    assert decode("set_mask", [str(2**63 + 1), str(2**64 - 1)], labels=labels) == [
        "l0,l63",
        ",".join(labels),
    ]


def test_escaped_comma_of_a_label_is_unescaped_once(decode):
    assert decode("escaped_label", ["c,d", r"c\,d", "a", ""], labels=["a", "c,d"]) == [
        "c,d",
        "c,d",
        "a",
        "",
    ]


def test_a_wall_clock_beside_its_zone(decode):
    """TiCDC's simple protocol."""
    texts = [
        '{"location":"Asia/Shanghai","value":"2024-02-26 16:32:23.5"}',
        '{"location":"UTC","value":"0000-00-00 00:00:00"}',
        '{"value":"2024-02-26 16:32:23"}',
        "2024-02-26 16:32:23",
    ]
    assert decode("located_wall_clock", texts) == [
        "2024-02-26 16:32:23.5 Asia/Shanghai",
        "0000-00-00 00:00:00 UTC",
        *(UNREADABLE_MARK + text for text in texts[2:]),
    ]


def test_bits_of_oms_are_one_number_in_a_full_load_and_in_the_stream(decode):
    """The stream leaves out zero bytes in front: BIT(16) of 5 is AAU= and BQ==."""
    texts = [
        "AAU=",
        "BQ==",
        "AAA=",
        "AA==",
        "",
        "AQA=",
        "//////////8=",
        "gAAAAAAAAAA=",
        "AAAAAAAAAAAF",
    ]
    numbers = ["5", "5", "0", "0", "0", "256", str(2**64 - 1), str(2**63), "5"]
    assert decode("big_endian_bits", texts) == numbers
    assert decode("big_endian_bits", ["AQAAAAAAAAAA"]) == [f"{UNREADABLE_MARK}AQAAAAAAAAAA"]


def test_text_in_base64(decode):
    """TiCDC's open protocol writes TEXT so; what is no base64, or no UTF-8 behind it, is none."""
    texts = ["5rWL6K+VdGV4dA==", "", "YQ==", "!!", "gA=="]
    assert decode("base64_text", texts) == [
        "测试text",
        "",
        "a",
        f"{UNREADABLE_MARK}!!",
        f"{UNREADABLE_MARK}gA==",
    ]


def test_years_and_zero_timestamps_of_dtle(decode):
    years = {"121": "2021", "2021": "2021", "255": "2155", "0": "0", "1": "1901", "256": "256"}
    assert decode("dtle_year", list(years)) == list(years.values())
    zero = "0001-01-01T00:00:00Z"
    assert decode("dtle_timestamp", [zero, "2024-02-29T12:00:00Z", "x"]) == [
        "0000-00-00 00:00:00",
        "2024-02-29T12:00:00Z",
        "x",
    ]


def test_bytes_as_go_quotes_them(decode):
    """TiCDC's open protocol writes BINARY so."""
    told = {
        r"\x00\x7f\x80": "007F80",
        r"\"\\\n": "225C0A",
        "abc": "616263",
        r"\x80é": "80C3A9",
        r"\u0085\U0001f600a": "C285F09F988061",
        r"\a\b\f\n\r\t\v": "07080C0A0D090B",
        "a\nb": "610A62",
        r"\q": UNREADABLE_MARK + r"\q",
        "a\\": UNREADABLE_MARK + "a\\",
        r"\x8": UNREADABLE_MARK + r"\x8",
    }
    assert decode("go_quoted_binary", list(told)) == list(told.values())
