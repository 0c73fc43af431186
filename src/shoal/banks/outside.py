"""A bank of outside estimators: scikit-learn's with partial_fit, River's, or any with the same methods.

Their rows are raw, not scaled. scikit-learn's get dense rows, in which a missing value is 0; River's get
dicts by feature name without the missing values, and without the zeros where the space is open. An
estimator that takes example weights is given them; to any other an example of weight w is shown floor(w)
times, and once more with the probability that is left (rejection sampling), by numbers that depend on
nothing but the learner and how many lessons it had.

A bank of Python objects runs as plain Python. An estimator that refuses a lesson ends it with an error:
the learners before it have learned, itself and those behind it have not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat
from typing import Any, ClassVar, NamedTuple

import numpy as np

from shoal.banks.arrays import longer
from shoal.banks.estimators import ByRows, OneByOne, Outside, Sight, Terms, adapter, refuse_two_class
from shoal.banks.subsets import seen_by
from shoal.errors import InputError
from shoal.kernels.compiler import compiled, python_body
from shoal.kernels.random import learner_keys, mix, uniform
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.types import Flags, Ints, Keys, Lesson, Row, Scores, Space, Task

SEED = np.uint64(0x4F75747365656401)  # these keep numbers apart that are made with the same key
TIMES = np.uint64(0x54696D6573000001)
SEED_SHIFT = np.uint64(33)  # estimators take seeds of 31 bits


class OutsideState(NamedTuple):
    """The estimators and how rows are put to them."""

    learners: list[Outside]
    keys: Keys  # (N,) one per learner
    lessons: Ints  # (N,) lessons of a weight above 0, which number the draws
    seen: Flags  # (d, N) whether the learner sees the feature; or (0, N) where all see all
    names: list[Any]  # of the features
    sparse: bool  # whether dicts leave zeros out


@dataclass(frozen=True, eq=False)
class OutsideBank:
    """A bank of outside estimators.

    estimators: one per learner. They are prototypes: the bank learns on clones, seeded where their own
        random_state or seed is None.
    feature_fraction: share of the columns that each learner sees, in (0, 1].
    fitted: the estimators have been fitted elsewhere: they are used as they are and never taught.
    labels: what fitted estimators call the classes, in order; by default `classes_` of the first that has
        it, else 0, 1, ...
    width: columns of the dense rows where the number of features is open; feature j is in column j % width.
    """

    knows_classes: ClassVar[bool] = True  # one lesson teaches all classes

    estimators: tuple[Any, ...]
    feature_fraction: float = 1.0
    fitted: bool = False
    labels: tuple[Any, ...] | None = None
    width: int = 1024

    @property
    def n_learners(self) -> int:
        """One per estimator."""
        return len(self.estimators)

    def check(self, task: Task) -> None:
        """Refuse estimators that cannot do the task."""
        if task.kind != "classification":
            raise InputError(f"outside estimators classify; the task is {task.kind!r}.")
        if not self.estimators:
            raise InputError("estimators is empty; expected at least one.")
        if not 0.0 < self.feature_fraction <= 1.0:
            raise InputError(f"feature_fraction is {self.feature_fraction!r}; expected a share in (0, 1].")
        for i, estimator in enumerate(self.estimators):
            if self.fitted and not is_trained(estimator):
                raise InputError(
                    f"learner {i}, {type(estimator).__name__}, was not fitted, and frozen learners are used as "
                    "they are: fit it first, or let frozen be the number of examples to teach it from."
                )
            if kind_of(estimator, self.fitted) is OneByOne and task.n_classes > 2:
                refuse_two_class(estimator)

    def terms(self, space: Space, task: Task) -> Terms:
        """What the estimators are given and asked."""
        named = [tuple(e.classes_) for e in self.estimators if self.fitted and hasattr(e, "classes_")]
        labels = self.labels or next(iter(named), tuple(range(task.n_classes)))
        if len(labels) != task.n_classes:
            raise InputError(f"fitted estimators know {len(labels)} classes; the task has {task.n_classes}.")
        return Terms(labels, space.n_features if space.settled else self.width, not self.fitted)

    def init(self, space: Space, task: Task, seed: int) -> OutsideState:
        """Clones that have seen nothing."""
        self.check(task)
        keys = learner_keys(seed, self.n_learners)
        terms = self.terms(space, task)
        learners = [
            kind_of(estimator, self.fitted)(estimator, terms, seed_of(seed, key))
            for estimator, key in zip(self.estimators, keys, strict=True)
        ]
        nothing = np.zeros((0, self.n_learners), dtype=np.bool_)
        state = OutsideState(learners, keys, np.zeros(len(keys), dtype=np.int64), nothing, [], not space.settled)
        return self.grow(state, space)

    def grow(self, state: OutsideState, space: Space) -> OutsideState:
        """The features of a larger space."""
        known, seen = len(state.names), state.seen
        if self.feature_fraction < 1.0:
            seen = longer(seen, space.capacity)
            seen[known : space.n_features] = seen_by(space, self.feature_fraction, state.keys, first=known)
        learn_names(state.names, space)
        return state._replace(seen=seen)

    def widen(self, state: OutsideState, task: Task) -> OutsideState:
        """Room for more classes, where every estimator can take them."""
        labels = tuple(range(task.n_classes))
        learners = [learner.widened(learner.terms._replace(labels=labels)) for learner in state.learners]
        return state._replace(learners=learners)


def is_trained(estimator: Any) -> bool:
    """Whether an estimator of scikit-learn's says that it was fitted; others are taken at their word."""
    from sklearn.base import BaseEstimator
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    if not isinstance(estimator, BaseEstimator):
        return True
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return False
    return True


