"""Bayesian logistic regression, one example at a time, by a Gaussian belief about the weights.

A learner believes w ~ N(mean, Sigma), at first N(0, prior_variance). Of a row only the margin a = <w, x>
matters, a ~ N(m, v) with v = x' Sigma x, so an update solves one equation in one unknown:

    logistic    the most probable margin a solves a = m + v * weight * y * sigmoid(-y a); the belief takes
                it as its mean and the curvature there as what was learned (Laplace; MacKay 1992)
    arow        where y m < 1: the step of Crammer, Kulesza and Dredze (2009), noise r / weight

Both move mean by a multiple of Sigma x and take a multiple of (Sigma x)(Sigma x)' from Sigma. The vote is
2 P - 1: for "logistic", P = sigmoid(m / sqrt(1 + pi v / 8)), the mean of sigmoid(a); for "arow" the
regression of y on x with noise r has log-odds 2 m / (r + v). K > 2 classes: one learner against the rest
for each.

With `forgetting` below 1 a learner knows a direction less well each time before it learns along it: its
variance there is divided by forgetting**weight, up to the prior's.

A full covariance costs (inputs met)**2 a learner and update, and non-zeros**2 an answer; a diagonal one the
non-zeros. A missing value counts as nothing: it is left out of the scaled row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.banks.checks import Turns, check_least, check_size, in_turn
from shoal.banks.linear import Weights, column_sources, first_weights, forget_learner, grown, widened
from shoal.errors import InputError
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.types import Flags, Floats, Lesson, Row, Scores, Space, Task

NEWTON_STEPS = 60  # with bisection behind them, enough for any double
NEWTON_TOLERANCE = 1e-15
COVARIANCES = ("auto", "full", "diagonal")
UPDATES = ("logistic", "arow")


class BayesLogisticState(NamedTuple):
    """Means as linear weights; either `covariance` or `variances` is empty. Unseen features have variance 0."""

    arow: bool
    noise: float  # r of "arow"
    weights: Weights
    covariance: Floats  # (N * C, capacity + 1, capacity + 1)
    variances: Floats  # (capacity + 1, N * C)
    prior: Floats  # (N * C,) variance
    forgetting: Floats  # (N * C,)


@dataclass(frozen=True)
class BayesLogistic:
    """A bank of second-order linear learners.

    n_learners: how many.
    feature_fraction: share of the columns that each learner sees, in (0, 1].
    prior_variance: of every weight before any example; a tuple is taken in turn, so that learners differ.
    covariance: "full", "diagonal", or "auto": full while there are at most `full_up_to` features. A bank
        that outgrows them keeps the diagonal.
    update: "logistic" or "arow".
    forgetting: factor in (0, 1] on what is known, for streams that change; a tuple is taken in turn.
    arow_noise: r of "arow", how little one example may move.
    noise: standard deviation of the random first means, so that learners differ.
    """

    n_learners: int = 100
    feature_fraction: float = 1.0
    prior_variance: Turns = 5.0
    covariance: str = "auto"
    full_up_to: int = 100
    update: str = "logistic"
    forgetting: Turns = 1.0
    arow_noise: float = 1.0
    noise: float = 1e-3

    def check(self) -> None:
        """Refuse parameters that have no meaning."""
        check_size(self.n_learners, self.feature_fraction)
        in_turn("prior_variance", self.prior_variance, self.n_learners)
        in_turn("forgetting", self.forgetting, self.n_learners, most=1.0)
        in_turn("arow_noise", self.arow_noise, 1)
        check_least("noise", self.noise, 0.0)
        check_least("full_up_to", self.full_up_to, 0)
        if self.covariance not in COVARIANCES:
            raise InputError(f"covariance is {self.covariance!r}; expected 'auto', 'full' or 'diagonal'.")
        if self.update not in UPDATES:
            raise InputError(f"update is {self.update!r}; expected 'logistic' or 'arow'.")

    def init(self, space: Space, task: Task, seed: int) -> BayesLogisticState:
        """Learners that have seen nothing."""
        self.check()
        weights = first_weights(self.n_learners, self.feature_fraction, self.noise, space, task, seed)
        prior = np.repeat(in_turn("prior_variance", self.prior_variance, self.n_learners), task.n_outputs)
        forgetting = np.repeat(in_turn("forgetting", self.forgetting, self.n_learners), task.n_outputs)
        size, full = len(weights.table), self._is_full(space)
        state = BayesLogisticState(
            self.update == "arow",
            float(self.arow_noise),
            weights,
            np.zeros((len(prior), size, size) if full else (len(prior), 0, 0)),
            np.zeros((0 if full else size, len(prior))),
            prior,
            forgetting,
        )
        return with_prior(state, 0)

    def grow(self, state: BayesLogisticState, space: Space) -> BayesLogisticState:
        """Room for the features of a larger space."""
        weights = grown(state.weights, self.feature_fraction, space)
        old, more = len(state.weights.features) + 1, len(weights.table) - len(state.weights.table)
        covariance, variances = state.covariance, state.variances
        if covariance.size and not self._is_full(space):
            variances = np.ascontiguousarray(np.diagonal(covariance, axis1=1, axis2=2).T)
            covariance = np.zeros((len(covariance), 0, 0))
        if covariance.size and more:
            covariance = np.pad(covariance, ((0, 0), (0, more), (0, more)))
        elif more:
            variances = np.pad(variances, ((0, more), (0, 0)))
        return with_prior(state._replace(weights=weights, covariance=covariance, variances=variances), old)

    def widen(self, state: BayesLogisticState, task: Task) -> BayesLogisticState:
        """Room for more classes."""
        sources = column_sources(self.n_learners, len(state.prior) // self.n_learners, task)
        fresh = self._fresh(state, task)
        known = np.flatnonzero(sources >= 0)
        fresh.covariance[known] = state.covariance[sources[known]]
        fresh.variances[:, known] = state.variances[:, sources[known]]
        return fresh

    def _fresh(self, state: BayesLogisticState, task: Task) -> BayesLogisticState:
        """The means for more classes, with variances as before any example."""
        width, size = self.n_learners * task.n_outputs, len(state.weights.table)
        full = state.covariance.size > 0
        n_before = len(state.prior) // self.n_learners
        return with_prior(
            state._replace(
                weights=widened(state.weights, task),
                covariance=np.zeros((width, size, size) if full else (width, 0, 0)),
                variances=np.zeros((0 if full else size, width)),
                prior=np.repeat(state.prior[::n_before], task.n_outputs),
                forgetting=np.repeat(state.forgetting[::n_before], task.n_outputs),
            ),
            0,
        )

    def _is_full(self, space: Space) -> bool:
        return self.covariance == "full" or (self.covariance == "auto" and space.n_features <= self.full_up_to)


def with_prior(state: BayesLogisticState, first: int) -> BayesLogisticState:
    """The state, its inputs from `first` on given the variance that they have before any example."""
    covariance, variances = state.covariance, state.variances
    last = len(state.weights.features) + 1
    mask = state.weights.mask
    prior = np.ones((last - first, len(state.prior))) if not mask.size else mask[first:last]
    if covariance.size:
        inputs = np.arange(first, last)
        covariance[:, inputs, inputs] = (prior * state.prior).T
    else:
        variances[first:last] = prior * state.prior
    return state


@inlined
def margin_of(bank: BayesLogisticState, row: Row, k: int) -> tuple[float, float]:
    """(m, v), mean and variance of the margin under the belief of column k."""
    m, v = 0.0, 0.0
    for p in range(len(row.inputs)):
        j, x = row.input_indices[p], row.inputs[p]
        m += bank.weights.table[j, k] * x
        if bank.covariance.shape[1] > 0:
            across = 0.0
            for q in range(p):
                across += bank.covariance[k, j, row.input_indices[q]] * row.inputs[q]
            v += x * (bank.covariance[k, j, j] * x + 2.0 * across)
        else:
            v += bank.variances[j, k] * x * x
    return m, max(v, 0.0)


@inlined
def vote(bank: BayesLogisticState, row: Row, i: int, votes: Scores) -> None:
    """Learner i votes; tanh of half the log-odds is 2 P - 1."""
    n_outputs = votes.shape[1]
    for c in range(n_outputs):
        m, v = margin_of(bank, row, i * n_outputs + c)
        odds = 2.0 * m / (bank.noise + v) if bank.arow else m / math.sqrt(1.0 + math.pi * v / 8.0)
        votes[i, c] = math.tanh(0.5 * odds)


@body(bank_predict, BayesLogisticState)
def predict(bank: BayesLogisticState, row: Row, votes: Scores, live: Flags) -> None:
    """Every learner votes."""
    for i in range(votes.shape[0]):
        live[i] = True
        vote(bank, row, i, votes)


@body(bank_predict_at, BayesLogisticState)
def predict_at(bank: BayesLogisticState, i: int, row: Row, votes: Scores) -> None:
    """Learner i votes."""
    vote(bank, row, i, votes)


@inlined
def sigmoid_below(z: float) -> float:
    """1 / (1 + exp(z)) without overflow."""
    if z > 0.0:
        e = math.exp(-z)
        return e / (1.0 + e)
    return 1.0 / (1.0 + math.exp(z))


@inlined
def most_probable(start: float, size: float) -> float:
    """The z of z = start + size * sigmoid(-z), size > 0: Newton's steps, halving where they leave the bracket."""
    low, high = start, start + size
    z = min(high, max(low, 0.0))
    for _ in range(NEWTON_STEPS):
        s = sigmoid_below(z)
        excess = z - start - size * s
        if excess > 0.0:
            high = z
        else:
            low = z
        new = z - excess / (1.0 + size * s * (1.0 - s))
        if not (new >= low and new <= high):
            new = 0.5 * (low + high)
        moved = abs(new - z)
        z = new
        if moved <= NEWTON_TOLERANCE * (1.0 + abs(z)):
            break
    return z


