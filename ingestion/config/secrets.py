"""${NAME} in options of Kafka and of a source: replaced at start, never shown in a text."""

import os
import re
from collections.abc import Mapping

from ingestion.errors import UserError

REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
HIDDEN = re.compile(r"(?i)password|jaas|secret|token|[.]key$|credential")
MASK = "*****"


def resolve(feed: str, options: Mapping[str, str], of: str = "Kafka") -> dict[str, str]:
    """Return the options with every ${NAME} replaced by that environment variable."""

    def value_of(option: str, match: re.Match[str]) -> str:
        if match[1] not in os.environ:
            raise UserError(
                f"Feed {feed}: the {of} option {option} needs the environment variable "
                f"{match[1]}, which is not set: export it and run again."
            )
        return os.environ[match[1]]

    return {
        option: REFERENCE.sub(lambda match, option=option: value_of(option, match), text)
        for option, text in options.items()
    }


def scrub(text: str, options: Mapping[str, str]) -> str:
    """Return the text without the values that came from the environment or are hidden."""
    names = [name for value in options.values() for name in REFERENCE.findall(value)]
    secrets = {os.environ.get(name, "") for name in names}
    secrets |= {value for option, value in options.items() if HIDDEN.search(option)}
    secrets |= {word for secret in list(secrets) for word in re.findall(r'"([^"]*)"', secret)}
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= 4:
            text = text.replace(secret, MASK)
    return text