def learn_names(names: list[Any], space: Space) -> None:
    """Note the features that are new in the space."""
    names.extend(space.name_of(j) for j in range(len(names), space.n_features))


def kind_of(estimator: Any, fitted: bool) -> type[Outside]:
    """How to deal with the estimator; a fitted one need not be able to learn."""
    if fitted and hasattr(estimator, "predict"):
        return ByRows
    return adapter(estimator)


@compiled
def _seed_of(seed: int, key: np.uint64) -> np.uint64:
    return mix(mix(np.uint64(seed), SEED), key) >> SEED_SHIFT


def seed_of(seed: int, key: np.uint64) -> int:
    """A learner's seed."""
    return int(_seed_of(seed, key))


@compiled
def draw(key: np.uint64, lesson: int) -> float:
    """A number in (0, 1) for a learner's lesson."""
    return uniform(mix(mix(key, TIMES), np.uint64(lesson)))


def times(bank: OutsideState, i: int, weight: float) -> int:
    """How often learner i is shown an example of that weight."""
    whole = math.floor(weight)
    return whole + int(draw(bank.keys[i], int(bank.lessons[i])) < weight - whole)


def sight(bank: OutsideState, row: Row, i: int) -> Sight:
    """The row as learner i sees it."""
    given = [p for p, j in enumerate(row.indices) if len(bank.seen) == 0 or bank.seen[j, i]]
    values = {bank.names[row.indices[p]]: float(row.values[p]) for p in given}
    named = values if bank.sparse else {**zeros(bank, i), **values}
    there = [p for p in given if not math.isnan(row.values[p])]
    present = {name: value for name, value in named.items() if not math.isnan(value)}
    return Sight([int(row.indices[p]) for p in there], row.values[there], present)


def sights(bank: OutsideState, row: Row) -> Iterable[Sight]:
    """The row as each learner sees it: the same for all where all see every feature."""
    if len(bank.seen) == 0:
        return repeat(sight(bank, row, 0), len(bank.learners))
    return (sight(bank, row, i) for i in range(len(bank.learners)))


def zeros(bank: OutsideState, i: int) -> dict[Any, float]:
    """The features learner i sees, all 0."""
    return {name: 0.0 for j, name in enumerate(bank.names) if len(bank.seen) == 0 or bank.seen[j, i]}


def cast(bank: OutsideState, i: int, x: Sight, votes: Scores) -> bool:
    """Write learner i's vote; answers whether it has one."""
    vote = bank.learners[i].vote(x)
    if vote is None:
        votes[i] = 0.0
    else:
        votes[i] = vote if votes.shape[1] > 1 else vote[1:]
    return vote is not None


def show(bank: OutsideState, i: int, x: Sight, target: float, weight: float) -> None:
    """Let learner i learn a class, or a number, as often or as strongly as the weight says."""
    learner = bank.learners[i]
    try:
        for _ in range(1 if learner.weighs else times(bank, i, weight)):
            learner.learn(x, target, weight if learner.weighs else 1.0)
    except Exception as error:
        name = type(learner.model).__name__
        raise InputError(f"learner {i}, {name}, refused an example: {error}") from error
    bank.lessons[i] += 1


@python_body(bank_predict, OutsideState)
def predict(bank: OutsideState, row: Row, votes: Scores, live: Flags) -> None:
    """Every estimator that has learned votes."""
    for i, x in enumerate(sights(bank, row)):
        live[i] = cast(bank, i, x, votes)


@python_body(bank_predict_at, OutsideState)
def predict_at(bank: OutsideState, i: int, row: Row, votes: Scores) -> None:
    """Estimator i votes."""
    cast(bank, i, sight(bank, row, i), votes)


@python_body(bank_update, OutsideState)
def update(bank: OutsideState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every estimator learns."""
    for i, x in enumerate(sights(bank, row)):
        teach(bank, i, x, lesson)


@python_body(bank_update_at, OutsideState)
def update_at(bank: OutsideState, i: int, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Estimator i learns."""
    teach(bank, i, sight(bank, row, i), lesson)


def teach(bank: OutsideState, i: int, x: Sight, lesson: Lesson) -> None:
    """Estimator i learns, unless it came fitted."""
    learner = bank.learners[i]
    k = int(np.argmax(lesson.target[i])) if lesson.target.shape[1] > 1 else int(lesson.target[i, 0] > 0.0)
    weight = float(lesson.weight[i, k if lesson.target.shape[1] > 1 else 0])
    if not learner.terms.taught or weight <= 0.0:
        return
    show(bank, i, x, k, weight)


@python_body(bank_replace, OutsideState)
def replace(bank: OutsideState, i: int, seed: int) -> None:
    """A fresh clone in place of i; one that came fitted stays."""
    bank.learners[i] = bank.learners[i].renewed(seed_of(seed, bank.keys[i]))
