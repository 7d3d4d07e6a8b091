"""Values of the command line, for argparse, which reports one that is not valid."""

import argparse

# the system waits no longer than some hundreds of these
A_YEAR = 365 * 24 * 60 * 60


def whole(text: str) -> int:
    """Return a number from 0 on."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be a whole number, but it is {text}")
    return int(text)


def positive(text: str) -> int:
    """Return a number from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number above 0, but it is {text}")
    return int(text)


def port(text: str) -> int:
    """Return the number of a port."""
    number = whole(text)
    if not 1 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"must be a port from 1 to 65535, but it is {text}")
    return number


def seconds(text: str) -> float:
    """Return a duration."""
    number = seconds_or_0(text)
    if number == 0:
        raise argparse.ArgumentTypeError("must be above 0")
    return number


def seconds_or_0(text: str) -> float:
    """Return a duration that may be 0."""
    try:
        number = float(text)
    except ValueError:
        number = -1
    # not true of nan
    if not 0 <= number <= A_YEAR:
        raise argparse.ArgumentTypeError(
            f"must be seconds, and no more than {A_YEAR:,} (a year), but it is {text}"
        )
    return number
