"""What is refused before anything runs: gold models' arguments, and settings that changed since records landed."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from dbt.clients.yaml_helper import load_yaml_text

from ingestion.bronze.feeds import settings_json
from ingestion.config.feeds import read_config
from ingestion.config.settings import CHECKS
from ingestion.dbt.macros import macros_of
from tests.types.conftest import ROOT, CompilerError, Exceptions

# What says how a feed is read, not what its records mean.
OF_THE_LOADER = {
    "files",
    "group",
    "kafka",
    "leave_out",
    "lines",
    "max_offsets_per_trigger",
    "source",
    "starting_offsets",
    "tables",
    "topic_pattern",
    "topics",
}
FREE = sorted(OF_THE_LOADER)
# Every other setting as YAML has it, under a format that takes it.
WRITTEN = [
    ("canal_json", "time_zone: Asia/Shanghai"),
    ("canal_json", "time_zone: +08:00"),
    ("canal_json", "time_zone: UTC+8"),
    ("canal_json", "time_zone:"),
    ("canal_json", "key_columns: {crm.visits: [visitor_id, at], crm.days: day}"),
    (
        "canal_json",
        "encodings: {b.t: {n: connect_decimal(2), d: epoch_days}, a.t: {b: hex_binary}}",
    ),
    ("canal_json", "on_drop: keep"),
    ("canal_json", "cut_overs: {shop.orders: '2020-03-01 08:30:00Z'}"),
    (
        "canal_json",
        "cut_overs: {shop.orders: ['2020-03-01 08:30:00Z', '2020-03-02 08:30:00+08:00']}",
    ),
    ("debezium_smt", "added_prefix: _"),
    ("aws_dms", "after_images: complete"),
    ("canal_json", "after_images: as_sent"),
    ("maxwell", "after_images: complete"),
    ("debezium_avro", "avro_schemas: schemas/crm"),
    ("dtle", "base64_columns: shop.orders.code,shop.orders.note"),
    ("aws_dms", "before_image_prefix: OLD_"),
    ("debezium_json", "before_images: complete"),
    ("debezium_smt", "database: shop"),
    ("canal_json_dts", "dts_instance_created: since_2022_03_20"),
    ("ticdc_open", "old_values: dropped"),
    ("maxwell", "order: offset"),
    ("maxwell", "output_nulls: dropped"),
    ("debezium_smt", "schema: public"),
    ("shareplex_quest", "sequence: enabled"),
    ("oms_default", "sequence_time_digits: 13"),
    ("oms_default", "sequence_time_digits: '10'"),
    ("qlik_replicate", "table: shop.orders"),
    ("flink_cdc_canal", "table_name: shop.orders"),
    ("dts_avro", "timestamp_fraction: milliseconds"),
    ("debezium_smt", "unavailable_value: 'hex:00ff'"),
]


def rendered(*macro_files: str, **given: object) -> SimpleNamespace:
    given = {"exceptions": Exceptions, "return": lambda value: value, **given}
    text = "\n".join((ROOT / "macros" / name).read_text() for name in macro_files)
    return macros_of(text, given)


def write_feed(folder: Path, format_name: str, setting: str) -> dict:
    """Return the feed's settings as dbt reads them."""
    (folder / "macros").symlink_to(ROOT / "macros")
    path = folder / "dbt_project.yml"
    path.write_text(
        f"vars:\n  feeds:\n    crm:\n      format: {format_name}\n      files: in\n      {setting}\n"
    )
    return load_yaml_text(path.read_text())["vars"]["feeds"]["crm"]


def refuse_changed_feeds(settings: dict, recorded: str) -> None:
    rendered(
        "hooks/prepare_run.sql",
        feed_settings=lambda name: settings,
        feeds=lambda: {"crm": settings},
        settings_without_meaning=lambda: FREE,
        fromjson=json.loads,
        landed_feeds=lambda: [("crm", recorded)],
    ).refuse_changed_feeds()


