"""Decision stumps, one feature and one threshold each, learned online from weighted examples.

A learner keeps, for every feature it sees, a histogram of at most `bins` values with the weight of each
class in each: a new value is a bin of its own, and where that is one too many the two closest bins become
one at their common mean (Ben-Haim and Tom-Tov 2010). It is exact for a feature of at most `bins` distinct
values: indicators, counts, grades. Zeros are not stored; their weight is what the stored values leave of
the learner's total.

The stump is the feature and threshold with the least weighted error when each side answers its heaviest
class; of equal ones that with the purer sides (Gini), so that there is one while every side has the same
majority. It is looked for at each of the first `search_every` lessons, then once in so many, and later once
for every fiftieth part of the lessons there have been: histograms that never forget change no faster.

The vote is what the side of the row's value says: 2 P(class) - 1 with P = (weight of the class + 1) /
(weight of the side + K); for two classes the difference of the two P. Several classes are known natively.
A missing value is counted apart (as an error where it is not of the heaviest class); a row without the
stump's feature is answered by all the learner has seen.

A lesson costs the row's non-zeros times `bins`, an answer `bins`, a search all features times `bins`; all
times learners and classes. Memory: features * learners * bins * (classes + 1) numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.banks.arrays import with_room
from shoal.banks.checks import check_size
from shoal.banks.histograms import add_value, between, is_better, side_errors, weight_of
from shoal.banks.naive_bayes import class_taught
from shoal.banks.subsets import seen_by
from shoal.errors import InputError
from shoal.kernels.compiler import body, inlined
from shoal.kernels.random import learner_keys
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.types import Flags, Floats, Ints, Keys, Lesson, Row, Scores, Space, Task

EQUAL = 1e-12  # errors that differ by less than this share of the weight are equal, but for rounding
SEARCH_SHARE = 50  # the choice is made again at the latest when that part of all lessons is new
NONE = -1  # the feature of a learner that has not found a stump


class StumpState(NamedTuple):
    """Histograms per feature and learner, one bin to spare for the value that has just come."""

    search_every: int
    known: int  # features in use; the rows behind them are room to grow
    keys: Keys  # (N,) one per learner
    seen: Flags  # (N, d) whether the learner sees the feature; or (N, 0) where all see all
    counts: Floats  # (N, K) weight of each class
    entries: Floats  # (N, d, K) weight of the rows that hold the feature, missing values included
    used: NDArray[np.int32]  # (N, d) bins in use
    centres: Floats  # (N, d, bins + 1) rising
    masses: Floats  # (N, d, bins + 1, K) weight of each class
    lessons: Ints  # (N,) how many
    due: Ints  # (N,) the lesson after which the stump is chosen anew
    feature: Ints  # (N,) of the stump
    threshold: Floats  # (N,) values above it are on the right


@dataclass(frozen=True)
class Stumps:
    """A bank of decision stumps; they differ by the weights they are given and the columns they see.

    n_learners: how many.
    feature_fraction: share of the columns that each learner sees, in (0, 1].
    bins: values that a feature's histogram tells apart.
    search_every: lessons from one choice of feature and threshold to the next, at least.
    """

    knows_classes: ClassVar[bool] = True  # one lesson teaches all classes

    n_learners: int = 100
    feature_fraction: float = 1.0
    bins: int = 16
    search_every: int = 10

    def check(self) -> None:
        """Refuse parameters that have no meaning."""
        check_size(self.n_learners, self.feature_fraction)
        if not self.bins >= 2:
            raise InputError(f"bins is {self.bins!r}; expected a whole number from 2 on.")
        if not self.search_every >= 1:
            raise InputError(f"search_every is {self.search_every!r}; expected a whole number from 1 on.")

    def init(self, space: Space, task: Task, seed: int) -> StumpState:
        """Learners that have seen nothing."""
        self.check()
        n, n_classes, size = self.n_learners, task.n_classes, int(self.bins) + 1
        state = StumpState(
            search_every=int(self.search_every),
            known=0,
            keys=learner_keys(seed, n),
            seen=np.zeros((n, 0), dtype=np.bool_),
            counts=np.zeros((n, n_classes)),
            entries=np.zeros((n, 0, n_classes)),
            used=np.zeros((n, 0), dtype=np.int32),
            centres=np.zeros((n, 0, size)),
            masses=np.zeros((n, 0, size, n_classes)),
            lessons=np.zeros(n, dtype=np.int64),
            due=np.ones(n, dtype=np.int64),
            feature=np.full(n, NONE, dtype=np.int64),
            threshold=np.zeros(n),
        )
        return self.grow(state, space)

    def grow(self, state: StumpState, space: Space) -> StumpState:
        """Room for the features of a larger space."""
        seen = state.seen
        if self.feature_fraction < 1.0:
            seen = with_room(seen, space.capacity)
            new = seen_by(space, self.feature_fraction, state.keys, first=state.known)
            seen[:, state.known : space.n_features] = new.T
        return state._replace(
            known=space.n_features,
            seen=seen,
            entries=with_room(state.entries, space.capacity),
            used=with_room(state.used, space.capacity),
            centres=with_room(state.centres, space.capacity),
            masses=with_room(state.masses, space.capacity),
        )

    def widen(self, state: StumpState, task: Task) -> StumpState:
        """Room for more classes: as if they had been there from the start."""
        more = task.n_classes - state.counts.shape[1]

        def wider(table: Floats) -> Floats:
            return np.concatenate([table, np.zeros((*table.shape[:-1], more))], axis=-1)

        return state._replace(counts=wider(state.counts), entries=wider(state.entries), masses=wider(state.masses))


@inlined
def value_of(row: Row, j: int) -> float:
    """The row's value of feature j."""
    p = np.searchsorted(row.indices, j)
    return float(row.values[p]) if p < len(row.indices) and row.indices[p] == j else 0.0


