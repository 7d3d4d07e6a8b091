"""One JSON value has many texts: blanks, the order of members and escapes change no row."""

import json
import re

import pytest

from .conftest import HERE, load_lines
from .reference import Number, read_json
from .test_formats import FORMATS, by_place, place

# They follow from the text of the message: a schema block keeps the order of its members. So does the guess in an error, which
# other format a text looks like.
OF_THE_TEXT = {"schema_id", "schema_text"}
GUESS = "; this looks like "
# {"schema":null,"payload":...} is an envelope, and the other way round two columns of a flat row: docs/formats/debezium_smt.md
# Qlik's columnMask counts the columns of a message in their order.
ORDER_DECIDES = {
    "columns that are called payload and schema",
    "an envelope with schema null",
    "an envelope without a row",
    "an envelope with a text",
    # it stands nowhere but in the row
    "a key of two columns, in the order of the message",
}
BINARY = {"debezium_avro", "drs_avro"}


def written(value, blanks=False, is_reversed=False, escaped=False, depth=0):
    """JSON text of a value, numbers as they were written."""
    colon, comma, end = (" : ", " ,\n", "\n") if blanks else (":", ",", "")
    inner = {"blanks": blanks, "is_reversed": is_reversed, "escaped": escaped, "depth": depth + 1}
    if isinstance(value, dict):
        members = list(value.items())
        members = reversed(members) if is_reversed else members
        texts = [written(name, **inner) + colon + written(one, **inner) for name, one in members]
        return "{" + end + comma.join(texts) + end + "}"
    if isinstance(value, list):
        return "[" + end + comma.join(written(one, **inner) for one in value) + end + "]"
    if isinstance(value, Number):
        return str(value)
    text = json.dumps(value, ensure_ascii=escaped)
    return text.replace("/", r"\u002f") if escaped else text


FORMS = {
    "blanks and newlines": {"blanks": True},
    "members reversed": {"is_reversed": True},
    "escapes": {"escaped": True},
}


def sure(record):
    """Whether the value is an ordinary JSON object, with every name once, that one reading gives back."""
    text = record.get("value") or ""
    if (
        "columnMask" in text
        or record["case"] in ORDER_DECIDES
        or not text
        or record.get("by_hand")
        or record.get("load_error")
        or not text.startswith("{")
    ):
        return False
    try:
        repeated = []

        def once(pairs):
            repeated.extend(pairs if len(dict(pairs)) < len(pairs) else [])
            return dict(pairs)

        json.loads(text, object_pairs_hook=once)
        is_odd = (
            "NaN" in text or "Infinity" in text or re.search(r"\\ud[89ab]", text, re.IGNORECASE)
        )
        return not repeated and not is_odd
    except ValueError:
        return False


def with_key(record, form):
    """The record with its Kafka key in another form, if that is an ordinary object; the order of its members is the key's."""
    key = record.get("key")
    if form == "members reversed" or not sure({"case": "", "value": key}):
        return record
    return record | {"key": written(read_json(key), **FORMS[form])}


def meaning(cell):
    """A cell without the order of members inside JSON text."""
    if isinstance(cell, dict):
        return {name: meaning(one) for name, one in cell.items()}
    if isinstance(cell, list):
        return [meaning(one) for one in cell]
    if isinstance(cell, str) and GUESS in cell:
        return cell.partition(GUESS)[0]
    if isinstance(cell, str) and cell[:1] in ("{", "["):
        try:
            return read_json(cell)
        except ValueError:
            return cell
    return cell


def meaning_of(name, row):
    """A cell's meaning; the names of columns that were not sent have no order."""
    cell = meaning(row[name])
    return sorted(cell) if name.endswith("_unavailable") else cell


def differences(records, again, format_name, changes_of):
    """What the rows of the records say in other words than those of the same records written again."""
    plain, other = (
        by_place(changes_of(format_name, records)),
        by_place(changes_of(format_name, again)),
    )
    return [
        f"{record['case']}: {name}: {row[name]!r:.200} became {changed[name]!r:.200}"
        for record in records
        for row, changed in zip(plain[place(record)], other[place(record)], strict=False)
        for name in row
        if name not in OF_THE_TEXT and meaning_of(name, row) != meaning_of(name, changed)
    ]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("format_name", [name for name in FORMATS if name not in BINARY])
def test_another_text_of_the_same_json_gives_the_same_rows(format_name, form, changes_of):
    records = [
        record for record in load_lines(HERE / format_name / "messages.jsonl") if sure(record)
    ]
    again = [
        with_key(record, form) | {"value": written(read_json(record["value"]), **FORMS[form])}
        for record in records
    ]
    assert records
    wrong = differences(records, again, format_name, changes_of)
    assert not wrong, f"{len(wrong)} cells differ:\n" + "\n".join(wrong[:20])


def with_documents(record, form):
    """The record with the documents of MongoDB, JSON texts in its value and its key, in another form."""
    told = {}
    for part in ("key", "value"):
        message = read_json(record[part]) if record.get(part) else None
        holder = message.get("payload", message) if isinstance(message, dict) else {}
        for documents in (holder, holder.get("updateDescription") or {}):
            for name in ("before", "after", "id", "updatedFields"):
                if isinstance(documents.get(name), str) and documents[name].startswith("{"):
                    documents[name] = written(read_json(documents[name]), **FORMS[form])
                    told[part] = written(message)
    return record | told


@pytest.mark.parametrize("form", FORMS)
def test_another_text_of_a_document_of_mongodb_gives_the_same_rows(form, changes_of):
    records = [
        record
        for record in load_lines(HERE / "debezium_json" / "messages.jsonl")
        if sure(record) and '"connector":"mongodb"' in record["value"]
    ]
    again = [with_documents(record, form) for record in records]
    assert sum(one != other for one, other in zip(records, again, strict=True)) > 10
    wrong = differences(records, again, "debezium_json", changes_of)
    assert not wrong, f"{len(wrong)} cells differ:\n" + "\n".join(wrong[:20])
