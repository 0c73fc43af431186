"""Every booster is held to what all boosters promise."""

import pytest

from shoal.registry import BOOSTERS, find
from shoal.testing import check_booster


@pytest.mark.parametrize("name", BOOSTERS)
def test_booster_keeps_its_promises(name):
    """A booster of the registry passes the conformance suite."""
    check_booster(find("booster", BOOSTERS, name)())