@inlined
def fill_side(bank: StumpState, i: int, x: float, side: Floats) -> None:
    """Weight of each class on x's side of stump i; of everything where there is no stump or no x."""
    j = bank.feature[i]
    everything = j == NONE or math.isnan(x)
    right = x > bank.threshold[i]
    with_zeros = (bank.threshold[i] < 0.0) == right
    for k in range(len(side)):
        zeros = 0.0 if everything else max(0.0, bank.counts[i, k] - bank.entries[i, j, k])
        side[k] = bank.counts[i, k] if everything else (zeros if with_zeros else 0.0)
    if everything:
        return
    for b in range(bank.used[i, j]):
        if (bank.centres[i, j, b] > bank.threshold[i]) == right:
            for k in range(len(side)):
                side[k] += bank.masses[i, j, b, k]


@inlined
def vote(bank: StumpState, row: Row, i: int, votes: Scores, side: Floats) -> None:
    """Stump i votes. side: scratch."""
    x = value_of(row, bank.feature[i]) if bank.feature[i] != NONE else 0.0
    fill_side(bank, i, x, side)
    total = weight_of(side) + len(side)
    if votes.shape[1] == 1:
        votes[i, 0] = (side[1] - side[0]) / total
    else:
        for k in range(len(side)):
            votes[i, k] = 2.0 * (side[k] + 1.0) / total - 1.0


@body(bank_predict, StumpState)
def predict(bank: StumpState, row: Row, votes: Scores, live: Flags) -> None:
    """Every stump votes."""
    side = np.zeros(bank.counts.shape[1])
    for i in range(votes.shape[0]):
        live[i] = True
        vote(bank, row, i, votes, side)


@body(bank_predict_at, StumpState)
def predict_at(bank: StumpState, i: int, row: Row, votes: Scores) -> None:
    """Stump i votes."""
    vote(bank, row, i, votes, np.zeros(bank.counts.shape[1]))


@inlined
def learn_value(bank: StumpState, i: int, j: int, x: float, k: int, weight: float) -> None:
    """Learner i sees the value x of feature j in an example of class k."""
    bank.entries[i, j, k] += weight
    if not math.isnan(x):
        bank.used[i, j] = add_value(bank.centres[i, j], bank.masses[i, j], bank.used[i, j], x, k, weight)


