"""Gradient boosting on data that is all there: the batch form of algorithm C1 (specification C.8).

    g_t = slope of the loss at y_{i-1}(x_t),    f_i = the base learner of least sum of g_t f(x_t)
    y_i = project((1 - sigma_i eta) y_{i-1} + eta f_i),    sigma_i = 1 if sum of g_t y_{i-1}(x_t) > 0, else 0

Against every f in the span the excess loss falls as (1 - eta / |f|)^i, to 3 eta beta_B B^2 |f| a point. The base
class are stumps of one feature, +1 on one side of a threshold and -1 on the other, and the constants: it is
symmetric, so the least sum is found exactly from sorted features. `line_search` instead chooses sigma and eta
anew in each round, to the least loss that both leave, and projects nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from shoal.boosters.gradient_lessons import check_fit
from shoal.boosters.gradient_span import GradientSpan
from shoal.boosters.regression_losses import RegressionLoss, loss_at, slope_at
from shoal.errors import InputError
from shoal.estimators.common import Saved, dense, weights_of
from shoal.kernels.compiler import compiled
from shoal.settings import check_settings
from shoal.types import Floats, Ints, Task

CHECKED = ("n_learners", "eta", "line_search", "loss_parameter", "target_range")


class Stumps(NamedTuple):
    """The stumps of all rounds. feature -1 is the constant. kept, step: y <- kept * y + step * sign * side."""

    feature: Ints
    threshold: Floats
    sign: Floats
    kept: Floats
    step: Floats


@compiled
def slopes(kind: int, parameter: float, y: Floats, p: Floats, out: Floats) -> None:
    """The slope of the loss of every point."""
    for t in range(len(y)):
        out[t] = slope_at(kind, parameter, y[t], p[t])


@compiled
def losses(kind: int, parameter: float, y: Floats, p: Floats, out: Floats) -> None:
    """The loss of every point."""
    for t in range(len(y)):
        out[t] = loss_at(kind, parameter, y[t], p[t])


@compiled
def best_stump(X: Floats, order: Ints, g: Floats) -> tuple[int, float, float]:
    """(feature, threshold, sign) of the least sum of g * sign * side; side is +1 above the threshold.

    X: (d, n), order: of every feature, (d, n). The constant is found as a threshold below everything.
    """
    total = np.sum(g)
    feature, threshold, best = -1, 0.0, total
    for j in range(X.shape[0]):
        below = 0.0
        for q in range(X.shape[1] - 1):
            t, after = order[j, q], order[j, q + 1]
            below += g[t]
            if X[j, t] < X[j, after] and abs(total - 2.0 * below) > abs(best) * (1.0 + 1e-12):
                best = total - 2.0 * below
                feature, threshold = j, 0.5 * (X[j, t] + X[j, after])
    return feature, threshold, -1.0 if best > 0.0 else 1.0


def side(X: Floats, feature: int, threshold: float) -> Floats:
    """+1 or -1 for every row; X is (n, d)."""
    return np.ones(len(X)) if feature < 0 else np.where(X[:, feature] > threshold, 1.0, -1.0)


class GradientBoostingRegressor(Saved, RegressorMixin, BaseEstimator):
    """Boost stumps on all data at once, over their span; `fit` only.

    Parameters
    ----------
    loss: "squared", "p-norm", "modified-least-squares", "logistic" or "huber"; loss_parameter: its parameter.
    n_learners: rounds.
    eta: step, in [1 / n_learners, 1]; None for log(n_learners) / n_learners.
    scale: factor on every stump's answer.
    line_search: choose step and shrinkage anew in each round, as they serve best.
    target_range: (low, high) of the targets; None takes them from y.
    """

    def __init__(
        self,
        loss: str = "squared",
        n_learners: int = 100,
        eta: float | None = None,
        scale: float = 1.0,
        line_search: bool = False,
        loss_parameter: float | None = None,
        target_range: tuple[float, float] | None = None,
    ) -> None:
        self.loss = loss
        self.n_learners = n_learners
        self.eta = eta
        self.scale = scale
        self.line_search = line_search
        self.loss_parameter = loss_parameter
        self.target_range = target_range

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GradientBoostingRegressor:
        """Learn from all rows."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, y_numeric=True)
        X = dense(X)
        weights = np.ones(len(y)) if sample_weight is None else weights_of(sample_weight, len(y))
        if not weights.any():
            raise InputError("every sample_weight is zero: expected at least one row that counts.")
        X, y, weights = X[weights > 0.0], y[weights > 0.0], weights[weights > 0.0]
        check_settings({name: getattr(self, name) for name in CHECKED})
        loss = RegressionLoss(self.loss, self.loss_parameter)
        check_fit(loss, "linear", "auto", self.scale, Task("regression", 1))
        ends = np.array([y.min(), y.max()]) if self.target_range is None else np.ravel(self.target_range)
        low, high = ends[0], ends[-1]
        if len(ends) != 2 or not low <= high:
            raise InputError(f"target_range is {self.target_range!r}; expected the low end below the high one.")
        self.low_, self.high_ = float(low), float(high)
        half = 0.5 * (self.high_ - self.low_)
        inner = np.clip((y - 0.5 * (low + high)) / half, -1.0, 1.0) if half > 0.0 else np.zeros(len(y))
        self._boost(X, inner, weights / weights.mean(), loss)
        return self

    def _boost(self, X: Floats, y: Floats, weights: Floats, loss: RegressionLoss) -> None:
        """All rounds; `losses_` is the mean loss before the first and after each."""
        eta = GradientSpan(eta=self.eta).step(self.n_learners)
        within = self.n_learners * float(self.scale)  # a search never needs the ball
        self.radius_ = within if self.line_search else loss.radius(self.n_learners, eta, float(self.scale))
        columns = np.ascontiguousarray(X.T)
        order = np.argsort(columns, axis=1, kind="stable")
        p, g, costs = np.zeros(len(y)), np.zeros(len(y)), np.zeros(len(y))
        kind, parameter = int(loss.kind), loss.value_of_parameter

        def mean_loss(at: Floats) -> float:
            losses(kind, parameter, y, at, costs)
            return float(weights @ costs) / len(y)

        def mean_slopes(at: Floats, along: Floats, across: Floats) -> Floats:
            slopes(kind, parameter, y, at, costs)
            steep = weights * costs / len(y)
            return np.array([steep @ along, steep @ across])

        rounds: list[tuple[int, float, float, float, float]] = []
        self.losses_ = [mean_loss(p)]
        for _ in range(self.n_learners):
            slopes(kind, parameter, y, p, g)
            g *= weights
            feature, threshold, sign = best_stump(columns, order, g)
            f = self.scale * sign * side(X, feature, threshold)
            kept, step = (1.0 - eta if g @ p > 0.0 else 1.0), eta
            if self.line_search:
                kept, step = searched(mean_loss, mean_slopes, p, f, kept, step)
            p = np.clip(kept * p + step * f, -self.radius_, self.radius_)
            rounds.append((feature, threshold, sign, kept, step * self.scale))
            self.losses_.append(mean_loss(p))
        table = np.array(rounds)
        self.stumps_ = Stumps(table[:, 0].astype(np.int64), *table[:, 1:].T)

    def predict(self, X: Any) -> NDArray[Any]:
        """The number answered for every row."""
        check_is_fitted(self, "stumps_")
        X = dense(validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64))
        p = np.zeros(len(X))
        for feature, threshold, sign, kept, step in zip(*self.stumps_, strict=True):
            p = np.clip(kept * p + step * sign * side(X, feature, threshold), -self.radius_, self.radius_)
        inner = np.clip(p, -1.0, 1.0)
        return 0.5 * (self.low_ + self.high_) + 0.5 * (self.high_ - self.low_) * inner

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def searched(
    mean_loss: Any, mean_slopes: Any, p: Floats, f: Floats, kept: float, step: float
) -> tuple[float, float]:
    """The best (kept, step) in [0, 1]^2, never worse than the ones given, or than leaving all as it is."""

    def loss_of(x: Floats) -> float:
        return mean_loss(x[0] * p + x[1] * f)

    def slopes_of(x: Floats) -> Floats:
        return np.asarray(mean_slopes(x[0] * p + x[1] * f, p, f))

    found = minimize(
        loss_of, [kept, step], jac=slopes_of, bounds=[(0.0, 1.0), (0.0, 1.0)], method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10},
    )  # fmt: skip
    best = min(((1.0, 0.0), (kept, step), tuple(found.x)), key=lambda x: loss_of(np.array(x)))
    return float(best[0]), float(best[1])
