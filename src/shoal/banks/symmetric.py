"""Pairs of learners, one of them negated: for classes of functions that are not symmetric (specification C.1).

    answer = p * a - (1 - p) * b

The second of a pair is taught the loss of its negated answer; p comes from Hedge on the two losses, each
less the loss of answering 0, in steps that adapt to what the losses differ by (regret 2 sqrt(log(2) V), V the
sum of squared differences). Of 2 N learners of a bank the first N are the first of the pairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from shoal.banks.regression_lessons import cost_of
from shoal.boosters.regression_losses import LINEAR
from shoal.errors import InputError
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import bank_predict, bank_replace, bank_update
from shoal.types import Flags, Floats, Lesson, Row, Scores, Space, Task


class SymmetricState(NamedTuple):
    """leads: (N, 2) by how much the second of each pair has lost more, and the sum of squared differences."""

    inner: Any
    leads: Floats


@dataclass(frozen=True)
class Symmetric:
    """Pairs made of a bank of an even number of learners."""

    bank: Any

    @property
    def n_learners(self) -> int:
        """How many pairs."""
        return int(self.bank.n_learners) // 2

    def init(self, space: Space, task: Task, seed: int) -> SymmetricState:
        """Pairs that have seen nothing."""
        if self.bank.n_learners % 2:
            raise InputError(f"the bank has {self.bank.n_learners} learners; expected an even number, for pairs.")
        return SymmetricState(self.bank.init(space, task, seed), np.zeros((self.n_learners, 2)))

    def grow(self, state: SymmetricState, space: Space) -> SymmetricState:
        """Room for the features of a larger space."""
        return state._replace(inner=self.bank.grow(state.inner, space))

    def widen(self, state: SymmetricState, task: Task) -> SymmetricState:
        """Targets do not grow in number."""
        return state


@inlined
def share(leads: Floats, i: int) -> float:
    """The weight p of the first of pair i."""
    if leads[i, 1] == 0.0:
        return 0.5
    a = math.sqrt(math.log(2.0) / leads[i, 1]) * leads[i, 0]
    return 1.0 / (1.0 + math.exp(-min(max(a, -40.0), 40.0)))


@inlined
def inner_votes(bank: SymmetricState, row: Row, n: int, d: int) -> tuple[Scores, Flags]:
    """What all learners say."""
    votes, live = np.zeros((2 * n, d)), np.ones(2 * n, dtype=np.bool_)
    bank_predict(bank.inner, row, votes, live)
    return votes, live


@body(bank_predict, SymmetricState)
def predict(bank: SymmetricState, row: Row, votes: Scores, live: Flags) -> None:
    """Every pair answers; a learner that abstains says 0."""
    n, d = votes.shape
    said, awake = inner_votes(bank, row, n, d)
    for i in range(n):
        p = share(bank.leads, i)
        live[i] = awake[i] or awake[n + i]
        for c in range(d):
            first = said[i, c] if awake[i] else 0.0
            second = said[n + i, c] if awake[n + i] else 0.0
            votes[i, c] = p * first - (1.0 - p) * second


@body(bank_update, SymmetricState)
def update(bank: SymmetricState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Both of every pair learn, and Hedge from their losses."""
    n, d = votes.shape
    said, _ = inner_votes(bank, row, n, d)
    shape, is_linear = (2 * n, d), lesson.loss[0] == LINEAR
    both = Lesson(np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape), lesson.loss)
    for i in range(n):
        difference = 0.0
        for c in range(d):
            turned = -lesson.target[i, c]  # banks of linear losses do not look at the step
            for side in range(2):
                k = side * n + i
                both.target[k, c] = turned if side == 1 and is_linear else lesson.target[i, c]
                both.weight[k, c] = lesson.weight[i, c]
                both.offset[k, c] = lesson.offset[i, c]
                both.step[k, c] = -lesson.step[i, c] if side == 1 and not is_linear else lesson.step[i, c]
            difference += cost_of(both, n + i, c, said[n + i, c]) - cost_of(both, i, c, said[i, c])
        bank.leads[i, 0] += difference
        bank.leads[i, 1] += difference * difference
    bank_update(bank.inner, row, said, both)


@body(bank_replace, SymmetricState)
def replace(bank: SymmetricState, i: int, seed: int) -> None:
    """A fresh pair in place of i."""
    n = len(bank.leads)
    bank_replace(bank.inner, i, seed)
    bank_replace(bank.inner, n + i, seed)
    bank.leads[i] = 0.0