@inlined
def sort_out(bank: StumpState, i: int, j: int, zeros: Floats, missing: Floats, right: Floats) -> bool:
    """Fill the weights of the zeros, of the missing values and of all values; whether there are zeros."""
    has_zeros = False
    for k in range(len(zeros)):
        right[k] = 0.0
        for b in range(bank.used[i, j]):
            right[k] += bank.masses[i, j, b, k]
        missing[k] = max(0.0, bank.entries[i, j, k] - right[k])
        zeros[k] = max(0.0, bank.counts[i, k] - bank.entries[i, j, k])
        has_zeros = has_zeros or zeros[k] > EQUAL * bank.counts[i, k]
        right[k] += zeros[k]
    return has_zeros


@inlined
def best_split(bank: StumpState, i: int, j: int, room: Floats) -> tuple[float, float, float]:
    """(error, impurity, threshold) of the best threshold on feature j; infinite where there is none."""
    zeros, missing, left, right = room[0], room[1], room[2], room[3]
    zeros_left = sort_out(bank, i, j, zeros, missing, right)
    for k in range(len(left)):
        left[k] = 0.0
    absent = side_errors(missing)
    best = (math.inf, math.inf, 0.0)
    tolerance = EQUAL * weight_of(bank.counts[i])
    b, before = 0, math.nan
    while b < bank.used[i, j] or zeros_left:
        at_zero = zeros_left and (b == bank.used[i, j] or bank.centres[i, j, b] >= 0.0)
        centre = 0.0 if at_zero else float(bank.centres[i, j, b])
        if centre > before:
            below, above = side_errors(left), side_errors(right)
            error, impurity = absent[0] + below[0] + above[0], absent[1] + below[1] + above[1]
            if is_better(error, impurity, best, tolerance):
                best = (error, impurity, between(before, centre))
        mass = zeros if at_zero else bank.masses[i, j, b]
        for k in range(len(left)):
            left[k] += mass[k]
            right[k] = max(0.0, right[k] - mass[k])
        before = centre
        if at_zero:
            zeros_left = False
        else:
            b += 1
    return best


@inlined
def search(bank: StumpState, i: int, room: Floats) -> None:
    """Choose the feature and threshold of learner i anew."""
    bank.feature[i] = NONE
    best = (math.inf, math.inf, 0.0)
    tolerance = EQUAL * weight_of(bank.counts[i])
    for j in range(bank.known):
        if bank.used[i, j] > 0:
            split = best_split(bank, i, j, room)
            if split[0] < math.inf and is_better(split[0], split[1], best, tolerance):
                best = split
                bank.feature[i] = j
                bank.threshold[i] = split[2]


@inlined
def learn(bank: StumpState, row: Row, lesson: Lesson, first: int, last: int) -> None:
    """Learners first to last learn."""
    masked = bank.seen.shape[1] > 0
    room = np.zeros((4, bank.counts.shape[1]))
    for i in range(first, last):
        k, weight = class_taught(lesson, i)
        if weight <= 0.0:
            continue
        bank.counts[i, k] += weight
        for p in range(len(row.indices)):
            j = row.indices[p]
            if not masked or bank.seen[i, j]:
                learn_value(bank, i, j, float(row.values[p]), k, weight)
        bank.lessons[i] += 1
        if bank.lessons[i] >= bank.due[i]:
            search(bank, i, room)
            more = max(bank.search_every, bank.lessons[i] // SEARCH_SHARE)
            bank.due[i] += more if bank.lessons[i] >= bank.search_every else 1


@body(bank_update, StumpState)
def update(bank: StumpState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every stump learns."""
    learn(bank, row, lesson, 0, votes.shape[0])


@body(bank_update_at, StumpState)
def update_at(bank: StumpState, i: int, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Stump i learns."""
    learn(bank, row, lesson, i, i + 1)


@body(bank_replace, StumpState)
def replace(bank: StumpState, i: int, seed: int) -> None:
    """A learner that has seen nothing in place of i; nothing about it is random."""
    bank.counts[i] = 0.0
    bank.entries[i] = 0.0
    bank.used[i] = 0
    bank.centres[i] = 0.0
    bank.masses[i] = 0.0
    bank.lessons[i] = 0
    bank.due[i] = 1
    bank.feature[i] = NONE
    bank.threshold[i] = 0.0
