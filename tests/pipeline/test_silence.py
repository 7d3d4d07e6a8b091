"""Nothing is silent: a table without a gold model, a model whose table never came, a feed that lands nothing."""

import shlex
import shutil

import pytest
import yaml

from ingestion.cli.run import build
from ingestion.config.feeds import Feed, read_config
from ingestion.errors import OK
from tests.pipeline.shop_records import canal_ddl, canal_record, shown

TEST = "tables_and_models_match"
ABOUT_SOURCES = (
    "changes_have_keys",
    "columns_follow_the_source",
    "dropped_tables_keep_rows",
    "every_statement_is_followed",
    "images_follow_each_other",
    "key_is_the_sources_key",
)
UNREAD = Feed(name="unread", format="canal_json")
# a name that a shell would take for more than one word, and for a command
ODD = "it's; echo gone"
QUOTED = r"'shop.it'\''s; echo gone'"
MODELS = {
    "read": "{{{{ cdc.current_state(feed='unread', database='shop', table='read', {rest}) }}}}",
    # only its versions are wanted
    "versions": "{{{{ cdc.history(feed='unread', database='shop', table='versioned', left_out=['note'], {rest}) }}}}",
    # what is wrong with its table is wrong with `read`
    "read_versions": "{{{{ cdc.history(of='read') }}}}",
    # a slip, and no database: the names of databases are not compared
    "slip": "{{{{ cdc.current_state(feed='unread', table='parcel', {rest}) }}}}",
    # a table that is there, and has no row yet
    "empty": "{{{{ cdc.current_state(feed='unread', database='shop', table='empty', {rest}) }}}}",
    "shards": "{{{{ cdc.current_state(feed='unread', database='shop', table={{'pattern': 'shard_[0-9]'}}, "
    "key=['shard', 'id'], columns={{'shard': {{'type': 'string', 'source': '@table'}}, 'id': 'int'}}) }}}}",
}
REST = "key=['id'], columns={'id': 'int'}"
FIRST = ("read", "versioned", "parcels", "left_1", "shard_1", ODD)


def row(table, offset):
    return canal_record(table, offset, "INSERT", {"id": str(offset)}, 1000 + offset)


def without_model(name, command, offset):
    finding = (
        f"shop.{name} has no gold model: write one with `python -m ingestion generate unread "
        f"{command}`, or name it under leave_out of the feed"
    )
    return (None, name, f"shop.{name}", offset, finding)


NEVER = "no message has named its table, parcel; the nearest that have come: "


def found(project):
    rows = shown(project, "--select", TEST)
    names = ("gold_table", "table_name", "topic", "offset", "finding")
    return {tuple(one[name] for name in names) for one in rows if one["feed"] == "unread"}


def test_a_new_table_of_a_feed_that_says_auto_is_in_gold_with_the_run_that_brings_it(shop, capsys):
    """One that only a person can decide is said, and reported once it has had its chance."""
    before = shop.feeds
    feed = Feed(name="by_itself", format="canal_json")
    shop.add_feed(feed.name, format=feed.format, files=f"in/{feed.name}", tables="auto")
    types = {"id": "int", "name": "varchar(20)"}
    first, second = (
        canal_record(table, 0, "INSERT", {"id": "1", "name": table}, 1000, types=types)
        for table in ("first", "second")
    )
    second["value"] = second["value"].replace('"pkNames": ["id"]', '"pkNames": null')
    shop.land(feed, 0, [first, second])
    folder = shop.root / "models" / "gold" / feed.name
    try:
        assert build(read_config(shop.root)) == OK
        assert [tuple(one)[:2] for one in shop.sql("select * from gold.first")] == [(1, "first")]
        assert {path.name for path in folder.iterdir()} == {"first.sql", "first.yml"}
        said = capsys.readouterr()
        assert "shop.second: its messages name no key" in said.out
        assert TEST not in said.out + said.err
        (reported,) = shown(shop, "--select", TEST)
        assert reported["finding"].startswith("shop.second has no gold model: write one with ")
        outcome = shop.dbt("test", "--select", TEST)
        assert set(shop.statuses(outcome).values()) == {"warn"}
    finally:
        shop.set_feeds(before)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def unread(project):
    """A feed of which some tables have no model and one model no table, in one load."""
    before = project.feeds
    # read from the shop's own feeds or not, they have nothing to do with it
    settings = {"leave_out": ["shop.left_*", "x.y"], "on_drop": "keep"}
    project.add_feed("unread", format="canal_json", files="in/unread", **settings)
    for name, text in MODELS.items():
        project.write_model(name, text.format(rest=REST))
    created = canal_ddl("empty", 0, "CREATE", "CREATE TABLE empty (id int)")
    project.land(UNREAD, 0, [row(table, 0) for table in FIRST] + [created])
    project.run("--select", "silver")
    yield project
    project.set_feeds(before)
    for name in MODELS:
        (project.root / "models" / "gold" / f"{name}.sql").unlink()