def test_a_bronze_is_known_by_its_load_however_many_versions_have_come():
    """Its history is listed so far back that no later question asks for it again."""
    loads, asked = {version: f"load {version}" for version in range(100)}, []

    class History:
        def __init__(self, most):
            asked.append(most)
            versions = sorted(loads)[-most:]
            values = SimpleNamespace(values=lambda: versions)
            self.versions, self.columns = versions, {"version": values}

    def load_of_version(history, version):
        return loads[version] if version in history.versions else ""

    def look(load, full_refresh=False):
        run = {
            "applied": {"#bronze": {"version": 50, "built_by": load}},
            "bronze_version": max(loads),
            "oldest_version": 80,
        }
        rendered(
            "hooks/prepare_run.sql",
            lakehouse_run=lambda: run,
            load_of_version=load_of_version,
            history_of_bronze=History,
            flags=SimpleNamespace(FULL_REFRESH=full_refresh),
            selected_change_tables=list,
            formats_in_use=lambda: ["canal_json"],
            remember=lambda name, version, load: remembered.append((name, version, load)),
        ).refuse_other_bronze(History(20))
        return run["oldest_version"]

    remembered = []
    assert look("load 50") == 31
    assert asked == [20, 69]
    assert remembered == [("#bronze", 99, "load 99")]
    with pytest.raises(CompilerError, match="its version 50 ends with the load load 50, and it wa"):
        look("another")
    look("another", full_refresh=True)
    # an older copy, of which a full refresh of one gold table reads nothing
    loads = {version: f"copy {version}" for version in range(30)}
    look("load 50", full_refresh=True)
    assert len(remembered) == 1


@pytest.mark.parametrize(
    ("registered", "folder", "is_moved"),
    [
        ("file:/work/lakehouse/bronze/messages", "/work/lakehouse/bronze/messages", False),
        ("file:/work/lakehouse/bronze/messages", "/work/lakehouse/bronze//messages", False),
        ("file:/work/lakehouse/bronze/messages", "file:///work/lakehouse/bronze/messages", False),
        ("hdfs://name:8020/lake/bronze/messages", "/lake/bronze/messages", False),
        ("hdfs://name:8020/lake/bronze/messages", "hdfs:///lake/bronze/messages", False),
        ("s3a://lake/bronze/messages", "s3://lake/bronze/messages", False),
        ("file:/my%20work/bronze/messages", "/my work/bronze/messages", False),
        ("file:/work/bronze/messages", "/work/./bronze/messages", False),
        ("file:/work/lakehouse/bronze/messages", "/copy/lakehouse/bronze/messages", True),
        ("file:/work/bronze/messages", "s3://lake/work/bronze/messages", True),
        ("s3a://lake/bronze/messages", "s3://other/bronze/messages", True),
    ],
)
def test_bronze_in_another_folder_than_spark_knows_is_refused(registered, folder, is_moved):
    macros = rendered("run/register_bronze.sql")
    information = f"Type: EXTERNAL\nProvider: delta\nLocation: {registered}\nSerde Library: x\n"
    if is_moved:
        with pytest.raises(CompilerError, match=f"{folder}. If bronze was moved there, run `dbt"):
            macros.refuse_moved_bronze(information, folder)
    else:
        macros.refuse_moved_bronze(information, folder)


def test_each_setting_is_written_here():
    assert {line.split(":")[0] for _, line in WRITTEN} | OF_THE_LOADER | {"format"} == set(CHECKS)


@pytest.mark.parametrize(("format_name", "setting"), WRITTEN)
def test_what_the_loader_recorded_is_no_change_to_dbt(tmp_path, format_name, setting):
    settings = write_feed(tmp_path, format_name, setting)
    recorded = settings_json(read_config(tmp_path).feeds["crm"])
    refuse_changed_feeds(settings, recorded)
    name = setting.split(":")[0]
    for other in (settings | {name: "other"}, {"format": format_name}):
        if settings[name] is not None:
            with pytest.raises(CompilerError, match=f"Feed crm: {name} was .* when its records"):
                refuse_changed_feeds(other, recorded)


def test_an_empty_time_zone_is_the_default(tmp_path):
    settings = write_feed(tmp_path, "canal_json", "time_zone:")
    macros = rendered("run/encodings.sql", feed_settings=lambda name: settings)
    assert macros.gold_time_zone("crm").strip() == "UTC"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"feed_name": ""}, "names no feed: feed='crm'"),
        ({"table": None}, "names no table: feed='crm', .* table='orders'"),
        ({"columns": None}, r"names no columns with their types: columns=\{'id': 'bigint'"),
        ({"columns": ["id"]}, r"names no columns with their types: columns=\{'id': 'bigint'"),
        ({"key": None}, r"names no key: key=\['id'\]"),
        ({"key": "id"}, r"its key is id. It takes a list of columns: key=\['id'\]"),
        ({"key": 1}, r"its key is 1. It takes a list of columns: key=\['id'\]"),
        ({"key": ["no"]}, "the key column 'no' is not among its columns"),
    ],
)
def test_a_wrong_argument_says_what_to_write(arguments, sentence):
    right = {"feed_name": "crm", "table": "orders", "key": ["id"], "columns": {"id": "bigint"}}
    macros = rendered(
        "gold/current_state.sql",
        own_names=lambda: [],
        feed_settings=lambda name: {},
        model={"name": "orders"},
    )
    macros.check_gold_model(**right)
    with pytest.raises(CompilerError, match=f"Gold model 'orders'.*{sentence}"):
        macros.check_gold_model(**right | arguments)


