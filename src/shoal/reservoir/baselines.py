"""Boosting on samples of a whole data set, which reservoir boosting is compared with (specification D.7).

"weighted" (WSS): each round draws r examples in proportion to their weights and trains on them all alike.
"mada" (MadaBoost): draws by weights min(1, exp(-y F)) and trains with the LogitBoost weight over that.
"fixed": one random subset for all rounds, with its boosting weights.

Several classes are taken one against the rest, each with samples of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from shoal.errors import InputError
from shoal.reservoir.boost import STEPS, boosting_weights, step_by
from shoal.reservoir.fixed_stumps import FixedStumps
from shoal.reservoir.orders import sorted_order
from shoal.reservoir.state import MISSING
from shoal.reservoir.stumps import StumpTable, answers_of, best_stump, keep_stump, no_stumps
from shoal.types import Floats, Ints

SAMPLINGS = ("weighted", "mada", "fixed")
LOSSES: dict[str, Callable[[Floats], Floats]] = {
    "logistic": boosting_weights,
    "exponential": lambda margins: np.exp(np.minimum(margins.min(), 0.0) - margins),
}


@dataclass(frozen=True)
class SampledBoost:
    """Stumps boosted on samples.

    sampling: "weighted", "mada" or "fixed". size: r. n_learners: rounds.
    adjust: of "mada": train with the boosting weight over the chance of being drawn; or all alike.
    loss: of "fixed": "exponential" (AdaBoost, as in the paper) or "logistic" (LogitBoost).
    step: "edge", AdaBoost's step of the weights in training; or "newton", LogitBoost's, as on a reservoir.
    shrinkage: factor in (0, 1] on the steps.
    """

    sampling: str = "weighted"
    size: int = 250
    n_learners: int = 250
    adjust: bool = True
    loss: str = "logistic"
    shrinkage: float = 1.0
    step: str = "edge"

    def check(self) -> None:
        """Refuse settings that have no meaning."""
        for name, known in (("sampling", SAMPLINGS), ("loss", tuple(LOSSES)), ("step", STEPS)):
            if getattr(self, name) not in known:
                raise InputError(f"{name} is {getattr(self, name)!r}; expected one of {', '.join(known)}.")
        for name in ("size", "n_learners"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{name} is {value!r}; expected a whole number, 1 or more.")
        if not 0.0 < self.shrinkage <= 1.0:
            raise InputError(f"shrinkage is {self.shrinkage!r}; expected a factor in (0, 1].")

    def fit(self, X: NDArray[Any], labels: Ints, weights: Floats, n_outputs: int, seed: int) -> StumpTable:
        """The stumps for every output. X: (n, d) of any numbers; labels: positions of the classes."""
        self.check()
        table = no_stumps(n_outputs, self.n_learners)
        for k in range(n_outputs):
            signs = np.where(labels == (1 if n_outputs == 1 else k), 1.0, -1.0)
            self.boost(table, k, X, signs, weights, np.random.default_rng([seed, k]))
        return table

    def boost(
        self, table: StumpTable, k: int, X: NDArray[Any], signs: Floats, weights: Floats, rng: np.random.Generator
    ) -> None:
        """All rounds of output k; the scores of all examples are kept up."""
        if self.sampling == "fixed":
            some = rng.choice(len(X), min(self.size, len(X)), replace=False)
            X, signs, weights = X[some], signs[some], weights[some]
            values = feature_by_feature(X)
            order = sorted_order(values)
        margins = np.zeros(len(X))
        every = np.arange(len(X))
        for _ in range(self.n_learners):
            drawn, training = (every, weights) if self.sampling == "fixed" else self.draw(margins, weights, rng)
            if self.sampling == "fixed":
                training = weights * LOSSES[self.loss](margins)
            else:
                values = feature_by_feature(X[drawn])
                order = sorted_order(values)
            feature, threshold, edge = best_stump(values, order, signs[drawn] * training)
            turned = 1.0 if edge >= 0.0 else -1.0
            agreement = turned * signs[drawn] * answers_of(values, feature, threshold)
            step = turned * self.shrinkage * step_by(self.step, agreement, training, margins[drawn])
            keep_stump(table, k, feature, threshold, step)
            margins += signs * step * answers_on(X, feature, threshold)

    def draw(self, margins: Floats, weights: Floats, rng: np.random.Generator) -> tuple[Ints, Floats]:
        """(examples drawn, their weights in training). Chances are of logarithms, since where nothing is wrong
        any more every boosting weight may be too small for a number.
        """
        mada = self.sampling == "mada"
        log_chance = -np.maximum(margins, 0.0) if mada else -np.logaddexp(0.0, margins)
        chance = weights * np.exp(log_chance - log_chance.max())
        drawn = rng.choice(len(margins), self.size, p=chance / chance.sum())
        if not mada or not self.adjust:
            return drawn, np.ones(self.size)
        training = expit(np.abs(margins[drawn]))  # LogitBoost's weight over min(1, exp(-margin))
        return drawn, training / training.mean()


def feature_by_feature(X: NDArray[Any]) -> Floats:
    """(d, n) values; a missing one is below every number."""
    values = np.ascontiguousarray(X.T, dtype=np.float64)
    values[np.isnan(values)] = MISSING
    return values


def answers_on(X: NDArray[Any], feature: int, threshold: float) -> Floats:
    """A stump's answers on rows."""
    if feature < 0:
        return np.ones(len(X))
    return np.where(X[:, feature] >= threshold, 1.0, -1.0)


def scores_on(table: StumpTable, X: NDArray[Any]) -> Floats:
    """(n, K) sums of the stumps on rows."""
    scores = np.zeros((len(X), len(table.step)))
    for k, stumps in enumerate(zip(table.feature, table.threshold, table.step, strict=True)):
        for feature, threshold, step in zip(*stumps, strict=True):
            if step != 0.0:
                scores[:, k] += step * answers_on(X, int(feature), float(threshold))
    return scores


def bank_of(table: StumpTable) -> FixedStumps:
    """The stumps as learners whose combination is learned online: the paper's Oza, Chen and Bisc."""
    return FixedStumps(table.feature, table.threshold, np.where(table.step < 0.0, -1.0, 1.0))
