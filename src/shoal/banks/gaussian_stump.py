"""Learners of one feature each, which know two Gaussians: the candidates of Grabner and Bischof (2006; B.9).

A learner keeps the weighted mean and variance of its feature in every class; with `forgetting` below 1 those of
old examples fade at each example of their class. It answers

    "midpoint"   the class whose mean is nearest: of two classes, a threshold halfway between the means, its
                 sides by their order; votes of -1 and 1, and 0 on the threshold
    "bayes"      2 P(class | value) - 1, for two classes P(class 1) - P(class 0), by Bayes' rule with the
                 variances too and all classes alike likely; a variance is (M2 + v) / (n + 1), v that of all
                 classes together, so that one example is enough to speak

A class that has not been seen is never answered; before any example the vote is 0.

Where all features are known, learner i has feature i modulo their number, and a fresh learner in its place one
by chance; where more may appear, learner i has the i-th to appear, abstains before it does, and keeps it. Values
are taken as they come, not scaled; an absent feature is the value 0. A missing value is not learned from, and
the learner abstains.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from shoal.banks.checks import check_size
from shoal.banks.naive_bayes import class_taught
from shoal.kernels.compiler import body, inlined
from shoal.kernels.random import mix
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.rules.weighted_losses import check_choice, check_forgetting
from shoal.types import Flags, Floats, Ints, Lesson, Row, Scores, Space, Task

DECISIONS = ("midpoint", "bayes")
FEATURE = np.uint64(0x4665617475720001)  # keeps these numbers apart from others made with the same seed
NONE = -1  # the feature of a learner whose feature has not appeared
CONSTANT = 1e-24  # a variance below this share of the squared mean is rounding


class GaussianStumpState(NamedTuple):
    """Moments by learner and class."""

    bayes: bool
    forgetting: float
    open: bool
    known: Ints  # (1,) features there are
    feature: Ints  # (N,)
    n: Floats  # (N, K) weight
    mean: Floats  # (N, K)
    M2: Floats  # (N, K) weighted sum of squared distances from the mean


@dataclass(frozen=True)
class GaussianStumps:
    """A bank of one-feature learners.

    n_learners: how many; as many as there are features, or a multiple, gives each feature as many learners.
    feature_fraction: means nothing where learners have one feature each; methods give it to every bank.
    decision: "midpoint" or "bayes".
    forgetting: factor in (0, 1] on the moments of a class at each of its examples; 1 never forgets.
    """

    knows_classes: ClassVar[bool] = True  # one lesson teaches all classes

    n_learners: int = 100
    feature_fraction: float = 1.0
    decision: str = "midpoint"
    forgetting: float = 1.0

    def check(self) -> None:
        """Refuse parameters that have no meaning."""
        check_size(self.n_learners, self.feature_fraction)
        check_choice("decision", self.decision, DECISIONS)
        check_forgetting(self.forgetting)

    def init(self, space: Space, task: Task, seed: int) -> GaussianStumpState:
        """Learners that have seen nothing."""
        self.check()
        shape = (self.n_learners, task.n_classes)
        state = GaussianStumpState(
            self.decision == "bayes",
            float(self.forgetting),
            space.open,
            np.zeros(1, dtype=np.int64),
            np.full(self.n_learners, NONE, dtype=np.int64),
            np.zeros(shape),
            np.zeros(shape),
            np.zeros(shape),
        )
        return self.grow(state, space)

    def grow(self, state: GaussianStumpState, space: Space) -> GaussianStumpState:
        """Features for learners that wait for one."""
        turn = np.arange(self.n_learners, dtype=np.int64)
        if space.open:
            mine = np.where(turn < space.n_features, turn, NONE)
        else:
            mine = turn % max(1, space.n_features)
        feature = np.where(state.feature == NONE, mine, state.feature)
        return state._replace(known=np.array([space.n_features], dtype=np.int64), feature=feature)

    def widen(self, state: GaussianStumpState, task: Task) -> GaussianStumpState:
        """Room for more classes: as if they had been there from the start."""
        more = np.zeros((self.n_learners, task.n_classes - state.n.shape[1]))
        n, mean, M2 = (np.concatenate([table, more], axis=1) for table in (state.n, state.mean, state.M2))
        return state._replace(n=n, mean=mean, M2=M2)


@inlined
def value_of(bank: GaussianStumpState, row: Row, i: int) -> float:
    """The value of learner i's feature; NaN where there is none."""
    j = bank.feature[i]
    if j == NONE:
        return math.nan
    p = np.searchsorted(row.indices, j)
    return float(row.values[p]) if p < len(row.indices) and row.indices[p] == j else 0.0


