"""Columns that stand in a model's YAML, histories of a gold model, and tests of both: what they declare, and what is refused."""

import pytest

from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import canal_record, shown

CALL = "feed='declared', database='shop', table='declared', key=['id']"
YAML = """
models:
  - name: declared
    columns:
      - {name: id, data_type: int, description: A number.}
      - {name: amount, data_type: "decimal(8,2)"}
      - {name: state, data_type: string, config: {meta: {source: status}}}
      - {name: hint, data_type: string, config: {meta: {source: "hint ${name}"}}}
      - {name: note, description: "Without a type: not declared."}
  - name: declared_versions
    columns:
      - {name: valid_from, data_type: timestamp, description: The history's own.}
  - name: declared_states
    columns:
      - {name: id, data_type: int}
      - {name: state, data_type: string, config: {meta: {source: status}}}
"""
MODELS = {
    "declared": f"{{{{ cdc.current_state({CALL}) }}}}\n",
    "declared_versions": "{{ cdc.history(of='declared') }}\n",
    "declared_states": "{{ cdc.history(of='declared') }}\n{{ config(materialized='history_table') }}\n",
}
# what Spark takes for variables, in the text of a message and in the name of a column
HINT = "Dear ${name}, ${env:HOME}"
FIRST = {"id": "1", "amount": "2.5", "status": "new", "note": "x", "hint ${name}": HINT}


@pytest.fixture(scope="module")
def built(project):
    before, folder = project.feeds, project.root / "models" / "gold"
    project.add_feed("declared", format="canal_json", files="in/declared")
    for name, text in MODELS.items():
        project.write_model(name, text)
    (folder / "declared.yml").write_text(YAML)
    records = [
        canal_record("declared", 0, "INSERT", FIRST, 1000),
        canal_record("declared", 1, "UPDATE", FIRST | {"status": "paid"}, 2000),
    ]
    project.land(Feed(name="declared", format="canal_json"), 0, records)
    project.run("--select", "silver", *MODELS)
    yield project
    project.set_feeds(before)
    for path in folder.glob("declared*"):
        path.unlink()


def columns(lakehouse, table):
    return dict(lakehouse.spark.table(f"gold.{table}").drop("_change").dtypes)


def rows(lakehouse, query):
    return [tuple(map(str, row)) for row in lakehouse.sql(query)]


def said_of(outcome):
    return str(outcome.exception) + "".join(
        str(result.message) for result in getattr(outcome.result, "results", [])
    )


def test_columns_with_a_type_are_in_gold(built):
    types = {"id": "int", "amount": "decimal(8,2)", "state": "string", "hint": "string"}
    assert columns(built, "declared") == types
    query = "select id, amount, state, hint from gold.declared"
    assert rows(built, query) == [("1", "2.50", "paid", HINT)]


def test_a_history_has_the_key_and_the_columns_of_its_gold_model_or_its_own(built):
    names = ["id", "amount", "state", "hint", "valid_from"]
    assert list(columns(built, "declared_versions"))[:5] == names
    assert rows(built, "select state, is_current from gold.declared_versions order by all") == [
        ("new", "False"),
        ("paid", "True"),
    ]
    assert list(columns(built, "declared_states"))[:3] == ["id", "state", "valid_from"]
    versions = built.versions()
    built.run("--select", "silver", *MODELS)
    assert built.versions() == versions


@pytest.mark.long
def test_columns_that_move_between_yaml_and_call_rebuild_nothing(built):
    versions = built.versions()
    of_call = (
        "columns={'id': 'int', 'amount': 'decimal(8,2)', 'state': {'type': 'string', 'source': 'status'},"
        " 'hint': {'type': 'string', 'source': 'hint ${name}'}}"
    )
    try:
        built.write_model("declared", f"{{{{ cdc.current_state({CALL}, {of_call}) }}}}\n")
        built.run("--select", "declared")
        assert built.versions() == versions
    finally:
        built.write_model("declared", MODELS["declared"])


