"""The README's format table, made from seeds/formats.csv.

`python -m tests.support.format_table` writes it anew; tests/formats/test_names.py compares.
"""

import csv
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
MARKED = re.compile(r"(?<=<!-- formats -->\n).*?(?=<!-- /formats -->)", re.DOTALL)
COLUMNS = {
    "operations": "operations",
    "images": "images",
    "order_guarantee": "order",
    "known_limits": "known limits",
    "evidence": "evidence",
}


def facts() -> list[dict[str, str]]:
    """The rows of the seed."""
    with (ROOT / "seeds" / "formats.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def table() -> str:
    """The table in Markdown: one row per format."""
    lines = [
        "| format and producer | " + " | ".join(COLUMNS.values()) + " |",
        "|---|" + "---|" * len(COLUMNS),
    ]
    for row in facts():
        link = f"[{row['format']}](docs/formats/{row['format']}.md): {row['producer']}"
        lines.append(f"| {link} | " + " | ".join(row[name] for name in COLUMNS) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    README.write_text(MARKED.sub(lambda _: table(), README.read_text("utf-8")), "utf-8")
