"""What every test may be asked: to be one of `make test`, and to be of one format."""

from pathlib import Path

import pytest

FORMATS = sorted(
    path.parent.name for path in Path(__file__).parent.glob("formats/*/messages.jsonl")
)
# One format of each family: texts with a list of rows, texts with two images, frames of bytes.
FAMILIES = ("canal_json", "debezium_json", "ticdc_open")


def pytest_addoption(parser):
    parser.addoption("--format", metavar="NAME", help="only what tests this format")


def format_of(item):
    """The format that a test is about; None if it is about all or none."""
    return item.callspec.params.get("format_name") if hasattr(item, "callspec") else None


def is_about(item, name):
    """Whether a test is about a format: by its parameter, its folder, its name, or because it is about all of them."""
    if item.get_closest_marker("every_format"):
        return True
    if format_of(item):
        return format_of(item) == name
    told = [one for one in FORMATS if f"_{one}_" in f"_{item.originalname}_"]
    return item.path.parent.name == name or max(told, key=len, default=None) == name


def is_generated_again(item):
    """Whether a test reads with generated code what it reads without as well, and is not the one of the golden rows."""
    generated = hasattr(item, "callspec") and item.callspec.params.get("code") == "generated"
    golden = item.originalname == "test_messages_become_exactly_the_expected_rows"
    return generated and not golden and format_of(item) not in FAMILIES


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Other formats than those of FAMILIES are long, or left to the night; `--format` leaves the tests of one."""
    for item in items:
        if item.get_closest_marker("families") and format_of(item) not in FAMILIES:
            item.add_marker(pytest.mark.long)
        if is_generated_again(item):
            item.add_marker(pytest.mark.nightly)
    name = config.getoption("--format")
    if name is None:
        return
    if name not in FORMATS:
        raise pytest.UsageError(f"There is no format {name}; there are: {', '.join(FORMATS)}.")
    config.hook.pytest_deselected(items=[item for item in items if not is_about(item, name)])
    items[:] = [item for item in items if is_about(item, name)]
