"""What the optimizer makes of a macro: a message is decoded once, whatever the SQL above it repeats."""

import re
from pathlib import Path

import pytest

from tests.formats.conftest import MESSAGES, read_as
from tests.support.small_spark import COMPILED

RECORD = {
    "case": "",
    "topic": "t",
    "partition": 0,
    "offset": 0,
    "timestamp": 0,
    "headers": [],
    "key": None,
    "value": None,
}

# The bytes of a method above which Java leaves it to its interpreter, and Spark a stage without its generated code.
JAVA_COMPILES = 8000

FORMATS = sorted(path.parent.name for path in Path(__file__).parent.glob("*/messages.jsonl"))
# What a format decodes beside the value, by a field that only that decode asks for. Each stands once in the optimized plan.
OF_DEFAULTS = {
    "the defaults of columns": "StructField(default",
    "the same of an Avro union": "instr",
}
ALSO_DECODED = {
    "debezium_smt": {"the Kafka key": "key_text"} | OF_DEFAULTS,
    "flink_cdc_canal": {"a row that stands in no list": "StructField(data,MapType"},
    "flink_cdc_debezium": {"the Kafka key": "key_text"},
    "ticdc_debezium": {"the Kafka key": "key_text"},
    "dtle": {"the Kafka key": "key_text"},
    "ticdc_open": {"the Kafka key": "ccl"},
    "oms_debezium_smt": {"the Kafka key": "key_text"} | OF_DEFAULTS,
    "dts_avro": {"the keys in tags": "PRIMARY"},
    "maxwell": {"the Kafka key": "parts", "the columns of a key that is a list": "MapType"},
    "oms_avro": {"the keys in tags": "PRIMARY"},
    "debezium_json": {
        "the Kafka key": "key_text",
        "the header with the old key": "__debezium.oldkey",
        "MongoDB's document before": "before_text",
        "MongoDB's document or patch after": "updatedFields",
    }
    | OF_DEFAULTS,
}
ALSO_DECODED["debezium_avro"] = ALSO_DECODED["debezium_json"]
# What tells bare numbers from base64; tokens are asked for where a text looks like a number.
OF_BARE_NUMBERS = {"the names of columns of bytes": "StructField(type", "the tokens": "VariantType"}
BARE_NUMBERS = {
    "debezium_cloudcanal": OF_BARE_NUMBERS,
    "debezium_json": OF_BARE_NUMBERS,
    "debezium_smt": OF_BARE_NUMBERS,
    "dtle": OF_BARE_NUMBERS,
    "oms_debezium_smt": OF_BARE_NUMBERS,
    "ticdc_debezium": OF_BARE_NUMBERS,
}
OF_ENCODINGS = {"the feed's columns in base64": "columns_in_base64"}
# Their cells say whether they are numbers or bytes.
WITHOUT_TOKENS = {"dts_avro", "oms_avro"}
# Their values are no text that could lie wrapped in a JSON string.
BINARY = {"debezium_avro", "drs_avro"}


def decoded(format_name):
    """What a format decodes, by a field that only that decode asks for."""
    name = read_as(format_name)
    of_encodings = {} if name in WITHOUT_TOKENS else OF_ENCODINGS
    also = ALSO_DECODED.get(name, {}) | BARE_NUMBERS.get(name, {}) | of_encodings
    return {"the value": "_end"} | also


# How often fractions are marked: only formats that write bare ones pay for it.
MARKS = {
    "aws_dms": 1,
    "canal_json_ckafka": 1,
    "canal_json_cloudcanal": 1,
    "canal_json_oms": 1,
    "cloudcanal_json": 1,
    "dataworks_v2": 1,
    "debezium_avro": 6,
    "debezium_cloudcanal": 1,
    "debezium_json": 6,
    "debezium_smt": 3,
    "dtle": 2,
    "dts_avro": 1,
    "flink_cdc_canal": 1,
    "flink_cdc_debezium": 2,
    "google_datastream": 1,
    "maxwell": 1,
    "ogg_json": 1,
    "oms_avro": 1,
    "oms_debezium": 1,
    "oms_debezium_flatten": 1,
    "oms_debezium_smt": 3,
    "oms_default": 1,
    "oms_default_ext": 1,
    "oms_shareplex": 1,
    "qlik_replicate": 1,
    "shareplex_quest": 1,
    "streamx": 1,
    "ticdc_debezium": 2,
    "ticdc_maxwell": 1,
    "ticdc_open": 1,
}


@pytest.fixture(scope="module", params=FORMATS)
def format_name(request):
    """Each format."""
    return request.param


@pytest.fixture(scope="module")
def plan(format_name, parsed):
    """The optimized plan as text."""
    return parsed(format_name, [RECORD])._jdf.queryExecution().optimizedPlan().toString()


def calls(plan, function):
    """The arguments of every call of a function, to its closing bracket."""
    found = []
    for start in re.finditer(rf"\b{function}\(", plan):
        depth, end = 1, start.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(plan[end], 0)
            end += 1
        found.append(plan[start.end() : end - 1])
    return found


@pytest.mark.families
def test_each_text_is_decoded_by_one_from_json(format_name, plan):
    decodes = calls(plan, "from_json")
    assert len(decodes) == len(decoded(format_name)), "\n".join(decode[-300:] for decode in decodes)
    of_value = [decode for decode in decodes if "StructField(_end,Integer" in decode]
    assert len(of_value) == 1


@pytest.mark.families
def test_no_path_is_looked_up_but_to_unwrap_a_text(format_name, plan):
    lookups = calls(plan, "get_json_object")
    assert len(lookups) == (read_as(format_name) not in BINARY)
    assert all(lookup.endswith("$[0]") for lookup in lookups)
    assert calls(plan, "json_tuple") == calls(plan, "parse_json") == []


@pytest.mark.families
def test_fractions_are_marked_once_in_each_text(format_name, plan):
    """However often the SQL names what comes of it."""
    innermost = [call for call in calls(plan, "regexp_replace") if "regexp_replace(" not in call]
    marks = [call for call in innermost if "Infinity" in call]
    assert len(marks) == MARKS.get(read_as(format_name), 0), "\n".join(mark[:200] for mark in marks)


@pytest.mark.families
def test_java_compiles_every_generated_stage(format_name, spark, macros):
    """What is rare and large is in lambda functions, which are not generated: see macros/parse/statement.sql."""
    session = spark.newSession()
    for name, value in COMPILED.items():
        session.conf.set(name, value)
    session.conf.set("spark.sql.ansi.enabled", "false")
    session.createDataFrame([], MESSAGES).createOrReplaceTempView("golden_messages")
    frame = session.sql(getattr(macros, f"parse_{format_name}")("golden_messages"))
    of_debug = getattr(session._jvm.org.apache.spark.sql.execution.debug, "package$")
    code = of_debug.__getattr__("MODULE$").codegenString(frame._jdf.queryExecution().executedPlan())
    sizes = [int(size) for size in re.findall(r"maxMethodCodeSize:(\d+)", code)]
    assert sizes
    assert max(sizes) <= JAVA_COMPILES
