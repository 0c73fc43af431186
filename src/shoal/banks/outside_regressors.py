"""A bank of outside regressors: scikit-learn's with partial_fit, River's, or any with the same methods.

They fit numbers by least squares, or something like it, and are given what is left over: of the squared loss
weight * (target - offset - step * a)^2 the residual (target - offset) / step, at the example's weight
(specification C.6). Of another loss they are given its slope k at their own answer, as the target -sign(k) at
weight |k|. Rows are raw, as `shoal.banks.outside` has them; answers are cut to [-1, 1]. With several targets
there is a clone for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from shoal.banks.estimators import Sight, Terms, regression_adapter
from shoal.banks.outside import OutsideState, learn_names, seed_of, show, sight
from shoal.banks.regression_lessons import cut, least_squares
from shoal.errors import InputError
from shoal.kernels.compiler import python_body
from shoal.kernels.random import learner_keys
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.types import Flags, Lesson, Row, Scores, Space, Task


class OutsideRegressorsState(NamedTuple):
    """The clone of learner i for target c is the learner i * C + c of `inner`."""

    n_outputs: int
    inner: OutsideState


@dataclass(frozen=True, eq=False)
class OutsideRegressors:
    """A bank of outside regressors.

    estimators: one per learner. They are prototypes: the bank learns on clones, seeded where their own
        random_state or seed is None.
    width: columns of the dense rows where the number of features is open; feature j is in column j % width.
    """

    estimators: tuple[Any, ...]
    width: int = 1024

    @property
    def n_learners(self) -> int:
        """One per estimator."""
        return len(self.estimators)

    def init(self, space: Space, task: Task, seed: int) -> OutsideRegressorsState:
        """Clones that have seen nothing."""
        if task.kind != "regression":
            raise InputError(f"outside regressors answer with numbers; the task is {task.kind!r}.")
        if not self.estimators:
            raise InputError("estimators is empty; expected at least one.")
        terms = Terms((), space.n_features if space.settled else self.width, True)
        each = [estimator for estimator in self.estimators for _ in range(task.n_outputs)]
        keys = learner_keys(seed, len(each))
        learners = [
            regression_adapter(estimator)(estimator, terms, seed_of(seed, key))
            for estimator, key in zip(each, keys, strict=True)
        ]
        all_see_all = np.zeros((0, len(each)), dtype=np.bool_)
        inner = OutsideState(
            learners, keys, np.zeros(len(each), dtype=np.int64), all_see_all, [], not space.settled
        )
        return self.grow(OutsideRegressorsState(task.n_outputs, inner), space)

    def grow(self, state: OutsideRegressorsState, space: Space) -> OutsideRegressorsState:
        """The features of a larger space."""
        learn_names(state.inner.names, space)
        return state

    def widen(self, state: OutsideRegressorsState, task: Task) -> OutsideRegressorsState:
        """Targets do not grow in number."""
        return state


@python_body(bank_predict, OutsideRegressorsState)
def predict(bank: OutsideRegressorsState, row: Row, votes: Scores, live: Flags) -> None:
    """Every estimator that has learned answers."""
    x = sight(bank.inner, row, 0)
    for i in range(len(votes)):
        live[i] = cast(bank, i, x, votes)


@python_body(bank_predict_at, OutsideRegressorsState)
def predict_at(bank: OutsideRegressorsState, i: int, row: Row, votes: Scores) -> None:
    """Estimator i answers."""
    cast(bank, i, sight(bank.inner, row, 0), votes)


def cast(bank: OutsideRegressorsState, i: int, x: Sight, votes: Scores) -> bool:
    """Write learner i's answers, 0 where it has none; answers whether it has all."""
    there = True
    for c in range(bank.n_outputs):
        answer = bank.inner.learners[i * bank.n_outputs + c].vote(x)
        votes[i, c] = 0.0 if answer is None else cut(float(answer[0]))
        there = there and answer is not None
    return there


@python_body(bank_update, OutsideRegressorsState)
def update(bank: OutsideRegressorsState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every estimator learns."""
    x = sight(bank.inner, row, 0)
    for i in range(len(votes)):
        teach(bank, i, x, votes, lesson)


@python_body(bank_update_at, OutsideRegressorsState)
def update_at(bank: OutsideRegressorsState, i: int, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Estimator i learns."""
    teach(bank, i, sight(bank.inner, row, 0), votes, lesson)


def teach(bank: OutsideRegressorsState, i: int, x: Sight, votes: Scores, lesson: Lesson) -> None:
    """Estimator i learns from a row that all see alike."""
    for c in range(bank.n_outputs):
        target, weight = least_squares(lesson, i, c, float(votes[i, c]))
        if weight > 0.0:
            show(bank.inner, i * bank.n_outputs + c, x, target, weight)


@python_body(bank_replace, OutsideRegressorsState)
def replace(bank: OutsideRegressorsState, i: int, seed: int) -> None:
    """Fresh clones in place of i."""
    for k in range(i * bank.n_outputs, (i + 1) * bank.n_outputs):
        bank.inner.learners[k] = bank.inner.learners[k].renewed(seed_of(seed, bank.inner.keys[k]))
