"""Compaction and vacuum change files, and neither rows nor what the next run has to do."""

TABLES = (
    "bronze.messages",
    "silver.canal_json_changes",
    "silver.order_marks",
    "gold.orders",
    "state.orders",
)


def rows_of(shop):
    return {table: sorted(map(str, shop.sql(f"select * from {table}"))) for table in TABLES}


def files_of(shop):
    return {table: shop.sql(f"describe detail {table}")[0].numFiles for table in TABLES}


def test_compacted_tables_have_the_same_rows_in_fewer_files(shop):
    rows, files = rows_of(shop), files_of(shop)
    assert shop.dbt("run-operation", "compact_tables").success
    assert rows_of(shop) == rows
    compacted = files_of(shop)
    assert compacted["bronze.messages"] == 1 < files["bronze.messages"]
    assert all(compacted[table] <= files[table] for table in TABLES)

    # what is compact stays as it is
    versions = shop.versions()
    assert shop.dbt("run-operation", "compact_tables").success
    assert shop.versions() == versions


def test_a_run_after_compaction_finds_nothing_new(shop):
    shop.run()
    assert shop.dbt("run-operation", "compact_tables").success
    before = shop.versions()
    shop.run()
    after = shop.versions()
    assert [
        name for name in before if name.startswith("gold") and after[name] != before[name]
    ] == []


def test_vacuum_keeps_what_its_retention_needs(shop):
    rows = rows_of(shop)
    assert shop.dbt("run-operation", "vacuum_tables").success
    assert rows_of(shop) == rows
    assert shop.sql("select * from bronze.messages version as of 1")
