"""Hoeffding trees: decision trees that grow while they learn (Domingos and Hulten 2000), many in one pool.

A leaf observes its examples; after every `grace_period` of weight it is split if the best split is better
than the next best beyond chance, by Hoeffding's bound (`hoeffding_split`). Leaves answer by majority or by
naive Bayes (`hoeffding_leaf`). Votes are 2 P(class | x) - 1, for two classes those for class 1; 0 before any
example. A tree knows K classes by itself, and takes importances as so many examples.

Values are taken as they come, not scaled; an absent feature is the value 0. A missing value is skipped by
leaves and goes with the majority at a branch. An update costs, per tree, the depth, the row's non-zeros,
and for adaptive leaves an answer, which costs the features times the classes.

Two departures from the usual implementations. A leaf that is nearly pure keeps observing, so that it can
still be split when the concept changes. And a leaf is tested only after a quarter of `grace_period`
*examples* also where these are heavy: a few heavy examples are little evidence, and memory can be bounded.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from shoal.banks.hoeffding_leaf import come_to_leaf, leaf_of, leaf_shares, learn_at
from shoal.banks.hoeffding_pool import (
    Features,
    Growth,
    HoeffdingState,
    give_tree_back,
    no_nodes,
    no_observers,
    no_pool,
    plant,
    plant_all,
    reserved,
    reshaped,
    settled,
    shed,
    slot_bytes,
    with_classes,
    with_features,
    with_room,
)
from shoal.banks.hoeffding_split import consider, is_due
from shoal.banks.naive_bayes import class_taught
from shoal.banks.subsets import seen_by
from shoal.errors import InputError
from shoal.kernels.compiler import body, inlined
from shoal.kernels.random import learner_keys
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.types import Flags, Floats, Ints, Lesson, Row, Scores, Space, Task

LEAST_EXAMPLES = 0.25  # of the grace period

LEAVES = ("adaptive", "naive_bayes", "majority")
CRITERIA = ("information", "gini")


@dataclass(frozen=True)
class HoeffdingTrees:
    """A bank of Hoeffding trees; they differ by the weights they are given and the columns they see.

    n_learners: how many.
    feature_fraction: share of the columns that each tree sees, in (0, 1].
    grace_period: weight that a leaf learns between two tests, above 0.
    delta: chance that a split is not the best one, in (0, 1).
    tau: a bound below this splits whatever the lead, from 0 on.
    criterion: "information" or "gini".
    leaves: "adaptive" (naive Bayes where it has been right for at least as much weight as the majority
        class), "naive_bayes" or "majority".
    n_splits: thresholds tried per numeric feature.
    max_nodes: nodes of one tree; beyond, it is not split.
    max_bytes: memory for the observations of one tree. Beyond, leaves with the least weight of classes other
        than their largest observe no more and answer by majority, until they promise more than others.
    """

    knows_classes: ClassVar[bool] = True  # one lesson teaches all classes
    heeds_weight: ClassVar[bool] = True  # an example of weight k teaches like k examples, but is heard only once

    n_learners: int = 100
    feature_fraction: float = 1.0
    grace_period: float = 200.0
    delta: float = 1e-7
    tau: float = 0.05
    criterion: str = "information"
    leaves: str = "adaptive"
    n_splits: int = 10
    max_nodes: int = 4095
    max_bytes: int = 1 << 22

    def check(self) -> None:
        """Refuse parameters that have no meaning."""
        if not self.n_learners >= 1:
            raise InputError(f"n_learners is {self.n_learners!r}; expected a whole number from 1 on.")
        if not 0.0 < self.feature_fraction <= 1.0:
            raise InputError(f"feature_fraction is {self.feature_fraction!r}; expected a share in (0, 1].")
        if not 0.0 < self.grace_period < math.inf:
            raise InputError(f"grace_period is {self.grace_period!r}; expected a weight above 0, such as 200.")
        if not 0.0 < self.delta < 1.0:
            raise InputError(f"delta is {self.delta!r}; expected a chance in (0, 1), such as 1e-7.")
        if not self.tau >= 0.0:
            raise InputError(f"tau is {self.tau!r}; expected a number from 0 on, such as 0.05.")
        if self.criterion not in CRITERIA:
            raise InputError(f"criterion is {self.criterion!r}; expected one of {', '.join(map(repr, CRITERIA))}.")
        if self.leaves not in LEAVES:
            raise InputError(f"leaves is {self.leaves!r}; expected one of {', '.join(map(repr, LEAVES))}.")
        if not self.n_splits >= 1:
            raise InputError(f"n_splits is {self.n_splits!r}; expected a whole number from 1 on, such as 10.")
        if not self.max_nodes >= 1:
            raise InputError(f"max_nodes is {self.max_nodes!r}; expected a whole number from 1 on.")
        if not self.max_bytes >= 1:
            raise InputError(f"max_bytes is {self.max_bytes!r}; expected a number of bytes, such as {1 << 22}.")

    def init(self, space: Space, task: Task, seed: int) -> HoeffdingState:
        """Trees of one leaf that has seen nothing."""
        self.check()
        if task.kind != "classification":
            raise InputError(
                f"Hoeffding trees take classes, not {task.kind}; choose another learner, such as 'sgd'."
            )
        n = self.n_learners
        state = HoeffdingState(
            growth=self._growth(space.capacity, task.n_classes),
            keys=learner_keys(seed, n),
            features=Features(
                known=0,
                seen=np.zeros((0, n), dtype=np.bool_),
                nominal=np.zeros(0, dtype=np.bool_),
                columns=np.zeros(0, dtype=np.uint64),
                categories=np.zeros(0),
            ),
            roots=np.zeros(n, dtype=np.int32),
            n_nodes=np.zeros(n, dtype=np.int64),
            n_slots=np.zeros(n, dtype=np.int64),
            nodes=no_nodes(task.n_classes),
            observers=no_observers(0, task.n_classes),
            pool=no_pool(),
        )
        state = with_room(self.grow(state, space), n, n)
        plant_all(state)
        return settled(state)

    def _growth(self, n_features: int, n_classes: int) -> Growth:
        return Growth(
            grace=float(self.grace_period),
            least_examples=max(1, math.ceil(LEAST_EXAMPLES * self.grace_period)),
            log_delta=math.log(1.0 / self.delta),
            tau=float(self.tau),
            gini=self.criterion == "gini",
            naive=self.leaves != "majority",
            majority=self.leaves != "naive_bayes",
            n_splits=int(self.n_splits),
            max_nodes=int(self.max_nodes),
            max_slots=max(1, int(self.max_bytes) // slot_bytes(n_features, n_classes)),
        )

    def grow(self, state: HoeffdingState, space: Space) -> HoeffdingState:
        """Room for the features of a larger space."""
        before, d = state.features, space.capacity
        new = slice(before.known, space.n_features)
        seen = before.seen
        if self.feature_fraction < 1.0:
            seen = reshaped(seen, (d, self.n_learners)).copy()
            seen[new] = seen_by(space, self.feature_fraction, state.keys, first=before.known)
        nominal = reshaped(before.nominal, (d,)).copy()
        nominal[new] = space.nominal[new]
        columns = reshaped(before.columns, (d,)).copy()
        columns[new] = space.columns[new]
        state = state._replace(
            growth=self._growth(d, state.nodes.classes.shape[1]),
            features=Features(space.n_features, seen, nominal, columns, _categories(space, d)),
            observers=with_features(state.observers, d),
        )
        shed(state)
        return state

    def widen(self, state: HoeffdingState, task: Task) -> HoeffdingState:
        """Room for more classes; trees keep what they know."""
        growth = self._growth(len(state.features.columns), task.n_classes)
        state = with_classes(state._replace(growth=growth), task.n_classes)
        shed(state)
        return state

    def reserve(self, state: HoeffdingState, n_rows: int) -> HoeffdingState:
        """Room for whatever that many more examples can bring about."""
        return reserved(state, n_rows)

    def settle(self, state: HoeffdingState) -> HoeffdingState:
        """Give back room that was reserved and not needed: what is left depends on the trees alone."""
        return settled(state)

    def describe(self, state: HoeffdingState) -> TreeSizes:
        """How large each tree is."""
        leaves = (state.n_nodes + 1) // 2
        return TreeSizes(state.n_nodes.copy(), leaves, state.n_slots.copy())


class TreeSizes(NamedTuple):
    """Per tree: nodes, leaves among them, leaves that observe."""

    nodes: Ints
    leaves: Ints
    observing: Ints


def _categories(space: Space, capacity: int) -> Floats:
    """How many features each feature's column has."""
    _, column_of, sizes = np.unique(space.columns, return_inverse=True, return_counts=True)
    return reshaped(sizes[column_of].astype(np.float64), (capacity,))


