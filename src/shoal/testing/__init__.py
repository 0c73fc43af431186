"""What every bank, booster and rule promises, as checks that your own parts can be held to.

    check_bank(MyBank(n_learners=5))
    check_booster(MyBooster())
    check_rule(MyRule())

Each raises AssertionError with what was expected. The first use of a part compiles it, which takes seconds.
"""

from __future__ import annotations

from shoal.testing.banks import check_bank
from shoal.testing.driver import BankDriver, sample, task_of
from shoal.testing.ensembles import check_ensemble
from shoal.testing.equality import states_equal
from shoal.testing.parts import check_booster, check_rule

__all__ = [
    "BankDriver",
    "check_bank",
    "check_booster",
    "check_ensemble",
    "check_rule",
    "sample",
    "states_equal",
    "task_of",
]
