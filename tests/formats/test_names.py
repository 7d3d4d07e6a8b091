"""A format has one name, and everything that a format consists of."""

import re
from pathlib import Path

import pytest
import yaml

from tests.support.format_table import MARKED, OVERVIEW, README, facts, overview, table

pytestmark = pytest.mark.every_format

ROOT = Path(__file__).resolve().parents[2]


def stems(pattern, ending=""):
    """Names of the files that match, without what starts with an underscore."""
    found = (path.name for path in ROOT.glob(pattern))
    return sorted(name.removesuffix(ending) for name in found if not name.startswith("_"))


FORMATS = stems("macros/formats/*.sql", ".sql")
LINTED = "canal_json_cloudcanal"


def test_macros_models_tests_and_pages_have_the_same_names():
    assert stems("models/silver/formats/*.sql", "_changes.sql") == FORMATS
    assert (
        sorted(path.parent.name for path in ROOT.glob("tests/formats/*/messages.jsonl")) == FORMATS
    )
    assert [name for name in stems("docs/formats/*.md", ".md") if name != "README"] == FORMATS
    assert [row["format"] for row in facts()] == FORMATS
    schemas = [name for name in stems("macros/schemas/*.sql", ".sql") if name != "schema_columns"]
    assert schemas == FORMATS


def test_each_file_has_the_macro_and_the_model_of_its_name():
    for name in FORMATS:
        macro = (ROOT / "macros" / "formats" / f"{name}.sql").read_text()
        assert f"macro parse_{name}(messages)" in macro
        public = re.findall(r"macro (?!_)(\w+)\(", macro)
        assert public in ([f"parse_{name}"], [f"parse_{name}", f"{name}_row_before"])
        model = (ROOT / "models" / "silver" / "formats" / f"{name}_changes.sql").read_text()
        assert f"'{name}' in cdc.formats_in_use()" in model
        assert f"cdc.new_messages('{name}')" in model
        assert f"cdc.parse_{name}('messages')" in model
        types = (ROOT / "macros" / "schemas" / f"{name}.sql").read_text()
        assert f"macro {name}_columns(schemas)" in types


def test_formats_that_keep_the_changed_columns_alone_complete_the_row_before():
    """Through the parsers that leave the unchanged ones out, called at first or at second hand; not where the row before is whole."""
    texts = {name: (ROOT / "macros" / "formats" / f"{name}.sql").read_text() for name in FORMATS}
    parsers = r"cdc\.(_canal_parsed_rows|_maxwell_parsed_rows)\("
    reads = {name: re.search(r"cdc\.parse_(\w+)\(", text) for name, text in texts.items()}
    keep = {
        name
        for name, text in texts.items()
        if re.search(parsers, texts[reads[name][1]] if reads[name] else text)
        and "true as is_old_whole" not in text
    }
    assert {name for name in FORMATS if f"{name}_row_before(" in texts[name]} == keep


def test_the_models_of_formats_differ_in_nothing_but_the_name():
    """`make lint` looks at one of them, that of the longest name."""
    texts = {
        (ROOT / "models" / "silver" / "formats" / f"{name}_changes.sql")
        .read_text()
        .replace(name, "x")
        for name in FORMATS
    }
    assert len(texts) == 1
    assert len(LINTED) == max(len(name) for name in FORMATS)
    assert f"models/silver/formats/{LINTED}_changes.sql" in (ROOT / "Makefile").read_text()


def test_every_format_has_the_contract():
    models = yaml.safe_load((ROOT / "models/silver/_silver__models.yml").read_text())["models"]
    columns = {model["name"]: model.get("columns") for model in models}
    for name in FORMATS:
        assert columns[f"{name}_changes"] == columns["cdc_changes"]


def test_the_seed_says_everything_of_every_format():
    header = list(facts()[0])
    declared = yaml.safe_load((ROOT / "seeds/_seeds.yml").read_text())["seeds"][0]
    assert [column["name"] for column in declared["columns"]] == header
    assert list(declared["config"]["column_types"]) == header
    of_some = {"settings", "own_settings", "required_setting"}
    for row in facts():
        assert [name for name, text in row.items() if not text and name not in of_some] == []


@pytest.mark.parametrize(("page", "made"), [(README, table), (OVERVIEW, overview)])
def test_the_pages_say_of_formats_what_the_seed_says(page, made):
    text = page.read_text("utf-8")
    assert MARKED.search(text)[0] == made(), "run python -m tests.support.format_table"


def test_the_readme_counts_the_formats():
    assert f"[{len(FORMATS)} formats](#formats)" in README.read_text("utf-8")
