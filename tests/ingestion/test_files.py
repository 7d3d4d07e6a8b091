"""Files land byte for byte, once, and a line that is no record keeps nothing back."""

import gzip
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from ingestion.config.feeds import read_config
from ingestion.errors import BAD_LINES, CHANGED, CONFIGURATION, OK, SOURCE
from ingestion.files import loading as files
from tests.support.project import Project


def record(number: int, **given: object) -> str:
    plain = {"topic": "t", "partition": 0, "offset": number, "timestamp": 1, "value": "v"}
    return json.dumps(plain | given, ensure_ascii=False)


def put(project: Project, name: str, *lines: str | bytes) -> Path:
    path = project.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    encoded = [line if isinstance(line, bytes) else line.encode() for line in lines]
    path.write_bytes(b"\n".join(encoded) + b"\n")
    return path


def configure(project: Project, **settings: object) -> None:
    project.configure({"shop": {"format": "canal_json", "files": "in"} | settings})


def test_records_land_as_they_were(project: Project):
    configure(project)
    put(
        project,
        "in/a.jsonl",
        record(0, key="k", value="é\u2028x", headers=[["h", "1"], ["h", None]]),
        record(1, value=None, timestamp=None, headers={"a": "b"}) + "\r",
        "",
        record(2, value="") + " ",
        json.dumps({"topic": "t", "partition": 1, "offset": 0, "value_base64": "/wA="}),
        record(5, timestamp_type=1),
    )
    result = project.load()
    assert (result.code, result.err) == (OK, "")
    rows = project.messages()
    seen = [(r["partition"], r["offset"], r["timestamp"], r["timestamp_type"]) for r in rows]
    assert seen == [(0, 0, 1, 0), (0, 1, None, -1), (0, 2, 1, 0), (0, 5, 1, 1), (1, 0, None, -1)]
    assert [r["value"] for r in rows] == ["é\u2028x".encode(), None, b"", b"v", b"\xff\x00"]
    assert [r["key"] for r in rows] == [b"k", None, None, None, None]
    assert rows[0]["headers"] == [("h", b"1"), ("h", None)]
    assert rows[1]["headers"] == [("a", b"b")]
    assert rows[2]["headers"] is None
    assert {(r["feed"], r["format"], r["topic_generation"]) for r in rows} == {
        ("shop", "canal_json", 0)
    }


def test_messages_take_their_coordinates_from_the_file(project: Project):
    configure(project, lines="messages", files=["in/*.txt", "in/more"])
    put(project, "in/b.txt", "one", "", b"\xff two\r")
    (project.folder / "in/more/deep").mkdir(parents=True)
    with gzip.open(project.folder / "in/more/deep/c.txt.gz", "wb") as handle:
        handle.write(b"three")
    assert project.load().code == OK
    rows = project.messages()
    assert [(r["topic"], r["partition"], r["offset"], r["value"]) for r in rows] == [
        ("in/b.txt", 0, 1, b"one"),
        ("in/b.txt", 0, 3, b"\xff two"),
        ("in/more/deep/c.txt.gz", 0, 1, b"three"),
    ]
    assert {(r["key"], r["timestamp"], r["timestamp_type"]) for r in rows} == {(None, None, -1)}


def test_bad_lines_land_beside_the_good_ones(project: Project):
    configure(project)
    bad = [
        b"nope",
        b"[1]",
        b'{"partition": 0, "offset": 1, "value": "v"}',
        record(1, partition="0").encode(),
        record(1, offset=True).encode(),
        record(1, value={"a": 1}).encode(),
        record(1, value_base64="YQ==").encode(),
        b'{"topic": "t", "partition": 0, "offset": 1}',
        b'{"topic": "t", "partition": 0, "offset": 1, "value": "\\ud800"}',
        b"\xff",
        record(0).encode(),
        record(1, headers=[["h"]]).encode(),
        record(1, key_base64="?").encode(),
    ]
    put(project, "in/a.jsonl", record(0), *bad, record(1))
    result = project.load()
    assert result.code == BAD_LINES
    assert "in/a.jsonl, line 2: the line is not JSON" in result.err
    assert f"{len(bad)} lines are no records" in result.err
    assert len(result.err.splitlines()) == files.SHOWN_BAD_LINES + 1
    good = project.messages(load_error=None)
    assert [(r["topic"], r["offset"]) for r in good] == [("t", 0), ("t", 1)]
    kept = project.messages(partition=-1)
    assert [r["value"] for r in kept] == bad
    assert [r["offset"] for r in kept] == list(range(2, 2 + len(bad)))
    assert all(r["load_error"].startswith(f"in/a.jsonl, line {r['offset']}: ") for r in kept)
    [file] = project.table("files")
    assert (file["path"], file["lines"], file["bad_lines"]) == (
        "in/a.jsonl",
        len(bad) + 2,
        len(bad),
    )


