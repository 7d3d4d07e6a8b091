"""Code and pages use the words of docs/glossary.md."""

import re

import pytest

from tests.house.macro_calls import ROOT

OLD = re.compile(r"\b(told|tells?|stands?|behind|bring|brought|news|anew)\b", re.IGNORECASE)
PLACES = ("macros", "models", "ingestion", "docs", "profiles", "examples")
PAGES = ("README.md", "DECISIONS.md", "CONTRIBUTING.md", "CHANGELOG.md")
SUFFIXES = {".sql", ".yml", ".py", ".md", ".html"}
# Texts that users' own tables have, or tests of their own look for; and the lag of a consumer, as everybody calls it.
KEPT = (
    "may have brought rows",
    "the deleted row stands in",
    "it tells neither the row before it nor a key",
    "did not bring this row",
    "brought keys again",
    "is not told whole",
    "more often than brought",
    "an equal change stands before it",
    "} behind",
    "offsets behind",
    "behind the brokers",
    "Behind",
)


BELOW = [path for place in PLACES for path in (ROOT / place).rglob("*") if path.suffix in SUFFIXES]
# but for the page that lists the words
TEXTS = {
    str(path.relative_to(ROOT)): path.read_text()
    for path in (*BELOW, *(ROOT / page for page in PAGES))
    if path.name != "glossary.md"
}


def words_in(text: str) -> set[str]:
    for kept in KEPT:
        text = text.replace(kept, "")
    return set(map(str.lower, OLD.findall(text)))


def test_words_that_have_a_plainer_one_are_not_used():
    found = {name: words_in(text) for name, text in TEXTS.items()}
    assert len(found) > 300
    assert {name: words for name, words in found.items() if words} == {}


@pytest.mark.parametrize("kept", KEPT)
def test_each_text_that_keeps_such_a_word_is_still_there(kept):
    assert any(kept in text for text in TEXTS.values())
