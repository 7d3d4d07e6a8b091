"""The main job on real records: gold equals what the shop's databases held."""

import json
import re
from decimal import Decimal, InvalidOperation

import pytest
import yaml

from ingestion.cycles import explaining
from tests.pipeline.conftest import ROOT
from tests.pipeline.shop_records import explained

BROKEN = ("shop.mariadb", "shop.public.stock")
EXPECTED = sorted((ROOT / "examples" / "shop" / "expected").glob("*.jsonl"))
# What the database prints in words of its own: the same value, told otherwise.
IN_OTHER_WORDS = {
    ("products", "discontinued", "0000-00-00"): None,
    ("carts", "is_gift", "0"): "false",
    ("carts", "is_gift", "1"): "true",
    ("shipments", "tags", '{gift,"to sign, please"}'): '["gift","to sign, please"]',
    ("shipments", "tags", "{heavy,NULL,moved}"): '["heavy",null,"moved"]',
    ("shipments", "transit_time", "00:00:00"): "0",
    ("shipments", "transit_time", "1 day"): "86400000000",
    ("shipments", "transit_time", "-00:00:01"): "-1000000",
    ("shipments", "weight_kg", "1.25e+07"): "1.25E7",
}


def same_text(value):
    """Numbers without their idle zeros, times without idle fractions and zones, the rest as is."""
    if value is None:
        return None
    try:
        return str(Decimal(value).normalize())
    except InvalidOperation:
        pass
    text = value.removesuffix("+00")
    if re.search(r":\d\d\.\d+$", text):
        text = text.rstrip("0").rstrip(".")
    return text


def gold_rows(lakehouse, table):
    frame = lakehouse.spark.table(f"gold.{table}")
    shown = []
    for name, kind in frame.dtypes:
        if kind == "boolean":
            shown.append(f"cast(`{name}` as string) as `{name}`")
        elif kind == "binary":
            shown.append(f"hex(`{name}`) as `{name}`")
        elif kind.startswith("array"):
            shown.append(f"to_json(`{name}`) as `{name}`")
        elif name != "_change":
            shown.append(f"cast(`{name}` as string) as `{name}`")
    return [row.asDict() for row in frame.selectExpr(*shown).collect()]


@pytest.mark.parametrize("path", EXPECTED, ids=lambda path: path.stem)
def test_gold_equals_the_source_table(shop, path):
    table = path.stem.split(".")[1]
    expected = [json.loads(line) for line in path.read_text().rstrip("\n").split("\n")]
    for row in expected:
        for column, value in row.items():
            row[column] = same_text(IN_OTHER_WORDS.get((table, column, value), value))
    found = [
        {name: same_text(value) for name, value in row.items()} for row in gold_rows(shop, table)
    ]

    def order(row):
        return json.dumps(row, sort_keys=True)

    assert sorted(found, key=order) == sorted(expected, key=order)


def test_only_the_broken_messages_and_the_zero_date_are_warned_of(shop):
    statuses = shop.statuses(shop.build)
    warned = {name for name, status in statuses.items() if status == "warn"}
    assert warned == {"every_message_is_understood", "every_value_fits_its_type_products_"}
    assert all(status in ("success", "pass", "warn") for status in statuses.values())


def test_the_zero_date_is_reported_with_its_place(shop):
    found = shop.sql(
        "select column_name, misfits.value, wanted_type, misfits.topic, cast(messages.value as string) as told"
        " from silver.misfits join bronze.messages using (partition, offset)"
        " where gold_table = 'products' and misfits.topic = messages.topic"
    )
    assert [tuple(row)[:4] for row in found] == [
        ("discontinued", "0000-00-00", "date", "shop.mariadb")
    ]
    assert "0000-00-00" in found[0].told


def test_unknown_messages_tell_why_and_keep_their_text(shop):
    rows = {row.feed: row for row in shop.sql("select * from silver.unknown_messages")}
    assert rows["shop_postgres"].error == "op is not known: z"
    assert "not one whole JSON object" in rows["shop_mariadb"].error
    assert rows["shop_mariadb"].raw_text.startswith('{"data":[{"id":"7"')


