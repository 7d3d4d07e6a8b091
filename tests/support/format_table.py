"""The tables of formats in README.md and docs/formats/README.md, made from seeds/formats.csv.

`python -m tests.support.format_table` writes them; tests/formats/test_names.py compares.
"""

import csv
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
OVERVIEW = ROOT / "docs" / "formats" / "README.md"
MARKED = re.compile(r"(?<=<!-- formats -->\n).*?(?=<!-- /formats -->)", re.DOTALL)
# The kinds of evidence, the best first: how well a format is proven.
EVIDENCE = ("captured", "fixture", "document", "inferred")
FACTS = {
    "operations": "Operations",
    "images": "Images",
    "key_source": "Keys",
    "order_guarantee": "Order",
    "settings": "Settings of the feed",
    "known_limits": "Known limits",
    "evidence": "Evidence",
}


def facts() -> list[dict[str, str]]:
    """The rows of the seed."""
    with (ROOT / "seeds" / "formats.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def table() -> str:
    """The README's table in Markdown: one row per format, by vendor, since readers know theirs."""
    lines = ["| producer | format | key | order by | evidence |", "|---|---|---|---|---|"]
    for row in sorted(facts(), key=lambda row: (row["vendor"], row["format"])):
        link = f"[{row['format']}](docs/formats/{row['format']}.md)"
        cells = (row["producer"], link, key(row), order(row), evidence(row))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def key(row: dict[str, str]) -> str:
    """Who names the key of a row: the messages, or the feed must."""
    return "feed" if row["key_source"].startswith("key_columns") else "message"


def order(row: dict[str, str]) -> str:
    """What the changes of a key are ordered by; * where it depends on the source or a setting."""
    scope = re.match("position|offset", row["order_scope"])[0]
    depends = row["order_scope"] != scope or re.search(r"\b(if|where)\b", row["order_guarantee"])
    return scope + ("*" if depends else "")


def evidence(row: dict[str, str]) -> str:
    """The best evidence that there is of the format."""
    return next(kind for kind in EVIDENCE if re.search(rf"\b{kind}(:| from)", row["evidence"]))


def overview() -> str:
    """All facts of all formats in Markdown: one section per format."""
    return "\n".join(_section(row) for row in facts())


def _section(row: dict[str, str]) -> str:
    listed = [f"* **{title}**: {row[name]}" for name, title in FACTS.items() if row[name]]
    head = f"### [{row['format']}]({row['format']}.md)\n\n{row['producer']}.\n\n"
    return head + "\n".join(listed) + "\n"


def write(page: Path, text: str) -> None:
    """Put the text between the marks of the page."""
    page.write_text(MARKED.sub(lambda _: text, page.read_text("utf-8")), "utf-8")


def write_count() -> None:
    """Say in the README how many formats there are."""
    counted = re.sub(r"\[\d+ formats\]", f"[{len(facts())} formats]", README.read_text("utf-8"))
    README.write_text(counted, "utf-8")


if __name__ == "__main__":
    write(README, table())
    write_count()
    write(OVERVIEW, overview())
