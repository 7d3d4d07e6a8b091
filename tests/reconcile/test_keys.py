"""A key that is not unique at the source, or in gold, is refused by every way to compare."""

import re

import pytest

from ingestion.errors import DIFFERENT, OK
from tests.reconcile.conftest import Crm

VISITS = {"visitor": "bigint", "page": "string"}
NOT_UNIQUE = r'The source has 2 rows of visitor="1" in .*visits", .* not unique there'


def visits(crm: Crm, *in_gold: tuple[str, str]) -> None:
    """A source whose rows are those of visitor and page, and a model whose key is the visitor alone."""
    crm.sql(
        "create table visits (visitor bigint, page varchar(9), primary key (visitor, page));"
        "insert into visits values (1, 'a'), (1, 'b'), (2, 'c'), (2, 'd'), (3, 'e')"
    )
    crm.gold("visits", ["visitor"], VISITS, list(in_gold))


@pytest.mark.parametrize(
    "arguments", [(), ("--rows-per-piece", "1"), ("--limit", "1"), ("--key", "1")]
)
def test_a_key_that_is_not_unique_at_the_source_is_refused(crm: Crm, arguments: tuple[str, ...]):
    """What gold has is what the second reading would find last."""
    visits(crm, ("1", "b"), ("2", "d"), ("3", "e"))
    result = crm.reconcile("visits", *arguments)
    assert result.code == DIFFERENT, result
    assert re.match(NOT_UNIQUE, result.err), result
    assert "equal" not in result.out
    assert crm.reconcile("visits", "--key", "3").code == OK


def test_rows_of_one_key_that_are_the_same_are_not_unique_either(crm: Crm):
    crm.sql(
        "create table visits (visitor bigint, page varchar(9));"
        "insert into visits values (1, 'a'), (1, 'a')"
    )
    crm.gold("visits", ["visitor"], VISITS, [("1", "a")])
    assert re.match(NOT_UNIQUE, crm.reconcile("visits").err)


def test_gold_with_two_rows_of_a_key_is_refused(crm: Crm):
    crm.sql(
        "create table visits (visitor bigint primary key, page varchar(9));"
        "insert into visits values (1, 'a')"
    )
    crm.gold("visits", ["visitor"], VISITS, [("1", "a"), ("1", "a")])
    for arguments in ((), ("--key", "1")):
        result = crm.reconcile("visits", *arguments)
        assert result.code == DIFFERENT
        assert result.err.startswith('Gold has 2 rows of visitor="1" ')
