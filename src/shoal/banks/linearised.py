"""Learners of linear losses, taught any loss: each by the slope of the loss at its own answer.

The regret for the losses is at most that for their tangents, since they are convex. Banks that take a lesson
as a linear loss, target -sign(slope) and weight |slope|, such as projected gradient descent, need this
where the loss itself is taught (`fit="actual"`); a lesson that is linear already passes unchanged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from shoal.banks.regression_lessons import slope_of
from shoal.boosters.regression_losses import LINEAR
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.types import Flags, Lesson, Row, Scores, Space, Task


class LinearisedState(NamedTuple):
    """The bank's own."""

    n_learners: int
    inner: Any


@dataclass(frozen=True)
class Linearised:
    """A bank of learners of linear losses, for any loss."""

    bank: Any

    @property
    def n_learners(self) -> int:
        """How many."""
        return int(self.bank.n_learners)

    def init(self, space: Space, task: Task, seed: int) -> LinearisedState:
        """Learners that have seen nothing."""
        return LinearisedState(self.n_learners, self.bank.init(space, task, seed))

    def grow(self, state: LinearisedState, space: Space) -> LinearisedState:
        """Room for the features of a larger space."""
        return state._replace(inner=self.bank.grow(state.inner, space))

    def widen(self, state: LinearisedState, task: Task) -> LinearisedState:
        """Targets do not grow in number."""
        return state


@inlined
def tangents(votes: Scores, lesson: Lesson) -> Lesson:
    """The lesson as linear losses."""
    n, d = votes.shape
    linear = Lesson(np.empty((n, d)), np.empty((n, d)), np.zeros((n, d)), np.ones((n, d)), np.zeros(2))
    linear.loss[0] = LINEAR
    for i in range(n):
        for c in range(d):
            slope = slope_of(lesson, i, c, votes[i, c])
            linear.target[i, c] = -math.copysign(1.0, slope)
            linear.weight[i, c] = abs(slope)
    return linear


@body(bank_predict, LinearisedState)
def predict(bank: LinearisedState, row: Row, votes: Scores, live: Flags) -> None:
    """Every learner answers."""
    bank_predict(bank.inner, row, votes, live)


@body(bank_predict_at, LinearisedState)
def predict_at(bank: LinearisedState, i: int, row: Row, votes: Scores) -> None:
    """Learner i answers."""
    bank_predict_at(bank.inner, i, row, votes)


@body(bank_update, LinearisedState)
def update(bank: LinearisedState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every learner learns; from a linear loss as it is, whatever it answered."""
    if lesson.loss[0] == LINEAR:
        bank_update(bank.inner, row, votes, lesson)
    else:
        bank_update(bank.inner, row, votes, tangents(votes, lesson))


@body(bank_update_at, LinearisedState)
def update_at(bank: LinearisedState, i: int, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Learner i learns."""
    bank_update_at(bank.inner, i, row, votes, lesson if lesson.loss[0] == LINEAR else tangents(votes, lesson))


@body(bank_replace, LinearisedState)
def replace(bank: LinearisedState, i: int, seed: int) -> None:
    """A fresh learner in place of i."""
    bank_replace(bank.inner, i, seed)