def test_a_file_lands_once_and_new_files_follow(project: Project):
    configure(project)
    put(project, "in/a.jsonl", record(0))
    assert project.load().code == OK
    assert project.load().out == "shop: no new files\n"
    put(project, "in/b.jsonl", record(1))
    assert project.load().code == OK
    assert [row["offset"] for row in project.messages()] == [0, 1]


def test_a_changed_file_is_refused_by_name(project: Project):
    configure(project)
    put(project, "in/a.jsonl", record(0))
    project.load()
    put(project, "in/a.jsonl", record(7))
    result = project.load()
    assert result.code == CHANGED
    assert "in/a.jsonl changed after it was loaded" in result.err
    assert len(result.err.splitlines()) == 1


def test_a_file_that_grows_while_others_land_is_refused_until_it_is_put_back(
    project: Project, monkeypatch: pytest.MonkeyPatch
):
    configure(project)
    monkeypatch.setattr(files, "CHUNK_ROWS", 1)
    path = put(project, "in/a.jsonl", record(0))
    put(project, "in/b.jsonl", record(1))
    append = files.append_messages

    def grow(*arguments, **named):
        append(*arguments, **named)
        if named["once"][1] == 1:
            put(project, "in/a.jsonl", record(0), record(2))

    monkeypatch.setattr(files, "append_messages", grow)
    result = project.load()
    assert result.code == CHANGED
    assert "in/a.jsonl changed while it was loaded" in result.err
    monkeypatch.setattr(files, "append_messages", append)
    size = path.stat().st_size // 2
    assert f"put back what it held ({size} bytes)" in project.load().err
    put(project, "in/a.jsonl", record(0))
    put(project, "in/c.jsonl", record(2))
    assert project.load().code == OK
    assert [row["offset"] for row in project.messages()] == [0, 1, 2]


def test_no_file_is_an_error_only_before_the_first_load(project: Project):
    configure(project)
    result = project.load()
    assert (result.code, result.err) == (SOURCE, "Feed shop: no file matches in.\n")
    path = put(project, "in/a.jsonl", record(0))
    project.load()
    path.unlink()
    assert project.load().code == OK


def test_a_load_cut_anywhere_is_finished_without_doubles(
    project: Project, monkeypatch: pytest.MonkeyPatch
):
    """Kill the load before, between and after its commits, and finish it each time."""
    monkeypatch.setattr(files, "CHUNK_ROWS", 2)
    configure(project)
    put(project, "in/a.jsonl", record(0), record(1), "bad", record(2))
    put(project, "in/b.jsonl", record(3), record(4))
    append = files.append_messages
    expected = [("in/a.jsonl", -1, 3)] + [("t", 0, offset) for offset in range(5)]
    for calls in range(4):

        def cut(*arguments, left=[calls], **named):  # noqa: B006
            if not left[0]:
                raise KeyboardInterrupt
            left[0] -= 1
            append(*arguments, **named)

        monkeypatch.setattr(files, "append_messages", cut)
        assert project.load().code in (130, BAD_LINES)
    monkeypatch.setattr(files, "append_messages", append)
    project.load()
    rows = project.messages()
    assert [(r["topic"], r["partition"], r["offset"]) for r in rows] == expected
    assert {row["path"]: row["bad_lines"] for row in project.table("files")} == {
        "in/a.jsonl": 1,
        "in/b.jsonl": 0,
    }


