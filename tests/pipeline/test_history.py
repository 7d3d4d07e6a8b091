"""A version has the values that the messages before it brought, each by the types that its own message told; and a wide view fits."""

import datetime
import json

import pytest

from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import debezium_record, postgres_source

LONGEST_VIEW = 32_700
FEED = Feed(name="retyped", format="debezium_json")
MODEL = """{{{{ {macro}(
    feed='retyped', database='shop', schema='public', table='retyped', key=['id'],
    columns={{'id': 'int', 'paid_on': 'date', 'body': 'string'}}
) }}}}
"""
DATE = {"type": "int32", "name": "io.debezium.time.Date"}
TOLD = (
    ({"id": 1, "paid_on": 20454, "body": "long"}, DATE),
    # the column has become a text, and this row's was not sent
    ({"id": 1, "paid_on": "__debezium_unavailable_value", "body": "short"}, {"type": "string"}),
)


def record(offset, row, paid_on):
    types = {"id": {"type": "int32"}, "paid_on": paid_on, "body": {"type": "string"}}
    fields = [{"field": name, "optional": True} | kind for name, kind in types.items()]
    schema = {"type": "struct", "fields": [{"field": "after", "type": "struct", "fields": fields}]}
    source = postgres_source("retyped", json.dumps([str(100 + offset)] * 2))
    return debezium_record(offset, "u" if offset else "c", row, source, schema)


@pytest.mark.long
def test_a_value_of_an_earlier_version_keeps_its_type(project):
    before = project.feeds
    project.add_feed(FEED.name, format=FEED.format, files="in/retyped")
    models = {"retyped": "current_state", "retyped_history": "history"}
    for name, macro in models.items():
        project.write_model(name, MODEL.format(macro=macro))
    project.land(FEED, 0, [record(offset, *told) for offset, told in enumerate(TOLD)])
    project.run("--select", "silver", *models)
    (gold,) = project.sql("select paid_on, body, _change.misfits from gold.retyped")
    versions = project.sql(
        "select paid_on, body, _change.misfits from gold.retyped_history order by _change.sequence"
    )
    project.set_feeds(before)
    for name in models:
        (project.root / "models" / "gold" / f"{name}.sql").unlink()
    paid_on = datetime.date(2026, 1, 1)
    assert gold == (paid_on, "short", [])
    assert versions == [(paid_on, "long", []), (paid_on, "short", [])]


def test_a_view_too_long_for_the_metastore_is_kept_without_its_indentation(project):
    before = project.feeds
    project.add_feed("lengthy", format="debezium_json", files="in/lengthy")
    # names that no other table of the format has, which may be encoded there
    columns = {f"lengthy_{number}": "int" for number in range(21)}
    source = "feed='lengthy', database='shop', schema='public', table='lengthy', key=['lengthy_0']"
    project.write_model("lengthy_history", f"{{{{ cdc.history({source}, columns={columns}) }}}}\n")
    row = {"id": 1, "lengthy_0": 1, "lengthy_1": 10, "lengthy_20": 29}
    sent = debezium_record(0, "c", row, postgres_source("lengthy", json.dumps(["100"] * 2)))
    sent["key"] = json.dumps({"lengthy_0": 1})
    project.land(Feed(name="lengthy", format="debezium_json"), 0, [sent])
    project.run("--select", "silver", "lengthy_history")
    compiled = project.root / "target" / "compiled" / "cdc" / "models" / "gold"
    length = len((compiled / "lengthy_history.sql").read_text())
    versions = project.sql(
        "select lengthy_0, lengthy_1, lengthy_2, lengthy_20 from gold.lengthy_history"
    )
    project.set_feeds(before)
    (project.root / "models" / "gold" / "lengthy_history.sql").unlink()
    assert length > LONGEST_VIEW
    assert versions == [(1, 10, None, 29)]
