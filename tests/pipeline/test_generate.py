"""`generate` writes the gold models that an analyst would write, and never over them."""

import re
from pathlib import Path

import pytest
import yaml

from ingestion.__main__ import main as ingestion
from ingestion.errors import CONFIGURATION, OK, SOURCE
from ingestion.gold_models.declared import declared_models
from ingestion.gold_models.model_files import model_names, names_in_use, write
from ingestion.gold_models.proposed import TAKEN, Column, Table
from tests.pipeline.conftest import ROOT

# What an analyst of the shop decided otherwise than the messages suggest.
DECISIONS = {
    "shop_mariadb": {
        "examples/shop/models/gold/shop/carts.sql: shop.carts, 6 columns",
        "  ~ 'quantity': declared as 'int', the messages suggest 'smallint'",
        "  ~ 'is_gift': declared as 'boolean', the messages suggest 'tinyint'",
        "examples/shop/models/gold/shop/customers.sql: shop.customers, 9 columns, no remarks",
        "examples/shop/models/gold/shop/order_items.sql: shop.order_items, 5 columns, no remarks",
        "examples/shop/models/gold/shop/orders.sql: shop.orders, 7 columns, no remarks",
        "examples/shop/models/gold/shop/products.sql: shop.products, 17 columns",
        "  ~ 'flags': declared as 'int', the messages suggest 'bigint'",
        "shop.old_prices: left out, as leave_out of the feed says",
    },
    "shop_postgres": {
        "examples/shop/models/gold/shop/parcel_events.sql: warehouse.public.parcel_events, 5 columns, no remarks",
        "examples/shop/models/gold/shop/picking_list.sql: warehouse.public.picking_list, 5 columns, no remarks",
        "examples/shop/models/gold/shop/shipments.sql: warehouse.public.shipments, 17 columns",
        "  ~ 'transit_time': declared as 'bigint', the messages suggest 'string'",
        "examples/shop/models/gold/shop/stock.sql: warehouse.public.stock, 5 columns, no remarks",
        "examples/shop/models/gold/shop/warehouses.sql: warehouse.public.warehouses, 5 columns, no remarks",
    },
}


def generate(folder, *arguments):
    return ingestion(["generate", *arguments, "--project-dir", str(folder)])


def models_of(folder):
    return {model.name: model for model in declared_models(folder)}


@pytest.fixture
def empty(shop, tmp_path):
    """The shop's silver below a project without gold models."""
    for name in ("dbt_project.yml", "macros", "lakehouse"):
        (tmp_path / name).symlink_to(shop.root / name)
    (tmp_path / "models" / "gold").mkdir(parents=True)
    return tmp_path


def test_what_it_writes_is_built_and_what_is_there_is_compared(shop, capsys):
    folder = shop.root / "models" / "gold" / "shop_mariadb"
    for feed, lines in DECISIONS.items():
        assert generate(shop.root, feed) == OK
        assert set(capsys.readouterr().out.splitlines()) == lines
    assert generate(shop.root, "shop_mariadb", "shop.old_prices") == OK
    written = "models/gold/shop_mariadb/old_prices.sql: shop.old_prices, 3 columns, no remarks\n"
    assert (
        capsys.readouterr().out
        == written + "Next: dbt build --select old_prices --vars 'check_all_history: true'\n"
    )
    outcome = shop.dbt("build", "--select", "old_prices")
    assert outcome.success, outcome.exception or outcome.result.results
    assert {result.status for result in outcome.result} == {"success", "pass"}
    assert shop.spark.table("gold.old_prices").drop("_change").dtypes == [
        ("product_id", "bigint"),
        ("valid_from", "date"),
        ("price", "decimal(12,2)"),
    ]
    assert generate(shop.root, "shop_mariadb", "old_prices") == OK
    assert capsys.readouterr().out == written
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


def test_it_writes_what_the_shop_has_by_hand(shop, empty, capsys):
    assert generate(empty, "shop_mariadb") == OK
    assert generate(empty, "shop_postgres", "shipments") == OK
    said = capsys.readouterr().out.splitlines()
    assert "  is_gift is tinyint (tinyint(1)): boolean, if it holds nothing but 0 and 1" in said
    assert any(
        line.startswith("  unit_cost is string (decimal(65,30)): more than") for line in said
    )
    assert not any("time_zone" in line for line in said)
    by_hand = ROOT / "examples" / "shop" / "models" / "gold" / "shop"
    declared, ours = models_of(empty), models_of(shop.root)
    for table in ("customers", "orders"):
        written = empty / "models" / "gold" / "shop_mariadb" / f"{table}.sql"
        assert written.read_text() == (by_hand / f"{table}.sql").read_text()
        assert declared[table].columns == ours[table].columns
    described = (written.parent / "products.yml").read_text()
    assert "time_zone" not in (written.parent / "orders.yml").read_text()
    ean = "      - name: ean\n        data_type: decimal(20,0)\n        description: bigint(20) unsigned\n"
    assert ean in described
    assert not (empty / "models" / "gold" / "shop_postgres" / "stock.sql").exists()


@pytest.mark.long
def test_a_table_without_a_key_is_told_and_left(empty, damaged, capsys):
    silver = "silver.canal_json_changes"
    damaged(silver, f"update {silver} set key_columns = null where table_name = 'carts'")
    assert generate(empty, "shop_mariadb", "shop.carts") == OK
    assert (
        "shop.carts: its messages name no key. Name it under key_columns" in capsys.readouterr().out
    )
    assert not (empty / "models" / "gold" / "shop_mariadb").exists()


