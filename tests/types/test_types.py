"""Canonical text becomes an exact typed value, or is reported."""

import json
import random
import struct
from decimal import Decimal
from pathlib import Path

import pytest

from tests.types.conftest import CompilerError

VECTORS = [
    json.loads(line)
    for line in (Path(__file__).parent / "vectors.jsonl").read_text("utf-8").splitlines()
]
FITS, MISFIT = False, True
U64_MAX = "18446744073709551615"

CASES = {
    "string": [("", "", FITS), ("0000-00-00", "0000-00-00", FITS)],
    "tinyint": [("-128", "-128", FITS), ("128", None, MISFIT)],
    "smallint": [("32767", "32767", FITS), ("65535", None, MISFIT)],
    "int": [("-2147483648", "-2147483648", FITS), ("2147483648", None, MISFIT)],
    "bigint": [
        ("9223372036854775807", "9223372036854775807", FITS),
        ("9223372036854775808", None, MISFIT),
        ("0042", "42", FITS),
        ("1.5", None, MISFIT),
        ("1e3", None, MISFIT),
        ("", None, MISFIT),
        ("abc", None, MISFIT),
    ],
    "decimal(20,0)": [
        (U64_MAX, U64_MAX, FITS),
        ("1.8446744073709551615E19", U64_MAX, FITS),
        ("0.5", "1", MISFIT),
    ],
    "decimal(10,2)": [
        ("123.456", "123.46", MISFIT),
        ("1.10", "1.10", FITS),
        ("1.1000", "1.10", FITS),
        ("179.0", "179.00", FITS),
        ("-0", "0.00", FITS),
        ("0E-18", "0.00", FITS),
        ("-0.000E-30", "0.00", FITS),
        ("1E+3", "1000.00", FITS),
        ("1.25E7", "12500000.00", FITS),
        ("12.345E1", "123.45", FITS),
        ("12.345e0", "12.35", MISFIT),
        ("100E-4", "0.01", FITS),
        ("100E-5", "0.00", MISFIT),
        ("100.0E-4", "0.01", FITS),
        ("99999999.99", "99999999.99", FITS),
        ("99999999.995", None, MISFIT),
        ("100000000", None, MISFIT),
        ("1E999999999", None, MISFIT),
        ("1E-999999999", "0.00", MISFIT),
        ("NaN", None, MISFIT),
        ("NAN", None, MISFIT),
        ("", None, MISFIT),
    ],
    "decimal(38,18)": [
        ("99999999999999999999.999999999999999999",) * 2 + (FITS,),
        ("-99999999999999999999.999999999999999999",) * 2 + (FITS,),
        ("-0.000000000000000001", "-1E-18", FITS),
        ("0.0000000000000000001", "0E-18", MISFIT),
        ("100000000000000000000", None, MISFIT),
    ],
    "decimal(38,0)": [
        ("-12345678901234567890123456789012345678",) * 2 + (FITS,),
        ("100000000000000000000000000000000000000", None, MISFIT),
    ],
    "double": [
        ("4.9E-324", "4.9E-324", FITS),
        ("1.0E308", "1.0E308", FITS),
        ("-0.0", "-0.0", FITS),
        ("0e-400", "0.0", FITS),
        ("NaN", "NaN", FITS),
        ("Infinity", "Infinity", FITS),
        ("-Infinity", "-Infinity", FITS),
        ("1e400", "Infinity", MISFIT),
        ("-1e400", "-Infinity", MISFIT),
        ("1e-400", "0.0", MISFIT),
        ("abc", None, MISFIT),
        # a whole number that no double is
        ("9007199254740992", "9.007199254740992E15", FITS),
        ("9007199254740993", "9.007199254740992E15", MISFIT),
        ("-9007199254740993.0", "-9.007199254740992E15", MISFIT),
        ("18446744073709551615", "1.8446744073709552E19", MISFIT),
        ("1234567890123456789.125", "1.23456789012345677E18", MISFIT),
        ("12345678901234567890123456789012", "1.2345678901234567E31", MISFIT),
        # one double: whole, its shortest digits, the first 17 and 15, and one more than these
        ("12345678901234567168", "1.2345678901234567E19", FITS),
        ("12345678901234567000", "1.2345678901234567E19", FITS),
        ("12345678901234567200.00", "1.2345678901234567E19", FITS),
        ("12345678901234600000", "1.23456789012346E19", FITS),
        ("12345678901234567100", "1.2345678901234567E19", MISFIT),
        ("1.2345678901234567168E19", "1.2345678901234567E19", FITS),
        # nothing shows what the source has
        ("0.12345678901234567890123", "0.12345678901234568", FITS),
        ("123456789012345.678901", "1.2345678901234567E14", FITS),
    ],
    "float": [
        ("1.1", "1.1", FITS),
        ("1.6777216E7", "1.6777216E7", FITS),
        ("3.5E38", "Infinity", MISFIT),
        ("1e-50", "0.0", MISFIT),
        ("16777217", "1.6777216E7", MISFIT),
        ("-16777216.5", "-1.6777216E7", MISFIT),
        ("123456792", "1.23456792E8", FITS),
        ("123456790", "1.23456792E8", FITS),
        ("340282350000000000000000000000000000000", "3.4028235E38", FITS),
        ("123456.789", "123456.79", FITS),
    ],
    "boolean": [
        ("true", "true", FITS),
        ("f", "false", FITS),
        ("1", "true", FITS),
        ("0", "false", FITS),
        ("2", None, MISFIT),
        ("", None, MISFIT),
    ],
    "date": [
        ("2024-02-29", "2024-02-29", FITS),
        ("0000-01-01", "0000-01-01", FITS),
        ("9999-12-31", "9999-12-31", FITS),
        ("-0043-03-15", "-0043-03-15", FITS),
        ("2024-02-29 00:00:00.000", "2024-02-29", FITS),
        ("2024-02-29T00:00:00Z", "2024-02-29", FITS),
        ("2024-02-29Z", "2024-02-29", FITS),
        ("2024-02-29ZZ", "2024-02-29", MISFIT),
        # PostgreSQL's infinity in Debezium's isostring mode
        ("-5877611-06-21Z", "-5877611-06-21", MISFIT),
        ("2024-02-29 00:00:01", "2024-02-29", MISFIT),
        ("2024", "2024-01-01", MISFIT),
        ("2023-02-29", None, MISFIT),
        ("2024-00-15", None, MISFIT),
        ("0000-00-00", None, MISFIT),
        ("infinity", None, MISFIT),
        ("-2147472691", None, MISFIT),
    ],
    "timestamp_ntz": [
        ("2024-02-29 23:59:59.123456",) * 2 + (FITS,),
        ("2024-02-29 23:59:59.123456000", "2024-02-29 23:59:59.123456", FITS),
        ("2024-02-29 23:59:59.1234567", "2024-02-29 23:59:59.123456", MISFIT),
        # does not exist in New York
        ("2024-03-10 02:30:00",) * 2 + (FITS,),
        ("0000-01-01 00:00:00",) * 2 + (FITS,),
        ("9999-12-31 23:59:59.999999",) * 2 + (FITS,),
        ("2024-02-29", "2024-02-29 00:00:00", FITS),
        ("2024-02-29T23:59:59Z", "2024-02-29 23:59:59", FITS),
        ("2024-02-29T23:59:59+08:00", "2024-02-29 23:59:59", MISFIT),
        ("+294247-01-10T04:00:25.2Z", "+294247-01-10 04:00:25.2", MISFIT),
        ("2024", "2024-01-01 00:00:00", MISFIT),
        ("0000-00-00 00:00:00", None, MISFIT),
        ("10:15:00", None, MISFIT),
        ("-infinity", None, MISFIT),
    ],
    # texts without a zone are in Asia/Shanghai
    "timestamp": [
        ("2024-02-29 23:59:59.123456", "2024-02-29 15:59:59.123456Z", FITS),
        ("2024-02-29T15:59:59Z", "2024-02-29 15:59:59Z", FITS),
        ("2024-03-01 10:15:00.123456+00", "2024-03-01 10:15:00.123456Z", FITS),
        ("2024-03-01T10:15:00+05:30", "2024-03-01 04:45:00Z", FITS),
        ("2024-03-01T10:15:00-05:00", "2024-03-01 15:15:00Z", FITS),
        ("2024-02-29 15:59:59 Europe/Berlin", "2024-02-29 14:59:59Z", FITS),
        ("0001-01-01T00:00:00.000000Z", "0001-01-01 00:00:00Z", FITS),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31 23:59:59.999999Z", FITS),
        ("2024-02-29T15:59:59.1234567Z", "2024-02-29 15:59:59.123456Z", MISFIT),
        ("0000-00-00 00:00:00", None, MISFIT),
        ("-infinity", None, MISFIT),
        # Spark alone would take these for a time of today
        ("10:15:00", None, MISFIT),
        ("10:15:00-05:00", None, MISFIT),
        ("2024-02-29", None, MISFIT),
    ],
    "binary": [
        ("00FF", "00FF", FITS),
        ("", "", FITS),
        ("69000000000", None, MISFIT),
        ("zz", None, MISFIT),
    ],
    "array<string>": [
        ('["a","b,c",null]', '["a","b,c",null]', FITS),
        ("[]", "[]", FITS),
        ('[12,"1.10",true]', '["12","1.10","true"]', FITS),
        (r'["a\"1.5",""]', r'["a\"1.5",""]', FITS),
        ("[1.10]", '["1.1"]', MISFIT),
        ('["1.10",1e2]', '["1.10","100.0"]', MISFIT),
        ("{}", None, MISFIT),
        ("[", None, MISFIT),
    ],
    "array<int>": [
        ("[1,null,3]", "[1,null,3]", FITS),
        ('[1,"x"]', None, MISFIT),
        # Spark reads the first array and nothing behind it
        ("[1][2]", "[1]", MISFIT),
    ],
    "array<tinyint>": [
        ("[127,null,-128]", "[127,null,-128]", FITS),
        ("[200]", None, MISFIT),
        ("[-129]", None, MISFIT),
        ("[1][2]", "[1]", MISFIT),
    ],
    "array<double>": [
        ("[1.5,-2]", "[1.5,-2.0]", FITS),
        ('["1.5"]', None, MISFIT),
        ("[0,1e-400]", "[0.0,0.0]", MISFIT),
    ],
    "array<float>": [
        ("[0.5, 1e3]", "[0.5,1000.0]", FITS),
        ("[1,1e40]", '[1.0,"Infinity"]', MISFIT),
    ],
    "decimal(5)": [("7", "7", FITS), ("1.5", "2", MISFIT)],
}

