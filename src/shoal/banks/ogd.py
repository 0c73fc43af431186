"""Linear learners by projected online gradient descent, the learner of the theory (specification B.4).

    w <- w + eta * weight * y * x, back into the ball where it left it
    eta = radius * sqrt(2) / sqrt(sum of weight**2 |x|**2, the present example included)

The step needs no tuning: against any fixed w in the unit ball the regret in the sum of weight * y * <w, x>
is at most sqrt(8 * sum of weight**2) on rows of length 1 or less. The vote is <w, x>, cut to [-1, 1].
K > 2 classes: K such learners side by side, one against the rest.

A projection shortens a whole column; it is kept as one factor per column, so an example costs its
non-zeros times the learners. A missing value counts as nothing: it is left out of the scaled row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.banks.checks import check_least, check_size, in_turn
from shoal.banks.linear import (
    Weights,
    add_to,
    column_sources,
    first_weights,
    forget_learner,
    grown,
    margins,
    margins_at,
    widened,
    widened_columns,
)
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.types import Flags, Floats, Lesson, Row, Scores, Space, Task

LEAST_FACTOR = 1e-100  # below it the factor is multiplied into the column, far from underflow


class OGDState(NamedTuple):
    """Column k of learner and output has the weights factors[k] * weights.table[:, k]."""

    radius: float
    weights: Weights
    factors: Floats  # (N * C,) in (0, 1]
    sums: Floats  # (N * C,) of weight**2 |x|**2
    steps: Floats  # (N * C,) scratch


@dataclass(frozen=True)
class OGD:
    """A bank of linear learners by projected online gradient descent.

    n_learners: how many.
    feature_fraction: share of the columns that each learner sees, in (0, 1].
    radius: of the ball that weights stay in.
    noise: standard deviation of the random first weights, so that learners differ.
    """

    n_learners: int = 100
    feature_fraction: float = 1.0
    radius: float = 1.0
    noise: float = 1e-3

    def check(self) -> None:
        """Refuse parameters that have no meaning."""
        check_size(self.n_learners, self.feature_fraction)
        in_turn("radius", self.radius, 1)
        check_least("noise", self.noise, 0.0)

    def init(self, space: Space, task: Task, seed: int) -> OGDState:
        """Learners that have seen nothing."""
        self.check()
        weights = first_weights(self.n_learners, self.feature_fraction, self.noise, space, task, seed)
        width = self.n_learners * task.n_outputs
        return OGDState(float(self.radius), weights, np.ones(width), np.zeros(width), np.zeros(width))

    def grow(self, state: OGDState, space: Space) -> OGDState:
        """Room for the features of a larger space."""
        return state._replace(weights=grown(state.weights, self.feature_fraction, space))

    def widen(self, state: OGDState, task: Task) -> OGDState:
        """Room for more classes."""
        sources = column_sources(self.n_learners, len(state.factors) // self.n_learners, task)
        return state._replace(
            weights=widened(state.weights, task),
            factors=widened_columns(state.factors, sources, 1.0),
            sums=widened_columns(state.sums, sources, 0.0),
            steps=np.zeros(len(sources)),
        )


@inlined
def as_vote(margin: float, factor: float) -> float:
    """The margin of a column's true weights, in [-1, 1] even for a row longer than 1."""
    return min(1.0, max(-1.0, margin * factor))


@body(bank_predict, OGDState, allocates=False)
def predict(bank: OGDState, row: Row, votes: Scores, live: Flags) -> None:
    """Every learner votes."""
    margins(bank.weights, row, votes)
    live[:] = True
    flat, factors = votes.reshape(votes.size), bank.factors
    for k in range(len(flat)):
        flat[k] = as_vote(flat[k], factors[k])


@body(bank_predict_at, OGDState, allocates=False)
def predict_at(bank: OGDState, i: int, row: Row, votes: Scores) -> None:
    """Learner i votes."""
    margins_at(bank.weights, i, row, votes)
    n_outputs = votes.shape[1]
    for c in range(n_outputs):
        votes[i, c] = as_vote(votes[i, c], bank.factors[i * n_outputs + c])


@inlined
def squared_lengths(weights: Weights, row: Row, out: Floats, first: int, last: int) -> None:
    """|x|**2 over the features that each column in [first, last) sees."""
    if len(weights.mask) == 0:
        total = 0.0
        for p in range(len(row.inputs)):
            total += row.inputs[p] * row.inputs[p]
        out[first:last] = total
        return
    out = out[first:last]
    out[:] = 0.0
    for p in range(len(row.inputs)):
        square, seen = row.inputs[p] * row.inputs[p], weights.mask[row.input_indices[p]][first:last]
        for k in range(len(out)):
            out[k] += square * seen[k]


@inlined
def project(bank: OGDState, k: int) -> None:
    """Bring column k back into the ball."""
    length = math.sqrt(max(bank.weights.squares[k], 0.0))
    if bank.factors[k] * length <= bank.radius:
        return
    bank.factors[k] = bank.radius / length
    if bank.factors[k] < LEAST_FACTOR:
        bank.weights.squares[k] = 0.0
        for j in range(len(bank.weights.table)):
            bank.weights.table[j, k] *= bank.factors[k]
            bank.weights.squares[k] += bank.weights.table[j, k] ** 2
        bank.factors[k] = 1.0


@inlined
def learn_columns(bank: OGDState, row: Row, lesson: Lesson, first: int, last: int) -> None:
    """One gradient step of the columns in [first, last)."""
    squared_lengths(bank.weights, row, bank.steps, first, last)
    size, steps, sums = lesson.target.size, bank.steps[first:last], bank.sums[first:last]
    targets, weights = lesson.target.reshape(size)[first:last], lesson.weight.reshape(size)[first:last]
    factors, top = bank.factors[first:last], bank.radius * math.sqrt(2.0)
    for k in range(len(steps)):
        total = sums[k] + weights[k] * weights[k] * steps[k]
        sums[k] = total
        eta = top / math.sqrt(total) if total > 0.0 else 0.0
        steps[k] = eta * weights[k] * targets[k] / factors[k]
    add_to(bank.weights, row, bank.steps, first, last)
    for k in range(first, last):
        if bank.steps[k] != 0.0:
            project(bank, k)


@body(bank_update, OGDState, allocates=False)
def update(bank: OGDState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every learner learns."""
    learn_columns(bank, row, lesson, 0, votes.size)


@body(bank_update_at, OGDState, allocates=False)
def update_at(bank: OGDState, i: int, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Learner i learns."""
    learn_columns(bank, row, lesson, i * votes.shape[1], (i + 1) * votes.shape[1])


@body(bank_replace, OGDState, allocates=False)
def replace(bank: OGDState, i: int, seed: int) -> None:
    """A fresh learner in place of i."""
    forget_learner(bank.weights, i, seed)
    n_outputs = len(bank.factors) // len(bank.weights.keys)
    for k in range(i * n_outputs, (i + 1) * n_outputs):
        bank.factors[k] = 1.0
        bank.sums[k] = 0.0
