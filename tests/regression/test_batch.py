"""Gradient boosting on all data at once."""

from __future__ import annotations

import numpy as np
import pytest

import shoal
from shoal.boosters.regression_losses import RegressionLoss
from shoal.errors import InputError
from shoal.estimators.batch_gradient import best_stump, losses, side
from shoal.types import Floats


def spanned(n: int = 400, seed: int = 0) -> tuple[Floats, Floats]:
    """A target that lies in the span: half of one stump less a fourth of another."""
    X = np.random.default_rng(seed).normal(size=(n, 3))
    return X, 0.5 * np.sign(X[:, 0] - 0.2) - 0.25 * np.sign(X[:, 1] + 0.3)


def test_the_loss_falls_at_the_exponential_rate() -> None:
    """Against f in the span the excess falls by the factor 1 - eta / |f| a round or faster, as C.8 promises."""
    X, y = spanned()
    for eta in (0.02, 0.05, 0.1):
        model = shoal.GradientBoostingRegressor(n_learners=100, eta=eta, target_range=(-1.0, 1.0)).fit(X, y)
        excess = np.array(model.losses_)
        bound = (1.0 - eta) ** np.arange(101) * excess[0] + 3.0 * eta * 2.0
        assert (excess <= bound + 1e-12).all()
        falling = excess > max(10.0 * excess[-1], 1e-9)
        rate = np.polyfit(np.arange(101)[falling], np.log(excess[falling]), 1)[0]
        assert rate <= np.log1p(-eta)


def test_the_rate_is_that_of_a_longer_sum() -> None:
    """Against an f of length 3, which needs three stumps at full size, the factor is 1 - eta / 3 or less."""
    X = np.random.default_rng(6).uniform(-1.0, 1.0, (300, 2))
    y = np.sign(X[:, 0] + 0.5) - np.sign(X[:, 0] - 0.5) - 1.0
    assert set(y) == {-1.0, 1.0}
    for eta in (0.05, 0.1):
        model = shoal.GradientBoostingRegressor(n_learners=120, eta=eta, target_range=(-1.0, 1.0)).fit(X, y)
        excess = np.array(model.losses_)
        assert (excess <= (1.0 - eta / 3.0) ** np.arange(121) * excess[0] + 3.0 * eta * 2.0 * 3.0 + 1e-12).all()
        falling = excess > max(2.0 * excess[-1], 1e-9)
        assert falling.sum() > 20
        rate = np.polyfit(np.arange(121)[falling], np.log(excess[falling]), 1)[0]
        assert rate <= np.log1p(-eta / 3.0)


def test_line_search_is_never_slower() -> None:
    """With line search every round leaves less loss, and as many rounds end lower."""
    X, y = spanned(200, 1)
    fixed = shoal.GradientBoostingRegressor(n_learners=20).fit(X, y)
    searched = shoal.GradientBoostingRegressor(n_learners=20, line_search=True).fit(X, y)
    assert (np.diff(searched.losses_) <= 1e-12).all()
    assert searched.losses_[-1] <= fixed.losses_[-1] + 1e-12
    np.testing.assert_allclose(searched.predict(X), y, atol=1e-3)


def test_line_search_finds_the_best_there_is() -> None:
    """On no point of a fine grid of shrinkage and step is the loss of a round less than where the search ended."""
    X, y = spanned(120, 5)
    for loss in ("squared", "huber", "logistic"):
        model = shoal.GradientBoostingRegressor(loss, 2, line_search=True, target_range=(-1.0, 1.0)).fit(X, y)
        inner = RegressionLoss(loss)
        parts = [s * step * side(X, j, c) for j, c, s, _, step in zip(*model.stumps_, strict=True)]
        steps, costs = np.linspace(0.0, 1.0, 41), np.zeros(len(y))
        first = parts[0]
        unit = parts[1] / model.stumps_.step[1]
        for kept in steps:
            for step in steps:
                losses(int(inner.kind), inner.value_of_parameter, y, kept * first + step * unit, costs)
                assert model.losses_[2] <= costs.mean() + 1e-9


def test_the_best_stump_is_the_best_of_all() -> None:
    """Among all stumps and constants none has a smaller sum of slope times answer."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        X, g = rng.integers(0, 4, (12, 3)).astype(float), rng.normal(size=12)
        columns = np.ascontiguousarray(X.T)
        feature, threshold, sign = best_stump(columns, np.argsort(columns, axis=1, kind="stable"), g)
        every = [g @ side(X, j, c) for j in range(3) for c in (-1.0, 0.5, 1.5, 2.5)]
        assert sign * (g @ side(X, feature, threshold)) == pytest.approx(-np.max(np.abs(every)))


def test_answers_are_those_of_the_fit() -> None:
    """Prediction replays the rounds: its loss on the training rows is the last one recorded."""
    X, y = spanned(150, 3)
    for settings in ({}, {"loss": "huber", "scale": 2.0}, {"line_search": True, "n_learners": 7}):
        model = shoal.GradientBoostingRegressor(target_range=(-1.0, 1.0), **settings).fit(X, y)
        if "loss" not in settings:
            assert np.mean((model.predict(X) - y) ** 2) == pytest.approx(model.losses_[-1], abs=1e-12)
        assert np.abs(model.predict(100.0 * X)).max() <= 1.0


def test_weights_count_as_repetitions() -> None:
    """A weight of two is the row twice."""
    X, y = spanned(60, 4)
    weights = np.random.default_rng(4).integers(0, 3, 60)
    one = shoal.GradientBoostingRegressor(n_learners=15, target_range=(-1.0, 1.0)).fit(X, y, weights)
    rows = np.repeat(np.arange(60), weights)
    other = shoal.GradientBoostingRegressor(n_learners=15, target_range=(-1.0, 1.0)).fit(X[rows], y[rows])
    np.testing.assert_allclose(one.losses_, other.losses_, rtol=1e-9)


@pytest.mark.parametrize(
    "settings",
    [
        {"loss": "cubic"}, {"eta": 3.0}, {"eta": "a"}, {"n_learners": 0}, {"n_learners": 2.5}, {"scale": 0.0},
        {"line_search": 2}, {"loss_parameter": "z"}, {"target_range": (1.0, 0.0)}, {"target_range": "ab"},
        {"target_range": [(0.0, 1.0), (0.0, 1.0)]},
    ],
)  # fmt: skip
def test_meaningless_settings_are_refused(settings: dict[str, object]) -> None:
    """A setting without a meaning is refused at fit, by name."""
    with pytest.raises(InputError, match=next(iter(settings))):
        shoal.GradientBoostingRegressor(**settings).fit(*spanned(20))