@inlined
def learned(bank: BayesLogisticState, m: float, v: float, y: float, weight: float) -> tuple[float, float]:
    """(shift, shrink): mean += shift * Sigma x, Sigma -= shrink * (Sigma x)(Sigma x)'."""
    if bank.arow:
        short = 1.0 - y * m
        shrink = 1.0 / (v + bank.noise / weight) if short > 0.0 else 0.0
        return y * short * shrink, shrink
    s = sigmoid_below(most_probable(y * m, v * weight))
    curvature = weight * s * (1.0 - s)
    return weight * y * s, curvature / (1.0 + curvature * v)


@inlined
def prior_spread(bank: BayesLogisticState, row: Row, k: int) -> float:
    """The variance of the margin before any example."""
    total = 0.0
    for p in range(len(row.inputs)):
        seen = bank.weights.mask[row.input_indices[p], k] if len(bank.weights.mask) > 0 else 1.0
        total += seen * row.inputs[p] * row.inputs[p]
    return total * bank.prior[k]


@inlined
def learn_full(bank: BayesLogisticState, row: Row, k: int, y: float, weight: float, across: Floats) -> None:
    """Column k with a full covariance. across: room for Sigma x.

    Forgetting makes the variance along x `more` times as large, which is one more multiple of
    (Sigma x)(Sigma x)'.
    """
    covariance = bank.covariance[k]
    n = len(bank.weights.features) + 1
    across[:n] = 0.0
    for p in range(len(row.inputs)):
        known, x = covariance[row.input_indices[p]], row.inputs[p]
        for a in range(n):
            across[a] += known[a] * x
    m, v = margin_of(bank, row, k)
    if v <= 0.0:
        return
    more = 1.0
    if bank.forgetting[k] < 1.0:
        room = prior_spread(bank, row, k) / v
        more = max(1.0, min(bank.forgetting[k] ** -weight, room))
    shift, shrink = learned(bank, m, more * v, y, weight)
    shrink = more * more * shrink - (more - 1.0) / v
    for a in range(n):
        if across[a] != 0.0:
            bank.weights.table[a, k] += shift * more * across[a]
            for b in range(n):
                covariance[a, b] -= shrink * (across[a] * across[b])