@inlined
def vote(bank: HoeffdingState, row: Row, votes: Scores, first: int, last: int) -> None:
    """Trees first to last vote."""
    n_classes = bank.nodes.classes.shape[1]
    shares, each = np.zeros(n_classes), np.zeros(n_classes)
    nodes, observers, features, growth = bank.nodes, bank.observers, bank.features, bank.growth
    for i in range(first, last):
        leaf = leaf_of(nodes, bank.roots[i], row)
        if not leaf_shares(nodes, observers, features, growth, i, leaf, row, shares, each):
            votes[i, :] = 0.0
        elif n_classes == 2:
            votes[i, 0] = shares[1] - shares[0]
        else:
            for k in range(n_classes):
                votes[i, k] = 2.0 * shares[k] - 1.0


@body(bank_predict, HoeffdingState)
def predict(bank: HoeffdingState, row: Row, votes: Scores, live: Flags) -> None:
    """Every tree votes."""
    live[:] = True
    vote(bank, row, votes, 0, votes.shape[0])


@body(bank_predict_at, HoeffdingState)
def predict_at(bank: HoeffdingState, i: int, row: Row, votes: Scores) -> None:
    """Tree i votes."""
    vote(bank, row, votes, i, i + 1)


@inlined
def learn(bank: HoeffdingState, row: Row, lesson: Lesson, first: int, last: int) -> None:
    """Trees first to last learn."""
    n_classes = bank.nodes.classes.shape[1]
    shares, each = np.zeros(n_classes), np.zeros(n_classes)
    nodes, observers, features, growth = bank.nodes, bank.observers, bank.features, bank.growth
    for i in range(first, last):
        k, weight = class_taught(lesson, i)
        if weight > 0.0:
            leaf = come_to_leaf(nodes, bank.roots[i], row, weight)
            learn_at(nodes, observers, features, growth, i, leaf, row, k, weight, shares, each)
            if is_due(nodes, growth, leaf):
                consider(bank, i, leaf)


@body(bank_update, HoeffdingState)
def update(bank: HoeffdingState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every tree learns."""
    learn(bank, row, lesson, 0, votes.shape[0])


@body(bank_update_at, HoeffdingState)
def update_at(bank: HoeffdingState, i: int, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Tree i learns."""
    learn(bank, row, lesson, i, i + 1)


@body(bank_replace, HoeffdingState)
def replace(bank: HoeffdingState, i: int, seed: int) -> None:
    """A tree that has seen nothing in place of i, with the same columns; nothing else about it is random."""
    give_tree_back(bank, i)
    plant(bank, i)