def test_current_versions_are_the_gold_rows(shop):
    history = shop.spark.table("gold.orders_history")
    columns = [name for name in shop.spark.table("gold.orders").columns if name != "_change"]
    current = history.where("is_current").select(*columns).collect()
    assert sorted(current) == sorted(shop.spark.table("gold.orders").select(*columns).collect())
    assert history.where("not is_current and valid_to is null").count() == 0
    assert history.count() > len(current)


@pytest.mark.long
def test_a_history_too_wide_for_a_view_says_so_and_can_be_a_table(shop):
    columns = "".join(f"'column_{number}': 'int', " for number in range(80))
    model = f"{{{{ cdc.history(feed='shop_mariadb', table='orders', key=['id'], columns={{'id': 'bigint', {columns}}}) }}}}\n"
    path = shop.root / "models" / "gold" / "wide_history.sql"
    try:
        shop.write_model("wide_history", model)
        refused = shop.dbt("run", "--select", "wide_history").result.results
        assert any("takes views of up to 32700" in str(result.message) for result in refused)
        shop.write_model("wide_history", model + "{{ config(materialized='history_table') }}\n")
        shop.run("--select", "wide_history")
        # without news it is left as it is
        before = shop.versions()
        shop.run("--select", "wide_history")
        assert shop.versions() == before
    finally:
        path.unlink()
    versions = shop.sql("select count(*) from gold.wide_history")
    assert versions == shop.sql("select count(*) from gold.orders_history")


def test_every_change_of_a_row_is_explained(shop):
    """Of a row that lives and of one that is gone: the most often changed of each."""
    counts = """
        select table_name, row_key, count(*) as change_count
        from silver.canal_json_changes
        where table_name in ('orders', 'customers', 'order_items') and row_key is not null
        group by table_name, row_key"""
    counted = {(row.table_name, tuple(row.row_key)): row.change_count for row in shop.sql(counts)}
    live = {
        (table, tuple(row[0]))
        for table in ("orders", "customers", "order_items")
        for row in shop.sql(f"select _change.row_key from gold.{table}")
    }
    for places, first in (
        (live, "gold shows it"),
        (counted.keys() - live, "it removed the row"),
    ):
        table, key = max(sorted(places), key=lambda place: counted[place])
        rows = explained(shop, table, key)
        assert len(rows) == counted[table, key] > 1
        assert [row["verdict"] == first for row in rows] == [True] + [False] * (len(rows) - 1)
        assert {row["topic"] for row in rows} == {"shop.mariadb"}
        assert {row["verdict"] for row in rows[1:]} <= {
            "a newer change won",
            "a newer change follows this delete",
            "superseded: a later delete removed what was before",
            "superseded: the row moved to another key later",
            "superseded: a row from another key took its place",
        }


def test_the_key_that_a_row_came_from_is_told(shop):
    move, *_ = shop.sql("""
        select topic, partition, offset, row_key, previous_row_key
        from silver.canal_json_changes
        where table_name = 'order_items' and previous_row_key is not null""")
    told = {
        (row["topic"], int(row["partition"]), int(row["offset"])): row["previous_row_key"]
        for row in explained(shop, "order_items", move.row_key)
        if row["operation"] != "update_before"
    }
    assert json.loads(told[move.topic, move.partition, move.offset]) == move.previous_row_key


def test_a_row_of_no_table_or_half_a_key_is_refused(shop):
    for table, key, words in (
        ("cdc_changes", ["1"], "'cdc_changes' is no gold model"),
        ("orders_history", ["1"], "'orders_history' is no gold model"),
        ("order_items", ["1"], "the key of 'order_items' has"),
        ("orders", [25.8], "25.8 in the key of 'orders' is a value"),
        ("orders", [True], "True in the key of 'orders' is a value"),
    ):
        inline = f"{{{{ cdc.explain_row('{table}', {key}) }}}}"
        outcome = shop.dbt("show", "--inline", inline)
        assert words in str(outcome.exception or outcome.result.results[0].message)


