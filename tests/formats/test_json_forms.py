"""One JSON text has many forms: blanks, the order of members and escapes change no row, in values, Kafka keys and headers."""

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
    # what Gson escapes, base64's = among it, and the slash
    return re.sub("[/=<>&']", lambda one: rf"\u{ord(one[0]):04x}", text) if escaped else text


FORMS = {
    "blanks and newlines": {"blanks": True},
    "members reversed": {"is_reversed": True},
    "escapes": {"escaped": True},
}


def is_ordinary(text):
    """Whether a text is a JSON object, with every name once, that one reading gives back."""
    if not (text or "").startswith("{"):
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


def sure(record):
    """Whether the record has an ordinary value, or none and an ordinary key."""
    text = record.get("value")
    if (
        "columnMask" in (text or "")
        or record["case"] in ORDER_DECIDES
        or record.get("by_hand")
        or record.get("load_error")
    ):
        return False
    return is_ordinary(record.get("key") if text is None else text)


def in_form(text, form):
    """The text in another form, if it is an ordinary object."""
    return written(read_json(text), **FORMS[form]) if is_ordinary(text) else text


def again_in(form, record):
    """The record with its value, its Kafka key and its headers in another form."""
    parts = {name: in_form(record.get(name), form) for name in ("key", "value") if name in record}
    headers = [[name, in_form(text, form)] for name, text in record["headers"]]
    return record | parts | {"headers": headers}


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


def meaning_of(name, row, form):
    """A cell's meaning: the names of columns that were not sent have no order, nor has a key whose members are reversed."""
    cell = meaning(row[name])
    if name.endswith("_unavailable"):
        return sorted(cell)
    if not cell or form != "members reversed":
        return cell
    if name in ("row_key", "previous_row_key") and row["key_columns"]:
        return dict(zip(row["key_columns"], cell, strict=True))
    if name == "error":
        # some list the columns of a key
        return sorted(re.findall(r"[^\s,()]+", cell))
    return sorted(cell) if name == "key_columns" else cell


def differences(records, again, format_name, form, changes_of):
    """What the rows of the records say in other words than those of the same records written again."""
    plain, other = (
        by_place(changes_of(format_name, records)),
        by_place(changes_of(format_name, again)),
    )
    return [
        f"{record['case']}: {name}: {row[name]!r:.200} became {changed[name]!r:.200}"
        for record in records
        for row, changed in zip(plain[place(record)], other[place(record)], strict=True)
        for name in row
        if name not in OF_THE_TEXT
        and meaning_of(name, row, form) != meaning_of(name, changed, form)
    ]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("format_name", [name for name in FORMATS if name not in BINARY])
def test_another_text_of_the_same_json_gives_the_same_rows(format_name, form, changes_of):
    records = [
        record for record in load_lines(HERE / format_name / "messages.jsonl") if sure(record)
    ]
    again = [again_in(form, record) for record in records]
    assert records
    wrong = differences(records, again, format_name, form, changes_of)
    assert not wrong, f"{len(wrong)} cells differ:\n" + "\n".join(wrong[:20])


OF_MONGODB = '"connector":"mongodb"'
DOCUMENTS = ("before", "after", "id", "updatedFields")


def with_documents(record, form):
    """The record with the documents of MongoDB, JSON texts in its value and its key, in another form, and what is around them."""
    told = {}
    for part in ("key", "value"):
        message = read_json(record[part]) if record.get(part) else None
        holder = message.get("payload", message) if isinstance(message, dict) else {}
        for documents in (holder, holder.get("updateDescription") or {}):
            for name in DOCUMENTS:
                if isinstance(documents.get(name), str) and documents[name].startswith("{"):
                    documents[name] = written(read_json(documents[name]), **FORMS[form])
                    told[part] = written(message, **FORMS[form])
    return record | told


@pytest.mark.parametrize("form", FORMS)
def test_another_text_of_a_document_of_mongodb_gives_the_same_rows(form, changes_of):
    records = [
        record
        for record in load_lines(HERE / "debezium_json" / "messages.jsonl")
        # behind a delete there is a record without a value, whose key holds a document
        if sure(record) and OF_MONGODB in (record.get("value") or OF_MONGODB)
    ]
    again = [with_documents(record, form) for record in records]
    changed = [one for one, other in zip(records, again, strict=True) if one != other]
    assert len(changed) > 10
    assert any(record["value"] is None for record in changed)
    texts = [record[part] or "" for record in changed for part in ("key", "value")]
    assert all(any(f'"{name}":"{{' in text for text in texts) for name in DOCUMENTS)
    wrong = differences(records, again, "debezium_json", form, changes_of)
    assert not wrong, f"{len(wrong)} cells differ:\n" + "\n".join(wrong[:20])
