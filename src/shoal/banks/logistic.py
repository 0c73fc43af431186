"""Logistic regression by adaptive gradients (Duchi, Hazan and Singer 2011), a step size per feature and learner.

    g = weight * (P(+1 | x) - [y = +1]) * x + weight * l2 * w        input by input
    G <- G + g**2,    w <- w - step * g / sqrt(G)

With `normalise` every input is first divided by the largest size it has had so far, the present row
included (the scale invariance of Ross, Mineiro and Langford 2013): weights then belong to inputs in
[-1, 1], whatever the features' units. The penalty l2 reaches a weight when a row holds its input.

The vote is 2 P(+1 | x) - 1. K > 2 classes: K such learners side by side, one against the rest. An example
costs its non-zeros times the learners. A missing value counts as nothing: it is left out of the scaled row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.banks.arrays import longer
from shoal.banks.checks import Turns, check_least, check_size, in_turn
from shoal.banks.linear import (
    Weights,
    column_sources,
    first_weights,
    forget_learner,
    grown,
    widened,
    widened_columns,
)
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.types import Flags, Floats, Lesson, Row, Scores, Space, Task


class LogisticState(NamedTuple):
    """Weights, and the squares of the gradients that they have followed."""

    l2: float
    weights: Weights
    gradients: Floats  # (capacity + 1, N * C) sums of squares
    sizes: Floats  # (capacity + 1,) largest size of each input; (0,) where inputs are taken as they are
    steps: Floats  # (N * C,)
    errors: Floats  # (N * C,) scratch


@dataclass(frozen=True)
class Logistic:
    """A bank of logistic regressions by adaptive gradients.

    n_learners: how many.
    feature_fraction: share of the columns that each learner sees, in (0, 1].
    step: the length of a first step; a tuple is taken in turn, so that learners differ.
    normalise: whether inputs are divided by the largest size that they have had.
    l2: strength of the pull towards 0.
    noise: standard deviation of the random first weights, so that learners differ.
    """

    n_learners: int = 100
    feature_fraction: float = 1.0
    step: Turns = 0.5
    normalise: bool = True
    l2: float = 0.0
    noise: float = 1e-3

    def check(self) -> None:
        """Refuse parameters that have no meaning."""
        check_size(self.n_learners, self.feature_fraction)
        in_turn("step", self.step, self.n_learners)
        check_least("l2", self.l2, 0.0)
        check_least("noise", self.noise, 0.0)

    def init(self, space: Space, task: Task, seed: int) -> LogisticState:
        """Learners that have seen nothing."""
        self.check()
        weights = first_weights(self.n_learners, self.feature_fraction, self.noise, space, task, seed)
        sizes = np.zeros(len(weights.table) if self.normalise else 0)
        gradients = np.zeros_like(weights.table)
        return LogisticState(float(self.l2), weights, gradients, sizes, *self._columns(task))

    def grow(self, state: LogisticState, space: Space) -> LogisticState:
        """Room for the features of a larger space."""
        weights = grown(state.weights, self.feature_fraction, space)
        gradients = longer(state.gradients, len(weights.table))
        sizes = longer(state.sizes, len(weights.table)) if self.normalise else state.sizes
        return state._replace(weights=weights, gradients=gradients, sizes=sizes)

    def widen(self, state: LogisticState, task: Task) -> LogisticState:
        """Room for more classes."""
        sources = column_sources(self.n_learners, len(state.steps) // self.n_learners, task)
        steps, errors = self._columns(task)
        gradients = widened_columns(state.gradients, sources, 0.0)
        return state._replace(
            weights=widened(state.weights, task), gradients=gradients, steps=steps, errors=errors
        )

    def _columns(self, task: Task) -> tuple[Floats, Floats]:
        """The step of every column, and room for its error."""
        steps = np.repeat(in_turn("step", self.step, self.n_learners), task.n_outputs)
        return steps, np.zeros(len(steps))


@inlined
def sized(bank: LogisticState, j: int, x: float) -> float:
    """A value of input j, divided by the largest size that the input has had."""
    if len(bank.sizes) == 0:
        return x
    size = max(bank.sizes[j], abs(x))
    return x / size if size > 0.0 else 0.0


@inlined
def vote(bank: LogisticState, row: Row, votes: Scores, first: int, last: int) -> None:
    """The columns in [first, last) vote; tanh of half the log-odds is 2 P(+1 | x) - 1."""
    flat = votes.reshape(votes.size)[first:last]
    flat[:] = 0.0
    for p in range(len(row.inputs)):
        j = row.input_indices[p]
        x, weight = sized(bank, j, row.inputs[p]), bank.weights.table[j][first:last]
        for k in range(len(flat)):
            flat[k] += weight[k] * x
    for k in range(len(flat)):
        flat[k] = math.tanh(0.5 * flat[k])


@body(bank_predict, LogisticState, allocates=False)
def predict(bank: LogisticState, row: Row, votes: Scores, live: Flags) -> None:
    """Every learner votes."""
    live[:] = True
    vote(bank, row, votes, 0, votes.size)


@body(bank_predict_at, LogisticState, allocates=False)
def predict_at(bank: LogisticState, i: int, row: Row, votes: Scores) -> None:
    """Learner i votes."""
    vote(bank, row, votes, i * votes.shape[1], (i + 1) * votes.shape[1])


@inlined
def learn_columns(bank: LogisticState, row: Row, votes: Scores, lesson: Lesson, first: int, last: int) -> None:
    """One step of the columns in [first, last) whose lesson has a weight."""
    size, errors = votes.size, bank.errors[first:last]
    answers, targets = votes.reshape(size)[first:last], lesson.target.reshape(size)[first:last]
    importances = lesson.weight.reshape(size)[first:last]
    n_taught = 0
    for k in range(len(errors)):
        errors[k] = 0.5 * importances[k] * (answers[k] - targets[k])
        n_taught += importances[k] > 0.0
    if n_taught == 0:
        return
    for p in range(len(row.inputs)):
        j, x = row.input_indices[p], row.inputs[p]
        learn_input(bank, importances, j, sized(bank, j, x), first, last)
        if len(bank.sizes) > 0:
            bank.sizes[j] = max(bank.sizes[j], abs(x))


@inlined
def learn_input(bank: LogisticState, importances: Floats, j: int, x: float, first: int, last: int) -> None:
    """Move the weights of input j in the columns [first, last) against their gradients."""
    weights, gradients = bank.weights.table[j][first:last], bank.gradients[j][first:last]
    errors, steps = bank.errors[first:last], bank.steps[first:last]
    masked = len(bank.weights.mask) > 0
    seen = bank.weights.mask[j][first:last] if masked else errors
    for k in range(len(weights)):
        g = errors[k] * x + importances[k] * bank.l2 * weights[k]
        if masked:
            g *= seen[k]
        gathered = gradients[k] + g * g
        gradients[k] = gathered
        weights[k] -= steps[k] * g / math.sqrt(gathered) if gathered > 0.0 else 0.0


@body(bank_update, LogisticState, allocates=False)
def update(bank: LogisticState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every learner learns."""
    learn_columns(bank, row, votes, lesson, 0, votes.size)


@body(bank_update_at, LogisticState, allocates=False)
def update_at(bank: LogisticState, i: int, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Learner i learns."""
    learn_columns(bank, row, votes, lesson, i * votes.shape[1], (i + 1) * votes.shape[1])


@body(bank_replace, LogisticState)
def replace(bank: LogisticState, i: int, seed: int) -> None:
    """A fresh learner in place of i."""
    forget_learner(bank.weights, i, seed)
    n_outputs = len(bank.steps) // len(bank.weights.keys)
    bank.gradients[:, i * n_outputs : (i + 1) * n_outputs] = 0.0