def test_a_spot_check_is_told_the_newest_change_of_a_row_and_what_became_of_it(shop):
    row = shop.sql("select id, _change.* from gold.orders order by id limit 1")[0]
    place = f"topic {row.topic}, partition {row.partition}, offset {row.sequence.offset}"
    words = explaining.explained(shop.root, "orders", tuple(row.row_key))
    assert words.startswith("explain_row: its newest change is ")
    assert words.endswith(f" ({place}): gold shows it")
    nothing = "explain_row: silver has no change of this row"
    assert explaining.explained(shop.root, "orders", ("no such key",)) == nothing
    assert explaining.explained(shop.root, "no_such_table", ("1",)) is None


def test_a_second_run_commits_nothing(shop):
    shop.run()
    before = shop.versions()
    shop.run()
    assert shop.versions() == before


def test_a_format_without_a_feed_builds_nothing(shop):
    feeds = shop.feeds
    try:
        shop.set_feeds({"shop_mariadb": feeds["shop_mariadb"]})
        outcome = shop.dbt("ls", "--resource-type", "model", "--select", "silver")
        assert not any("debezium" in str(name) for name in outcome.result or [])
    finally:
        shop.set_feeds(feeds)


def source_time(message):
    """Milliseconds, in the source's clock, as Canal and Debezium write them."""
    told = message.get("payload", message)
    return told["source"]["ts_ms"] if "source" in told else told.get("es")


def test_complete_up_to_tells_the_latest_time_of_each_partition(shop):
    times, offsets = {}, {}
    for path in (ROOT / "examples" / "shop" / "records").glob("*.jsonl"):
        for record in map(json.loads, path.read_text().rstrip("\n").split("\n")):
            topic = record["topic"]
            offsets[topic] = max(record["offset"], offsets.get(topic, -1))
            if "broken" not in path.stem and record["value"] is not None:
                time = source_time(json.loads(record["value"]))
                times[topic] = max(time or 0, times.get(topic, 0))
    rows = shop.sql(
        "select *, unix_millis(complete_up_to) as until, unix_millis(last_changed_at) as changed"
        " from silver.complete_up_to where feed in ('shop_mariadb', 'shop_postgres')"
    )
    told = {row.table_name: row for row in rows}
    assert len(told) == len(rows)
    assert {"orders", "stock"} <= told.keys()
    for row in rows:
        assert (row.until, row.last_offset) == (times[row.topic], offsets[row.topic])
        assert row.changed <= row.until
        assert (row.unknown_rows, row.gaps) == (1 if row.topic in BROKEN else 0, 0)


@pytest.mark.long
def test_a_full_load_is_complete_where_its_last_row_is_marked_or_the_stream_goes_on(shop, damaged):
    silver = "silver.debezium_json_changes"

    def tables(query):
        return {row.table_name for row in shop.sql(f"{query} and feed = 'shop_postgres'")}

    known = "select table_name from silver.complete_up_to where complete_up_to is not null"
    marked = tables(f"select table_name from {silver} where snapshot_mark like 'last%'")
    assert set() != marked <= tables(known)
    damaged(silver, f"delete from {silver} where operation <> 'snapshot'")
    assert tables(known) == marked
    shop.sql(f"update {silver} set snapshot_mark = 'true'")
    assert tables(known) == set()


def test_a_small_lakehouse_is_built_without_generated_code(shop):
    assert shop.spark.conf.get("spark.sql.codegen.factoryMode") == "NO_CODEGEN"


def test_settings_of_a_table_that_no_model_reads_are_named(shop):
    before = shop.feeds
    settings = {"encodings": {"shop.order": {"day": "epoch_days"}}}
    shop.add_feed("unread", format="canal_json", files="in/unread", **settings)
    said = []
    outcome = shop.dbt("run", "--select", "carts", said=said)
    shop.set_feeds(before)
    assert outcome.success
    sentence = (
        "Feed unread: encodings names the table 'shop.order', which no gold model of the feed reads"
    )
    assert [sentence in line for line in said].count(True) == 1


def test_every_column_of_the_shops_gold_is_described(shop):
    folder = ROOT / "examples" / "shop" / "models" / "gold" / "shop"
    described = yaml.safe_load((folder / "_shop__models.yml").read_text())
    told = {
        model["name"]: {column["name"] for column in model["columns"] if column["description"]}
        for model in described["models"]
    }
    tables = {path.stem for path in folder.glob("*.sql")}
    assert told == {name: set(shop.spark.table(f"gold.{name}").columns) for name in tables}
