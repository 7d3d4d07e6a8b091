"""Rows of gold that stay as they were because their changes have no message of their own: parents of partitions, and children
of a foreign key."""

import json

import pytest
import yaml

from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import (
    canal_ddl,
    canal_record,
    debezium_record,
    postgres_source,
    shown,
)

pytestmark = pytest.mark.long

PARTED = Feed(name="parted", format="debezium_json")
FAMILY = Feed(name="family", format="canal_json")
NOTES = {"orders": "note", "orders_2025": "note", "orders_2026": "note", "orders_2027": "note"}
NOTES |= {"countries": "name", "visited": "name"}
# a table, its operation, a key, a text: of a full load, then of the stream
LOADED = [("orders", 1, "a"), ("orders", 2, "b"), ("orders", 3, "c")]
LOADED += [("orders_2025", 1, "a"), ("orders_2025", 2, "b"), ("orders_2026", 3, "c")]
# what shares a row with a table is no partition of it
LOADED += [("countries", 1, "Chile"), ("countries", 2, "Mali"), ("visited", 1, "Chile")]
STREAMED = [("orders_2025", "u", 1, "z"), ("orders_2027", "c", 4, "d"), ("visited", "u", 1, "Peru")]
# a child's key and that of its parent; the delete of a parent, which takes its children with it
CHILDREN = [("10", "1"), ("11", "2"), ("12", None), ("13", "3")]
MODEL = """{{{{ cdc.current_state(
    feed='{feed}', database='shop', {schema}table='{table}', key=['id'], columns={columns}
) }}}}
"""
TESTED = {
    "version": 2,
    "models": [
        {
            "name": "family_children",
            "data_tests": [
                {
                    "children_have_parents": {
                        "name": "children_of_the_family",
                        "arguments": {
                            "columns": ["parent"],
                            "parent": "ref('family_parents')",
                            "parent_columns": ["id"],
                        },
                    }
                }
            ],
        }
    ],
}


def of_postgres(offset, told, position):
    table, operation, key, text = told
    sequence = f'[null,"{position}"]' if operation == "r" else f'["{position}","{position}"]'
    source = postgres_source(table, sequence, "true" if operation == "r" else "false")
    return debezium_record(offset, operation, {"id": key, NOTES[table]: text}, source)


@pytest.fixture(scope="module")
def found(project):
    """What both tests find after a full load, and after changes of partitions and the delete of a parent."""
    before, folder = project.feeds, project.root / "models" / "gold"
    project.add_feed("parted", format=PARTED.format, files="in/parted")
    project.add_feed("family", format=FAMILY.format, files="in/family")
    written = {"parted_orders": ("parted", "orders", {"id": "int", "note": "string"})}
    written["parted_countries"] = ("parted", "countries", {"id": "int", "name": "string"})
    written["family_parents"] = ("family", "parents", {"id": "int"})
    written["family_children"] = ("family", "children", {"id": "int", "parent": "int"})
    for name, (feed, table, columns) in written.items():
        schema = "schema='public', " if feed == "parted" else ""
        project.write_model(
            name, MODEL.format(feed=feed, schema=schema, table=table, columns=columns)
        )
    (folder / "_family.yml").write_text(yaml.safe_dump(TESTED))
    parents = [canal_record("parents", n, "INSERT", {"id": str(n + 1)}, 1000) for n in range(2)]
    children = [
        canal_record("children", n, "INSERT", {"id": key, "parent": parent}, 1000)
        for n, (key, parent) in enumerate(CHILDREN)
    ]
    loads = [
        (
            [of_postgres(n, (table, "r", *row), 100) for n, (table, *row) in enumerate(LOADED)],
            parents + children,
        ),
        (
            [of_postgres(50 + n, told, 200 + n) for n, told in enumerate(STREAMED)],
            [
                canal_record("parents", 2, "DELETE", {"id": "2"}, 2000),
                canal_ddl("children", 4, "RENAME", "RENAME TABLE children TO infants"),
            ],
        ),
    ]
    tests = ("partitions_reach_their_table", "children_of_the_family", "order_is_decided")
    tests += ("every_statement_is_followed", "every_record_is_in_silver")
    statuses, rows = [], {}
    for load, (parted, family) in enumerate(loads):
        project.land(PARTED, load, parted)
        project.land(FAMILY, load, family)
        project.run("--select", "silver", *written)
        rows = {test: shown(project, "--select", test) for test in tests[:2]}
        statuses.append(project.statuses(project.dbt("test", "--select", *tests)))
    project.set_feeds(before)
    for name in (*(f"{name}.sql" for name in written), "_family.yml"):
        (folder / name).unlink()
    return statuses, rows


def test_a_table_whose_partitions_change_without_it_is_reported(found):
    """By the partition that the full load knew, and by one that came later; a table that nobody changes is not."""
    statuses, rows = found
    assert [status["partitions_reach_their_table"] for status in statuses] == ["pass", "warn"]
    assert sorted(
        (row["gold_table"], row["changed_table"], *json.loads(row["first_place"]))
        for row in rows["partitions_reach_their_table"]
    ) == [
        ("parted_orders", "orders_2025", "shop.orders_2025", 0, 50),
        ("parted_orders", "orders_2027", "shop.orders_2027", 0, 51),
    ]


def test_a_test_without_anything_to_ask_passes_until_there_is(found):
    """A load without a statement, and then one with a RENAME."""
    statuses, _ = found
    assert [status["every_statement_is_followed"] for status in statuses] == ["pass", "warn"]
    assert [status["order_is_decided"] for status in statuses] == ["pass", "pass"]


def test_a_child_whose_parent_is_gone_is_reported(found):
    """And one whose parent never came; a child without a parent is none."""
    statuses, rows = found
    assert [status["children_of_the_family"] for status in statuses] == ["warn", "warn"]
    assert sorted(
        (row["parent"], row["row_key"], row["topic"], row["offset"])
        for row in rows["children_of_the_family"]
    ) == [(2, '["11"]', "shop.children", 1), (3, '["13"]', "shop.children", 3)]
