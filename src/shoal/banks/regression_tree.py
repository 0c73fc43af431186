"""Regression trees that grow while they learn, after FIMT-DD (Ikonomovska, Gama and Dzeroski 2011).

A leaf observes its examples (`regression_tree_leaf`); after every `grace_period` of weight it is split where
that takes most from the sum of squares, if the next best feature takes less beyond chance, by Hoeffding's bound
on the ratio of the two, or if that bound is below `tau`. It answers by the mean of its targets, or by a linear
function of the row, trained by adaptive gradient steps, whichever has erred less of late. Its children begin
with its linear function and with the means of their sides.

Targets are what the lesson leaves over (`least_squares`). Branches ask for values as they come, an absent
feature is 0, a missing value goes where more examples went. An example costs, for each tree, its depth and, in
the leaf, its non-zeros times the bins; it is forgotten. Memory is bounded: a tree of `max_leaves` grows no more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.banks.checks import Turns, check_least, check_size, in_turn
from shoal.banks.regression_lessons import cut, least_squares, length_divided_by, longer
from shoal.banks.regression_tree_leaf import (
    BINS,
    CELL,
    FEATURE,
    LEAF,
    LEAF_NUMBERS,
    LINEAR_ERROR,
    LINKS,
    LOWER,
    MEAN,
    MEAN_ERROR,
    SLOT,
    SUMS,
    WAITED,
    WEIGHT,
    RegressionTreesState,
    consider,
    observe,
)
from shoal.errors import InputError
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update
from shoal.types import Flags, Lesson, Row, Scores, Space, Task

FADING = 0.98  # of a leaf's errors: whether its mean or its linear function answers is told by some fifty examples


@dataclass(frozen=True)
class RegressionTrees:
    """A bank of regression trees.

    grace_period: weight that a leaf learns between two tests; one number or several that trees take in turn.
    delta: chance that the feature of a split is not the best one, in (0, 1).
    tau: a bound below this splits whatever the lead, from 0 on.
    rate: of learning of the linear functions in leaves.
    max_leaves: of one tree.
    observed: only so many first features are split on; linear functions see all.
    """

    n_learners: int = 20
    grace_period: Turns = (50.0, 100.0, 200.0)
    delta: float = 1e-3
    tau: float = 0.05
    rate: float = 0.3
    max_leaves: int = 64
    observed: int = 100

    def check(self) -> None:
        """Refuse parameters that have no meaning."""
        check_size(self.n_learners, 1.0)
        in_turn("grace_period", self.grace_period, 1)
        in_turn("rate", self.rate, 1)
        if not 0.0 < self.delta < 1.0:
            raise InputError(f"delta is {self.delta!r}; expected a chance in (0, 1), such as 1e-3.")
        check_least("tau", self.tau, 0.0)
        for name in ("max_leaves", "observed"):
            if not getattr(self, name) >= 1:
                raise InputError(f"{name} is {getattr(self, name)!r}; expected a whole number from 1 on.")

    def init(self, space: Space, task: Task, seed: int) -> RegressionTreesState:
        """Trees of one leaf that has seen nothing."""
        self.check()
        n, leaves = self.n_learners * task.n_outputs, int(self.max_leaves)
        links = np.zeros((n, 2 * leaves - 1, LINKS), dtype=np.int32)
        links[:, :, FEATURE] = LEAF
        state = RegressionTreesState(
            graces=in_turn("grace_period", self.grace_period, self.n_learners),
            log_delta=math.log(1.0 / self.delta),
            tau=float(self.tau),
            rate=float(self.rate),
            n_leaves=np.ones(n, dtype=np.int64),
            links=links,
            thresholds=np.zeros((n, 2 * leaves - 1)),
            passed=np.zeros((n, 2 * leaves - 1)),
            leaves=np.zeros((n, leaves, LEAF_NUMBERS)),
            linear=np.zeros((n, leaves, 0)),
            squares=np.zeros((n, leaves, 0)),
            largest=np.zeros(0),
            watched=np.zeros((n, leaves, SUMS)),
            n_bins=np.zeros((n, leaves, 0), dtype=np.int32),
            bins=np.zeros((n, leaves, 0, BINS + 2, CELL)),
        )
        return self.grow(state, space)

    def grow(self, state: RegressionTreesState, space: Space) -> RegressionTreesState:
        """Room for the features of a larger space."""
        linear, squares = (along_features(a, space.capacity + 1) for a in (state.linear, state.squares))
        seen = min(space.capacity, int(self.observed))
        n_bins, bins = (along_features(a, seen) for a in (state.n_bins, state.bins))
        largest = longer(state.largest, space.capacity)
        return state._replace(linear=linear, squares=squares, largest=largest, n_bins=n_bins, bins=bins)

    def widen(self, state: RegressionTreesState, task: Task) -> RegressionTreesState:
        """Targets do not grow in number."""
        return state


def along_features(table: Any, length: int) -> Any:
    """A table with room for so many features, which are its third axis."""
    more = length - table.shape[2]
    if more <= 0:
        return table
    shape = (*table.shape[:2], more, *table.shape[3:])
    return np.ascontiguousarray(np.concatenate([table, np.zeros(shape, dtype=table.dtype)], axis=2))


@inlined
def value_at(row: Row, j: int) -> float:
    """Feature j of a sparse row."""
    n = len(row.indices)
    p = j if j < n and row.indices[j] == j else int(np.searchsorted(row.indices, j))
    return float(row.values[p]) if p < n and row.indices[p] == j else 0.0


@inlined
def next_of(bank: RegressionTreesState, k: int, node: int, row: Row) -> int:
    """The child on the row's side of a branch; where the value is missing, the child that more came to."""
    x, lower = value_at(row, bank.links[k, node, FEATURE]), int(bank.links[k, node, LOWER])
    if math.isnan(x):
        return lower if bank.passed[k, lower] >= bank.passed[k, lower + 1] else lower + 1
    return lower if x <= bank.thresholds[k, node] else lower + 1


