"""Small neural networks: one layer of sigmoid units, ten by default, and a linear output (specification C.9).

    s_h = 1 / (1 + exp(-<U_h, x>)),    answer = sum of v_h s_h + c, cut to [-1, 1]

trained by adaptive gradient steps (Duchi, Hazan and Singer 2011) on the scaled row, bias in front. The first
weights of the hidden units are random, made from the learner's key and the feature's; v and c begin at 0, so a
network that has seen nothing answers 0. A missing value counts as nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.banks.checks import Turns, check_least, check_size, in_turn
from shoal.banks.linear import BIAS_KEY
from shoal.banks.regression_lessons import cut, longer, slope_of
from shoal.errors import InputError
from shoal.kernels.compiler import body, compiled, inlined
from shoal.kernels.random import learner_keys, mix, normal
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.types import Flags, Floats, Keys, Lesson, Row, Scores, Space, Task

HIDDEN = np.uint64(0x48696464656E0001)  # keeps these random numbers apart from others made with the same seed
FAR = 40.0  # beyond this a sigmoid is 0 or 1 in double precision


class MLPState(NamedTuple):
    """Column i * C + c belongs to output c of learner i; its unit h is column (i * C + c) * H + h of `hidden`."""

    rates: Floats  # (N,)
    noise: float
    keys: Keys  # (N,)
    features: Keys  # (known + 1,) the bias' key, then those of the features
    hidden: Floats  # (capacity + 1, N * C * H) U
    hidden_squares: Floats  # sums of squared slopes, for the steps
    outer: Floats  # (N * C, H + 1) v, then c
    outer_squares: Floats


@dataclass(frozen=True)
class MLP:
    """A bank of two-layer networks.

    rate: of learning, one number or several that learners take in turn.
    n_hidden: sigmoid units.
    noise: standard deviation of the units' random first weights.
    """

    n_learners: int = 20
    rate: Turns = 0.1
    n_hidden: int = 10
    noise: float = 2.0

    def check(self) -> None:
        """Refuse parameters that have no meaning."""
        check_size(self.n_learners, 1.0)
        in_turn("rate", self.rate, 1)
        check_least("noise", self.noise, 0.0)
        if not self.n_hidden >= 1:
            raise InputError(f"n_hidden is {self.n_hidden!r}; expected a whole number from 1 on.")

    def init(self, space: Space, task: Task, seed: int) -> MLPState:
        """Learners that have seen nothing."""
        self.check()
        width = self.n_learners * task.n_outputs
        keys = learner_keys(seed, self.n_learners)
        nothing, outer = np.zeros((0, width * self.n_hidden)), np.zeros((width, self.n_hidden + 1))
        rates = in_turn("rate", self.rate, self.n_learners)
        none = np.zeros(0, dtype=np.uint64)
        state = MLPState(rates, float(self.noise), keys, none, nothing, nothing, outer, np.zeros_like(outer))
        return self.grow(state, space)

    def grow(self, state: MLPState, space: Space) -> MLPState:
        """Room for the features of a larger space."""
        hidden = longer(state.hidden, space.capacity)
        hidden_squares = longer(state.hidden_squares, space.capacity)
        features = np.concatenate([np.array([BIAS_KEY]), space.keys])
        known = len(state.features)
        begin(hidden, state.keys, features, known, 0, len(state.keys), state.noise)
        return state._replace(features=features, hidden=hidden, hidden_squares=hidden_squares)

    def widen(self, state: MLPState, task: Task) -> MLPState:
        """Targets do not grow in number."""
        return state


@compiled
def begin(hidden: Floats, keys: Keys, features: Keys, known: int, first: int, last: int, noise: float) -> None:
    """First weights of the learners in [first, last), for the inputs from `known` on."""
    width = hidden.shape[1] // len(keys)
    for j in range(known, len(features)):
        for i in range(first, last):
            for u in range(width):
                key = mix(mix(mix(keys[i], HIDDEN), features[j]), np.uint64(u))
                hidden[j, i * width + u] = noise * normal(key)


@inlined
def units(bank: MLPState, row: Row, out: Floats, first: int, last: int) -> None:
    """What the hidden units in [first, last) say."""
    out[first:last] = 0.0
    for p in range(len(row.inputs)):
        x, weight = row.inputs[p], bank.hidden[row.input_indices[p]]
        for u in range(first, last):
            out[u] += weight[u] * x
    for u in range(first, last):
        out[u] = 1.0 / (1.0 + math.exp(-min(max(out[u], -FAR), FAR)))


@inlined
def answer_columns(bank: MLPState, row: Row, out: Floats, first: int, last: int) -> None:
    """The answers of the columns in [first, last), cut."""
    n_hidden = bank.outer.shape[1] - 1
    said = np.empty(bank.hidden.shape[1])
    units(bank, row, said, first * n_hidden, last * n_hidden)
    for k in range(first, last):
        total = bank.outer[k, n_hidden]
        for h in range(n_hidden):
            total += bank.outer[k, h] * said[k * n_hidden + h]
        out[k] = cut(total)


@inlined
def descend(weight: Floats, squares: Floats, at: int, rate: float, slope: float) -> None:
    """One adaptive step of one weight."""
    if slope != 0.0:
        squares[at] += slope * slope
        weight[at] -= rate * slope / math.sqrt(squares[at])


@inlined
def learn_columns(bank: MLPState, row: Row, votes: Scores, lesson: Lesson, first: int, last: int) -> None:
    """One step of back-propagation of the columns in [first, last)."""
    n_hidden, n_outputs = bank.outer.shape[1] - 1, votes.shape[1]
    said = np.empty(bank.hidden.shape[1])
    units(bank, row, said, first * n_hidden, last * n_hidden)
    for k in range(first, last):
        i, c = k // n_outputs, k % n_outputs
        slope, rate = slope_of(lesson, i, c, votes[i, c]), bank.rates[i]
        outer, squares = bank.outer[k], bank.outer_squares[k]
        for h in range(n_hidden):
            s, v = said[k * n_hidden + h], outer[h]
            said[k * n_hidden + h] = slope * v * s * (1.0 - s)
            descend(outer, squares, h, rate, slope * s)
        descend(outer, squares, n_hidden, rate, slope)
    for p in range(len(row.inputs)):
        x, j = row.inputs[p], row.input_indices[p]
        weight, squares = bank.hidden[j], bank.hidden_squares[j]
        for u in range(first * n_hidden, last * n_hidden):
            descend(weight, squares, u, bank.rates[u // (n_hidden * n_outputs)], said[u] * x)


@body(bank_predict, MLPState)
def predict(bank: MLPState, row: Row, votes: Scores, live: Flags) -> None:
    """Every learner answers."""
    live[:] = True
    answer_columns(bank, row, votes.reshape(votes.size), 0, votes.size)


@body(bank_predict_at, MLPState)
def predict_at(bank: MLPState, i: int, row: Row, votes: Scores) -> None:
    """Learner i answers."""
    answer_columns(bank, row, votes.reshape(votes.size), i * votes.shape[1], (i + 1) * votes.shape[1])


@body(bank_update, MLPState)
def update(bank: MLPState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every learner learns."""
    learn_columns(bank, row, votes, lesson, 0, votes.size)


@body(bank_update_at, MLPState)
def update_at(bank: MLPState, i: int, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Learner i learns."""
    learn_columns(bank, row, votes, lesson, i * votes.shape[1], (i + 1) * votes.shape[1])


@body(bank_replace, MLPState)
def replace(bank: MLPState, i: int, seed: int) -> None:
    """A fresh learner in place of i, of another seed."""
    n = len(bank.keys)
    bank.keys[i] = mix(mix(np.uint64(seed), HIDDEN), bank.keys[i])
    width, columns = bank.hidden.shape[1] // n, len(bank.outer) // n
    begin(bank.hidden, bank.keys, bank.features, 0, i, i + 1, bank.noise)
    bank.hidden_squares[:, i * width : (i + 1) * width] = 0.0
    bank.outer[i * columns : (i + 1) * columns] = 0.0
    bank.outer_squares[i * columns : (i + 1) * columns] = 0.0