def test_tables_without_a_model_and_models_without_a_table_are_reported(unread):
    expected = {
        without_model("parcels", "shop.parcels", 0),
        without_model(ODD, QUOTED, 0),
        (
            "slip",
            "parcel",
            None,
            None,
            NEVER + "shop.parcels, shop.read, shop.shard_1",
        ),
    }
    assert shlex.split(QUOTED) == [f"shop.{ODD}"]
    assert found(unread) == expected
    outcome = unread.dbt("test", "--select", TEST)
    assert set(unread.statuses(outcome).values()) == {"warn"}


def known(project):
    rows = project.sql(
        "select table_name, has_rows, offset, bronze_version from silver.source_tables"
        " where feed = 'unread' order by all"
    )
    return [tuple(one) for one in rows]


def test_a_table_is_noted_once_and_none_is_passed_over(unread):
    before = known(unread)
    assert {(name, has_rows) for name, has_rows, *_ in before} == {
        *((name, True) for name in FIRST),
        ("empty", False),
    }
    versions = unread.versions()
    # of a known table, and the first row of one that only a statement had named
    unread.land(UNREAD, 1, [row("read", 1)])
    unread.run("--select", "silver")
    assert unread.versions()["silver.db/source_tables"] == versions["silver.db/source_tables"]
    # a run of all other models, and then one without new records
    unread.land(UNREAD, 2, [row("empty", 1), row("late", 0)])
    unread.run("--select", "silver", "--exclude", "cdc_source_tables")
    assert known(unread) == before
    unread.run("--select", "silver")
    added = [one[:3] for one in known(unread) if one not in before]
    assert added == [("empty", True, 1), ("late", True, 0)]
    assert {one[:2] for one in found(unread)} >= {(None, "late"), ("slip", "parcel")}
    versions = unread.versions()
    unread.run("--select", "silver")
    assert unread.versions() == versions
    # made anew, it says the same of each table
    unread.run("--full-refresh", "--select", "cdc_source_tables")
    assert {one[:2] for one in known(unread)} == {
        *((name, True) for name in (*FIRST, "empty", "late"))
    }


def test_what_is_wrong_with_a_table_is_reported_where_only_a_history_reads_it(unread):
    """And once, where a history is of a gold model."""
    changed, keyless = (
        canal_record("versioned", offset, "INSERT", {"id": "9", "title": "t", "note": "n"}, 2000)
        for offset in (3, 4)
    )
    changed["value"] = changed["value"].replace('["id"]', '["id", "shop"]')
    changed["value"] = changed["value"].replace('"title"', '"shop": "s", "title"')
    keyless["value"] = keyless["value"].replace('["id"]', "null")
    partition, renamed = "ALTER TABLE {} TRUNCATE PARTITION ALL", "RENAME TABLE versioned TO old"
    statements = [
        canal_ddl("versioned", 1, "ALTER", partition.format("versioned")),
        canal_ddl("versioned", 2, "RENAME", renamed),
        canal_ddl("versioned", 5, "ERASE", "DROP TABLE versioned"),
        canal_ddl("read", 7, "ALTER", partition.format("`read`")),
    ]
    row_5 = {"id": "5", "shop": "s", "title": "a", "note": "n"}
    followed = canal_record("versioned", 8, "INSERT", row_5, 2000)
    otherwise = canal_record("versioned", 9, "UPDATE", row_5, 2000, old={"title": "b"})
    unread.land(UNREAD, 3, [*statements, changed, keyless, followed, otherwise])
    unread.run("--select", "silver")
    unread.dbt("test", "--select", *ABOUT_SOURCES, "--vars", "check_all_history: true")
    found = unread.sql(
        "select test, gold_table, offset from silver.findings"
        f" where feed = 'unread' and resolved_at is null and test <> '{TEST}' order by all"
    )
    assert [tuple(one) for one in found] == [
        ("changes_have_keys", "versions", 4),
        ("columns_follow_the_source", "versions", 3),
        ("columns_follow_the_source", "versions", 3),
        ("dropped_tables_keep_rows", "versions", 5),
        ("every_statement_is_followed", "read", 7),
        ("every_statement_is_followed", "versions", 1),
        ("every_statement_is_followed", "versions", 2),
        ("images_follow_each_other", "versions", 9),
        ("key_is_the_sources_key", "versions", 3),
        ("key_is_the_sources_key", "versions", 4),
    ]


def test_a_feed_that_is_silent_too_long_fails_source_freshness(unread):
    """One feed has just landed, the other never has."""
    path = unread.root / "examples" / "shop" / "models" / "_shop__sources.yml"
    before = path.read_text()
    sources = yaml.safe_load(before)
    sources["sources"][0]["tables"] = [
        {"name": name, "identifier": "messages"} for name in ("unread", "silent")
    ]
    try:
        path.write_text(yaml.safe_dump(sources))
        outcome = unread.dbt("source", "freshness")
    finally:
        path.write_text(before)
    found = {name: str(status) for name, status in unread.statuses(outcome).items()}
    assert found == {"unread": "pass", "silent": "error"}
    assert not outcome.success
