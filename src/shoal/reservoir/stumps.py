"""Decision stumps on a reservoir: found by one pass through every feature's order, kept in a table.

A stump adds `step` to the score where the feature's value is at least the threshold, and takes it away
elsewhere. Weights may be negative, as GEEM's corrected ones are. A missing value is below every number.
Specification D.6.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.compiler import compiled, inlined
from shoal.reservoir.orders import Order
from shoal.types import Floats, Ints

SPLIT_GAIN = 1.001  # a split counts for more than one answer to all if its edge is that many times as large
ALWAYS = -1  # the feature of a stump that answers +1 to everything, where nothing can be told apart


class StumpTable(NamedTuple):
    """The stumps of every class, (K, T); a place with step 0 is free."""

    feature: Ints
    threshold: Floats
    step: Floats
    made: Ints  # (K, T) how many the class had when this one was found
    n_made: Ints  # (K,) how many were ever found


def no_stumps(n_classes: int, n_learners: int) -> StumpTable:
    """A table with every place free."""
    shape = (n_classes, n_learners)
    feature, made = np.full(shape, ALWAYS, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    return StumpTable(feature, np.zeros(shape), np.zeros(shape), made, np.zeros(n_classes, dtype=np.int64))


@inlined
def between(low: float, high: float) -> float:
    """The middle, or where that is no number above `low`, `high`."""
    middle = low + 0.5 * (high - low)
    return middle if low < middle <= high else high


@compiled
def best_stump(values: Floats, order: Order, signed: Floats, constant: bool = False) -> tuple[int, float, float]:
    """(feature, threshold, edge) of the stump with the largest |edge|, sum of signed weight times answer.

    The first of equal ones. Where no feature varies, or if `constant` and none is clearly better: the
    stump that always answers +1.
    """
    total = 0.0
    for weight in signed:
        total += weight
    feature, threshold, edge = ALWAYS, 0.0, total
    most = abs(total) * SPLIT_GAIN if constant else -1.0
    for j in range(order.shape[0]):
        row, places = values[j], order[j]
        if row[places[0]] == row[places[-1]]:
            continue
        below = 0.0
        for k in range(1, len(places)):
            below += signed[places[k - 1]]
            found = total - 2.0 * below
            if abs(found) > most:
                low, high = row[places[k - 1]], row[places[k]]
                if high > low:
                    feature, threshold, edge, most = j, between(low, high), found, abs(found)
    return feature, threshold, edge


def answers_of(values: Floats, feature: int, threshold: float) -> Floats:
    """A stump's answers, +1 and -1, on all examples."""
    if feature == ALWAYS:
        return np.ones(values.shape[1])
    return np.where(values[feature] >= threshold, 1.0, -1.0)


@inlined
def add_answers(row: Floats, threshold: float, step: float, scores: Floats) -> None:
    """Add one stump's say on every example."""
    for i in range(len(scores)):
        scores[i] += step if row[i] >= threshold else -step


@compiled
def scores_of(table: StumpTable, k: int, values: Floats) -> Floats:
    """The sum of class k's stumps on all examples; values are (d, n)."""
    scores = np.zeros(values.shape[1])
    for t in range(table.step.shape[1]):
        if table.step[k, t] != 0.0:
            if table.feature[k, t] == ALWAYS:
                scores += table.step[k, t]
            else:
                add_answers(values[table.feature[k, t]], table.threshold[k, t], table.step[k, t], scores)
    return scores


@compiled
def score_row(table: StumpTable, x: Floats, scores: Floats) -> None:
    """The sum of every class's stumps on one row, in the same order of addition."""
    for k in range(len(scores)):
        total = 0.0
        for t in range(table.step.shape[1]):
            step, feature = table.step[k, t], table.feature[k, t]
            if step != 0.0:
                total += step if feature == ALWAYS or x[feature] >= table.threshold[k, t] else -step
        scores[k] = total


def keep_stump(
    table: StumpTable, k: int, feature: int, threshold: float, step: float, *, weakest: bool = False
) -> None:
    """Give class k one stump more. Where there is no free place, the oldest goes; or the weakest, by its
    step less what its age takes: a stump loses a factor e while as many are found as there are places.
    """
    free = np.flatnonzero(table.step[k] == 0.0)
    if len(free):
        place = int(free[0])
    elif weakest:
        age = (table.n_made[k] - table.made[k]) / table.step.shape[1]
        place = int(np.argmin(np.abs(table.step[k]) * np.exp(-age)))
    else:
        place = int(np.argmin(table.made[k]))
    table.feature[k, place], table.threshold[k, place], table.step[k, place] = feature, threshold, step
    table.n_made[k] += 1
    table.made[k, place] = table.n_made[k]
