"""Linear regressors by stochastic gradient descent, adaptive and normalised (specification C.9).

    z_j = x_j / (largest |x_j| so far),    answer = sum of w_j z_j, cut to [-1, 1]
    w_j <- w_j - rate * norm * slope * z_j / sqrt(sum of (slope * z_j)**2),    norm = 1 / sqrt(mean of |z|**2)

after Duchi, Hazan and Singer 2011, and Ross, Mineiro and Langford 2013: no scale of a feature matters. For
the squared loss a step is importance-invariant (Karampatziakis and Langford 2011), so it never overshoots.
A missing value counts as nothing. What is known of the inputs is shared, so learners are taught together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.banks.checks import Turns, check_size, in_turn
from shoal.banks.regression_lessons import cut, damping, length_divided_by, longer, slope_of
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update
from shoal.types import Flags, Floats, Lesson, Row, Scores, Space, Task


class SGDState(NamedTuple):
    """Column i * C + c belongs to output c of learner i; input 0 is the bias."""

    rates: Floats  # (N,)
    table: Floats  # (capacity + 1, N * C) weights
    squares: Floats  # the same shape: sums of squared slopes
    largest: Floats  # (capacity + 1,) largest size of each input
    lengths: Floats  # (2,) sum of |z|**2, and of how many rows
    scratch: Floats  # (2, N * C)


@dataclass(frozen=True)
class SGD:
    """A bank of linear regressors. rate: of learning, one number or several that learners take in turn."""

    n_learners: int = 20
    rate: Turns = 0.3

    def check(self) -> None:
        """Refuse parameters that have no meaning."""
        check_size(self.n_learners, 1.0)
        in_turn("rate", self.rate, 1)

    def init(self, space: Space, task: Task, seed: int) -> SGDState:
        """Learners that have seen nothing."""
        self.check()
        shape = (space.capacity + 1, self.n_learners * task.n_outputs)
        return SGDState(
            in_turn("rate", self.rate, self.n_learners),
            np.zeros(shape),
            np.zeros(shape),
            np.zeros(shape[0]),
            np.zeros(2),
            np.zeros((2, shape[1])),
        )

    def grow(self, state: SGDState, space: Space) -> SGDState:
        """Room for the features of a larger space."""
        table, squares, largest = (longer(a, space.capacity) for a in (state.table, state.squares, state.largest))
        return state._replace(table=table, squares=squares, largest=largest)

    def widen(self, state: SGDState, task: Task) -> SGDState:
        """Targets do not grow in number."""
        return state


@inlined
def answer_columns(bank: SGDState, row: Row, out: Floats, first: int, last: int) -> None:
    """The answers of the columns in [first, last), cut."""
    out[first:last] = 0.0
    length = length_divided_by(row)
    for p in range(len(row.inputs)):
        j = row.input_indices[p]
        if bank.largest[j] > 0.0:
            z = row.inputs[p] * length / bank.largest[j]
            weight = bank.table[j]
            for k in range(first, last):
                out[k] += weight[k] * z
    for k in range(first, last):
        out[k] = cut(out[k])


@inlined
def take_in(bank: SGDState, row: Row) -> float:
    """Learn how large the inputs are; the norm of steps, 1 / sqrt(mean of |z|**2)."""
    length, total = length_divided_by(row), 0.0
    for p in range(len(row.inputs)):
        j, size = row.input_indices[p], abs(row.inputs[p] * length)
        bank.largest[j] = max(bank.largest[j], size)
        if size > 0.0:
            total += (size / bank.largest[j]) ** 2
    bank.lengths[0] += total
    bank.lengths[1] += 1.0
    return math.sqrt(bank.lengths[1] / bank.lengths[0]) if bank.lengths[0] > 0.0 else 0.0


@inlined
def learn_columns(bank: SGDState, row: Row, votes: Scores, lesson: Lesson, first: int, last: int) -> None:
    """One step of the columns in [first, last)."""
    norm, length, n_outputs = take_in(bank, row), length_divided_by(row), votes.shape[1]
    slopes, moves = bank.scratch[0], bank.scratch[1]
    for k in range(first, last):
        slopes[k] = slope_of(lesson, k // n_outputs, k % n_outputs, votes[k // n_outputs, k % n_outputs])
        moves[k] = 0.0
    for p in range(len(row.inputs)):
        j = row.input_indices[p]
        z = row.inputs[p] * length / bank.largest[j] if bank.largest[j] > 0.0 else 0.0
        squares = bank.squares[j]
        for k in range(first, last):
            squares[k] += (slopes[k] * z) ** 2
            if squares[k] > 0.0:
                moves[k] += z * z / math.sqrt(squares[k])
    for k in range(first, last):
        step = bank.rates[k // n_outputs] * norm
        slopes[k] *= step * damping(lesson, k // n_outputs, k % n_outputs, step * moves[k])
    for p in range(len(row.inputs)):
        j = row.input_indices[p]
        z = row.inputs[p] * length / bank.largest[j] if bank.largest[j] > 0.0 else 0.0
        weight, squares = bank.table[j], bank.squares[j]
        for k in range(first, last):
            if squares[k] > 0.0:
                weight[k] -= slopes[k] * z / math.sqrt(squares[k])


@body(bank_predict, SGDState)
def predict(bank: SGDState, row: Row, votes: Scores, live: Flags) -> None:
    """Every learner answers."""
    live[:] = True
    answer_columns(bank, row, votes.reshape(votes.size), 0, votes.size)


@body(bank_predict_at, SGDState)
def predict_at(bank: SGDState, i: int, row: Row, votes: Scores) -> None:
    """Learner i answers."""
    answer_columns(bank, row, votes.reshape(votes.size), i * votes.shape[1], (i + 1) * votes.shape[1])


@body(bank_update, SGDState)
def update(bank: SGDState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every learner learns."""
    learn_columns(bank, row, votes, lesson, 0, votes.size)


@body(bank_replace, SGDState)
def replace(bank: SGDState, i: int, seed: int) -> None:
    """A fresh learner in place of i."""
    n_outputs = bank.table.shape[1] // len(bank.rates)
    bank.table[:, i * n_outputs : (i + 1) * n_outputs] = 0.0
    bank.squares[:, i * n_outputs : (i + 1) * n_outputs] = 0.0