@inlined
def learn_diagonal(bank: BayesLogisticState, row: Row, k: int, y: float, weight: float) -> None:
    """Column k with a diagonal covariance."""
    m, v = margin_of(bank, row, k)
    if bank.forgetting[k] < 1.0:
        for p in range(len(row.inputs)):
            known = bank.variances[row.input_indices[p], k]
            if known > 0.0:
                most = max(known, bank.prior[k])
                bank.variances[row.input_indices[p], k] = min(known * bank.forgetting[k] ** -weight, most)
        m, v = margin_of(bank, row, k)
    shift, shrink = learned(bank, m, v, y, weight)
    for p in range(len(row.inputs)):
        j = row.input_indices[p]
        across = bank.variances[j, k] * row.inputs[p]
        bank.weights.table[j, k] += shift * across
        bank.variances[j, k] = max(0.0, bank.variances[j, k] - shrink * across * across)


@inlined
def learn_columns(bank: BayesLogisticState, row: Row, lesson: Lesson, first: int, last: int) -> None:
    """The columns in [first, last) learn."""
    full = bank.covariance.shape[1] > 0
    across = np.zeros(len(bank.weights.features) + 1 if full else 0)
    size = lesson.target.size
    targets, importances = lesson.target.reshape(size), lesson.weight.reshape(size)
    for k in range(first, last):
        target, weight = targets[k], importances[k]
        if weight > 0.0 and full:
            learn_full(bank, row, k, target, weight, across)
        elif weight > 0.0:
            learn_diagonal(bank, row, k, target, weight)


@body(bank_update, BayesLogisticState)
def update(bank: BayesLogisticState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every learner learns."""
    learn_columns(bank, row, lesson, 0, votes.size)


@body(bank_update_at, BayesLogisticState)
def update_at(bank: BayesLogisticState, i: int, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Learner i learns."""
    learn_columns(bank, row, lesson, i * votes.shape[1], (i + 1) * votes.shape[1])


@body(bank_replace, BayesLogisticState)
def replace(bank: BayesLogisticState, i: int, seed: int) -> None:
    """A fresh learner in place of i."""
    forget_learner(bank.weights, i, seed)
    n_outputs = len(bank.prior) // len(bank.weights.keys)
    for k in range(i * n_outputs, (i + 1) * n_outputs):
        bank.covariance[k] = 0.0
        for j in range(len(bank.weights.features) + 1):
            seen = bank.weights.mask[j, k] if len(bank.weights.mask) > 0 else 1.0
            if bank.covariance.shape[1] > 0:
                bank.covariance[k, j, j] = seen * bank.prior[k]
            else:
                bank.variances[j, k] = seen * bank.prior[k]
