"""Examples held feature by feature, with each feature's sort order kept up as examples come and go.

Values are (d, n): one feature's values of all examples lie side by side. An order is (d, n) too: row j
names the examples by rising value of feature j. Keeping it up costs a merge, O(d n), instead of a sort.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.compiler import compiled
from shoal.types import Floats, Ints

Order = NDArray[np.int32]  # (d, n)
Ranks = NDArray[np.float32]  # (d, n) whole numbers; the machine takes many differences of floats at once

TIES = ("dense", "position")


def sorted_order(values: Floats) -> Order:
    """The order of every feature, from scratch; equal values stay as they stand."""
    return np.argsort(values, axis=1, kind="stable").astype(np.int32)


@compiled
def merged_order(values: Floats, first: Order, second: Order) -> Order:
    """The order of all examples from that of the first ones and that of those behind them, counted from 0."""
    n_features, n_first = first.shape
    n = n_first + second.shape[1]
    order = np.empty((n_features, n), dtype=np.int32)
    for j in range(n_features):
        row, a, b = values[j], 0, 0
        for place in range(n):
            from_first = b == n - n_first
            if a < n_first and not from_first:
                from_first = row[first[j, a]] <= row[n_first + second[j, b]]
            if from_first:
                order[j, place] = first[j, a]
                a += 1
            else:
                order[j, place] = n_first + second[j, b]
                b += 1
    return order


@compiled
def order_of_kept(order: Order, kept: Ints) -> Order:
    """The order of the examples kept, which are numbered anew as they are listed."""
    n_features, n = order.shape
    number = np.full(n, -1, dtype=np.int32)
    for new in range(len(kept)):
        number[kept[new]] = new
    result = np.empty((n_features, len(kept)), dtype=np.int32)
    for j in range(n_features):
        place = 0
        for k in range(n):
            new = number[order[j, k]]
            if new >= 0:
                result[j, place] = new
                place += 1
    return result


@compiled
def ranks_of(values: Floats, order: Order, features: Ints, dense: bool) -> Ranks:
    """Rank of every example by each of those features, from 0: equal values share one where they are
    `dense`, else it is the position.
    """
    n = order.shape[1]
    ranks = np.zeros((len(features), n), dtype=np.float32)
    for f in range(len(features)):
        j = features[f]
        rank = np.float32(0.0)
        for k in range(1, n):
            if not dense or values[j, order[j, k]] > values[j, order[j, k - 1]]:
                rank += np.float32(1.0)
            ranks[f, order[j, k]] = rank
    return ranks