@pytest.mark.parametrize("database", [None, "shop"])
def test_the_name_of_a_part_that_is_no_pattern_is_refused(database):
    """Rows carry the name of a shard alone: the column would be NULL in all of them."""
    macros = rendered(
        "gold/sql/source_tables.sql",
        column_sources=lambda columns: {"id": {"type": "int"}} | columns,
        place_parts=lambda: ["database", "schema", "table"],
        try_or_compiler_error=lambda sentence, function, value: function(value),
        modules=SimpleNamespace(re=re),
        model={"name": "orders"},
    )
    shard = {"type": "string", "source": "@database"}
    meta = {"database": {"pattern": "shop_[0-9]"}, "schema": None, "table": "orders"}
    columns = {"shop": shard}
    macros.check_patterns(meta, columns, ["shop", "id"])
    sentence = "the column 'shop' would be NULL in every row, .* database={'pattern': '.*'} reads"
    for key in (["id"], ["shop", "id"], None):
        with pytest.raises(CompilerError, match=sentence):
            macros.check_patterns(meta | {"database": database}, columns, key)


def test_a_column_in_yaml_that_has_one_of_golds_names_is_not_passed_over():
    found = []
    files = ("project/gold_models.sql", "gold/current_state.sql")
    macros = rendered(
        *files,
        **{"return": found.append},
        own_names=lambda: ["_change", "_topic"],
        model={"name": "orders"},
    )
    typed = SimpleNamespace(data_type="int", config={}, meta={})
    node = SimpleNamespace(
        columns=dict.fromkeys(["id", "_change", "_topic"], typed),
        config=SimpleNamespace(materialized="current_state"),
    )
    macros.columns_in_yaml(node)
    assert found == [{"id": "int", "_topic": "int"}]
    with pytest.raises(CompilerError, match="the name '_topic' is gold's own"):
        macros.check_gold_columns(found[0])


@pytest.mark.parametrize("name", ["valid_from", "_Operation"])
def test_a_column_of_a_history_that_has_one_of_its_own_names_is_refused(name):
    macros = rendered(
        "gold/history.sql",
        own_names_of_history=lambda: ["valid_from"],
        names_within_history=lambda: ["_operation"],
        model={"name": "orders_history"},
    )
    macros.check_history_columns({"id": "int"})
    with pytest.raises(CompilerError, match=f"the name '{name}' is the history's own"):
        macros.check_history_columns({"id": "int", name: "string"})


@pytest.mark.parametrize("flag", ["EMPTY", "SAMPLE"])
def test_what_leaves_out_a_part_of_the_input_is_refused(flag):
    """Changes that a run left out would count as read."""
    rendered("hooks/prepare_run.sql", flags={"EMPTY": False}).refuse_part_of_input()
    macros = rendered("hooks/prepare_run.sql", flags={flag: True})
    with pytest.raises(CompilerError, match=f"dbt works with --{flag.lower()}, and would take"):
        macros.refuse_part_of_input()


def test_a_cut_over_of_messages_without_a_time_is_refused():
    feed = {"files": "in", "cut_overs": {"shop.orders": "2020-03-01 08:30:00Z"}}
    macros = rendered("gold/sql/cut_overs.sql", feeds=lambda: {"crm": feed})
    macros.refuse_cut_overs_without_times()
    feed["lines"] = "messages"
    with pytest.raises(CompilerError, match="Feed crm: cut_overs compare the time that Kafka gave"):
        macros.refuse_cut_overs_without_times()


def refuse_shared_names(*models: dict) -> None:
    nodes = {}
    for number, model in enumerate(models):
        nodes[number] = {
            "resource_type": "model",
            "schema": "gold",
            "alias": model["name"],
            "config": {"materialized": "current_state", "meta": {"silver": "maxwell_changes"}},
        } | model
    rendered("project/gold_models.sql", graph={"nodes": nodes}).refuse_shared_names()


def test_two_gold_tables_of_one_name_are_refused_also_in_two_schemas():
    refuse_shared_names({"name": "a"}, {"name": "b"}, {"name": "items"})
    with pytest.raises(CompilerError, match="'a' and 'b' both make a table called items, "):
        refuse_shared_names(
            {"name": "a", "schema": "crm_a", "alias": "Items"},
            {"name": "b", "schema": "crm_b", "alias": "items"},
        )


def test_two_versions_of_a_gold_model_are_refused():
    with pytest.raises(CompilerError, match=r"a_v1.sql and a_v2.sql are both the model 'a', "):
        refuse_shared_names(
            {"name": "a", "alias": "a_v1", "original_file_path": "a_v1.sql"},
            {"name": "a", "alias": "a_v2", "original_file_path": "a_v2.sql"},
        )
