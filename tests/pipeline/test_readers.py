"""DuckDB and delta-rs read gold as Spark wrote it, with no setting."""

from datetime import UTC, datetime

import pytest
from deltalake import DeltaTable, QueryBuilder

from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import canal_record
from tests.support.duck import connect

FEED = "dated"
MODEL = """{{{{ cdc.current_state(
    feed='dated', database='shop', table='{table}', key=['id'],
    columns={{'id': 'bigint', 'day': 'date', 'at': 'timestamp', 'clock': 'timestamp_ntz'}}
) }}}}
"""
DAYS = {
    "dated": ("0001-01-01", "1582-10-10", "9999-12-31"),
    # Python has no such days
    "undated": ("-0044-03-15", "0000-01-01"),
}
LATE = " 23:59:59.999999"


def by_delta_rs(path):
    return DeltaTable(str(path)).to_pyarrow_table()


def by_duckdb(path, columns="*"):
    with connect() as connection:
        return connection.execute(f"select {columns} from delta_scan('{path}')").to_arrow_table()


@pytest.fixture(scope="module")
def dated(project):
    before = project.feeds
    project.add_feed(FEED, format="canal_json", files="in/dated", time_zone="UTC")
    records = []
    for table, days in DAYS.items():
        project.write_model(table, MODEL.format(table=table))
        for number, day in enumerate(days):
            row = {"id": str(number), "day": day} | dict.fromkeys(("at", "clock"), day + LATE)
            records.append(canal_record(table, number, "INSERT", row, 1000))
    project.land(Feed(name=FEED, format="canal_json"), 0, records)
    project.run("--select", "silver", *DAYS)
    yield project.root / "lakehouse" / "warehouse" / "gold.db"
    project.set_feeds(before)
    for table in DAYS:
        (project.root / "models" / "gold" / f"{table}.sql").unlink()


@pytest.mark.parametrize("reader", [by_delta_rs, by_duckdb])
def test_readers_find_what_spark_wrote(shop, reader):
    """Digit for digit: decimals, unsigned 64-bit numbers, times and bytes."""
    warehouse = shop.root / "lakehouse" / "warehouse"
    for table in ("products", "shipments", "customers", "orders", "stock"):
        found = reader(warehouse / "gold.db" / table)
        spark = {
            tuple(row._change.row_key): row.asDict()
            for row in shop.sql(f"select * from gold.{table}")
        }
        assert found.num_rows == len(spark)
        for row in found.to_pylist():
            expected = spark[tuple(row["_change"]["row_key"])]
            assert list(row) == list(expected)
            for name in row.keys() - {"_change"}:
                assert comparable(row[name]) == comparable(expected[name]), (table, name)
            for name in ("topic", "partition", "misfits"):
                told = expected["_change"][name]
                told = [one.asDict() for one in told] if name == "misfits" else told
                assert row["_change"][name] == told, (table, name)
    silver = reader(warehouse / "silver.db" / "debezium_json_changes")
    assert silver.num_rows == shop.sql("select count(*) from silver.debezium_json_changes")[0][0]
    positions = [told["position"] for told in silver["change_sequence"].to_pylist()]
    assert max(position[0] or 0 for position in positions if position) > 0


def comparable(value):
    if hasattr(value, "tzinfo") and value.tzinfo is not None:
        return value.replace(tzinfo=None)
    return bytes(value) if isinstance(value, bytearray) else value


@pytest.mark.parametrize("reader", [by_delta_rs, by_duckdb])
def test_readers_find_the_first_and_the_last_time(dated, reader):
    rows = sorted(reader(dated / "dated").to_pylist(), key=lambda row: row["id"])
    clocks = [datetime.fromisoformat(day + LATE) for day in DAYS["dated"]]
    assert [row["day"] for row in rows] == [clock.date() for clock in clocks]
    assert [row["clock"] for row in rows] == clocks
    assert [row["at"] for row in rows] == [clock.replace(tzinfo=UTC) for clock in clocks]


def test_days_that_python_does_not_have_are_read_by_sql(dated):
    """delta-rs makes no Arrow table of them: it reads the statistics of a file into Python's dates."""
    path, years = dated / "undated", "date_part('year', day) as year"
    of_delta_rs = QueryBuilder().register("undated", DeltaTable(str(path)))
    found = of_delta_rs.execute(f"select {years} from undated")
    assert sorted(found.read_all()["year"].to_pylist()) == [-44, 0]
    assert sorted(by_duckdb(path, years)["year"].to_pylist()) == [-44, 0]
