"""Faults in what schemas tell, in the decoders of values and in the types of gold."""

from tests.mutants.mutant import Mutant

WIRE = "tests/types/test_wire.py"
BARE = "tests/formats/test_bare_numbers.py"

MUTANTS = (
    Mutant(
        name="values: Spark puts the environment in the place of ${...} in a text",
        kind="a guard left out",
        file="macros/sql/quoted.sql",
        before=""".replace('${', '\\\\u0024{')""",
        after="",
        tests=("tests/types/test_quoted.py",),
    ),
    Mutant(
        name="bare numbers: a number beside the row is taken for the row's",
        kind="a guard left out",
        file="macros/parse/bare_number_reason.sql",
        before="and not {{ text }} rlike concat({{ cdc._before_value(column_name) }}, r'\"\\Q', {{ number }}, r'\\E\"')",
        after="",
        tests=(f"{BARE}::test_a_number_beside_the_row_is_not_the_rows",),
    ),
    Mutant(
        name="bare numbers: bits with the highest byte first are no base64",
        kind="a column forgotten",
        file="macros/project/feeds.sql",
        before="'little_endian_bits', 'big_endian_bits']",
        after="'little_endian_bits']",
        tests=(f"{BARE}::test_a_feed_tells_its_format_which_columns_are_base64",),
    ),
    Mutant(
        name="wire: milliseconds of a day are read as microseconds",
        kind="a decoder swapped",
        file="macros/values/canonical_text.sql",
        before="'millis_of_day': cdc._of_whole(wire_text, cdc._time_text(whole, 1000)),",
        after="'millis_of_day': cdc._of_whole(wire_text, cdc._time_text(whole, 1000000)),",
        tests=(f"{WIRE}::test_times_may_be_negative_or_longer_than_a_day",),
    ),
    Mutant(
        name="wire: an enum's number names the label behind its own",
        kind="a comparison turned",
        file="macros/values/canonical_text.sql",
        before="then get({{ labels }}, cast({{ wire_text }} as int) - 1)",
        after="then get({{ labels }}, cast({{ wire_text }} as int))",
        tests=(f"{WIRE}::test_enum_numbers_and_set_masks_become_labels",),
    ),
    Mutant(
        name="wire: a negative decimal loses its sign",
        kind="a guard left out",
        file="macros/values/canonical_text.sql",
        before="if(bytes < '8', '', '-'),",
        after="'',",
        tests=(f"{WIRE}::test_connect_decimal_is_exact_at_any_width",),
    ),
    Mutant(
        name="wire: an instant is UTC's clock whatever the source's zone",
        kind="a decoder swapped",
        file="macros/values/canonical_text.sql",
        before="from_utc_timestamp(timestamp_millis(instant), '{{ time_zone }}')",
        after="from_utc_timestamp(timestamp_millis(instant), 'UTC')",
        tests=(f"{WIRE}::test_an_instant_is_the_clock_of_the_sources_zone",),
    ),
    Mutant(
        name="types: text behind an array is let pass",
        kind="a guard left out",
        file="macros/values/typed.sql",
        before="when {{ type }} like 'array<%' and {{ cdc._is_no_whole_array(text) }} then true",
        after="",
        tests=("tests/types/test_types.py::test_typed_value_is_exact_or_reported",),
    ),
    Mutant(
        name="types: a decimal that fills its scale counts as rounded",
        kind="a comparison turned",
        file="macros/values/typed.sql",
        before=r"then length(regexp_extract({{ text }}, r'\.(\d*[1-9])', 1)) > {{ scale }}",
        after=r"then length(regexp_extract({{ text }}, r'\.(\d*[1-9])', 1)) >= {{ scale }}",
        tests=("tests/types/test_types.py::test_typed_value_is_exact_or_reported",),
    ),
    Mutant(
        name="schemas: microseconds of a timestamp are declared as nanoseconds",
        kind="a decoder swapped",
        file="macros/schemas/_debezium.sql",
        before="'io.debezium.time.MicroTimestamp' then 'epoch_micros'",
        after="'io.debezium.time.MicroTimestamp' then 'epoch_nanos'",
        tests=("tests/types/test_schemas.py::test_debezium_json_columns_in_their_order",),
    ),
    Mutant(
        name="types: the end of time is a day of 1816 where nanoseconds wrapped",
        kind="a guard left out",
        file="macros/values/canonical_text.sql",
        before="            {{ nanos }} between -4852202631933722624 and -4852116231933722625\n            or ",
        after="            ",
        tests=("tests/types/test_wire.py::test_a_count_of_nanoseconds_that_wrapped_is_no_moment",),
    ),
    Mutant(
        name="types: a large number of which a double has lost digits counts as exact",
        kind="a guard left out",
        file="macros/values/typed.sql",
        before=r"when abs({{ typed }}) between {{ whole_up_to }} and 1e34",
        after=r"when false and abs({{ typed }}) between {{ whole_up_to }} and 1e34",
        tests=("tests/types/test_types.py::test_typed_value_is_exact_or_reported",),
    ),
)
