"""Numbers keep every digit wherever they stand: macros/decode.sql beside the reading in plain Python."""

import random

import pytest

from .reference import Number, read_json, wire_text
from .test_json_forms import written

FRACTIONS = "1.10 -0.0 2.50e3 1E-18 0.000000000000000001 12345678901234567.89 1e400 NaN -Infinity"
NUMBERS = [
    *FRACTIONS.split(),
    "0",
    "-7",
    "9007199254740993",
    "1234567890123456789012345678901234567890",
]
# of names and of texts: all that looks like a number, or like what stands before one
PARTS = [
    *'",[]{}:\\ \t-.',
    "1.5",
    ":1.50",
    '":2.0',
    "NaN",
    "e5",
    "é",
    "a",
    "",
    "[1.10]",
]


def name_of(chance):
    return "".join(chance.choices(PARTS, k=chance.randint(1, 5)))


def value_of(chance, depth):
    kinds = ["number"] * 4 + ["text", "word"] + ["list", "object"] * (depth > 0)
    kind = chance.choice(kinds)
    if kind == "number":
        return Number(chance.choice(NUMBERS))
    if kind == "text":
        return name_of(chance)
    if kind == "word":
        return chance.choice([None, True, False])
    if kind == "list":
        return [value_of(chance, depth - 1) for _ in range(chance.randint(0, 4))]
    return {name_of(chance): value_of(chance, depth - 1) for _ in range(chance.randint(0, 4))}


def documents(count, seed=1):
    """Rows of JSON, each in an ordinary text and in one with blanks, and one with many."""
    chance = random.Random(seed)
    for _ in range(count):
        row = {name_of(chance): value_of(chance, 3) for _ in range(chance.randint(1, 6))}
        yield written(row)
        yield written(row, blanks=True)
    yield '{"a"      \t:\r\n\n    1.10 , "b" :[\n 2.50\n] }'


@pytest.fixture(scope="module")
def images(spark, macros):
    """The images that a format makes of JSON objects: None of what is no JSON."""

    def run(texts):
        messages = [(f'{{"row":{text}}}',) for text in texts]
        spark.createDataFrame(messages, "text string").createOrReplaceTempView("rows_of_json")
        fields = "`row` map<string, string>"
        query = f"""
            with marked as (select *, {macros.mark_fractions("text")} as exact_text from rows_of_json),
            parsed as (select *, {macros.decode_object("exact_text", fields)} as marked_object from marked),
            decoded as (select *, {macros.decoded_object("marked_object")}.row as image from parsed)
            select {macros.exact_numbers("image", "exact_text")} as image from decoded
        """
        return [row.image for row in spark.sql(query).collect()]

    return run


def test_every_number_of_a_row_keeps_its_digits(images):
    texts = list(documents(400))
    wanted = [{name: wire_text(value) for name, value in read_json(text).items()} for text in texts]
    wrong = [one for one in zip(texts, wanted, images(texts), strict=True) if one[1] != one[2]]
    assert not wrong, f"{len(wrong)} rows differ: {wrong[0]}"


def test_what_is_no_json_does_not_become_it(images):
    wrong = ["01.5", "1.", ".5", "1.5.5", "--1.5", "1.5x", "1e", "1.5e", "-Infinit", "Nan"]
    texts = [f'{{"a":{number}}}' for number in wrong]
    texts += ['{"a":1.5', '{"a:1.5}', '{"a":"1.5}', '{"a":1.5,}', '{"a" 1.5}', "{1.5:2}"]
    assert images(texts) == [None for _ in texts]
