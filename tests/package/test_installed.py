"""Another dbt project installs this one: three lines in packages.yml, its feeds, two gold models, and a wheel for the loader."""

import json
import shutil
import subprocess
import sys
import sysconfig

import pytest
from deltalake import DeltaTable

from ingestion.config.project_files import PROJECT_ROOT
from tests.support.checkout import copy_of_the_checkout

pytestmark = pytest.mark.long

SHOP = PROJECT_ROOT / "examples" / "shop"
PROJECT = """
name: webshop
version: "1.0"
config-version: 2
profile: webshop
flags: {send_anonymous_usage_stats: false}
models:
  webshop:
    marts: {+materialized: view}
    gold: {+schema: gold}
"""
FEEDS = """
vars:
  feeds:
    crm: {format: canal_json, files: "records/mariadb*.jsonl", time_zone: UTC}
"""
# names that this project uses itself, and a schema of the user's own making
OWN = {
    "macros/own.sql": """
        {% macro quoted(text) %}"{{ text }}"{% endmacro %}
        {% macro generate_schema_name(custom_schema_name, node) %}
            {{- 'dev_' ~ (custom_schema_name or 'main') -}}
        {% endmacro %}""",
    "models/changes.sql": "select 1 as id",
    "models/schemas.sql": "select 2 as id",
    "models/marts/named.sql": "select {{ quoted('own') }} as word",
    "models/marts/of_changes.sql": "select id + 10 as id from {{ ref('changes') }}",
    "models/marts/of_schemas.sql": "select id + 10 as id from {{ ref('schemas') }}",
}
VERSIONS = "{{ cdc.history(of='orders') }}"
TESTED = """
version: 2
models:
  - name: orders
    columns:
      - {name: id, data_type: bigint}
      - {name: status, data_type: string}
    data_tests: [cdc.key_is_unique, cdc.newest_change_wins, cdc.every_value_fits_its_type]
"""
# In one process, as a JVM of its own for each of them would take a minute more.
STEPS = """
import json, os, sys
from pathlib import Path
from dbt.cli.main import dbtRunner
import ingestion
from ingestion.__main__ import main

def build():
    outcome = dbtRunner().invoke(["build", "--quiet", "--profiles-dir", "."])
    assert outcome.exception is None, outcome.exception
    return {
        result.node.unique_id: result.status
        for result in outcome.result
        if result.node.resource_type in ("model", "test")
    }

told = {"installed": ingestion.__file__, "before": build()}
with Path("dbt_project.yml").open("a") as project:
    project.write(Path("feeds.txt").read_text())
Path("later").rename("models/gold")
told["loaded"] = main(["load"])
told["after"] = build()
from pyspark.sql import SparkSession
spark = SparkSession.getActiveSession()
for query in ("select id from dev_main.changes", "select word from dev_main.named",
              "select id from dev_main.of_schemas", "select count(*) from dev_gold.versions",
              "select count(*) > 0 from dev_silver.changes"):
    told[query] = spark.sql(query).collect()[0][0]
os.environ["LAKEHOUSE_SCHEMA_PREFIX"] = "dev_"
told["generated"] = main(["generate", "crm"])
told["reported"] = main(["report", "--html", "report.html"])
told["last"] = build()
Path("told.json").write_text(json.dumps(told, default=str))
"""


