"""Gold holds what the source database holds, cell by cell, whatever the producer's settings and whatever fails."""

import pytest

from tests.sources.compare import report
from tests.sources.lakehouse import EQUAL, EQUAL_AFTER_FAULTS


@pytest.mark.parametrize("place", EQUAL, ids=".".join)
def test_every_cell_is_the_sources(built, place):
    found = built.differences[place]
    assert not found, report(found, built.bronze)


@pytest.mark.parametrize("place", EQUAL_AFTER_FAULTS, ids=".".join)
def test_every_cell_is_the_sources_after_faults(recovered, place):
    found = recovered.differences[place]
    assert not found, report(found, recovered.bronze)