@inlined
def leaf_of(bank: RegressionTreesState, k: int, row: Row) -> int:
    """The leaf that the row comes to."""
    node = 0
    while bank.links[k, node, FEATURE] != LEAF:
        node = next_of(bank, k, node, row)
    return node


@inlined
def passing(bank: RegressionTreesState, k: int, row: Row, weight: float) -> int:
    """The leaf, noting at every node on the way that an example came by."""
    node = 0
    bank.passed[k, node] += weight
    while bank.links[k, node, FEATURE] != LEAF:
        node = next_of(bank, k, node, row)
        bank.passed[k, node] += weight
    return node


@inlined
def line_at(bank: RegressionTreesState, k: int, s: int, row: Row) -> float:
    """What the linear function of a leaf says; inputs count in units of their largest size."""
    total, length, weights = 0.0, length_divided_by(row), bank.linear[k, s]
    for p in range(len(row.inputs)):
        j = row.input_indices[p]
        if bank.largest[j] > 0.0:
            total += weights[j] * (row.inputs[p] * length / bank.largest[j])
    return total


@inlined
def answer(bank: RegressionTreesState, k: int, row: Row) -> float:
    """What tree k says."""
    s = int(bank.links[k, leaf_of(bank, k, row), SLOT])
    numbers = bank.leaves[k, s]
    if numbers[LINEAR_ERROR] < numbers[MEAN_ERROR]:
        return cut(line_at(bank, k, s, row))
    return cut(numbers[MEAN])


