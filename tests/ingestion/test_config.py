"""Every mistake in the configuration is one sentence that says what to do."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingestion.bronze.feeds import settings_json
from ingestion.config.feeds import Feed, read_config
from ingestion.config.formats import known_formats
from ingestion.config.project_files import PROJECT_ROOT
from ingestion.config.secrets import resolve, scrub
from ingestion.config.settings import CHECKS
from ingestion.errors import CONFIGURATION, UserError
from ingestion.kafka.consumer_options import consumer_options
from tests.support.project import Project

GOOD = {"format": "canal_json", "topics": ["orders"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "macros").symlink_to(PROJECT_ROOT / "macros")
    return tmp_path


def refusal(folder: Path, feeds: dict, servers: str | None = "localhost:1", **kafka: object) -> str:
    Project(folder).configure(feeds, servers, **kafka)
    with pytest.raises(UserError) as caught:
        read_config(folder)
    assert caught.value.exit_code == CONFIGURATION
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_settings_arrive_in_their_types(folder: Path):
    feed = GOOD | {"starting_offsets": {"orders": {"0": 5}}, "time_zone": "Asia/Shanghai"}
    Project(folder).configure(
        {"shop": feed | {"kafka": {"fetch.min.bytes": 7}}}, "a:1", **{"x": True}
    )
    shop = read_config(folder).feeds["shop"]
    assert shop.topics == ("orders",)
    assert shop.starting_offsets == {"orders": {0: 5}}
    assert shop.kafka == {"bootstrap.servers": "a:1", "x": "true", "fetch.min.bytes": "7"}
    assert shop.meaning == {"time_zone": "Asia/Shanghai"}


def test_what_a_feed_says_of_kafka_comes_before_the_options_of_the_loader():
    told = {
        "bootstrap.servers": "a:1",
        "fetch.max.wait.ms": "70",
        "isolation.level": "read_uncommitted",
    }
    options = consumer_options(Feed("shop", "canal_json", kafka=told))
    assert {f"kafka.{key}": value for key, value in told.items()}.items() <= options.items()
    assert set(options) - {f"kafka.{key}" for key in told} == {
        "kafka.max.poll.records",
        "kafka.max.partition.fetch.bytes",
    }


def test_what_becomes_of_tables_without_a_model_is_no_meaning_of_records(folder: Path):
    """It may change while records are in bronze, and dbt knows of the same settings."""
    told = {"tables": "auto", "leave_out": "shop.old"}
    Project(folder).configure({"shop": GOOD | told}, "a:1")
    shop = read_config(folder).feeds["shop"]
    assert (shop.tables, shop.leave_out, shop.meaning) == ("auto", ("shop.old",), {})
    assert settings_json(shop) == '{"format": "canal_json", "input": "kafka"}'
    macro = (PROJECT_ROOT / "macros" / "project" / "feeds.sql").read_text()
    (listed,) = re.findall(r"macro settings_without_meaning.*?\[(.*?)\]", macro, re.DOTALL)
    fields = set(Feed.__dataclass_fields__) - {"name", "format", "meaning"}
    assert set(re.findall(r"'(\w+)'", listed)) == fields


def test_every_setting_in_the_registry_is_one():
    formats = known_formats(PROJECT_ROOT).values()
    named = {name for one in formats for name in one.own_settings}
    assert named and named <= set(CHECKS)
    assert all(one.required_setting in (None, *one.own_settings) for one in formats)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"format": "canal_json", "files": "in", "before_images": "complete"},
            [
                "before_images is for debezium_avro, debezium_json and debezium_smt, "
                "not for canal_json"
            ],
        ),
        (GOOD | {"topic": "x"}, ["Feed shop", "no setting topic", "did you mean topics?"]),
        (GOOD | {"format": "canal_jsn"}, ["no format canal_jsn", "did you mean canal_json?"]),
        ({"topics": ["x"]}, ["Feed shop has no format", "canal_json"]),
        (
            {"format": "canal_json"},
            ["Feed shop has nothing to read: give exactly one of topics, topic_pattern and files"],
        ),
        (GOOD | {"files": "x"}, ["has topics and files", "exactly one"]),
        (GOOD | {"topics": [1]}, ["topics must be text or a list of texts", "[1]"]),
        (GOOD | {"lines": "messages"}, ["lines is for files"]),
        ({"format": "canal_json", "files": "x", "lines": "rows"}, ["records or messages"]),
        (
            {"format": "canal_json", "files": "x", "lines": "messages", "cut_overs": {"a.b": "x"}},
            ["cut_overs compare the time that Kafka gave a record", "remove cut_overs"],
        ),
        ({"format": "canal_json", "files": "x", "kafka": {}}, ["kafka is for topics"]),
        ({"format": "canal_json", "files": "x", "group": "g"}, ["group is for topics"]),
        (GOOD | {"group": ["g"]}, ["group must be text", "['g']"]),
        (GOOD | {"tables": "always"}, ["tables must be report or auto", "'always'"]),
        (GOOD | {"leave_out": {"a.b": None}}, ["leave_out must be text or a list of texts"]),
        (GOOD | {"leave_out": ["a.b", 1]}, ["leave_out must be text or a list of texts"]),
        (GOOD | {"max_offsets_per_trigger": 0}, ["a whole number above 0"]),
        (GOOD | {"starting_offsets": "newest"}, ["earliest, latest or a mapping", "newest"]),
        (GOOD | {"cut_overs": {"a.b": "2026-03-01 08:30:00"}}, ["time with its zone, '2026"]),
        (
            GOOD | {"cut_overs": {"a.b": ["2026-03-02 00:00:00Z", "2026-03-01 00:00:00Z"]}},
            ["the earliest first"],
        ),
        (
            # the second is the earlier instant, though its text is not
            GOOD | {"cut_overs": {"a.b": ["2026-03-01 00:00:08Z", "2026-03-01 08:00:05+08:00"]}},
            ["the earliest first"],
        ),
        (GOOD | {"cut_overs": {"a.b": "2026-02-30 08:30:00Z"}}, ["time with its zone, '2026"]),
        (GOOD | {"key_columns": {"a.b": []}}, ["a mapping of table names to lists of columns"]),
        # YAML reads a time, a number and a truth value where there are no quotes
        (
            GOOD | {"cut_overs": {"a.b": datetime(2020, 3, 1, 8, 30, tzinfo=UTC)}},
            ["time with its zone, '2026-03-01 08:30:00Z', in quotes"],
        ),
        (GOOD | {"cut_overs": {1: "2020-03-01 08:30:00Z"}}, ["in quotes where YAML reads no text"]),
        (GOOD | {"encodings": {1: {"c": "text"}}}, ["in quotes where YAML reads no text: '1'"]),
        (GOOD | {"encodings": {"a.b": {False: "text"}}}, ["YAML reads no text: '1', 'no'"]),
        (GOOD | {"key_columns": {1: ["id"]}}, ["in quotes where YAML reads no text"]),
        (GOOD | {"encodings": {"a.b": {"c": "connect_decimal"}}}, ["connect_decimal(2), which"]),
        (GOOD | {"encodings": {"a.b": {"c": "connect_decimal(x)"}}}, ["connect_decimal(2), which"]),
        (GOOD | {"encodings": {"a.b": {"c": "epoch_days(2)"}}}, ["connect_decimal(2), which"]),
        (GOOD | {"encodings": {"a.b": {"c": "enum_number"}}}, ["connect_decimal(2), which"]),
        (GOOD | {"time_zone": "Asia/Shanghia"}, ["Asia/Shanghia", "did you mean Asia/Shanghai?"]),
        (
            GOOD | {"time_zone": "CST"},
            ["a zone like Asia/Shanghai, UTC or '+08:00', but it is 'CST'"],
        ),
        (GOOD | {"time_zone": "it's"}, ["a zone like Asia/Shanghai, UTC or '+08:00', but it is"]),
        (GOOD | {"time_zone": "+19:00"}, ["a zone like Asia/Shanghai"]),
        (GOOD | {"time_zone": 600}, ["a zone like Asia/Shanghai, UTC or '+08:00', but it is 600"]),
        (GOOD | {"starting_offsets": {"orders": {0: 1.5}}}, ["earliest, latest or a mapping"]),
        (GOOD | {"starting_offsets": {"orders": {0: float("inf")}}}, ["earliest, latest or a"]),
        (GOOD | {"format": ["canal_json"]}, ["there is no format ['canal_json']"]),
        (GOOD | {"kafka": {"auto.offset.reset": "x"}}, ["use starting_offsets"]),
        (GOOD | {"kafka": {"Auto.Offset.Reset": "x"}}, ["use starting_offsets"]),
        (GOOD | {"kafka": {"ssl.protocol": None}}, ["Feed shop: kafka: ssl.protocol must be text"]),
        (GOOD | {"kafka": {"bootstrap.servers": ["a:1", "b:1"]}}, ["a list is one text, with"]),
        (GOOD | {"kafka": {"kafka.security.protocol": "x"}}, ["write security.protocol"]),
        ("orders", ["must be a mapping"]),
    ],
)
def test_mistake_is_one_sentence(folder: Path, settings: object, words: list[str]):
    sentence = refusal(folder, {"shop": settings})
    for word in words:
        assert word in sentence


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "UTC", "PRC", "+08:00", "-3:30", "GMT+8"])
def test_a_zone_that_spark_reads_is_accepted(folder: Path, zone: str):
    Project(folder).configure({"shop": GOOD | {"time_zone": zone}}, "localhost:1")
    assert read_config(folder).feeds["shop"].meaning == {"time_zone": zone}


@pytest.mark.parametrize("encoding", ["epoch_days", "connect_decimal(-2)", "latin1_binary(16)"])
def test_an_encoding_may_have_the_number_that_it_takes(folder: Path, encoding: str):
    encodings = {"a.b": {"c": encoding}}
    Project(folder).configure({"shop": GOOD | {"encodings": encodings}}, "localhost:1")
    assert read_config(folder).feeds["shop"].meaning == {"encodings": encodings}


def test_bad_name_is_refused(folder: Path):
    assert "lower-case" in refusal(folder, {"Shop": GOOD})


def test_two_feeds_with_one_topic_are_refused(folder: Path):
    sentence = refusal(folder, {"one": GOOD, "two": GOOD})
    assert "Feeds one and two both read the topic orders" in sentence


def test_same_topic_on_other_brokers_is_accepted(folder: Path):
    other = GOOD | {"kafka": {"bootstrap.servers": "elsewhere:1"}}
    Project(folder).configure({"one": GOOD, "two": other}, "localhost:1")
    assert len(read_config(folder).feeds) == 2


def test_missing_brokers_are_refused(folder: Path):
    assert "bootstrap.servers" in refusal(folder, {"shop": GOOD}, servers=None)


def test_broken_yaml_names_the_line(folder: Path):
    (folder / "dbt_project.yml").write_text("vars:\n  feeds: [\n")
    with pytest.raises(UserError, match="line 3"):
        read_config(folder)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("name: x\n# 订单".encode()[:-1], "dbt_project.yml is not UTF-8, line 2: correct it."),
        (b"name: x\nvars:\n  f", "vars must be a mapping."),
        (b"vars: [a]", "vars must be a mapping."),
        (b"vars: {feeds: [a]}", "vars.feeds must be a mapping of feed names to their settings."),
        (b"vars: {feeds: ''}", "vars.feeds must be a mapping of feed names to their settings."),
        (b"vars: {kafka: a}", "vars.kafka must be a mapping of Kafka's consumer options."),
        (b"vars: {bronze_path: [a]}", "vars.bronze_path must be text: a path, or an address"),
        (b"- a\n- b\n", "dbt_project.yml must be a mapping"),
        (b"nam", "dbt_project.yml must be a mapping"),
        (b"vars: &all {feeds: {shop: *all}}", "dbt_project.yml is nested without end"),
        (b"vars: {feeds: {a: {cut_overs: {b.c: 2026-02-30}}}}", "a value that YAML cannot read"),
        (b"vars: {x: \x00}", "dbt_project.yml is not valid YAML: correct it."),
    ],
)
def test_a_file_that_is_half_written_or_no_project_is_one_sentence(
    folder: Path, content: bytes, sentence: str
):
    (folder / "dbt_project.yml").write_bytes(content)
    with pytest.raises(UserError) as caught:
        read_config(folder)
    assert sentence in str(caught.value)


def test_a_project_that_is_a_folder_cannot_be_read(folder: Path):
    (folder / "dbt_project.yml").mkdir()
    with pytest.raises(UserError, match=r"dbt_project\.yml cannot be read: Is a directory"):
        read_config(folder)


@pytest.mark.parametrize("size", [10, 130, 600])
def test_a_registry_of_formats_that_is_half_written_is_one_sentence(tmp_path: Path, size: int):
    (tmp_path / "macros" / "formats").mkdir(parents=True)
    (tmp_path / "seeds").mkdir()
    whole = (PROJECT_ROOT / "seeds" / "formats.csv").read_bytes()
    (tmp_path / "seeds" / "formats.csv").write_bytes(whole[:size])
    assert "format" in refusal(tmp_path, {"shop": GOOD})


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ({"auto.offset.reset": "latest"}, "vars.kafka must not set auto.offset.reset: use start"),
        ({"enable.auto.commit": False}, "vars.kafka must not set enable.auto.commit: the loader"),
        ({"kafka.security.protocol": "SSL"}, "vars.kafka names its options as Kafka does: write"),
        ({"ssl.protocol": ["a"]}, "vars.kafka: ssl.protocol must be text, a number, true or"),
    ],
)
def test_options_that_all_feeds_share_are_checked_like_those_of_one(
    folder: Path, option: dict, sentence: str
):
    assert refusal(folder, {"shop": GOOD}, **option).startswith(sentence)


def values_of_yaml() -> st.SearchStrategy:
    """Whatever may be written in the place of a setting."""
    words = st.sampled_from(["", "a", "5", "-1", "UTC", "text", "2026-03-01 08:30:00Z", "earliest"])
    plain = st.none() | st.booleans() | st.integers() | st.floats() | st.dates() | words
    return st.recursive(
        plain | st.datetimes() | st.text(st.characters(codec="utf-8"), max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(plain, inner, max_size=3),
        max_leaves=6,
    )


@pytest.mark.parametrize("setting", sorted(CHECKS))
@given(value=values_of_yaml())
@settings(
    max_examples=20,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_whatever_a_setting_is_it_is_accepted_or_refused_with_a_sentence(
    folder: Path, setting: str, value: object
):
    owner = next(
        (one for one in known_formats(PROJECT_ROOT).values() if setting in one.own_settings), None
    )
    feed = GOOD if owner is None else GOOD | {"format": owner.name}
    required = owner and owner.required_setting
    feed = feed | {required: "schemas"} if required else feed
    if setting in ("files", "lines"):
        feed = {"format": "canal_json", "files": "in"}
    if setting == "topic_pattern":
        feed = {"format": "canal_json"}
    Project(folder).configure({"shop": feed | {setting: value}}, "localhost:1")
    try:
        shop = read_config(folder).feeds["shop"]
    except UserError as refused:
        assert "\n" not in str(refused)
    else:
        json.loads(settings_json(shop))
        assert all(isinstance(option, str) for option in shop.kafka.values())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "vars:\n  feeds:\n    a: {}\n    b: {}\n    a: {}\n",
            "has a in line 3 and again in line 5,",
        ),
        ("vars: {feeds: {a: {table: x, table: y}}}\n", "has table in line 1 and again in line 1,"),
        ("- {a: 1}\n- {b: 1, b: 2}\n", "has b in line 2 and again in line 2,"),
    ],
)
def test_a_key_that_is_there_twice_is_refused(folder: Path, text: str, sentence: str):
    (folder / "dbt_project.yml").write_text(text)
    with pytest.raises(UserError, match=sentence):
        read_config(folder)


def test_environment_fills_options(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BROKER_PASSWORD", "hunter2!")
    assert resolve("shop", {"a": "x ${BROKER_PASSWORD} y"}) == {"a": "x hunter2! y"}


def test_missing_variable_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("BROKER_PASSWORD", raising=False)
    with pytest.raises(UserError, match=r"sasl\.jaas\.config needs the .* BROKER_PASSWORD"):
        resolve("shop", {"sasl.jaas.config": "${BROKER_PASSWORD}"})


def test_scrub_hides_what_came_from_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BROKER_PASSWORD", "hunter2!")
    options = {"x": "${BROKER_PASSWORD}", "sasl.jaas.config": 'user="me" password="plain text";'}
    assert scrub("a hunter2! b plain text c", options) == "a ***** b ***** c"


DATABASE = {"url": "jdbc:postgresql://db-1/crm", "user": "auditor", "password": "${CRM_PASSWORD}"}


def test_a_source_is_no_part_of_what_records_mean(folder: Path):
    Project(folder).configure({"shop": GOOD | {"source": DATABASE}}, "a:1")
    shop = read_config(folder).feeds["shop"]
    assert shop.source == DATABASE
    assert "auditor" not in settings_json(shop)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (DATABASE | {"password": "hunter2!"}, "password must be"),
        (DATABASE | {"password": "hunter2!${CRM_PASSWORD}"}, "password must be"),
        (DATABASE | {"url": "jdbc:oracle:thin:@hunter2!"}, "begin with jdbc:postgresql: or jdbc:"),
        (DATABASE | {"url": "jdbc:mariadb://a/crm?password=hunter2!"}, "hold no user and no pass"),
        (DATABASE | {"pasword": "hunter2!"}, "source has password, pasword, url, user: give it"),
        (DATABASE | {"user": ["hunter2!"]}, "url, user and password must be text, in quotes"),
        ("jdbc:mariadb://a/crm?password=hunter2!", "source must be a mapping of url, user and"),
    ],
)
def test_a_wrong_source_is_refused_and_never_shown(folder: Path, source: object, sentence: str):
    told = refusal(folder, {"shop": GOOD | {"source": source}})
    assert told.startswith("Feed shop: source") and sentence in told
    assert "hunter2!" not in told
