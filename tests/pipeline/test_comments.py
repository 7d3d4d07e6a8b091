"""What columns mean stands in Delta: the model's descriptions, and the source's comments where messages bring them."""

import json

import pytest

from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import debezium_record, postgres_source

FEED = Feed(name="commented", format="debezium_json")
MODEL = """{{ cdc.current_state(
    feed='commented', database='shop', schema='public', table='commented', key=['id'],
    columns={'id': 'int', '#of': 'int', 'remark': {'type': 'string', 'source': 'note'}, 'amount': 'int'}
) }}
"""
DESCRIBED = {"name": "commented", "columns": [{"name": "id", "description": "Who it is"}]}
# a text of the source is no SQL
COMMENT = "what the clerk's \\ note said'; drop table x --"


def record(offset, comment):
    comments = {"id": "number", "note": comment, "amount": ""}
    fields = [
        {
            "field": name,
            "type": "string" if name == "note" else "int32",
            "optional": True,
            "parameters": {"__debezium.source.column.comment": comments[name]},
        }
        for name in comments
    ]
    source = postgres_source("commented", json.dumps([str(offset)] * 2))
    schema = {"type": "struct", "fields": [{"field": "after", "type": "struct", "fields": fields}]}
    return debezium_record(offset, "c", {"id": offset, "note": "a", "amount": 1}, source, schema)


@pytest.fixture(scope="module")
def commented(project):
    before = project.feeds
    project.add_feed("commented", format="debezium_json", files="in/commented")
    project.write_model("commented", MODEL)
    described = project.root / "models" / "gold" / "commented.yml"
    described.write_text(json.dumps({"version": 2, "models": [DESCRIBED]}))
    project.land(FEED, 0, [record(0, COMMENT)])
    project.run("--select", "silver", "commented")
    yield project
    project.set_feeds(before)
    described.unlink()
    (project.root / "models" / "gold" / "commented.sql").unlink()


def comments(lakehouse):
    columns = lakehouse.spark.table("gold.commented").schema.fields
    return {column.name: column.metadata.get("comment") for column in columns}


def test_descriptions_and_else_the_comments_of_the_source_stand_at_the_columns(commented):
    told = {"id": "Who it is", "#of": None, "remark": COMMENT, "amount": None, "_change": None}
    assert comments(commented) == told


@pytest.mark.long
def test_a_merge_keeps_them_and_a_build_renews_them(commented):
    before = comments(commented)
    commented.land(FEED, 1, [record(1, "another")])
    commented.run("--select", "silver", "commented")
    assert comments(commented) == before
    commented.run("--full-refresh", "--select", "commented")
    assert comments(commented) == before | {"remark": "another"}
    assert len(commented.sql("select * from gold.commented")) == 2
