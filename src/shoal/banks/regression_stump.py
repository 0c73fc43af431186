"""Regression stumps: each answers from one feature, the one that has served best (specification C.9).

    p_j = w_j z_j (+ b_j), cut to [-1, 1],    z_j = x_j / (largest |x_j| so far)

for every input j that is not 0 (the bias is one of them), each trained on its own answer by adaptive
gradient steps. A learner answers with the p_j of the input whose mean loss, over the examples in which it was
not 0, is least among those of the row; of equal ones the first; 0 for a row of zeros. Losses are counted
against that of answering 0, as linear losses are by themselves: inputs are not 0 in different examples, and
where learners fit what others leave over, the first examples would outweigh all later ones. An example costs
its non-zeros. A missing value counts as nothing. What is known of the inputs is shared, so learners are taught
together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from shoal.banks.checks import Turns, check_size, in_turn
from shoal.banks.regression_lessons import cost_of, cut, damping, length_divided_by, longer, slope_of
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update
from shoal.types import Flags, Floats, Lesson, Row, Scores, Space, Task


class RegressionStumpsState(NamedTuple):
    """Column i * C + c belongs to output c of learner i; input 0 is the bias."""

    rates: Floats  # (N,)
    bias: bool
    slopes: Floats  # (capacity + 1, N * C) w
    shifts: Floats  # the same shape: b
    slope_squares: Floats  # sums of squared gradients, for the steps
    shift_squares: Floats
    costs: Floats  # sums of losses, each less that of answering 0
    met: Floats  # (capacity + 1,) examples in which the input was not 0
    largest: Floats  # (capacity + 1,)


@dataclass(frozen=True)
class RegressionStumps:
    """A bank of regression stumps.

    rate: of learning, one number or several that learners take in turn.
    bias: whether the line through a feature may miss the origin.
    """

    n_learners: int = 20
    rate: Turns = 0.3
    bias: bool = True

    def check(self) -> None:
        """Refuse parameters that have no meaning."""
        check_size(self.n_learners, 1.0)
        in_turn("rate", self.rate, 1)

    def init(self, space: Space, task: Task, seed: int) -> RegressionStumpsState:
        """Learners that have seen nothing."""
        self.check()
        shape = (space.capacity + 1, self.n_learners * task.n_outputs)
        rates = in_turn("rate", self.rate, self.n_learners)
        slopes, shifts, slope_squares, shift_squares, costs = (np.zeros(shape) for _ in range(5))
        met, largest = np.zeros(shape[0]), np.zeros(shape[0])
        return RegressionStumpsState(
            rates, bool(self.bias), slopes, shifts, slope_squares, shift_squares, costs, met, largest
        )

    def grow(self, state: RegressionStumpsState, space: Space) -> RegressionStumpsState:
        """Room for the features of a larger space."""
        names = ("slopes", "shifts", "slope_squares", "shift_squares", "costs", "met", "largest")
        grown: dict[str, Any] = {name: longer(getattr(state, name), space.capacity) for name in names}
        return state._replace(**grown)

    def widen(self, state: RegressionStumpsState, task: Task) -> RegressionStumpsState:
        """Targets do not grow in number."""
        return state


@inlined
def answer_columns(
    bank: RegressionStumpsState, row: Row, out: Floats, best: Floats, first: int, last: int
) -> None:
    """The answers of the columns in [first, last); `best` is scratch."""
    length = length_divided_by(row)
    for k in range(first, last):
        best[k] = math.inf
        out[k] = 0.0
    for p in range(len(row.inputs)):
        j = row.input_indices[p]
        if bank.met[j] == 0.0 or row.inputs[p] == 0.0:
            continue
        z, share = row.inputs[p] * length / bank.largest[j], 1.0 / bank.met[j]
        costs, slopes, shifts = bank.costs[j], bank.slopes[j], bank.shifts[j]
        for k in range(first, last):
            cost = costs[k] * share
            if cost < best[k]:
                best[k] = cost
                out[k] = slopes[k] * z + shifts[k]
    for k in range(first, last):
        out[k] = cut(out[k])


@inlined
def learn_input(
    bank: RegressionStumpsState, j: int, z: float, n_outputs: int, lesson: Lesson, first: int, last: int
) -> None:
    """Every column's stump of input j learns from its own answer."""
    slopes, shifts, costs = bank.slopes[j], bank.shifts[j], bank.costs[j]
    slope_squares, shift_squares = bank.slope_squares[j], bank.shift_squares[j]
    with_shift = 1.0 if bank.bias and j > 0 else 0.0
    for k in range(first, last):
        i, c = k // n_outputs, k % n_outputs
        answer = cut(slopes[k] * z + shifts[k])
        costs[k] += cost_of(lesson, i, c, answer) - cost_of(lesson, i, c, 0.0)
        slope = slope_of(lesson, i, c, answer)
        if slope == 0.0:
            continue
        slope_squares[k] += (slope * z) ** 2
        shift_squares[k] += slope**2
        by_slope = z / math.sqrt(slope_squares[k]) if slope_squares[k] > 0.0 else 0.0
        by_shift = with_shift / math.sqrt(shift_squares[k]) if shift_squares[k] > 0.0 else 0.0
        rate = bank.rates[i]
        step = rate * slope * damping(lesson, i, c, rate * (by_slope * z + by_shift))
        slopes[k] -= step * by_slope
        shifts[k] -= step * by_shift


@inlined
def learn_columns(
    bank: RegressionStumpsState, row: Row, n_outputs: int, lesson: Lesson, first: int, last: int
) -> None:
    """The columns in [first, last) learn, the stumps of every input that is not 0."""
    length = length_divided_by(row)
    for p in range(len(row.inputs)):
        j, x = row.input_indices[p], row.inputs[p] * length
        if x == 0.0:
            continue
        bank.met[j] += 1.0
        bank.largest[j] = max(bank.largest[j], abs(x))
        learn_input(bank, j, x / bank.largest[j], n_outputs, lesson, first, last)


@body(bank_predict, RegressionStumpsState)
def predict(bank: RegressionStumpsState, row: Row, votes: Scores, live: Flags) -> None:
    """Every learner answers."""
    live[:] = True
    answer_columns(bank, row, votes.reshape(votes.size), np.empty(votes.size), 0, votes.size)


@body(bank_predict_at, RegressionStumpsState)
def predict_at(bank: RegressionStumpsState, i: int, row: Row, votes: Scores) -> None:
    """Learner i answers."""
    n_outputs = votes.shape[1]
    best = np.empty(votes.size)
    answer_columns(bank, row, votes.reshape(votes.size), best, i * n_outputs, (i + 1) * n_outputs)


@body(bank_update, RegressionStumpsState)
def update(bank: RegressionStumpsState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every learner learns."""
    learn_columns(bank, row, votes.shape[1], lesson, 0, votes.size)


@body(bank_replace, RegressionStumpsState)
def replace(bank: RegressionStumpsState, i: int, seed: int) -> None:
    """A fresh learner in place of i."""
    n_outputs = bank.slopes.shape[1] // len(bank.rates)
    for table in (bank.slopes, bank.shifts, bank.slope_squares, bank.shift_squares, bank.costs):
        table[:, i * n_outputs : (i + 1) * n_outputs] = 0.0