@inlined
def nearest(bank: GaussianStumpState, i: int, x: float, shares: Floats) -> None:
    """1 for the class of the nearest mean, shared if there are several; 0 for the others."""
    least = math.inf
    for k in range(len(shares)):
        if bank.n[i, k] > 0.0:
            least = min(least, abs(x - bank.mean[i, k]))
    for k in range(len(shares)):
        shares[k] = 1.0 if bank.n[i, k] > 0.0 and abs(x - bank.mean[i, k]) == least else 0.0


@inlined
def common_moments(bank: GaussianStumpState, i: int) -> tuple[float, float]:
    """(mean, variance) over all classes."""
    total, mean, M2 = 0.0, 0.0, 0.0
    for k in range(bank.n.shape[1]):
        if bank.n[i, k] > 0.0:
            step = bank.mean[i, k] - mean
            total += bank.n[i, k]
            mean += step * bank.n[i, k] / total
            M2 += bank.M2[i, k] + step * step * bank.n[i, k] * (total - bank.n[i, k]) / total
    return mean, M2 / total


@inlined
def likelihoods(bank: GaussianStumpState, i: int, x: float, shares: Floats) -> None:
    """The density in each class that has been seen, but for a factor; alike where the feature is constant."""
    mean, common = common_moments(bank, i)
    silent = not common > CONSTANT * mean * mean
    largest = -math.inf
    for k in range(len(shares)):
        shares[k] = 0.0
        if bank.n[i, k] > 0.0 and not silent:
            variance = (bank.M2[i, k] + common) / (bank.n[i, k] + 1.0)
            distance = x - bank.mean[i, k]
            shares[k] = -0.5 * (math.log(variance) + distance * distance / variance)
        if bank.n[i, k] > 0.0:
            largest = max(largest, shares[k])
    for k in range(len(shares)):
        shares[k] = math.exp(shares[k] - largest) if bank.n[i, k] > 0.0 else 0.0


@inlined
def vote(bank: GaussianStumpState, row: Row, i: int, votes: Scores, shares: Floats) -> bool:
    """Learner i votes; whether it has a value to go by. shares: scratch."""
    x = value_of(bank, row, i)
    votes[i, :] = 0.0
    if math.isnan(x) or not np.max(bank.n[i]) > 0.0:
        return not math.isnan(x)
    if bank.bayes:
        likelihoods(bank, i, x, shares)
    else:
        nearest(bank, i, x, shares)
    total = np.sum(shares)
    for c in range(votes.shape[1]):
        two = votes.shape[1] == 1
        votes[i, c] = (shares[1] - shares[0]) / total if two else 2.0 * shares[c] / total - 1.0
    return True


@body(bank_predict, GaussianStumpState)
def predict(bank: GaussianStumpState, row: Row, votes: Scores, live: Flags) -> None:
    """Everyone votes whose feature has a value."""
    shares = np.zeros(bank.n.shape[1])
    for i in range(votes.shape[0]):
        live[i] = vote(bank, row, i, votes, shares)


@body(bank_predict_at, GaussianStumpState)
def predict_at(bank: GaussianStumpState, i: int, row: Row, votes: Scores) -> None:
    """Learner i votes."""
    vote(bank, row, i, votes, np.zeros(bank.n.shape[1]))


@inlined
def learn(bank: GaussianStumpState, row: Row, lesson: Lesson, first: int, last: int) -> None:
    """Learners first to last learn."""
    for i in range(first, last):
        k, weight = class_taught(lesson, i)
        x = value_of(bank, row, i)
        if weight <= 0.0 or math.isnan(x):
            continue
        bank.n[i, k] = bank.forgetting * bank.n[i, k] + weight
        before = x - bank.mean[i, k]
        bank.mean[i, k] += before * (weight / bank.n[i, k])
        bank.M2[i, k] = bank.forgetting * bank.M2[i, k] + weight * before * (x - bank.mean[i, k])


@body(bank_update, GaussianStumpState)
def update(bank: GaussianStumpState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every learner learns."""
    learn(bank, row, lesson, 0, votes.shape[0])


@body(bank_update_at, GaussianStumpState)
def update_at(bank: GaussianStumpState, i: int, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Learner i learns."""
    learn(bank, row, lesson, i, i + 1)


@body(bank_replace, GaussianStumpState)
def replace(bank: GaussianStumpState, i: int, seed: int) -> None:
    """A learner that has seen nothing in place of i, with a feature by chance where all are known."""
    bank.n[i] = 0.0
    bank.mean[i] = 0.0
    bank.M2[i] = 0.0
    if not bank.open and bank.known[0] > 0:
        key = mix(mix(np.uint64(seed), FEATURE), np.uint64(i))
        bank.feature[i] = np.int64(key % np.uint64(bank.known[0]))