@inlined
def learn_line(bank: RegressionTreesState, k: int, s: int, row: Row, off: float, weight: float) -> None:
    """One step of a leaf's linear function, which was off by so much; it never overshoots (`damping`)."""
    length, moved = length_divided_by(row), 0.0
    weights, squares, slope = bank.linear[k, s], bank.squares[k, s], 2.0 * weight * off
    if slope == 0.0:
        return
    for p in range(len(row.inputs)):
        j = row.input_indices[p]
        z = row.inputs[p] * length / bank.largest[j] if bank.largest[j] > 0.0 else 0.0
        squares[j] += (slope * z) ** 2
        if squares[j] > 0.0:
            moved += z * z / math.sqrt(squares[j])
    q = 2.0 * weight * bank.rate * moved
    step = bank.rate * slope * (-np.expm1(-q) / q if q > 1e-9 else 1.0)
    for p in range(len(row.inputs)):
        j = row.input_indices[p]
        if squares[j] > 0.0:
            weights[j] -= step * (row.inputs[p] * length / bank.largest[j]) / math.sqrt(squares[j])


@inlined
def learn_tree(bank: RegressionTreesState, k: int, row: Row, target: float, weight: float, grace: float) -> None:
    """Tree k learns one target."""
    node = passing(bank, k, row, weight)
    s = int(bank.links[k, node, SLOT])
    numbers, said = bank.leaves[k, s], line_at(bank, k, s, row)
    for which, off in ((MEAN_ERROR, cut(numbers[MEAN]) - target), (LINEAR_ERROR, cut(said) - target)):
        numbers[which] = FADING * numbers[which] + weight * off * off
    numbers[WEIGHT] += weight
    numbers[MEAN] += weight / numbers[WEIGHT] * (target - numbers[MEAN])
    learn_line(bank, k, s, row, said - target, weight)
    if bank.n_leaves[k] < bank.leaves.shape[1]:
        observe(bank, k, s, row, target, weight)
        numbers[WAITED] += weight
        if numbers[WAITED] >= grace:
            numbers[WAITED] = 0.0
            consider(bank, k, node, s)


@body(bank_predict, RegressionTreesState)
def predict(bank: RegressionTreesState, row: Row, votes: Scores, live: Flags) -> None:
    """Every tree answers."""
    live[:] = True
    for i in range(votes.shape[0]):
        for c in range(votes.shape[1]):
            votes[i, c] = answer(bank, i * votes.shape[1] + c, row)


@body(bank_predict_at, RegressionTreesState)
def predict_at(bank: RegressionTreesState, i: int, row: Row, votes: Scores) -> None:
    """Tree i answers."""
    for c in range(votes.shape[1]):
        votes[i, c] = answer(bank, i * votes.shape[1] + c, row)


@body(bank_update, RegressionTreesState)
def update(bank: RegressionTreesState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every tree learns, after the size of the inputs."""
    length = length_divided_by(row)
    for p in range(len(row.inputs)):
        j = row.input_indices[p]
        bank.largest[j] = max(bank.largest[j], abs(row.inputs[p] * length))
    for i in range(votes.shape[0]):
        for c in range(votes.shape[1]):
            target, weight = least_squares(lesson, i, c, votes[i, c])
            if weight > 0.0:
                learn_tree(bank, i * votes.shape[1] + c, row, target, weight, bank.graces[i])


@body(bank_replace, RegressionTreesState)
def replace(bank: RegressionTreesState, i: int, seed: int) -> None:
    """A tree that has seen nothing in place of i."""
    n_outputs = len(bank.links) // len(bank.graces)
    for k in range(i * n_outputs, (i + 1) * n_outputs):
        bank.n_leaves[k] = 1
        bank.links[k, :, :] = 0
        bank.links[k, :, FEATURE] = LEAF
        bank.n_bins[k, :, :] = 0
        bank.thresholds[k, :] = 0.0
        bank.passed[k, :] = 0.0
        for table in (bank.leaves, bank.linear, bank.squares, bank.watched):
            table[k, :, :] = 0.0
        bank.bins[k, :, :, :, :] = 0.0
