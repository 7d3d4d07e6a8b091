"""The pages hang together: links lead somewhere, every page is on the map, every shipped test is explained."""

import re
import subprocess
from functools import cache

import yaml

from ingestion.config.formats import known_formats
from ingestion.config.project_files import PROJECT_ROOT
from ingestion.config.settings import ENCODINGS

DOCS = PROJECT_ROOT / "docs"
MAP = DOCS / "README.md"
PROJECT = yaml.safe_load((PROJECT_ROOT / "dbt_project.yml").read_text("utf-8"))
SHIPPED_TESTS = sorted(
    path.stem
    for name in PROJECT.get("test-paths", ["tests"])
    for folder in (PROJECT_ROOT / name, PROJECT_ROOT / name / "generic")
    for path in folder.glob("*.sql")
)


def pages():
    """Every Markdown file of the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    return [PROJECT_ROOT / name for name in listed if (PROJECT_ROOT / name).exists()]


def prose(page):
    """The page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


@cache
def anchors(page):
    """The anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ +(.+?) *$", prose(page), flags=re.MULTILINE)
    plain = [re.sub(r"\]\([^)]*\)", "]", heading).lower() for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


def links(page):
    """Where the page's links lead, as (file, anchor); those to other sites are left out."""
    text = re.sub(r"`[^`\n]*`", "", prose(page))
    for target in re.findall(r'\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"', text):
        name, _, anchor = "".join(target).partition("#")
        if not re.match(r"[a-z]+:", name):
            yield (page.parent / name).resolve() if name else page, anchor


def test_every_link_leads_to_a_file_and_a_heading():
    lost = [
        f"{page.relative_to(PROJECT_ROOT)}: {target}#{anchor}"
        for page in pages()
        for target, anchor in links(page)
        if not target.exists() or (anchor and anchor not in anchors(target))
    ]
    assert lost == []


def test_every_page_that_code_names_is_there():
    """Messages send users to pages, comments send readers there."""
    lost = []
    code = ("ingestion", "macros", "models", "examples", "profiles", "tests", "seeds")
    for name in (*code, "dbt_project.yml", "Makefile"):
        top = PROJECT_ROOT / name
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.suffix in (".py", ".sql", ".yml", ".md") or path.name == "Makefile":
                named = set(re.findall(r"\bdocs/[\w/-]+\.md\b", path.read_text("utf-8")))
                lost += [f"{path}: {page}" for page in named if not (PROJECT_ROOT / page).exists()]
    assert lost == []


def test_the_map_leads_to_every_page():
    mapped = {target for page in (MAP, DOCS / "formats" / "README.md") for target, _ in links(page)}
    assert [page for page in sorted(DOCS.rglob("*.md")) if page not in {MAP, *mapped}] == []


def test_every_shipped_test_is_explained():
    assert SHIPPED_TESTS, "where are the tests that ship?"
    headings = re.findall(r"^### `(\w+)`", (DOCS / "tests.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(headings) == SHIPPED_TESTS


def test_every_encoding_and_every_setting_is_explained():
    values = (DOCS / "gold" / "values.md").read_text("utf-8")
    feeds = (DOCS / "feeds.md").read_text("utf-8")
    assert [name for name in ENCODINGS if f"`{name}`" not in values] == []
    own = {name for one in known_formats(PROJECT_ROOT).values() for name in one.own_settings}
    assert [name for name in own if f"`{name}`" not in feeds] == []


def test_the_readme_is_short():
    assert len((PROJECT_ROOT / "README.md").read_text("utf-8").splitlines()) <= 150


def test_every_file_that_the_pages_name_is_there():
    """A file that moves takes its mention along."""
    lost = []
    for page in [*DOCS.rglob("*.md"), PROJECT_ROOT / "README.md", PROJECT_ROOT / "CONTRIBUTING.md"]:
        for name in re.findall(
            r"`((?:ingestion|macros|models|profiles|seeds)/[\w./-]+)`", prose(page)
        ):
            # what only this reader's own project has
            if not (PROJECT_ROOT / name).exists() and not re.match("models/gold/(crm|FEED)/", name):
                lost.append(f"{page.relative_to(PROJECT_ROOT)}: {name}")
    assert lost == []
