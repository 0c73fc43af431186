"""Second-order linear learners in terms of the precision: Sigma^-1 <- Sigma^-1 + curvature x x'.

The kernel never inverts a matrix and never looks for a mode in d dimensions; here both are done by the
book, with SciPy's root finder and NumPy's inverse.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from tests.reference.interfaces import Lesson, ReferenceBank, Vote, Votes
from tests.reference.linear import Initial


class Belief:
    """N(mean, Sigma) over the weights of the inputs seen; the others are known to be 0."""

    def __init__(self, mean: list[float], seen: list[int], prior: float) -> None:
        self.seen = seen
        self.mean = np.array(mean)[seen]
        self.prior = prior
        self.sigma = prior * np.eye(len(seen))


class ReferenceBayesLogistic(ReferenceBank):
    """One belief per learner and output. update: "logistic" or "arow"; diagonal: keep only the variances."""

    def __init__(
        self,
        n_learners: int,
        n_inputs: int,
        n_outputs: int,
        prior: list[float],
        update: str = "logistic",
        diagonal: bool = False,
        forgetting: float = 1.0,
        r: float = 1.0,
        subsets: list[list[int]] | None = None,
        initial: Initial | None = None,
    ) -> None:
        self.n_learners, self.n_outputs = n_learners, n_outputs
        self.update_name, self.diagonal, self.forgetting, self.r = update, diagonal, forgetting, r
        self.subsets = subsets if subsets is not None else [list(range(n_inputs))] * n_learners
        self.initial = initial if initial is not None else lambda i, c: [0.0] * n_inputs
        self.prior = prior
        self.beliefs = [self._fresh(i) for i in range(n_learners)]

    def _fresh(self, i: int) -> list[Belief]:
        return [Belief(self.initial(i, c), self.subsets[i], self.prior[i]) for c in range(self.n_outputs)]

    def predict_at(self, i: int, x: list[float]) -> Vote:
        return [self._vote(belief, np.array(x)[belief.seen]) for belief in self.beliefs[i]]

    def _vote(self, belief: Belief, x: np.ndarray) -> float:
        m, v = belief.mean @ x, x @ belief.sigma @ x
        if self.update_name == "arow":
            return float(2.0 * expit(2.0 * m / (self.r + v)) - 1.0)
        return float(2.0 * expit(m / math.sqrt(1.0 + math.pi * v / 8.0)) - 1.0)

    def update_at(self, i: int, x: list[float], votes: Votes, lesson: Lesson) -> None:
        for c, belief in enumerate(self.beliefs[i]):
            row = np.array(x)[belief.seen]
            if lesson.weight[i][c] > 0.0 and row.any():
                self._forget(belief, row, lesson.weight[i][c])
                self._learn(belief, row, lesson.target[i][c], lesson.weight[i][c])

    def _forget(self, belief: Belief, x: np.ndarray, weight: float) -> None:
        more = self.forgetting**-weight
        if self.diagonal:
            for j in np.flatnonzero(x):
                belief.sigma[j, j] = max(belief.sigma[j, j], min(more * belief.sigma[j, j], belief.prior))
            return
        v = x @ belief.sigma @ x
        wanted = max(v, min(more * v, belief.prior * (x @ x)))
        across = belief.sigma @ x
        belief.sigma += (wanted - v) / v**2 * np.outer(across, across)

    def _learn(self, belief: Belief, x: np.ndarray, y: float, weight: float) -> None:
        m, v = belief.mean @ x, x @ belief.sigma @ x
        if self.update_name == "arow":
            if y * m >= 1.0:
                return
            curvature = weight / self.r
            slope = y * (1.0 - y * m) / (v + self.r / weight)
        else:
            a = brentq(
                lambda a: a - m - v * weight * y * expit(-y * a), m - v * weight, m + v * weight, xtol=1e-14
            )
            curvature = weight * expit(a) * expit(-a)
            slope = weight * y * expit(-y * a)
        belief.mean = belief.mean + slope * belief.sigma @ x
        sigma = np.linalg.inv(np.linalg.inv(belief.sigma) + curvature * np.outer(x, x))
        if self.diagonal:
            before = np.diag(belief.sigma)
            sigma = np.diag(before - (before * x) ** 2 * curvature / (1.0 + curvature * v))
        belief.sigma = sigma

    def replace(self, i: int) -> None:
        self.beliefs[i] = self._fresh(i)