@pytest.mark.long
def test_a_table_without_types_has_the_columns_of_its_images(shop, empty, damaged, capsys):
    silver = "silver.canal_json_changes"
    damaged(silver, f"update {silver} set schema_id = null where table_name = 'orders'")
    assert generate(empty, "shop_mariadb", "orders") == OK
    assert "the messages carry no types: every column is string" in capsys.readouterr().out
    (untyped,) = declared_models(empty)
    assert untyped.columns == dict.fromkeys(models_of(shop.root)["orders"].columns, "string")


def test_what_is_not_there_is_said(empty, capsys):
    assert generate(empty, "shop_mariadb", "cart") == CONFIGURATION
    assert "has sent no table cart; it has: shop.carts, " in capsys.readouterr().err
    (empty / "lakehouse").unlink()
    assert generate(empty, "shop_mariadb") == SOURCE
    assert "run `python -m ingestion load`, then" in capsys.readouterr().err


@pytest.mark.long
def test_what_a_model_has_decided_is_not_proposed_again(empty, damaged, capsys):
    silver = "silver.canal_json_changes"
    damaged(silver, f"update {silver} set key_columns = null where table_name = 'carts'")
    assert generate(empty, "shop_mariadb", "orders", "customers") == OK
    folder = empty / "models" / "gold" / "shop_mariadb"
    for table, decided in (("orders", "left_out=['status']"), ("customers", "new_columns='add'")):
        model, described = folder / f"{table}.sql", folder / f"{table}.yml"
        told = yaml.safe_load(described.read_text())
        columns = told["models"][0]["columns"]
        kept = [column for column in columns if column["name"] not in ("status", "email")]
        assert len(kept) == len(columns) - 1
        described.write_text(
            yaml.safe_dump(told | {"models": [told["models"][0] | {"columns": kept}]})
        )
        model.write_text(model.read_text().replace("\n)", f",\n    {decided}\n)"))
    rows = "feed='shop_mariadb', database='shop', table='carts', columns={'id': 'bigint'}"
    (folder / "carts.sql").write_text(f"{{{{ cdc.current_rows({rows}) }}}}\n")
    capsys.readouterr()
    assert generate(empty, "shop_mariadb", "orders", "customers", "carts") == OK
    said = capsys.readouterr().out
    assert "orders.sql: shop.orders, 7 columns, no remarks" in said
    assert "customers.sql: shop.customers, 9 columns, no remarks" in said
    assert "carts.sql: shop.carts, 6 columns\n  + " in said


def test_names_from_messages_are_data(tmp_path):
    names = (
        "it's",
        'a"b',
        "a b,c",
        "_change",
        "new\nline",
        "}} {{ 1 / 0 }} {% raw",
        "back\\slash",
        "größe",
    )
    columns = tuple(Column(name, "x {{ 1 / 0 }}", "bigint") for name in (*names, "GRÖßE"))
    table = Table((None, "it's {{ 1 }}", None, "T 1"), ("it's",), columns, ())
    assert model_names("crm", table) == ["t_1", "it_s_1_t_1", "crm_it_s_1_t_1"]
    (tmp_path / "dbt_project.yml").write_text("name: mine\n")
    folder = Path("models/gold/crm")
    write(tmp_path, folder / "t_1.sql", "crm", table)
    (declared,) = declared_models(tmp_path)
    assert declared.is_of("crm", table)
    assert declared.columns == dict.fromkeys(names, "bigint")
    assert declared.key == ("it's",)
    assert not re.search(r"\{[{%#]", (tmp_path / "models/gold/crm/t_1.yml").read_text())
    assert names_in_use(tmp_path) == {"t_1"}
    # without what dbt would take for Jinja, the columns stand in the YAML
    plain = tuple(column for column in columns if "{{" not in column.name)
    write(tmp_path, folder / "t_2.sql", "crm", Table((None, None, None, "T 2"), ("it's",), plain))
    assert "columns" not in (tmp_path / "models/gold/crm/t_2.sql").read_text()
    assert models_of(tmp_path)["t_2"].columns == dict.fromkeys(
        (column.name for column in plain if column.name != "GRÖßE"), "bigint"
    )


def test_names_that_gold_keeps_for_itself_are_those_of_the_macro():
    macro = (ROOT / "macros/project/gold_models.sql").read_text()
    listed = re.search(r"macro own_names\(\).*?\[(.*?)\]", macro, flags=re.DOTALL)[1]
    assert set(re.findall(r"'(\w+)'", listed)) == set(TAKEN)


def test_a_name_that_gold_gives_beside_the_columns_of_a_table_can_be_none_of_theirs():
    """Spark would not know which of the two is meant."""
    macros = (ROOT / "macros/project/gold_models.sql").read_text()
    within = re.search(r"macro names_within_history\(\).*?\[(.*?)\]", macros, flags=re.DOTALL)[1]
    kept = {*TAKEN, *re.findall(r"'(\w+)'", within)}
    for path in (ROOT / "macros" / "gold").rglob("*.sql"):
        given = set(re.findall(r"\bas (_[a-z_]+)\b", path.read_text()))
        assert given <= kept, path