def test_a_half_copied_file_keeps_no_other_feed_back_and_lands_when_it_is_whole(project: Project):
    feeds = {name: {"format": "canal_json", "files": name} for name in ("in", "more")}
    project.configure(feeds)
    path = put(project, "in/a.jsonl.gz")
    whole = gzip.compress("\n".join(record(n, value=f"{n * 7919}") for n in range(99)).encode())
    path.write_bytes(whole[: len(whole) // 2])
    put(project, "more/a.jsonl", record(0))
    result = project.load()
    assert result.code == SOURCE
    assert result.err.startswith("in/a.jsonl.gz cannot be read to its end")
    assert [row["feed"] for row in project.messages()] == ["more"]
    path.write_bytes(whole)
    assert project.load().code == OK
    assert len(project.messages(feed="in")) == 99


@pytest.mark.long
def test_a_file_that_changes_while_its_load_is_unfinished_is_refused(
    project: Project, monkeypatch: pytest.MonkeyPatch
):
    configure(project)
    put(project, "in/a.jsonl", record(0))
    with monkeypatch.context() as patch:
        patch.setattr(files, "append_rows", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        assert project.load().code == 130
    put(project, "in/a.jsonl", record(0), record(1))
    result = project.load()
    assert result.code == CHANGED
    assert "in/a.jsonl changed while its load was unfinished" in result.err
    assert len(project.messages()) == 1
    # the other way that the sentence names
    assert "`python -m ingestion retire shop`" in result.err
    project.configure({"again": {"format": "canal_json", "files": "in"}})
    assert project.command("retire", "shop").code == OK
    assert project.load().code == OK
    assert [row["offset"] for row in project.messages(feed="again")] == [0, 1]


@pytest.mark.long
def test_large_values_land_whole(project: Project):
    configure(project, lines="messages")
    value = b"x" * 8_000_000
    put(project, "in/a.txt", value, b"small", value)
    assert project.load().code == OK
    assert [len(row["value"]) for row in project.messages()] == [len(value), 5, len(value)]


@pytest.mark.long
def test_loads_sort_by_time(project: Project):
    configure(project)
    for offset in range(2):
        put(project, f"in/{offset}.jsonl", record(offset))
        project.load()
    loads = [row["load_id"] for row in project.messages()]
    assert loads == sorted(set(loads))


def test_changed_meaning_is_refused(project: Project):
    configure(project)
    put(project, "in/a.jsonl", record(0))
    project.load()
    configure(project, format="debezium_json", time_zone="UTC")
    result = project.load()
    assert result.code == CHANGED
    assert "format was canal_json when its records landed and is debezium_json now" in result.err
    assert "time_zone was not set when" in result.err
    assert "`python -m ingestion rebuild shop`" in result.err
    # what has landed is not read again, nor kept from landing twice
    configure(project, lines="messages")
    lines = project.load().err
    project.configure({"shop": {"format": "canal_json", "topics": "t"}}, "localhost:1")
    for said in (lines, project.load().err):
        assert "give the feed a new name" in said
        assert "rebuild" not in said
    configure(project)
    assert project.load().code == OK


@pytest.mark.long
def test_meaning_may_change_before_anything_landed(project: Project):
    configure(project)
    assert project.load().code == SOURCE
    configure(project, format="debezium_json")
    put(project, "in/a.jsonl", record(0))
    assert project.load().code == OK


def test_changed_meaning_is_refused_also_where_all_records_were_trimmed(project: Project):
    configure(project)
    put(project, "in/a.jsonl", record(0))
    project.load()
    messages = f"delta.`{project.folder}/lakehouse/bronze/messages`"
    appended = "alter table {} set tblproperties ('delta.appendOnly' = '{}')"
    project.spark.sql(appended.format(messages, "false"))
    project.spark.sql(f"delete from {messages}")
    configure(project, time_zone="Asia/Shanghai")
    assert project.load().code == CHANGED


def test_missing_feed_is_refused_until_it_is_retired(project: Project):
    configure(project)
    put(project, "in/a.jsonl", record(0))
    project.load()
    other = {"format": "canal_json", "files": "other"}
    project.configure({"other": other})
    put(project, "other/a.jsonl", record(0))
    result = project.load()
    assert result.code == CHANGED
    assert "Feed shop has records in bronze but is missing" in result.err
    assert "`python -m ingestion retire shop`" in result.err
    assert project.load("other").code == OK
    typo = project.command("retire", "shopp")
    assert typo.code == CONFIGURATION
    assert "no feed shopp in bronze (did you mean shop?): the feeds are other, shop." in typo.err
    assert project.command("retire", "shop").code == OK
    assert project.load().code == OK
    project.configure({"other": other, "shop": {"format": "debezium_json", "files": "in"}})
    assert project.load().code == CHANGED


def test_one_failing_feed_keeps_no_other_back(project: Project):
    project.configure(
        {name: {"format": "canal_json", "files": name} for name in ("missing", "there")}
    )
    put(project, "there/a.jsonl", record(0))
    assert project.load().code == SOURCE
    assert [row["feed"] for row in project.messages()] == ["there"]


def test_find_files_sorts_and_skips_hidden_ones(project: Project):
    for name in ("in/b", "in/a", "in/.hidden", "in/.d/x", "in/sub/c"):
        put(project, name, "x")
    found = files.find_files(project.folder, ["in/*", "in", "in/a"])
    assert [name for name, _ in found] == ["in/a", "in/b", "in/sub/c"]


def test_files_can_be_read_by_several_tasks(project: Project, tmp_path: Path):
    """Of one row group, which is all that Parquet's own setting would write here, only one task reads."""
    texts = "concat_ws(' ', transform(sequence(1, 600), n -> uuid()))"
    rows = project.spark.range(0, 3000, 1, 1).selectExpr("id", f"{texts} as value")
    rows.write.parquet(str(tmp_path / "rows"))
    (written,) = (tmp_path / "rows").glob("*.parquet")
    assert pq.ParquetFile(written).metadata.num_row_groups > 1


def test_bronze_has_the_declared_properties(project: Project):
    configure(project)
    put(project, "in/a.jsonl", record(0))
    project.load()
    bronze = read_config(project.folder).bronze
    properties = project.spark.sql(f"show tblproperties delta.`{bronze}/messages`").collect()
    kept = {row.key: row.value for row in properties}
    assert kept["delta.appendOnly"] == "true"
    assert kept["delta.enableChangeDataFeed"] == "true"
    changes = project.spark.sql(f"select * from table_changes_by_path('{bronze}/messages', 0)")
    assert [row._change_type for row in changes.collect()] == ["insert"]
