"""Perceptrons with importance weights (specification B.7).

A learner adds `weight * y * x` to its weights when its answer r = <w, x> has the wrong sign, and votes
r / max(1, |w|), which is in [-1, 1] because rows have at most unit length. K > 2 classes: K such
learners side by side, one against the rest.

An example costs its non-zeros times the learners, whatever the number of features (with scaling "unit"
or None). A missing value counts as nothing: it is left out of the scaled row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.banks.linear import (
    Weights,
    add_to,
    first_weights,
    forget_learner,
    grown,
    margins,
    margins_at,
    widened,
)
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.types import Flags, Floats, Lesson, Row, Scores, Space, Task


class PerceptronState(NamedTuple):
    """Weights, and room for one step of each."""

    weights: Weights
    steps: Floats  # (N * C,) scratch


@dataclass(frozen=True)
class Perceptrons:
    """A bank of Perceptrons.

    n_learners: how many.
    feature_fraction: share of the columns that each learner sees, in (0, 1].
    noise: standard deviation of the random first weights, so that learners differ.
    """

    n_learners: int = 100
    feature_fraction: float = 1.0
    noise: float = 1e-3

    def init(self, space: Space, task: Task, seed: int) -> PerceptronState:
        """Learners that have seen nothing."""
        weights = first_weights(self.n_learners, self.feature_fraction, self.noise, space, task, seed)
        return PerceptronState(weights, np.zeros(self.n_learners * task.n_outputs))

    def grow(self, state: PerceptronState, space: Space) -> PerceptronState:
        """Room for the features of a larger space."""
        return state._replace(weights=grown(state.weights, self.feature_fraction, space))

    def widen(self, state: PerceptronState, task: Task) -> PerceptronState:
        """Room for more classes."""
        return PerceptronState(widened(state.weights, task), np.zeros(self.n_learners * task.n_outputs))


@inlined
def as_vote(margin: float, square: float) -> float:
    """A margin over the length of its weights, in [-1, 1] even for a row longer than 1."""
    return min(1.0, max(-1.0, margin / max(1.0, math.sqrt(max(square, 0.0)))))


@body(bank_predict, PerceptronState, allocates=False)
def predict(bank: PerceptronState, row: Row, votes: Scores, live: Flags) -> None:
    """Every Perceptron votes."""
    margins(bank.weights, row, votes)
    live[:] = True
    flat, squares = votes.reshape(votes.size), bank.weights.squares
    for k in range(len(flat)):
        flat[k] = as_vote(flat[k], squares[k])


@body(bank_predict_at, PerceptronState, allocates=False)
def predict_at(bank: PerceptronState, i: int, row: Row, votes: Scores) -> None:
    """Perceptron i votes."""
    margins_at(bank.weights, i, row, votes)
    n_outputs = votes.shape[1]
    for c in range(n_outputs):
        votes[i, c] = as_vote(votes[i, c], bank.weights.squares[i * n_outputs + c])


@inlined
def learn_columns(bank: PerceptronState, row: Row, votes: Scores, lesson: Lesson, first: int, last: int) -> None:
    """Move the columns in [first, last) whose answer was on the wrong side."""
    size, steps = votes.size, bank.steps[first:last]
    answers, targets = votes.reshape(size)[first:last], lesson.target.reshape(size)[first:last]
    weights = lesson.weight.reshape(size)[first:last]
    n_wrong = 0
    for k in range(len(steps)):
        mistaken = targets[k] * answers[k] <= 0.0
        steps[k] = weights[k] * targets[k] if mistaken else 0.0
        n_wrong += mistaken
    if n_wrong > 0:
        add_to(bank.weights, row, bank.steps, first, last)


@body(bank_update, PerceptronState, allocates=False)
def update(bank: PerceptronState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every Perceptron learns."""
    learn_columns(bank, row, votes, lesson, 0, votes.size)


@body(bank_update_at, PerceptronState, allocates=False)
def update_at(bank: PerceptronState, i: int, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Perceptron i learns."""
    learn_columns(bank, row, votes, lesson, i * votes.shape[1], (i + 1) * votes.shape[1])


@body(bank_replace, PerceptronState, allocates=False)
def replace(bank: PerceptronState, i: int, seed: int) -> None:
    """A fresh Perceptron in place of i."""
    forget_learner(bank.weights, i, seed)
