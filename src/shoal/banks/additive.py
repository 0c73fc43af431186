"""Additive learners: what each feature's value says by itself, weighed by Bayesian logistic regression.

Of every feature a learner keeps a histogram of at most `bins` values with the weight m_k of each class k in
each (`histograms`). A bin of total weight m says of class c

    logit((m_c + prior * p_c) / (m + prior)) - logit(p_c)

where p_c = (n_c + 1/2) / (n + 1) is the class's share of all: the *evidence* of the value, drawn towards none
where the bin is light. Between the bins' centres it is interpolated, so that a learner answers by a curve per
feature, and by a free number per value where a feature takes no more than `bins` values: codes, grades,
indicators. An absent feature is the value 0; what that says is taken from what the others say, so that only stored
values cost anything. A missing value says nothing.

The evidences, a 1 in front, are the inputs of a Bayesian logistic regression (`bayes_logistic`), which finds
how far the features repeat each other. They are what the rows before said: a row's own label enters the
histograms last. K > 2 classes: each against the rest, from the same histograms.

Values are taken as they come, not scaled. A row costs, per learner, its non-zeros times `bins` times the
classes, and what the regressions cost. Only the first `max_features` features are looked at, so that memory
is bounded: features * learners * bins * (classes + 1) numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.banks.arrays import with_room
from shoal.banks.bayes_logistic import BayesLogistic, BayesLogisticState, learn_columns, margin_of
from shoal.banks.checks import Turns, check_least
from shoal.banks.histograms import add_value, weight_of
from shoal.banks.linear import Weights
from shoal.banks.naive_bayes import class_taught
from shoal.errors import InputError
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.types import Flags, Floats, Lesson, Row, Scores, Space, Task

BIAS = 4.0  # input of the bias: its prior is that many times as wide as that of the evidences


class AdditiveState(NamedTuple):
    """Histograms per learner and feature, one bin to spare for the value that has just come."""

    prior: float
    first_weight: float
    known: int  # features looked at; the tables' further rows are room to grow
    regressions: BayesLogisticState
    counts: Floats  # (N, K) weight of each class
    stored: Floats  # (N, d, K) weight of the rows that hold the feature, missing values included
    used: NDArray[np.int32]  # (N, d) bins in use
    centres: Floats  # (N, d, bins + 1) rising
    masses: Floats  # (N, d, bins + 1, K) weight of each class


@dataclass(frozen=True)
class Additive:
    """A bank of additive learners: a curve per feature.

    n_learners: how many.
    feature_fraction: share of the columns that each learner sees, in (0, 1].
    first_weight: of every evidence before any example: 1 begins as naive Bayes, 0 with no trust in them.
    prior_variance: of the weights before any example; a tuple is taken in turn, so that learners differ.
    bins: values that a feature's histogram tells apart.
    prior: weight at which a bin is half believed.
    full_up_to: features up to which the regressions keep a full covariance.
    max_features: features that are looked at.
    noise: standard deviation of the random first weights, so that learners differ.
    """

    knows_classes: ClassVar[bool] = True  # one lesson teaches all classes

    n_learners: int = 100
    feature_fraction: float = 1.0
    first_weight: float = 0.5
    prior_variance: Turns = 0.1
    bins: int = 5
    prior: float = 5.0
    full_up_to: int = 100
    max_features: int = 10_000
    noise: float = 1e-3

    def check(self) -> None:
        """Refuse parameters that have no meaning."""
        self._regressions().check()
        check_least("first_weight", self.first_weight, 0.0)
        if not self.bins >= 2:
            raise InputError(f"bins is {self.bins!r}; expected a whole number from 2 on.")
        if not 0.0 < self.prior < math.inf:
            raise InputError(f"prior is {self.prior!r}; expected a weight above 0, such as 5.")
        if not self.max_features >= 1:
            raise InputError(f"max_features is {self.max_features!r}; expected a whole number from 1 on.")

    def init(self, space: Space, task: Task, seed: int) -> AdditiveState:
        """Learners that have seen nothing."""
        self.check()
        looked_at = self._looked_at(space)
        n, d, size, n_classes = self.n_learners, looked_at.capacity, int(self.bins) + 1, task.n_classes
        regressions = self._regressions().init(looked_at, task, seed)
        self._begin(regressions.weights, 0, slice(None))
        return AdditiveState(
            prior=float(self.prior),
            first_weight=float(self.first_weight),
            known=looked_at.n_features,
            regressions=regressions,
            counts=np.zeros((n, n_classes)),
            stored=np.zeros((n, d, n_classes)),
            used=np.zeros((n, d), dtype=np.int32),
            centres=np.zeros((n, d, size)),
            masses=np.zeros((n, d, size, n_classes)),
        )

    def grow(self, state: AdditiveState, space: Space) -> AdditiveState:
        """Room for the features of a larger space."""
        looked_at = self._looked_at(space)
        d = looked_at.capacity
        regressions = self._regressions().grow(state.regressions, looked_at)
        self._begin(regressions.weights, state.known, slice(None))
        return state._replace(
            known=looked_at.n_features,
            regressions=regressions,
            stored=with_room(state.stored, d),
            used=with_room(state.used, d),
            centres=with_room(state.centres, d),
            masses=with_room(state.masses, d),
        )

    def widen(self, state: AdditiveState, task: Task) -> AdditiveState:
        """Room for more classes: histograms as if they had been there from the start."""
        more = task.n_classes - state.counts.shape[1]

        def wider(table: Floats) -> Floats:
            return np.concatenate([table, np.zeros((*table.shape[:-1], more))], axis=-1)

        return state._replace(
            regressions=self._widened(state, task),
            counts=wider(state.counts),
            stored=wider(state.stored),
            masses=wider(state.masses),
        )

    def _widened(self, state: AdditiveState, task: Task) -> BayesLogisticState:
        """The regressions for more classes. Of two classes, what speaks for class 0 is the opposite of what
        speaks for class 1, so that class 0 takes its weights as they are and the opposite of its bias.
        """
        wide = self._regressions().widen(state.regressions, task)
        n_before = len(state.regressions.prior) // self.n_learners
        if n_before == 1 and task.n_outputs > 1:
            zero = slice(0, None, task.n_outputs)
            wide.weights.table[1:, zero] = state.regressions.weights.table[1:]
            if wide.covariance.size:
                wide.covariance[zero, 0, 1:] *= -1.0
                wide.covariance[zero, 1:, 0] *= -1.0
            n_before = 2
        for c in range(n_before, task.n_outputs):
            self._begin(wide.weights, 0, slice(c, None, task.n_outputs))
        return wide

    def _begin(self, weights: Weights, first: int, columns: slice) -> None:
        """Give the evidences of features from `first` on the weight that they have before any example."""
        new = slice(first + 1, len(weights.features) + 1)
        seen = weights.mask[new, columns] if weights.mask.size else 1.0
        weights.table[new, columns] += self.first_weight * seen

    def _regressions(self) -> BayesLogistic:
        """What weighs the evidences."""
        return BayesLogistic(
            self.n_learners,
            self.feature_fraction,
            prior_variance=self.prior_variance,
            full_up_to=self.full_up_to,
            noise=self.noise,
        )

    def _looked_at(self, space: Space) -> Space:
        """The first features of the space."""
        n = min(space.n_features, self.max_features)
        return Space(space.keys[:n], space.columns[:n], space.nominal[:n], space.open)


@inlined
def says(prior: float, share: float, of_class: float, total: float) -> float:
    """The evidence of a bin of weight `total`, `of_class` of it for the class."""
    against = (total - of_class) + prior * (1.0 - share)
    return math.log((of_class + prior * share) / against) - math.log(share / (1.0 - share))


@inlined
def evidence(bank: AdditiveState, i: int, j: int, k: int, share: float, x: float) -> float:
    """What the value x of feature j says of class k, less what its absence says."""
    centres, masses, n = bank.centres[i, j], bank.masses[i, j], bank.used[i, j]
    if n == 0:
        return 0.0
    b = 0
    while b < n - 1 and centres[b + 1] <= x:
        b += 1
    here = says(bank.prior, share, masses[b, k], weight_of(masses[b]))
    if x > centres[b] and b < n - 1:
        part = (x - centres[b]) / (centres[b + 1] - centres[b])
        here += part * (says(bank.prior, share, masses[b + 1, k], weight_of(masses[b + 1])) - here)
    absent = max(0.0, bank.counts[i, k] - bank.stored[i, j, k])
    all_absent = max(absent, weight_of(bank.counts[i]) - weight_of(bank.stored[i, j]))
    return here - says(bank.prior, share, absent, all_absent)


@inlined
def seen_by(bank: AdditiveState, row: Row, i: int, c: int) -> Row:
    """The row as the regression of learner i for output c takes it."""
    k = 1 if bank.counts.shape[1] == 2 else c
    share = (bank.counts[i, k] + 0.5) / (weight_of(bank.counts[i]) + 1.0)
    inputs = np.zeros(len(row.indices) + 1)
    input_indices = np.zeros(len(row.indices) + 1, dtype=np.int32)
    inputs[0] = BIAS
    n = 1
    for p in range(len(row.indices)):
        j, x = row.indices[p], row.values[p]
        if j < bank.known and not math.isnan(x):
            input_indices[n] = j + 1
            inputs[n] = evidence(bank, i, j, k, share, x)
            n += 1
    return Row(row.indices, row.values, input_indices[:n], inputs[:n])


@inlined
def vote(bank: AdditiveState, row: Row, i: int, votes: Scores) -> None:
    """Learner i votes; tanh of half the log-odds is 2 P - 1."""
    n_outputs = votes.shape[1]
    for c in range(n_outputs):
        m, v = margin_of(bank.regressions, seen_by(bank, row, i, c), i * n_outputs + c)
        votes[i, c] = math.tanh(0.5 * m / math.sqrt(1.0 + math.pi * v / 8.0))


@inlined
def gather(bank: AdditiveState, row: Row, lesson: Lesson, i: int) -> None:
    """The row enters the histograms of learner i."""
    k, weight = class_taught(lesson, i)
    if weight <= 0.0:
        return
    bank.counts[i, k] += weight
    for p in range(len(row.indices)):
        j, x = row.indices[p], float(row.values[p])
        if j < bank.known:
            bank.stored[i, j, k] += weight
            if not math.isnan(x):
                n = bank.used[i, j]
                bank.used[i, j] = add_value(bank.centres[i, j], bank.masses[i, j], n, x, k, weight)


@inlined
def learn(bank: AdditiveState, row: Row, votes: Scores, lesson: Lesson, i: int) -> None:
    """Learner i learns."""
    n_outputs = votes.shape[1]
    for k in range(i * n_outputs, (i + 1) * n_outputs):
        learn_columns(bank.regressions, seen_by(bank, row, i, k % n_outputs), lesson, k, k + 1)
    gather(bank, row, lesson, i)


@body(bank_predict, AdditiveState)
def predict(bank: AdditiveState, row: Row, votes: Scores, live: Flags) -> None:
    """Every learner votes."""
    live[:] = True
    for i in range(votes.shape[0]):
        vote(bank, row, i, votes)


@body(bank_predict_at, AdditiveState)
def predict_at(bank: AdditiveState, i: int, row: Row, votes: Scores) -> None:
    """Learner i votes."""
    vote(bank, row, i, votes)


@body(bank_update, AdditiveState)
def update(bank: AdditiveState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every learner learns."""
    for i in range(votes.shape[0]):
        learn(bank, row, votes, lesson, i)


@body(bank_update_at, AdditiveState)
def update_at(bank: AdditiveState, i: int, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Learner i learns."""
    learn(bank, row, votes, lesson, i)


@body(bank_replace, AdditiveState)
def replace(bank: AdditiveState, i: int, seed: int) -> None:
    """A fresh learner in place of i."""
    bank_replace(bank.regressions, i, seed)
    weights = bank.regressions.weights
    n_outputs = weights.table.shape[1] // bank.counts.shape[0]
    for j in range(1, len(weights.features) + 1):
        for k in range(i * n_outputs, (i + 1) * n_outputs):
            seen = weights.mask[j, k] if len(weights.mask) > 0 else 1.0
            weights.table[j, k] += bank.first_weight * seen
    bank.counts[i] = 0.0
    bank.stored[i] = 0.0
    bank.used[i] = 0
    bank.masses[i] = 0.0