def test_a_row_of_a_table_that_is_not_built_is_one_sentence(built):
    built.write_model("unbuilt", MODELS["declared"])
    try:
        outcome = built.dbt("show", "--inline", "{{ cdc.explain_row('unbuilt', ['1']) }}")
    finally:
        (built.root / "models" / "gold" / "unbuilt.sql").unlink()
    assert "explain_row: 'unbuilt' is not in gold yet: run dbt first." in said_of(outcome)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        (
            "declared",
            f"{{{{ cdc.current_state({CALL.replace('id', 'number')}) }}}}",
            "Gold model 'declared': the key column 'number' is not among its columns.",
        ),
        (
            "undeclared",
            f"{{{{ cdc.current_state({CALL}) }}}}",
            "Gold model 'undeclared' names no columns with their types: ",
        ),
        (
            "undeclared",
            "{{ cdc.history(of='declared_versions') }}",
            "History model 'undeclared': of='declared_versions' is no gold model.",
        ),
        (
            "undeclared",
            f"{{{{ cdc.history(of='declared', {CALL}) }}}}",
            "History model 'undeclared': history(of='orders') takes the name of a gold model, ",
        ),
        (
            "undeclared",
            "{{ config(alias='declared', schema='other') }}"
            f"{{{{ cdc.current_state({CALL}, columns={{'id': 'int'}}) }}}}",
            "'undeclared' both make a table called declared, ",
        ),
    ],
)
def test_what_cannot_be_declared_is_one_sentence(built, name, text, sentence):
    path = built.root / "models" / "gold" / f"{name}.sql"
    before = path.read_text() if path.exists() else None
    try:
        built.write_model(name, text)
        assert sentence in said_of(built.dbt("run", "--select", name))
    finally:
        if before is None:
            path.unlink()
        else:
            path.write_text(before)


@pytest.mark.long
@pytest.mark.parametrize(
    "model",
    [
        "ref('declared_versions')",
        "ref('declared_states')",
        "'(select 1) dbt_subquery' if execute else ref('declared')",
    ],
)
@pytest.mark.parametrize(
    ("test", "kind"),
    [
        ("key_is_unique", "with a key (current_state)"),
        ("newest_change_wins", "with a key (current_state)"),
        ("every_row_is_counted", "without a key (current_rows)"),
    ],
)
def test_a_test_that_is_not_for_a_table_or_has_a_filter_is_one_sentence(built, test, kind, model):
    """dbt's `where` puts a text in the place of the table, once the project is parsed."""
    outcome = built.dbt("show", "--inline", f"{{{{ cdc.test_{test}({model}) }}}}")
    assert f"the test is for gold models {kind}, and takes no `where`." in said_of(outcome)


@pytest.mark.long
def test_children_may_have_a_filter(built):
    for filtered, expected in [("id = 1", 1), ("id = 2", 0)]:
        children = f"(select * from {{{{ ref('declared') }}}} where {filtered}) dbt_subquery"
        listed = "columns='amount', parent=ref('declared'), parent_columns='id'"
        query = f"{{% set children %}}{children}{{% endset %}}"
        query += f"{{{{ cdc.test_children_have_parents(children, {listed}) }}}}"
        assert len(shown(built, "--inline", query)) == expected


@pytest.mark.long
@pytest.mark.parametrize(("columns", "of_parents"), [([], []), (["amount"], ["id", "amount"])])
def test_children_name_a_column_of_the_parent_for_each_of_theirs(built, columns, of_parents):
    listed = f"columns={columns}, parent=ref('declared'), parent_columns={of_parents}"
    query = f"{{{{ cdc.test_children_have_parents(ref('declared'), {listed}) }}}}"
    sentence = f"has {len(columns)} columns and {len(of_parents)} parent_columns: give one for each"
    said = []
    built.dbt("show", "--inline", query, said=said)
    assert sentence in " ".join(said)
