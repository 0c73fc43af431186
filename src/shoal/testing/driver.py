"""Rows to learn from, and a bank by itself to learn them."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from shoal.ensemble import Bank
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.scaling import Scaling, scale_row
from shoal.streams.rows import to_rows
from shoal.types import Flags, Floats, Ints, Lesson, Row, Scores, Space, Task

N_FEATURES = 6
N_EXAMPLES = 60


def task_of(n_classes: int) -> Task:
    """Classification with that many classes."""
    return Task("classification", 1 if n_classes == 2 else n_classes)


def sample(n_classes: int, n: int = N_EXAMPLES, d: int = N_FEATURES, seed: int = 0) -> tuple[Floats, Ints]:
    """Rows with zeros, missing values and features of several kinds, and classes that depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, ::3] = X[:, ::3] > 0.0
    X[:, 1::3] *= rng.random((n, len(range(1, d, 3)))) < 0.5
    total = X.sum(axis=1)
    y = np.digitize(total, np.quantile(total, np.arange(1, n_classes) / n_classes))
    X[rng.random((n, d)) < 0.1] = np.nan
    return X, y


def reserved(part: Any, state: Any, n_rows: int) -> Any:
    """The state of a bank or rule with room to learn that many rows, where it has to make room."""
    return part.reserve(state, n_rows) if hasattr(part, "reserve") else state


def settled(part: Any, state: Any) -> Any:
    """The state of a bank without the room that learning did not need, where it can give room back."""
    return part.settle(state) if hasattr(part, "settle") else state


class BankDriver:
    """A bank by itself, row by row, without booster or rule."""

    def __init__(self, bank: Bank, space: Space, task: Task, seed: int) -> None:
        self.bank, self.space, self.task = bank, space, task
        self.state = bank.init(space, task, seed)

    def row(self, x: Floats) -> Row:
        """A dense row as learners see it."""
        rows = to_rows(x[None, :])
        inputs, input_indices = np.zeros(len(x) + 1), np.zeros(len(x) + 1, dtype=np.int32)
        scaling = Scaling().init(self.space.capacity)
        n = scale_row(scaling, self.space.n_features, rows.indices, rows.values, input_indices, inputs)
        return Row(rows.indices, rows.values, input_indices[:n], inputs[:n])

    def lesson(self, y: int, weights: Floats) -> Lesson:
        """The truth for every learner, each with its weight."""
        shape = (self.bank.n_learners, self.task.n_outputs)
        classes = np.array([1]) if self.task.n_outputs == 1 else np.arange(self.task.n_outputs)
        target = np.broadcast_to(np.where(classes == y, 1.0, -1.0), shape)
        return Lesson(np.ascontiguousarray(target), np.ascontiguousarray(np.broadcast_to(weights[:, None], shape)))

    def predict(self, x: Floats) -> tuple[Scores, Flags]:
        """(votes, live)."""
        votes = np.zeros((self.bank.n_learners, self.task.n_outputs))
        live = np.ones(self.bank.n_learners, dtype=np.bool_)
        bank_predict(self.state, self.row(x), votes, live)
        return votes, live

    def predict_at(self, i: int, x: Floats) -> Floats:
        """Learner i's vote."""
        votes = np.zeros((self.bank.n_learners, self.task.n_outputs))
        bank_predict_at(self.state, i, self.row(x), votes)
        return votes[i]

    def update(self, x: Floats, y: int, weights: Floats) -> None:
        """Every learner learns that x is of class y, learner i with weights[i]."""
        self.state = reserved(self.bank, self.state, 1)
        bank_update(self.state, self.row(x), self.predict(x)[0], self.lesson(y, weights))
        self.state = settled(self.bank, self.state)

    def update_at(self, i: int, x: Floats, y: int, votes: Scores, weights: Floats) -> None:
        """Learner i learns, given the votes of all."""
        self.state = reserved(self.bank, self.state, 1)
        bank_update_at(self.state, i, self.row(x), votes, self.lesson(y, weights))
        self.state = settled(self.bank, self.state)

    def replace(self, i: int, seed: int) -> None:
        """A fresh learner in place of i."""
        bank_replace(self.state, i, seed)

    def grow(self, space: Space) -> None:
        """Room for the features of a larger space."""
        self.state, self.space = self.bank.grow(self.state, space), space

    def widen(self, task: Task) -> None:
        """Room for more classes."""
        self.state, self.task = self.bank.widen(self.state, task), task

    def twin(self) -> BankDriver:
        """A copy that goes its own way."""
        return copy.deepcopy(self)
