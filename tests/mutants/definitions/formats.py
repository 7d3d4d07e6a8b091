"""Faults in the macros of formats, and in what all of them share."""

from tests.mutants.mutant import Mutant


def golden(format_name: str) -> tuple[str, ...]:
    """Return the test that compares a format's rows with its golden ones."""
    test = "test_messages_become_exactly_the_expected_rows"
    return (f"tests/formats/test_formats.py::{test}[interpreted-{format_name}]",)


MUTANTS = (
    Mutant(
        name="canal: a word that is not known is let through",
        kind="a guard left out",
        file="macros/formats/_canal.sql",
        before="when message_operation is null then concat('type is not known: ', source_operation)",
        after="",
        tests=golden("canal_json"),
    ),
    Mutant(
        name="contract: the key that a row came from is forgotten",
        kind="a column forgotten",
        file="macros/parse/to_change_contract.sql",
        before="case when half = 'upsert' or operation = 'insert' then key_before end as previous_row_key",
        after="cast(null as array<string>) as previous_row_key",
        tests=golden("canal_json"),
    ),
    Mutant(
        name="debezium: a log position counts before its file",
        kind="an order reversed",
        file="macros/formats/_debezium_positions.sql",
        before="""
                try_cast(substring_index({{ source }}.file, '.', -1) as decimal(38, 0)),
                try_cast({{ source }}.pos as decimal(38, 0))
""",
        after="""
                try_cast({{ source }}.pos as decimal(38, 0)),
                try_cast(substring_index({{ source }}.file, '.', -1) as decimal(38, 0))
""",
        tests=golden("debezium_json"),
    ),
    Mutant(
        name="debezium: the placeholder of a value that was not sent is taken for a value",
        kind="a guard left out",
        file="macros/formats/_debezium_placeholders.sql",
        before="\n    '__debezium_unavailable_value',",
        after="",
        tests=golden("debezium_json"),
    ),
    Mutant(
        name="silver.changes: columns that did not change are missing in the row before an update",
        kind="a column forgotten",
        file="macros/parse/row_before.sql",
        before="{{ cdc.overlaid(relation ~ '.after_image', relation ~ '.before_image') }}",
        after="{{ relation }}.before_image",
        tests=golden("maxwell"),
    ),
    Mutant(
        name="oms: a sequence that begins with seconds is read as small milliseconds",
        kind="a decoder swapped",
        file="macros/formats/_oms.sql",
        before="rpad(left({{ sequence }}, {{ time_digits }}), 13, '0')",
        after="lpad(left({{ sequence }}, {{ time_digits }}), 13, '0')",
        tests=golden("oms_default"),
    ),
    Mutant(
        name="dataworks: the time of a change is read as seconds",
        kind="a decoder swapped",
        file="macros/formats/dataworks_v2.sql",
        before="{{ cdc.epoch_millis('event_millis') }} as changed_at",
        after="{{ cdc.epoch_seconds('event_millis') }} as changed_at",
        tests=golden("dataworks_v2"),
    ),
    Mutant(
        name="dts: bytes are written in base64",
        kind="a decoder swapped",
        file="macros/formats/_dts_avro.sql",
        before="when 'Binary' then hex({{ cell }}.bytes)",
        after="when 'Binary' then base64({{ cell }}.bytes)",
        tests=golden("dts_avro"),
    ),
    Mutant(
        name="formats: a record without a value says nothing, whatever its Kafka key",
        kind="a guard left out",
        file="macros/parse/decode.sql",
        before="        when key is not null\n",
        after="        when false\n",
        tests=golden("ticdc_open"),
    ),
    Mutant(
        name="ticdc: another flag than the handle's tells the key",
        kind="a comparison turned",
        file="macros/formats/ticdc_open.sql",
        before="try_cast(sent.f as bigint) & 2 = 2",
        after="try_cast(sent.f as bigint) & 4 = 4",
        tests=golden("ticdc_open"),
    ),
    Mutant(
        name="streamx: the half after an update ranks below the half before it",
        kind="an order reversed",
        file="macros/formats/streamx.sql",
        before="if(op in ('UPDATE_BEFOR', 'UPDATE_BEFORE'), 0, 1) as place_in_update",
        after="if(op in ('UPDATE_BEFOR', 'UPDATE_BEFORE'), 1, 0) as place_in_update",
        tests=golden("streamx"),
    ),
    Mutant(
        name="cloudcanal: a row of some columns counts as a whole one",
        kind="a guard left out",
        file="macros/formats/cloudcanal_json.sql",
        before="""
            message_operation <> 'update'
            or array_sort""",
        after="""
            true
            or array_sort""",
        tests=golden("cloudcanal_json"),
    ),
    Mutant(
        name="decode: text behind the end of a document is let pass",
        kind="a guard left out",
        file="macros/parse/decode.sql",
        before="when {{ marked_object }}._end = 1 then",
        after="when {{ marked_object }} is not null then",
        tests=golden("debezium_json"),
    ),
    Mutant(
        name="decode: a fraction behind a text in a list is not found",
        kind="a guard left out",
        file="macros/parse/decode.sql",
        before='*)*+"[^-"0-9NI]*|-?',
        after='*)*+":|-?',
        tests=("tests/formats/test_numbers.py", *golden("maxwell")),
    ),
    Mutant(
        name="debezium: a drop without a text is applied whatever table it names",
        kind="a guard left out",
        file="macros/formats/_debezium_schema_changes.sql",
        before="                and {{ cdc.is_name_of_place('get(' ~ table_changes ~ ', 0).id', place) }}\n",
        after="",
        tests=golden("debezium_json"),
    ),
    Mutant(
        name="decode: a key that lacks a column counts as a whole one",
        kind="a comparison turned",
        file="macros/parse/decode.sql",
        before="when forall({{ key_columns }}, key_column -> map_contains_key({{ image }}, key_column))",
        after="when exists({{ key_columns }}, key_column -> map_contains_key({{ image }}, key_column))",
        tests=golden("maxwell"),
    ),
    Mutant(
        name="ddl_kind: a table that is dropped counts as one of another kind",
        kind="a decoder swapped",
        file="macros/parse/statement.sql",
        before="when 'ERASE' then 'drop'",
        after="when 'ERASE' then 'other'",
        tests=golden("canal_json"),
    ),
    Mutant(
        name="unknown messages: the format that a text looks like is not named",
        kind="a column forgotten",
        file="macros/parse/unknown_error.sql",
        before="text -> {{ cdc.looks_like('text') }}",
        after="text -> cast(null as string)",
        tests=golden("debezium_json"),
    ),
    Mutant(
        name="debezium: a delete of PostgreSQL whose key may be made up removes a row",
        kind="a guard left out",
        file="macros/formats/_made_up_keys.sql",
        before="and cardinality({{ cdc._columns_with_a_value(image, defaults) }}) > 0",
        after="and false",
        tests=golden("debezium_json"),
    ),
    Mutant(
        name="feeds: a pattern of tables in the encodings counts as a name",
        kind="a comparison turned",
        file="macros/project/feeds.sql",
        before="name if modules.re.search(cdc.signs_of_patterns(), name) else",
        after="name if not modules.re.search(cdc.signs_of_patterns(), name) else",
        tests=(
            "tests/formats/test_bare_numbers.py::test_a_table_is_meant_as_the_gold_model_names_it",
        ),
    ),
)
