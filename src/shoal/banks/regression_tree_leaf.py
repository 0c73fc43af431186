"""What a leaf of a regression tree observes, and where it is split.

Per feature a leaf keeps a streaming histogram of the values other than 0 (Ben-Haim and Tom-Tov 2010): rising
centres, and of each bin the weight, the sum and the sum of squares of its targets; of bins that are one too many
the two closest become one. The zeros, which are not stored, are put back when a split is looked for, as what
the leaf saw in all less what has a bin; missing values have a bin of their own, and take no side.

A split is worth what it takes from the sum of squared distances to the mean. It must give either side a share
of the examples, and take more than chance would: n log(before / after) above PENALTY log(n), as Schwarz's
criterion has it for a threshold and another mean.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.compiler import inlined
from shoal.types import Floats, Ints, Row

BINS = 24
CENTRE, MASS, TARGETS, TARGET_SQUARES = range(4)  # positions in a bin
CELL = 4
SUMS = 3  # of targets: MASS - 1, TARGETS - 1, TARGET_SQUARES - 1
MISSING = BINS + 1  # the bin of missing values; bin BINS is to spare
FEATURE, LOWER, SLOT = range(3)  # positions in a node's links; the upper child is behind the lower one
LINKS = 3
LEAF = -1
WEIGHT, MEAN, WAITED, MEAN_ERROR, LINEAR_ERROR = range(5)  # positions in a leaf's numbers
LEAF_NUMBERS = 5
LEAST_SIDE = 0.02  # share of the examples that each side of a split must get
PENALTY = 3.0
ROUNDING = 1e-9  # a share of zeros below this is what sums in another order leave


class RegressionTreesState(NamedTuple):
    """Tree i * C + c belongs to output c of learner i. T trees, L leaves at most, D features observed."""

    graces: Floats  # (N,)
    log_delta: float
    tau: float
    rate: float
    n_leaves: Ints  # (T,); nodes are 2 * n_leaves - 1, in the order in which they came to be, the root first
    links: NDArray[np.int32]  # (T, 2 L - 1, 3) FEATURE of a branch or LEAF, the LOWER child, a leaf's SLOT
    thresholds: Floats  # (T, 2 L - 1)
    passed: Floats  # (T, 2 L - 1) weight of the examples that came by
    leaves: Floats  # (T, L, 5) by slot
    linear: Floats  # (T, L, capacity + 1) weights, input 0 the bias
    squares: Floats  # sums of squared slopes
    largest: Floats  # (capacity + 1,) largest size of each input
    watched: Floats  # (T, L, 3) weight, sum and sum of squares of targets since the leaf came to be
    n_bins: NDArray[np.int32]  # (T, L, D)
    bins: Floats  # (T, L, D, BINS + 2, 4)


class Cut(NamedTuple):
    """A split of one feature: what it takes, where, and (weight, mean) of both sides."""

    merit: float
    threshold: float
    lower: tuple[float, float]
    upper: tuple[float, float]


@inlined
def add_to_bin(cell: Floats, target: float, weight: float) -> None:
    """One example more."""
    cell[MASS] += weight
    cell[TARGETS] += weight * target
    cell[TARGET_SQUARES] += weight * target * target


@inlined
def merge_closest(bins: Floats, n: int) -> None:
    """Make one bin of the two closest of n."""
    least = 0
    for b in range(1, n - 1):
        if bins[b + 1, CENTRE] - bins[b, CENTRE] < bins[least + 1, CENTRE] - bins[least, CENTRE]:
            least = b
    one, other = bins[least], bins[least + 1]
    one[CENTRE] += (other[CENTRE] - one[CENTRE]) * (other[MASS] / (one[MASS] + other[MASS]))
    for part in range(MASS, CELL):
        one[part] += other[part]
    for b in range(least + 1, n - 1):
        for part in range(CELL):
            bins[b, part] = bins[b + 1, part]
    for part in range(CELL):
        bins[n - 1, part] = 0.0


@inlined
def add_example(bins: Floats, n: int, x: float, target: float, weight: float) -> int:
    """Add a value to a histogram of n bins; how many it has then."""
    b = n
    while b > 0 and bins[b - 1, CENTRE] >= x:
        b -= 1
    if b == n or bins[b, CENTRE] != x:
        for a in range(n, b, -1):
            for part in range(CELL):
                bins[a, part] = bins[a - 1, part]
        for part in range(CELL):
            bins[b, part] = 0.0
        bins[b, CENTRE] = x
        n += 1
    add_to_bin(bins[b], target, weight)
    if n > BINS:
        merge_closest(bins, n)
        n -= 1
    return n


@inlined
def observe(bank: RegressionTreesState, k: int, s: int, row: Row, target: float, weight: float) -> None:
    """The leaf in slot s takes note of an example."""
    watched, n_bins, bins = bank.watched[k, s], bank.n_bins[k, s], bank.bins[k, s]
    watched[0] += weight
    watched[1] += weight * target
    watched[2] += weight * target * target
    for p in range(len(row.indices)):
        j, x = row.indices[p], row.values[p]
        if j >= len(n_bins):
            break
        if math.isnan(x):
            add_to_bin(bins[j, MISSING], target, weight)
        else:
            n_bins[j] = add_example(bins[j], int(n_bins[j]), x, target, weight)


@inlined
def spread(weight: float, total: float, squares: float) -> float:
    """The sum of squared distances to the mean."""
    return max(squares - total * total / weight, 0.0) if weight > 0.0 else 0.0


@inlined
def best_cut(bins: Floats, n: int, watched: Floats) -> Cut:
    """The best split of one feature; a merit of 0 if there is none."""
    known, zeros = (watched - bins[MISSING, MASS:]), np.zeros(CELL)
    zeros[MASS:] = known
    for b in range(n):
        zeros[MASS:] -= bins[b, MASS:]
    placed = zeros[MASS] <= ROUNDING * watched[0]
    best, left, b, previous = Cut(0.0, 0.0, (0.0, 0.0), (0.0, 0.0)), np.zeros(SUMS), 0, 0.0
    before, least = spread(known[0], known[1], known[2]), LEAST_SIDE * known[0]
    while b < n or not placed:
        if not placed and (b == n or bins[b, CENTRE] > 0.0):
            cell, placed = zeros, True
        else:
            cell, b = bins[b], b + 1
        right = known - left
        if left[0] > least and right[0] > least:
            merit = before - spread(left[0], left[1], left[2]) - spread(right[0], right[1], right[2])
            if merit > best.merit:
                middle = previous + 0.5 * (cell[CENTRE] - previous)
                threshold = middle if middle < cell[CENTRE] else previous
                best = Cut(merit, threshold, (left[0], left[1] / left[0]), (right[0], right[1] / right[0]))
        left += cell[MASS:]
        previous = cell[CENTRE]
    return best


@inlined
def consider(bank: RegressionTreesState, k: int, node: int, s: int) -> None:
    """Split a leaf if one feature is clearly the best to ask for, or none is."""
    watched = bank.watched[k, s]
    feature, second, best = LEAF, 0.0, Cut(0.0, 0.0, (0.0, 0.0), (0.0, 0.0))
    for j in range(bank.n_bins.shape[2]):
        found = best_cut(bank.bins[k, s, j], int(bank.n_bins[k, s, j]), watched)
        if found.merit > best.merit:
            feature, second, best = j, best.merit, found
        elif found.merit > second:
            second = found.merit
    n = watched[0]
    if feature == LEAF or n <= 1.0:
        return
    chance = math.sqrt(bank.log_delta / (2.0 * n))
    before = spread(n, watched[1], watched[2])
    after = max(before - best.merit, 1e-12 * before)
    if n * math.log(before / after) > PENALTY * math.log(n) and (
        1.0 - second / best.merit > chance or chance < bank.tau
    ):
        split(bank, k, node, s, feature, best)


@inlined
def split(bank: RegressionTreesState, k: int, node: int, s: int, feature: int, best: Cut) -> None:
    """Make a branch of a leaf; the lower child takes over its slot."""
    fresh, lower = int(bank.n_leaves[k]), 2 * int(bank.n_leaves[k]) - 1
    bank.n_leaves[k] += 1
    bank.links[k, node, FEATURE], bank.links[k, node, LOWER] = feature, lower
    bank.thresholds[k, node] = best.threshold
    for table in (bank.leaves, bank.linear, bank.squares):
        table[k, fresh] = table[k, s]
    begin_leaf(bank, k, lower, s, best.lower)
    begin_leaf(bank, k, lower + 1, fresh, best.upper)


@inlined
def begin_leaf(bank: RegressionTreesState, k: int, node: int, s: int, side: tuple[float, float]) -> None:
    """A child that has observed nothing, but knows (weight, mean) of its side."""
    bank.links[k, node, FEATURE], bank.links[k, node, SLOT] = LEAF, s
    bank.passed[k, node] = side[0]
    bank.leaves[k, s, WEIGHT], bank.leaves[k, s, MEAN] = side
    bank.watched[k, s] = 0.0
    bank.n_bins[k, s] = 0
    bank.bins[k, s] = 0.0
