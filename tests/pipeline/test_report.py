"""What the report tells of the shop: as JSON, as metrics, and as a page in a real browser."""

import json
import re
import shutil
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from ingestion.__main__ import main as ingestion
from ingestion.config.feeds import read_config
from ingestion.kafka.lag import note_ends, noted_ends
from ingestion.report import publishing
from ingestion.report.cycle import Cycle, Trouble
from ingestion.report.facts import Gap, Run
from ingestion.report.gathering import gather
from ingestion.report.metrics import metrics
from ingestion.report.page import page
from ingestion.report.publishing import page_path, publish_cycle, recorded
from ingestion.report.runs import read_runs, record_run
from tests.pipeline.conftest import ROOT

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
SHOP = ("shop_mariadb", "shop_postgres")
EVIL = '<script>document.title = "run"</script>'


@pytest.fixture(scope="module")
def facts(shop):
    return gather(read_config(shop.root))


def test_records_rows_and_times_are_those_that_spark_tells(shop, facts):
    records = dict(shop.sql("select feed, count(*) from bronze.messages group by feed"))
    assert facts.feeds
    for feed in facts.feeds:
        assert feed.records == records.get(feed.name, 0), feed.name
    unknown = shop.sql("select feed, error, topic, partition, offset from silver.unknown_messages")
    assert {
        (feed.name, one.reason, one.topic, one.partition, one.offset)
        for feed in facts.feeds
        for one in feed.unknown
        if feed.name in SHOP
    } == {tuple(row) for row in unknown if row.feed in SHOP}
    assert {table.name: table.rows for table in facts.gold} == {
        table.name: shop.spark.table(f"gold.{table.name}").count() for table in facts.gold
    }
    times = defaultdict(set)
    query = "select feed, table_name, unix_micros(complete_up_to) from silver.complete_up_to"
    for feed, table, time in shop.sql(query):
        if feed in SHOP:
            times[table].add(time)
    # another test may have left a table of this name, without its model
    ours = [table for table in facts.gold if table.name in times and table.feed in SHOP]
    told = {table.name: table.complete_up_to for table in ours}
    assert {"orders", "stock"} <= told.keys()
    for name, time in told.items():
        micros = (time - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
        assert micros == min(times[name]), name


def test_gold_that_has_not_read_all_of_silver_is_told_to_be_behind(shop, damaged):
    damaged(
        "silver.applied_versions",
        "update silver.applied_versions set bronze_version = 0 where model = 'orders'",
    )
    tables = {table.name: table for table in gather(read_config(shop.root)).gold}
    assert (tables["orders"].is_behind, tables["orders"].complete_up_to) == (True, None)
    assert not tables["customers"].is_behind


def test_a_gold_table_is_that_of_the_model_with_its_alias(shop, damaged, tmp_path):
    damaged(
        "silver.applied_versions",
        "update silver.applied_versions set model = 'Deals' where model = 'orders'",
    )
    for name in ("dbt_project.yml", "macros", "seeds", "lakehouse"):
        (tmp_path / name).symlink_to(shop.root / name)
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "silver").symlink_to(shop.root / "models" / "silver")
    (tmp_path / "models" / "Deals.sql").write_text(
        "{{ config(alias='Orders') }}{{ cdc.current_state(feed='shop_mariadb', database='shop', "
        "table='orders', key=['id'], columns={'id': 'bigint'}) }}"
    )
    tables = {table.name: table for table in gather(read_config(tmp_path)).gold}
    assert tables["orders"].feed == "shop_mariadb"
    assert tables["orders"].complete_up_to is not None
    assert tables["customers"].feed is None


