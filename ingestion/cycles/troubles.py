"""Troubles of `run --follow`: each is shown once when it begins and once when it is over."""

from datetime import datetime

from ingestion.progress import complain, say
from ingestion.report.cycle import Trouble

# kind and name -> what is wrong
Sentences = dict[tuple[str, str], str]
Standing = dict[tuple[str, str], Trouble]


def keep(standing: Standing, now: Sentences, at: datetime) -> None:
    """Make these the open troubles, and show which are new or over."""
    for (kind, name), sentence in now.items():
        known = standing.get((kind, name))
        if known is None or known.sentence != sentence:
            complain(sentence)
        since = known.since if known else at
        standing[kind, name] = Trouble(kind, name, sentence, since)
    for kind, name in standing.keys() - now.keys():
        del standing[kind, name]
        say(f"{called(kind, name)}: in order again")


def called(kind: str, name: str) -> str:
    """Return what the trouble is about, in words."""
    return kind if kind == name else f"{kind} {name}"
