"""`generate` knows what the project declares and what silver tells, here without Spark."""

import pytest

from ingestion.gold_models import declared_models

CALL = "(feed='crm', database='shop', table='orders', key=['id'], columns={'id': 'bigint'})"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "models" / "gold").mkdir(parents=True)
    (tmp_path / "dbt_project.yml").write_text("vars: {crm_feed: crm}\n")
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        "{{ config(tags=['daily']) }}\n{{ current_state" + CALL + " }}",
        "-- depends_on: {{ ref('rates') }}\n{{ current_state" + CALL + " }}",
        "{{ current_state" + CALL.replace("'crm'", "var('crm_feed')") + " }}",
        "{{ current_state" + CALL.replace("'crm'", "var('no_such', 'crm')") + " }}",
        "{{ current_state " + CALL + " }}",
    ],
)
def test_a_model_is_declared_however_it_is_written(folder, capsys, text):
    (folder / "models" / "gold" / "orders.sql").write_text(text)
    (declared,) = declared_models(folder)
    assert (declared.feed, declared.place) == ("crm", (None, "shop", None, "orders"))
    assert (declared.key, declared.columns) == (("id",), {"id": "bigint"})
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{{ current_state" + CALL.replace("'crm'", "var('x')"), "dbt_project.yml has no var x"),
        ("{{ current_state" + CALL.replace("'crm'", "mine()"), "'mine' is undefined"),
        ("{{ current_state" + CALL.replace("'crm'", "mine"), "current_state needs feed by name"),
        ("{{ current_state" + CALL.replace("feed=", ""), "current_state needs feed by name"),
        ("{{ current_rows(feed='crm', table='t')", "current_rows needs columns by name"),
    ],
)
def test_a_model_that_cannot_be_read_is_told(folder, capsys, text, reason):
    (folder / "models" / "gold" / "orders.sql").write_text(text + " }}")
    (folder / "models" / "gold" / "rates.sql").write_text("select * from {{ source('a', 'b') }}")
    assert declared_models(folder) == []
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"models/gold/orders.sql: cannot read this model: {reason}")
