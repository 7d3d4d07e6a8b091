"""Our materializations keep what dbt promises of every model: hooks, grants, a relation of another type that gives way."""

import pytest

from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import debezium_record, postgres_source

FEED = Feed(name="citizens", format="debezium_json")
HOOKED = """{{ config(
    pre_hook="create table if not exists gold.hooks (said string) using delta",
    post_hook=[
        "insert into gold.hooks select concat('%s ', count(*)) from {{ this }}",
        {'sql': "insert into gold.hooks values ('%s outside')", 'transaction': false}
    ]
) }}
"""
DECLARED = "feed='citizens', database='shop', schema='public', table='citizens', {}columns={{'id': 'int', 'note': 'string'}}"
KEYED = DECLARED.format("key=['id'], ")
MODELS = {
    "keyed": f"{{{{ cdc.current_state({KEYED}) }}}}",
    "keyless": f"{{{{ cdc.current_rows({DECLARED.format('')}) }}}}",
    "versions": f"{{{{ cdc.history({KEYED}) }}}}",
    "kept_versions": f"{{{{ cdc.history({KEYED}) }}}} {{{{ config(materialized='history_table') }}}}",
}


def record(offset):
    source = postgres_source("citizens", f'["{offset}","{offset}"]')
    return debezium_record(offset, "c", {"id": offset, "note": "a"}, source)


@pytest.fixture(scope="module")
def built(project):
    before = project.feeds
    project.add_feed("citizens", format="debezium_json", files="in/citizens")
    for name, text in MODELS.items():
        project.write_model(name, HOOKED % (name, name) + text)
    project.sql("create schema if not exists gold")
    project.sql("create view gold.keyed as select 1 as one")
    project.sql("create view gold.kept_versions as select 1 as one")
    project.land(FEED, 0, [record(0)])
    # one at a time, as each creates the table of the hooks unless it is there
    project.run("--threads", "1", "--select", "silver", *MODELS)
    yield project
    project.set_feeds(before)
    project.sql("drop table if exists gold.hooks")
    for name in MODELS:
        (project.root / "models" / "gold" / f"{name}.sql").unlink()


def said(lakehouse):
    return sorted(row.said for row in lakehouse.sql("select said from gold.hooks"))


def test_hooks_run_after_the_rows_are_there_and_also_where_nothing_is_new(built):
    expected = [word for name in sorted(MODELS) for word in (f"{name} 1", f"{name} outside")]
    assert said(built) == sorted(expected)
    built.run("--select", "keyed")
    assert said(built) == sorted([*expected, "keyed 1", "keyed outside"])


def test_a_view_gives_way_to_a_table(built):
    assert [row.id for row in built.sql("select id from gold.keyed")] == [0]
    assert [row.id for row in built.sql("select id from gold.kept_versions")] == [0]


def test_a_model_that_fails_beside_a_view_of_its_name_fails_alone(built):
    """What a run does at its end, such as to note how far the other models came, is not kept from it."""
    built.sql("create view gold.failing as select 1 as one")
    built.write_model("failing", "{{ config(pre_hook='select nothing') }}\n" + MODELS["keyed"])
    outcome = built.dbt("run", "--select", "failing")
    (built.root / "models" / "gold" / "failing.sql").unlink()
    built.sql("drop view gold.failing")
    assert built.statuses(outcome) == {"failing": "error"}


def test_a_grant_is_asked_of_spark(built):
    """Spark in this process has no users: its refusal, which names the statement, is the model's error."""
    path = built.root / "models" / "gold" / "keyed.sql"
    before = path.read_text()
    path.write_text("{{ config(grants={'select': ['reader']}) }}\n" + before)
    outcome = built.dbt("run", "--select", "keyed")
    path.write_text(before)
    (result,) = [result for result in outcome.result if result.node.name == "keyed"]
    assert result.status == "error"
    assert "show grants on gold.keyed" in result.message.lower()
