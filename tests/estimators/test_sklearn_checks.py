"""Every public estimator passes scikit-learn's own checks with its defaults, but the two that shuffle rows.

`test_default.py` and `test_sklearn_checks_of_regressors.py` do so with those that take longest to compile.
"""

import pytest
from tests.estimators.every import PUBLIC, checks

ELSEWHERE = ("OnlineEnsembleClassifier", "OnlineEnsembleRegressor")


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("estimator", "check"), list(checks(name for name in PUBLIC if name not in ELSEWHERE)))
def test_scikit_learn_check(estimator, check):
    """The check passes."""
    check(estimator)
