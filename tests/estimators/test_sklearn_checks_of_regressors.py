"""The default regressor passes scikit-learn's own checks, but the two that shuffle rows."""

import pytest
from tests.estimators.every import checks


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("estimator", "check"), list(checks(["OnlineEnsembleRegressor"])))
def test_scikit_learn_check(estimator, check):
    """The check passes."""
    check(estimator)
