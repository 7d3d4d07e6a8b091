"""Deletes are added to a table's state, and whatever rows it has of a key, gold is the same; compaction leaves the highest."""

import json

import pytest

from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import canal_ddl, canal_record, explained, statements
from tests.pipeline.test_crashes import Death

pytestmark = pytest.mark.long

MODEL = """{{{{ cdc.current_state(
    feed='{name}', database='shop', table='{name}', key=['id'],
    columns={{'id': 'int', 'value': 'string'}}
) }}}}
"""
FIRST = [(1, "INSERT", 1), (2, "INSERT", 2), (3, "INSERT", 3)]


class Table:
    """A gold table of one test, with its feed and its state."""

    def __init__(self, shop, name):
        self.shop, self.name, self.loads = shop, name, 0
        self.feed = Feed(name=name, format="canal_json")
        shop.add_feed(name, format="canal_json", files=f"in/{name}")
        shop.write_model(name, MODEL.format(name=name))

    def land(self, *changes):
        """Land changes (offset, kind, id) in one load."""
        self.shop.land(self.feed, self.loads, [self.record(*change) for change in changes])
        self.loads += 1

    def record(self, offset, kind, key):
        if kind == "TRUNCATE":
            return canal_ddl(self.name, offset, kind, f"TRUNCATE TABLE {self.name}")
        row = {"id": str(key), "value": str(offset)}
        return canal_record(self.name, offset, kind, row, 1000 + offset)

    def take(self, *changes):
        self.land(*changes)
        self.shop.run("--select", "silver", self.name)

    def ids(self):
        return [row.id for row in self.shop.sql(f"select id from gold.{self.name} order by id")]

    def state(self):
        return sorted(map(str, self.shop.sql(f"select * from state.{self.name}")))

    def deletes(self):
        """Return the key (0: all) and offset of each row of the state."""
        rows = self.shop.sql(f"select row_key, delete_sequence.offset from state.{self.name}")
        return sorted((int(row.row_key[0]) if row.row_key else 0, row.offset) for row in rows)

    def compact(self):
        assert self.shop.dbt("run-operation", "compact_tables").success


@pytest.fixture
def table(project, request):
    before = project.feeds
    one = Table(project, request.function.__name__.removeprefix("test_"))
    one.take(*FIRST)
    assert (one.ids(), one.deletes()) == ([1, 2, 3], [])
    yield one
    project.set_feeds(before)
    (project.root / "models" / "gold" / f"{one.name}.sql").unlink()


def test_deletes_of_several_runs_lie_side_by_side_until_compacted(table):
    table.take((10, "DELETE", 1), (11, "DELETE", 2))
    table.take((20, "INSERT", 1), (21, "DELETE", 1), (22, "TRUNCATE", None))
    table.take((30, "INSERT", 3), (31, "DELETE", 1), (32, "TRUNCATE", None), (33, "INSERT", 4))
    rows = [(0, 22), (0, 32), (1, 10), (1, 21), (1, 31), (2, 11)]
    assert (table.ids(), table.deletes()) == ([4], rows)

    # what is older than the highest delete, or than the last TRUNCATE, changes nothing
    table.take((12, "UPDATE", 1), (25, "UPDATE", 1), (26, "UPDATE", 3), (27, "UPDATE", 5))
    assert table.ids() == [4]
    verdicts = [row["offset"] for row in explained(table.shop, table.name, ["1"])]
    assert verdicts == [32, 31, 25, 22, 21, 20, 12, 10, 1]

    table.compact()
    assert table.deletes() == [(0, 32), (1, 31), (2, 11)]
    folded = table.state()
    versions = table.shop.versions()
    table.compact()
    assert table.shop.versions() == versions
    table.take((28, "UPDATE", 1))
    assert table.ids() == [4]
    table.shop.run("--full-refresh", "--select", table.name)
    assert table.state() == folded


def test_a_run_that_ends_between_state_and_gold_is_repaired_by_the_next(table, monkeypatch):
    death = Death(monkeypatch)
    table.land((10, "DELETE", 1))
    death.after(1, f"insert into state.{table.name}")
    assert not table.shop.dbt("run", "--select", "silver", table.name).success
    death.undone()
    assert (table.ids(), table.deletes()) == ([1, 2, 3], [(1, 10)])
    table.take((5, "UPDATE", 1))
    assert (table.ids(), table.deletes()) == ([2, 3], [(1, 10), (1, 10)])
    table.compact()
    assert table.deletes() == [(1, 10)]


def test_all_deletes_of_a_key_are_forgotten_at_once(table):
    table.take((10, "DELETE", 1))
    table.take((20, "INSERT", 1), (21, "DELETE", 1))
    table.take((10**9, "INSERT", 4))
    told = json.dumps({"table": table.name, "lateness": "1 hour"})
    assert table.shop.dbt("run-operation", "forget_deletes", "--args", told).success
    assert table.deletes() == []


def test_a_table_that_never_had_a_partial_row_is_not_asked_for_one(table, monkeypatch):
    def take(change):
        # all tables: what others have not read yet is counted for this one once more
        table.land(change)
        table.shop.run()

    def is_asked(text):
        return f"gold.{table.name} where cardinality(_change.column_sequences) > 0" in text

    sent = statements(monkeypatch)
    take((10, "INSERT", 1))
    assert [text for text in sent if is_asked(text)] == []
    # marks of earlier versions of this project do not say
    table.shop.sql(
        "update silver.applied_versions set built_by = split(built_by, ' cases: ')[0]"
        f" where model = '{table.name}'"
    )
    for known in (1, 1):
        take((10 + table.loads, "INSERT", 1))
        assert len([text for text in sent if is_asked(text)]) == known
    # Canal does not say what an UPDATE without its old values has left out
    take((20, "UPDATE", 1))
    sent.clear()
    for known in (1, 1):
        take((20 + table.loads, "INSERT", 1))
        assert len([text for text in sent if is_asked(text)]) == known


def test_a_table_is_of_the_model_that_made_it_last(table):
    own = MODEL.format(name=table.name)
    table.shop.write_model(table.name, "{{ config(schema='gold_elsewhere') }}\n" + own)
    table.take((4, "DELETE", 2), (5, "INSERT", 4))
    table.shop.write_model(table.name, own)
    table.take((6, "INSERT", 5))
    assert table.ids() == [1, 3, 4, 5]

    # another model takes its place, and gives it back
    model = table.shop.root / "models" / "gold" / f"{table.name}.sql"
    model.unlink()
    successor = own.replace(f"table='{table.name}'", "table='empty'")
    table.shop.write_model("successor", f"{{{{ config(alias='{table.name}') }}}}\n" + successor)
    table.shop.run("--select", "silver", "successor")
    assert table.ids() == []
    model.with_stem("successor").unlink()
    table.shop.write_model(table.name, own)
    table.take((7, "INSERT", 6))
    assert table.ids() == [1, 3, 4, 5, 6]