def succeeded(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The programs of an environment with the wheel and what it depends on, without the checkout."""
    folder = tmp_path_factory.mktemp("environment")
    clone = copy_of_the_checkout(folder / "clone")
    succeeded(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, clone], folder
    )
    succeeded([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], folder)
    (wheel,) = folder.glob("*.whl")
    (packages,) = (folder / "venv" / "lib").glob("python*/site-packages")
    pip = [sys.executable, "-m", "pip", "--python", folder / "venv" / "bin" / "python"]
    succeeded([*pip, "install", "-q", "--no-deps", wheel], folder)
    # the checkout's own environment stands for an index: of what it holds, only a .pth would lead to the checkout
    (packages / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"])
    return folder / "venv" / "bin"


@pytest.fixture(scope="module")
def told(installed, tmp_path_factory):
    """What the steps of a user have found out, and the folder of the project."""
    folder = tmp_path_factory.mktemp("webshop")
    for name, text in OWN.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "dbt_project.yml").write_text(PROJECT)
    (folder / "packages.yml").write_text(f"packages:\n  - local: {PROJECT_ROOT}\n")
    profile = (PROJECT_ROOT / "profiles" / "profiles.yml").read_text()
    (folder / "profiles.yml").write_text(profile.replace("cdc_lakehouse:", "webshop:", 1))
    shutil.copytree(PROJECT_ROOT / "profiles", folder / "profiles")
    (folder / ".jars").symlink_to(PROJECT_ROOT / ".jars")
    (folder / "records").mkdir()
    for path in (SHOP / "records").glob("mariadb*.jsonl"):
        shutil.copy(path, folder / "records")
    (folder / "later").mkdir()
    orders = (SHOP / "models" / "gold" / "shop" / "orders.sql").read_text()
    (folder / "later" / "orders.sql").write_text(orders.replace("shop_mariadb", "crm"))
    (folder / "later" / "versions.sql").write_text(VERSIONS)
    (folder / "later" / "gold.yml").write_text(TESTED)
    (folder / "feeds.txt").write_text(FEEDS)
    (folder / "steps.py").write_text(STEPS)
    succeeded(
        [installed / "python", "-c", "from dbt.cli.main import cli; cli(['deps', '--quiet'])"],
        folder,
    )
    succeeded([installed / "python", "steps.py"], folder)
    return json.loads((folder / "told.json").read_text()) | {"folder": folder}


def test_the_wheel_has_the_command_and_runs_without_the_checkout(installed, told):
    assert str(installed.parent) in told["installed"]
    assert "reconcile" in succeeded([installed / "cdc", "--help"], installed)
    assert told["loaded"] == 0


def test_before_a_feed_is_configured_only_the_projects_own_models_run(told):
    names = {name.removeprefix("model.webshop.") for name in told["before"]}
    assert names == {"changes", "schemas", "named", "of_changes", "of_schemas"}
    assert set(told["before"].values()) == {"success"}


def test_with_feeds_and_gold_models_all_of_it_is_green(told):
    assert {"success", "pass", "warn"} >= set(told["after"].values())
    assert {"model.webshop.orders", "model.cdc.cdc_changes"} <= told["after"].keys()
    assert not {
        name
        for name in told["after"]
        if name.startswith("model.cdc.") and "orders" in name.split(".")
    }
    rows = DeltaTable(told["folder"] / "lakehouse" / "warehouse" / "dev_gold.db" / "orders")
    assert rows.to_pyarrow_table().num_rows == 6
    assert told["select count(*) from dev_gold.versions"] > 6
    assert told["select count(*) > 0 from dev_silver.changes"]


def test_its_other_models_keep_their_names_and_results(told):
    assert told["select id from dev_main.changes"] == 1
    assert told["select id from dev_main.of_schemas"] == 12
    assert told["select word from dev_main.named"] == "own"


def test_behind_the_schemas_prefix_generate_writes_models_that_build_and_report_shows_them(told):
    assert (told["generated"], told["reported"]) == (0, 0)
    written = {path.stem for path in (told["folder"] / "models" / "gold" / "crm").glob("*.sql")}
    # orders has a model already
    assert "customers" in written and "orders" not in written
    # one price of the sample does not fit its type
    assert {
        name.split(".")[2]
        for name, status in told["last"].items()
        if status not in ("success", "pass", "warn")
    } == {"cdc_every_value_fits_its_type_products_"}
    assert {f"model.webshop.{name}" for name in written} <= told["last"].keys()
    assert "<th>orders</th>" in (told["folder"] / "report.html").read_text()