# As most values of a type are written, where that is not "17".
USUAL = {
    "boolean": "true",
    "decimal(10,2)": "1.10",
    "decimal(38,18)": "0.500000000000000000",
    "date": "2024-02-29",
    "timestamp": "2024-02-29 12:00:00.5",
    "timestamp_ntz": "2024-02-29 12:00:00.500000",
    "binary": "FF",
}


@pytest.mark.parametrize("type_name", CASES)
def test_typed_value_is_exact_or_reported(fit, session_zone, type_name):
    texts = [text for text, _, _ in CASES[type_name]]
    assert fit(type_name, texts) == [(value, misfit) for _, value, misfit in CASES[type_name]]


@pytest.mark.parametrize("type_name", CASES)
def test_null_is_null_and_fits(fit, type_name):
    assert fit(type_name, [None]) == [(None, FITS)]


def test_the_feeds_zone_counts_with_its_summer_time(fit, session_zone):
    texts = ["2024-07-01 12:00:00", "2024-01-01 12:00:00"]
    assert fit("timestamp", texts, "Europe/Berlin") == [
        ("2024-07-01 10:00:00Z", FITS),
        ("2024-01-01 11:00:00Z", FITS),
    ]


@pytest.mark.parametrize("type_name", CASES)
def test_no_misfit_is_missed_by_the_cheap_question(query, macros, type_name):
    """`may_not_fit` spares most rows the search for misfits: it must be true of all that the search would find."""
    chance = random.Random(7)
    told = [text for cases in CASES.values() for text, _, _ in cases] + [v["in"] for v in VECTORS]
    told += ["17", *USUAL.values()]
    texts = sorted({*told, *(changed(chance, chance.choice(told)) for _ in range(2000))})
    value = macros.typed("text", type_name, "UTC", is_decoded=True)
    sql = f"""
        select text, {macros.does_not_fit("text", "value is null", f"'{type_name}'")}
        from (select text, {value} as value from inputs)
        where not ({macros.may_not_fit("text", "value", type_name)})"""
    spared = query(sql, [(text,) for text in [*texts, None]], "text string")
    assert [text for text, misfit in spared if misfit] == []
    # arrays are all looked into
    if not type_name.startswith("array<"):
        assert {USUAL.get(type_name, "17"), None} <= {text for text, _ in spared}


