"""Our macros as text: where each is defined, and which it calls. Read without dbt."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMENT = re.compile(r"{#.*?#}", re.S)
JINJA = re.compile(r"{{.*?}}|{%.*?%}", re.S)
TEXT = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"", re.S)
DEFINITION = re.compile(r"{%-?\s*(macro|materialization|test)\s+(\w+)")
# dbt itself calls it, and a project that installs this one may have its own
DBTS_OWN = {"generate_schema_name"}


@dataclass(frozen=True)
class Macro:
    """A macro, or a materialization under the name `materialization NAME`."""

    name: str
    path: Path
    calls: frozenset[str]
    bare_calls: frozenset[str]


def jinja_of(text: str) -> str:
    """The Jinja of a file without comments and without what stands in quotes."""
    code = " ".join(JINJA.findall(COMMENT.sub("", text)))
    return TEXT.sub("''", code)


def calls_in(text: str, names: set[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The macros that a text calls as `cdc.name(...)`, and those of `names` that it calls without `cdc.`."""
    code = re.sub(r"{%-?\s*(macro|test)\s+\w+\s*\(", "", jinja_of(text))
    qualified = frozenset(re.findall(r"\bcdc\.(\w+)\s*\(", code))
    bare = frozenset(re.findall(r"(?<![\w.])(\w+)\s*\(", code)) & names
    return qualified, bare


def parts_of(path: Path) -> list[tuple[str, str, str]]:
    """The kind, the name and the text of each definition in a file."""
    text = COMMENT.sub("", path.read_text())
    found = list(DEFINITION.finditer(text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    return [(m[1], m[2], text[m.start() : end]) for m, end in zip(found, ends, strict=True)]


def calls_of(text: str, names: set[str]) -> list[str]:
    """The arguments of each call of one of these macros, as they are written."""
    calls, text = [], COMMENT.sub("", text)
    for found in re.finditer(r"\bcdc\.(\w+)\(", text):
        if found[1] not in names:
            continue
        rest, depth = text[found.end() :], 1
        # what stands in quotes has no parentheses of the call
        plain = TEXT.sub(lambda one: "_" * len(one[0]), rest)
        for place, sign in enumerate(plain):
            depth += {"(": 1, ")": -1}.get(sign, 0)
            if depth == 0:
                calls.append(rest[:place])
                break
    return calls


def all_macros() -> list[Macro]:
    """Every macro and materialization under macros/."""
    parts = [
        (path, *part) for path in sorted(ROOT.glob("macros/**/*.sql")) for part in parts_of(path)
    ]
    names = {name for _, kind, name, _ in parts if kind == "macro"} - DBTS_OWN
    return [
        Macro(
            name if kind == "macro" else f"{kind} {name}",
            path.relative_to(ROOT),
            *calls_in(text, names),
        )
        for path, kind, name, text in parts
    ]
