"""What a mutant is: one fault, where it is planted, and the tests that should see it."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KINDS = (
    "a comparison turned",
    "a guard left out",
    "a column forgotten",
    "an order reversed",
    "a decoder swapped",
    "a mark not written",
)


class NotPlanted(Exception):
    """The text of a mutant is not where it should be, or is there more than once."""


@dataclass(frozen=True)
class Mutant:
    """One fault: `before` stands exactly once in `file`, and `after` takes its place."""

    # the fault in words, with the part of the product in front
    name: str
    kind: str
    file: str
    before: str
    after: str
    # pytest's names of files or tests, the cheapest first
    tests: tuple[str, ...]
    # as pytest's -k: of a test with many cases, those that are about this part
    only: str = ""

    def faulty(self, text: str) -> str:
        """Return the text of the file with the fault in it."""
        count = text.count(self.before)
        if count != 1:
            raise NotPlanted(
                f"The mutant '{self.name}' cannot be planted: its text stands {count} times in "
                f"{self.file}, not once. Correct `before` in tests/mutants: {self.before.strip()!r}"
            )
        if self.after == self.before:
            raise NotPlanted(f"The mutant '{self.name}' changes nothing: `after` is `before`.")
        return text.replace(self.before, self.after)