def changed(chance, text):
    """Return the text with one to three characters put in, taken out or doubled."""
    for _ in range(chance.randint(1, 3)):
        place = chance.randint(0, len(text))
        put = chance.choice(["", "0", "9", "-", "+", ".", "e", "E5", "T", "Z", ":", " ", "1", "\n"])
        text = text[:place] + put + text[place + chance.randint(0, 1) :]
    return text


@pytest.mark.parametrize(("type_name", "sign"), [("float", "f"), ("double", "d")])
def test_no_way_to_write_a_sources_own_double_is_reported(fit, type_name, sign):
    """Whole or with a fraction, all of it or its first digits, with zeros after them."""
    chance, texts = random.Random(11), []
    for _ in range(300):
        number = chance.choice([-1, 1]) * chance.uniform(1, 10) * 10 ** chance.randint(0, 37)
        (number,) = struct.unpack(sign, struct.pack(sign, number))
        shortest = min(
            digits for digits in range(1, 18) if is_same(f"{number:.{digits}g}", number, sign)
        )
        rounded = [f"{Decimal(f'{number:.{digits - 1}e}'):f}" for digits in range(shortest, 36)]
        texts += [*rounded, f"{number:f}", f"{Decimal(number):f}"]
    told = fit(type_name, texts)
    assert [text for text, (_, misfit) in zip(texts, told, strict=True) if misfit] == []


