"""`make new-format NAME=x LIKE=y`: the files of a format whose messages are those of another one, to go on from.

The new format's macros call those of the other: all its tests pass at once, and what is different is written into them
next. Nothing of another format is touched: the registry, `seeds/formats.csv`, and the list of silver's models, where dbt looks for
columns, have a line or an entry more.
"""

import csv
import io
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODELS = Path("models", "silver", "_silver__models.yml")
REGISTRY = Path("seeds", "formats.csv")


class Refused(Exception):
    """What is wrong with the names that were given."""


def check(root: Path, name: str, like: str) -> None:
    """Refuse a name that is none, or taken, and a model that is not there."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        raise Refused(
            f"NAME={name}: a format is called <tool>_<variant>, in small letters and digits."
        )
    if (root / "macros" / "formats" / f"{name}.sql").exists():
        raise Refused(f"NAME={name}: this format is there already.")
    if like.startswith("_") or not (root / "macros" / "formats" / f"{like}.sql").exists():
        raise Refused(f"LIKE={like}: there is no format of this name in macros/formats.")


def row_before(root: Path, name: str, like: str) -> str:
    """The macro that completes the row before an update, if the other format has one."""
    if f"macro {like}_row_before(" not in (root / "macros" / "formats" / f"{like}.sql").read_text():
        return ""
    return f"""

{{% macro {name}_row_before(relation) -%}}
    {{{{ cdc.{like}_row_before(relation) }}}}
{{%- endmacro %}}
"""


def texts(root: Path, name: str, like: str) -> dict[str, str]:
    """The files that are written anew, by their path."""
    return {
        f"macros/formats/{name}.sql": f"""\
{{#- What {name} writes: the messages of {like}. Rules: docs/formats/{name}.md -#}}

{{% macro parse_{name}(messages) -%}}
    {{{{ cdc.parse_{like}(messages) }}}}
{{%- endmacro %}}
"""
        + row_before(root, name, like),
        f"macros/schemas/{name}.sql": f"""\
{{#- What {name} says of a table's columns: what {like} says. -#}}

{{% macro {name}_columns(schemas) -%}}
    {{{{ cdc.{like}_columns(schemas) }}}}
{{%- endmacro %}}
""",
        f"docs/formats/{name}.md": f"""\
# {name}

Read as [{like}]({like}.md), whose page has the rules. Nothing of this producer was captured yet.

## What is different

Nothing is known. Each difference stands here with where it comes from: captured, a document, or inferred.
""",
        f"tests/formats/{name}/README.md": f"""\
# Golden messages of {name}

`messages.jsonl` becomes exactly `changes.jsonl`. Both are those of {like}, until messages of this producer are at hand: say here
where each topic comes from. After adding messages run `python -m tests.formats.reference`, and read the diff.
""",
        f"tests/formats/{name}/reference.py": f"""\
\"\"\"What {name} must become: what {like} becomes.\"\"\"

from tests.formats.reference import reference_rows


def rows(record):
    \"\"\"Rows of one record.\"\"\"
    return [row | {{"feed": "golden_{name}"}} for row in reference_rows("{like}", record)]
""",
    }


def copied(name: str, like: str) -> dict[str, str]:
    """The files that are copied, with the name in them: from, to."""
    return {
        f"models/silver/formats/{like}_changes.sql": f"models/silver/formats/{name}_changes.sql",
        f"tests/formats/{like}/messages.jsonl": f"tests/formats/{name}/messages.jsonl",
        f"tests/formats/{like}/changes.jsonl": f"tests/formats/{name}/changes.jsonl",
    }


def listed_model(text: str, name: str, like: str) -> str:
    """The list of silver's models with the new one behind the one that it is like."""
    entry = re.search(rf"(?ms)^  - name: {like}_changes\n.*?(?=^  - |\Z)", text)
    new = f"""\
  - name: {name}_changes
    description: {name} in the change contract. One row per row image, or per message that carries none.
    config: *change_contract_config
    columns: *change_contract_columns

"""
    before, after = text[: entry.start()] + entry[0].rstrip("\n") + "\n\n", text[entry.end() :]
    return (before + new + after).rstrip("\n") + "\n"


def registered(text: str, name: str, like: str) -> str:
    """The registry with a line for the new format, in its order of names."""
    rows = list(csv.DictReader(io.StringIO(text)))
    (model,) = [row for row in rows if row["format"] == like]
    new = model | {"format": name, "vendor": "?", "producer": f"not described yet; read as {like}"}
    new["evidence"] = f"inferred: made like {like}, nothing captured"
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(sorted([*rows, new], key=lambda row: row["format"]))
    return out.getvalue()


def make(root: Path, name: str, like: str) -> list[Path]:
    """Write the files and return those that are new."""
    check(root, name, like)
    made = []
    for path, text in texts(root, name, like).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
        made.append(Path(path))
    for source, path in copied(name, like).items():
        text = (root / source).read_text("utf-8")
        # the feed of a golden record is called after its format
        (root / path).write_text(re.sub(rf"(?<![a-z]){like}(?![a-z_])", name, text), "utf-8")
        made.append(Path(path))
    if (root / "tests" / "formats" / like / "schemas").exists():
        schemas = Path("tests", "formats", name, "schemas")
        shutil.copytree(root / "tests" / "formats" / like / "schemas", root / schemas)
        made.append(schemas)
    for path, changed in ((MODELS, listed_model), (REGISTRY, registered)):
        (root / path).write_text(changed((root / path).read_text("utf-8"), name, like), "utf-8")
    return sorted(made)


def main(name: str, like: str) -> int:
    """Make the files, and say what comes next."""
    try:
        made = make(ROOT, name, like)
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 2
    print(f"A format {name}, read as {like}:", *(f"  {path}" for path in made), sep="\n")
    print(
        f"Now: vendor and producer in {REGISTRY}; messages of the producer; what is different from {like}."
    )
    print(f"Then: python -m tests.support.format_table, make test-format NAME={name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
