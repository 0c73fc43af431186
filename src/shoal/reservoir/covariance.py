"""How the right and wrong answers of random stumps vary together over examples (specification D.4).

Draw a stump at random: a feature, a threshold between two of its distinct values, a polarity. Its answers
on n examples are signs with mean 0 and covariance Sigma_h. A feature with v distinct values, of which
example i has the I_i-th, has 2 (v - 1) stumps, of which all but 4 |I_i - I_j| halves agree on i and j:

    Sigma_h[i, j] = sum over features of 2 (v - 1) - 4 |I_i - I_j|

No label is needed; the covariance of the edges is Y Sigma_h Y, Y the diagonal of labels +1 and -1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.kernels.compiler import compiled, inlined
from shoal.reservoir.orders import TIES, Order, Ranks, ranks_of, sorted_order
from shoal.types import Floats, Ints

FEATURES_AT_A_TIME = 32  # ranks of so many features and 500 examples fit the fastest cache
LEAST_FEATURES = 2  # of one feature alone the covariance has not full rank


@inlined
def add_four(ranks: Ranks, j: int, i: int, some: NDArray[np.float32]) -> None:
    """Add the distances from example i to those behind it, by features j to j + 3."""
    a, b, c, d = ranks[j, i + 1 :], ranks[j + 1, i + 1 :], ranks[j + 2, i + 1 :], ranks[j + 3, i + 1 :]
    own = ranks[j : j + 4, i]
    p, q, r, s = own[0], own[1], own[2], own[3]
    for k in range(len(some)):  # counted from 0, or the compiler does not take several at once
        some[k] += (abs(a[k] - p) + abs(b[k] - q)) + (abs(c[k] - r) + abs(d[k] - s))


@compiled
def rank_distances(ranks: Ranks) -> Floats:
    """Sum over features of |I_i - I_j|, above the diagonal. The number of features is a multiple of four."""
    n_features, n = ranks.shape
    total = np.zeros((n, n))
    room = np.zeros(n, dtype=np.float32)  # exact: whole numbers below 2**24
    for start in range(0, n_features, FEATURES_AT_A_TIME):
        for i in range(n):
            some, sums = room[i + 1 :], total[i, i + 1 :]
            some[:] = 0.0
            for j in range(start, min(start + FEATURES_AT_A_TIME, n_features), 4):
                add_four(ranks, j, i, some)
            for k in range(len(some)):
                sums[k] += some[k]
    return total


def stump_covariance(ranks: Ranks) -> Floats:
    """Sigma_h from the ranks of all examples: rows are features."""
    if ranks.shape[0] == 0:
        return np.zeros((ranks.shape[1], ranks.shape[1]))
    n_stumps = 2.0 * float(np.sum(ranks.max(axis=1), dtype=np.float64))
    n_more = -len(ranks) % 4  # rows of zeros add nothing
    distances = rank_distances(np.pad(ranks, ((0, n_more), (0, 0))))
    return n_stumps - 4.0 * (distances + distances.T)


def varying(values: Floats, order: Order) -> Ints:
    """The features that have more than one value."""
    every = np.arange(len(values))
    return np.flatnonzero(values[every, order[:, 0]] < values[every, order[:, -1]])


def some_of(features: Ints, wanted: int | None, n: int, generator: np.random.Generator) -> Ints:
    """At most so many features, at random; but never fewer than examples, so that no rank is lost."""
    if wanted is None or len(features) <= max(wanted, n, LEAST_FEATURES):
        return features
    return np.sort(generator.choice(features, max(wanted, n, LEAST_FEATURES), replace=False))


def edge_covariance(X: Any, y: Any = None, *, ties: str = "dense") -> Floats:
    """Covariance of the edges of random stumps over the rows of X, not scaled; of their answers without y.

    ties: "dense" gives equal values one rank; "position" tells them apart by their place, as the paper does.

    >>> edge_covariance([[0, 3], [1, 1], [2, 2], [3, 0]], [1, -1, 1, 1])[0].tolist()
    [12.0, 0.0, 0.0, -12.0]
    """
    if ties not in TIES:
        raise InputError(f"ties is {ties!r}; expected {' or '.join(map(repr, TIES))}.")
    values = np.ascontiguousarray(np.asarray(X, dtype=np.float64).T)
    order = sorted_order(values)
    features = varying(values, order) if ties == "dense" else np.arange(len(values))
    covariance = stump_covariance(ranks_of(values, order, features, ties == "dense"))
    if y is None:
        return covariance
    signs = np.asarray(y, dtype=np.float64)
    return covariance * np.outer(signs, signs)