def is_same(text, number, sign):
    return struct.unpack(sign, struct.pack(sign, float(text))) == (number,)


@pytest.mark.parametrize("type_name", ["timestamp", "timestamp_ntz", "date"])
def test_zero_and_impossible_dates_are_reported(fit, type_name):
    texts = [vector["in"] for vector in VECTORS if vector["rule"] == "zero_datetime"]
    assert texts
    assert fit(type_name, texts) == [(None, MISFIT)] * len(texts)


def test_exponents_become_decimals_where_they_fit(fit):
    texts = [vector["in"] for vector in VECTORS if vector["rule"] == "exponent_decimal"]
    assert texts == ["1.2510357E7", "-4.9E-324"]
    assert fit("decimal(38,0)", texts) == [("12510357", FITS), ("0", MISFIT)]
    assert fit("double", texts) == [("1.2510357E7", FITS), ("-4.9E-324", FITS)]


def test_odd_number_of_hex_digits_is_never_padded(fit):
    texts = [vector["in"] for vector in VECTORS if vector["rule"] == "base16_odd_length"]
    assert texts
    assert fit("binary", texts) == [(None, MISFIT)]


@pytest.mark.parametrize(
    "type_name",
    [
        "integer",
        "decimal",
        "varchar(10)",
        "interval",
        "",
        # Spark cuts these off in silence, or stops at them
        "array<decimal(10,2)>",
        "array<timestamp>",
        "struct<a: int>",
        "map<string, string>",
    ],
)
def test_an_unknown_type_is_refused_with_the_known_ones(macros, type_name):
    with pytest.raises(CompilerError, match="timestamp_ntz"):
        macros.typed("x", type_name, "UTC")


@pytest.mark.parametrize("letter", ["a", r"\"", "é"])
def test_a_long_text_in_an_array_overflows_no_stack(fit, letter):
    text = f'["{letter * 200_000}"]'
    assert fit("array<string>", [text]) == [(text, FITS)]


def test_type_names_may_be_written_freely(macros):
    assert macros.typed("x", " Decimal(10,  2)", "UTC") == "try_cast(x as decimal(10, 2))"
    assert macros.typed("x", "BIGINT", "UTC") == "try_cast(x as bigint)"
