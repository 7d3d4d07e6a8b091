"""A record in Avro becomes the rows of its twin in JSON, but for the text of its types."""

from tests.formats.conftest import HERE, load_lines
from tests.formats.test_formats import by_place, place

# What names the format or holds the text of its types.
OWN = {"feed": None, "schema_id": None, "schema_text": None}


def test_rows_are_those_of_the_same_record_in_json():
    twins = {
        place(record): record["case"].removeprefix("debezium_avro twin of ")
        for record in load_lines(HERE / "debezium_avro" / "messages.jsonl")
        if record["case"].startswith("debezium_avro twin of ")
    }
    ours = by_place(load_lines(HERE / "debezium_avro" / "changes.jsonl"))
    theirs = by_place(load_lines(HERE / "debezium_json" / "changes.jsonl"))
    assert len(twins) > 100
    for where, case in twins.items():
        got = [row | OWN for row in ours[where]]
        wanted = [row | OWN for row in theirs[where]]
        for row in wanted:
            if row["error"]:
                row["error"] = row["error"].partition("; this looks like ")[0]
        assert got == wanted, case
