"""Every rule is held to what all rules promise."""

import pytest

from shoal.registry import RULES, find
from shoal.testing import check_rule


@pytest.mark.parametrize("name", RULES)
def test_rule_keeps_its_promises(name):
    """A rule of the registry passes the conformance suite."""
    check_rule(find("rule", RULES, name)())