def test_json_and_metrics_have_the_same_facts(shop, facts, tmp_path, capsys):
    project = ("--project-dir", str(shop.root))
    assert ingestion(["report", "--json", *project]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["open_count"] == facts.open_count == len(facts.findings) > 0
    assert {one["finding_id"] for one in told["findings"]} == {
        one.finding_id for one in facts.findings
    }
    path = tmp_path / "cdc.prom"
    assert ingestion(["report", "--metrics", str(path), *project]) == 0
    samples = dict(line.rsplit(" ", 1) for line in path.read_text().splitlines() if line[0] != "#")
    assert float(samples["cdc_open_findings"]) == facts.open_count
    for table in facts.gold:
        assert float(samples[f'cdc_gold_rows{{table="{table.name}"}}']) == table.rows
    assert [one.name for one in tmp_path.iterdir()] == ["cdc.prom"]


def crowded(facts):
    """The shop's facts with everything that a page may have to show, and names that want to be markup."""
    misfit = next(one for one in facts.findings if one.row_key)
    evil = replace(
        misfit,
        finding_id="evil",
        test=f"test {EVIL}",
        gold_table=EVIL,
        finding=f"{EVIL} <img src=x onerror=alert(1)>",
        row_key=(EVIL, None),
    )
    many = [replace(misfit, finding_id=f"many {number}") for number in range(60)]
    beyond = replace(misfit, finding_id="beyond", row_key=None, topic=None, unlisted=1234)
    table = replace(facts.gold[0], name=EVIL, feed=EVIL)
    long = replace(facts.gold[0], name="a_long_name_" * 12, is_behind=True)
    runs = tuple(
        Run("run", facts.made_at - timedelta(hours=50 - n), 10.0 + n, n, EVIL if n == 7 else None)
        for n in range(50)
    )
    gap = Gap(EVIL, "t" * 200, 0, 5, None, "deleted", facts.made_at)
    feeds = tuple(replace(feed, name=EVIL) for feed in facts.feeds[:1]) + facts.feeds[1:]
    return replace(
        facts,
        findings=(*facts.findings, evil, *many, beyond),
        resolved=(replace(evil, resolved_at=facts.made_at),),
        gold=(*facts.gold, table, long),
        feeds=feeds,
        gaps=(gap,),
        runs=runs,
    )


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        pytest.fail("No Chromium is on the path: run tests/support/install_browser.sh once.")
    with sync_playwright() as playwright:
        # of a page of our own, in containers that let no sandbox start
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.mark.long
@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_shows_it_all_without_script_request_or_overflow(
    facts, browser, tmp_path, width, scheme
):
    path = tmp_path / "report.html"
    path.write_text(page(crowded(facts)), encoding="utf-8")
    tab = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    said, asked = [], []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(path.as_uri())
    tab.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    try:
        shown = tab.inner_text("body")
        for finding in facts.findings:
            assert finding.finding in shown
            assert (finding.coordinates or "") in shown
            assert (finding.explain or "") in shown
        for table in facts.gold:
            assert table.name in shown
        # markup of data is shown as text, with the count of what is left out, and in words what a colour says
        assert f"{EVIL} <img src=x onerror=alert(1)>" in shown
        assert re.search(r"1\s234 more", shown)
        assert "silver has newer changes" in shown
        assert shown.count("\u00d7") >= 2
        assert len(tab.query_selector_all("svg rect")) == 50
        assert tab.query_selector_all("script, img") == []
        assert "open findings" in tab.title()
        assert (said, asked) == ([], [path.as_uri()])
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        ink, paper = (
            tab.evaluate(f"getComputedStyle(document.body).{name}")
            for name in ("color", "backgroundColor")
        )
        bright = [sum(map(int, re.findall(r"\d+", told)[:3])) > 380 for told in (ink, paper)]
        assert bright == ([False, True] if scheme == "light" else [True, False])
    except AssertionError:
        kept = ROOT / "target" / "tests" / f"report-{width}-{scheme}.png"
        kept.parent.mkdir(parents=True, exist_ok=True)
        tab.screenshot(path=kept, full_page=True)
        print(f"The page as it was: {kept}")
        raise
    finally:
        tab.close()


def test_markup_in_texts_of_data_is_text_of_the_page(facts):
    tags, texts = [], []
    reader = HTMLParser()
    reader.handle_starttag = lambda tag, attributes: tags.append(tag)
    reader.handle_data = texts.append
    reader.feed(page(crowded(facts)))
    assert not {"script", "img"} & set(tags)
    assert any(f"{EVIL} <img src=x onerror=alert(1)>" in text for text in texts)


def test_a_page_of_nothing_says_so(facts):
    empty = replace(facts, feeds=(), gold=(), findings=(), resolved=(), gaps=(), runs=())
    shown = page(empty)
    for sentence in ("Nothing open", "No feed is configured", "There is no gold table yet"):
        assert sentence in shown
    assert "cdc_open_findings 0" in metrics(empty)
    assert "cdc_last_run" not in metrics(empty)


def test_lag_is_what_the_loader_saw_last(shop):
    config = read_config(shop.root)
    kafka = replace(config.feeds["shop_mariadb"], name="of_kafka", files=(), topics=("orders",))
    config = replace(config, feeds={"of_kafka": kafka})
    note_ends(config, "of_kafka", {"orders": {0: 12, 1: 0}})
    (feed,) = gather(config).feeds
    assert [(one.partition, one.next_offset, one.lag) for one in feed.partitions] == [
        (0, 0, 12),
        (1, 0, 0),
    ]
    checkpoint = shop.root / "lakehouse" / "bronze" / "_checkpoints" / "of_kafka"
    (checkpoint / "1" / "offsets").mkdir(parents=True)
    (checkpoint / "1" / "commits").mkdir()
    (checkpoint / "1.json").write_text(json.dumps({"offsets": {"orders": {"0": 3, "1": 0}}}))
    # the second batch was planned, and has not landed
    for batch, offset in enumerate((7, 12)):
        planned = ("v1", "{}", json.dumps({"orders": {"0": offset, "1": 0}}))
        (checkpoint / "1" / "offsets" / str(batch)).write_text("\n".join(planned))
    assert gather(config).feeds[0].lag == 9
    (checkpoint / "1" / "commits" / "0").touch()
    assert gather(config).feeds[0].lag == 5
    assert 'cdc_partition_lag_offsets{feed="of_kafka",topic="orders",partition="0"} 5' in metrics(
        gather(config)
    )


def test_runs_are_recorded_one_line_each_and_a_cut_off_line_costs_no_other(tmp_path, monkeypatch):
    monkeypatch.setattr("ingestion.report.runs.KEPT", 5)
    config = replace(read_config(ROOT), project_dir=tmp_path)
    runs = [Run("run", datetime(2026, 1, 1, n, tzinfo=UTC), float(n), n) for n in range(12)]
    record_run(config, runs[0])
    with (tmp_path / "lakehouse" / "runs.jsonl").open("a") as record:
        record.write('{"command": "run", "sta')
    for run in runs[1:]:
        record_run(config, run)
    assert read_runs(config, 3) == tuple(runs[-3:])
    lines = (tmp_path / "lakehouse" / "runs.jsonl").read_text().splitlines()
    assert len(lines) <= 10


def test_a_cycle_is_recorded_if_it_did_something_and_what_it_saw_of_the_brokers_always(tmp_path):
    config = replace(read_config(ROOT), project_dir=tmp_path, bronze=str(tmp_path / "bronze"))
    idle = Cycle(
        1, datetime(2026, 1, 1, tzinfo=UTC), 0.5, {"a": 0}, {"a": 0}, {"a": {"t": {0: 7}}}, (), {}
    )
    publish_cycle(config, idle)
    assert noted_ends(config, "a").offsets == {"t": {0: 7}}
    assert read_runs(config, 9) == ()
    trouble = Trouble("feed", "a", "the broker is gone", idle.started_at)
    publish_cycle(config, replace(idle, records={"a": 3}, troubles=(trouble,)))
    assert read_runs(config, 9) == (
        Run("run --follow", idle.started_at, 0.5, 3, "the broker is gone"),
    )


def test_a_follower_gathers_where_something_happened_or_metrics_tell_ages(tmp_path, monkeypatch):
    config = replace(read_config(ROOT), project_dir=tmp_path, bronze=str(tmp_path / "bronze"))
    gathered = []
    monkeypatch.setattr(publishing, "gather", gathered.append)
    monkeypatch.setattr(publishing, "publish", lambda *_: page_path(config).touch())
    idle = Cycle(1, datetime(2026, 1, 1, tzinfo=UTC), 0.5, {}, {}, {}, (), {})

    def gathers(cycle, *where):
        gathered.clear()
        publish_cycle(config, cycle, *where)
        return len(gathered)

    assert gathers(idle) == 0
    assert gathers(replace(idle, is_built=True)) == 1
    # within the minute
    assert gathers(replace(idle, is_built=True)) == 0
    assert gathers(replace(idle, tests={"passed": 1})) == 1
    monkeypatch.setattr(publishing, "PUBLISHED_EVERY", -1.0)
    assert gathers(idle) == 0
    assert gathers(idle, tmp_path / "cdc.prom") == 1


def test_a_run_that_fails_is_recorded_with_what_it_landed_and_why(tmp_path):
    config = replace(read_config(ROOT), project_dir=tmp_path, bronze=str(tmp_path / "bronze"))
    with recorded(config, "run") as codes:
        codes.append(0)
    with recorded(config, "run") as codes:
        rows = pa.table({"feed": ["a", "a"]})
        write_deltalake(tmp_path / "bronze" / "messages", rows)
        codes.append(8)
    with pytest.raises(KeyError), recorded(config, "run"):
        raise KeyError("broken")
    told = [(run.landed, run.failed) for run in read_runs(config, 9)]
    assert told == [(0, None), (2, "exit code 8"), (0, "'broken'")]
