"""Regressors of scikit-learn's and River's, boosted and mixed like others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from river import linear_model, preprocessing, tree
from sklearn.linear_model import LinearRegression, SGDRegressor
from sklearn.naive_bayes import GaussianNB

import shoal
from shoal.banks.outside_regressors import OutsideRegressors
from shoal.banks.regression_lessons import least_squares
from shoal.boosters.regression_losses import RegressionLoss
from shoal.errors import InputError
from shoal.types import Floats, Lesson, Space, Task


def data(n: int = 250) -> tuple[Floats, Floats]:
    """A linear function of three features, in a unit of its own."""
    X = np.random.default_rng(0).uniform(-1.0, 1.0, (n, 3))
    return X, 20.0 + 6.0 * X[:, 0] - 3.0 * X[:, 1]


def boosted(learner: Any, **settings: Any) -> Any:
    """Few learners, since these run as Python."""
    given = {"n_learners": 3, "target_range": (11.0, 29.0), "random_state": 0, **settings}
    return shoal.OnlineGradientBoostingRegressor(learner=learner, **given)


def test_one_boosted_once_is_the_estimator_itself() -> None:
    """A hull of one learner teaches it the targets, brought to [-1, 1], and answers as it does."""
    X, y = data(60)
    for weights in (None, np.random.default_rng(1).exponential(size=60)):
        model = boosted(SGDRegressor(random_state=3), n_learners=1, over="hull").fit(X, y, weights)
        alone = SGDRegressor(random_state=3)
        for t in range(60):
            weight = None if weights is None else weights[t : t + 1]
            alone.partial_fit(X[t : t + 1], [(y[t] - 20.0) / 9.0], sample_weight=weight)
        np.testing.assert_allclose(model.predict(X), 20.0 + 9.0 * alone.predict(X), rtol=1e-9)


@pytest.mark.parametrize("fit", ["actual", "linear"])
@pytest.mark.parametrize("over", ["span", "hull"])
def test_rivers_regressors_are_boosted(over: str, fit: str) -> None:
    """A pipeline of River's, boosted, learns what there is to learn; row by row and at once alike."""
    X, y = data()
    learner = preprocessing.StandardScaler() | linear_model.LinearRegression()
    model = boosted(learner, over=over, fit=fit).fit(X, y)
    assert model.score(X, y) > 0.3
    rows = boosted(learner, over=over, fit=fit)
    for x, target in zip(X, y, strict=True):
        rows.learn_one(x, target)
    np.testing.assert_array_equal(rows.predict(X), model.predict(X))


def test_they_are_mixed_with_others() -> None:
    """Beside learners by name, several targets at once, the mix learns; pairs of them too."""
    X, y = data()
    Y = np.column_stack([y, -X[:, 2]])
    mixed = shoal.OnlineEnsembleRegressor(("sgd", tree.HoeffdingTreeRegressor(), SGDRegressor()), (0.5,))
    assert mixed.fit(X, Y).score(X, Y) > 0.8
    assert boosted(SGDRegressor(), symmetric=True).fit(X, y).score(X, y) > 0.3


def test_what_is_left_over_is_taught() -> None:
    """Of the squared loss the residual over the step; of another loss the sign of the slope, as heavy as it is."""
    one = [np.full((1, 1), v) for v in (0.6, 2.0, 0.2, 0.5)]
    squared = Lesson(*one, np.array([float(RegressionLoss().kind), 2.0]))
    assert least_squares(squared, 0, 0, 0.3) == (pytest.approx(0.8), 2.0)
    absolute = Lesson(*one, np.array([float(RegressionLoss("absolute").kind), 0.0]))
    assert least_squares(absolute, 0, 0, 0.3) == (1.0, pytest.approx(1.0))


def test_what_cannot_regress_is_refused() -> None:
    """Classifiers, estimators that cannot learn row by row, and other tasks get an error that says so."""
    for wrong, message in ((GaussianNB(), "is a classifier"), (LinearRegression(), "cannot learn from a stream")):
        with pytest.raises(InputError, match=message):
            boosted(wrong).fit(*data(5))
    with pytest.raises(InputError, match="is a classifier"):
        boosted(preprocessing.StandardScaler() | linear_model.LogisticRegression()).fit(*data(5))
    with pytest.raises(InputError, match="answer with numbers"):
        OutsideRegressors((SGDRegressor(),)).init(Space.of_size(1), Task("classification", 1), 0)
