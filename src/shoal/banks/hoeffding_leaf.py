"""What a leaf of a Hoeffding tree observes, and how it answers.

Per feature and class a leaf keeps the weighted moments, least and largest of the *stored* values; the zeros,
which are not stored, are put back when moments are asked for, so an example costs its non-zeros. A missing
value is skipped. A leaf answers by the majority class or by naive Bayes over these moments, whichever has
been right for more weight (Gama, Rocha and Medas 2003, "adaptive").

Naive Bayes in a leaf must speak after a few examples: a Gaussian has the variance (M2 + v) / (n + 1), one
example's worth of the variance v of all classes. A feature whose values are all 0 or 1 is Bernoulli with
the share (ones + 1) / (n + 2). An indicator of a nominal column speaks only where it is 1, with the share
(ones + 1) / (n + categories): the column is one variable, not several.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from shoal.banks.hoeffding_pool import (
    ENTRIES,
    EXAMPLES,
    FEATURE,
    HIGH,
    LEAF,
    LOW,
    LOWER,
    MEAN,
    RIGHT_MAJORITY,
    RIGHT_NAIVE,
    SLOT,
    SPREAD,
    STORED,
    THRESHOLD,
    UPPER,
    WAITED,
    WEIGHT,
    Features,
    Growth,
    Nodes,
    Observers,
)
from shoal.kernels.compiler import inlined
from shoal.types import Flags, Floats, Row

CLIP = 50.0  # largest evidence of one feature, in log-odds; specification B.7
CONSTANT = 1e-24  # a variance below this share of the squared mean is rounding


class View(NamedTuple):
    """What one leaf has seen; rows of the bank's arrays."""

    classes: Floats  # (K,) as in Nodes
    watched: Floats  # (K,) as in Observers
    binary: Flags  # (d,)
    tables: Floats  # (d, K, 6)


@inlined
def value_of(row: Row, j: int) -> float:
    """Feature j of a sparse row."""
    n = len(row.indices)
    p = j if j < n and row.indices[j] == j else int(np.searchsorted(row.indices, j))
    return float(row.values[p]) if p < n and row.indices[p] == j else 0.0


@inlined
def next_node(nodes: Nodes, node: int, row: Row) -> int:
    """The child on the row's side of a branch; where the value is missing, the child that more came to."""
    x = value_of(row, nodes.links[node, FEATURE])
    lower, upper = int(nodes.links[node, LOWER]), int(nodes.links[node, UPPER])
    if math.isnan(x):
        return lower if nodes.numbers[lower, WEIGHT] >= nodes.numbers[upper, WEIGHT] else upper
    return lower if x <= nodes.numbers[node, THRESHOLD] else upper


@inlined
def leaf_of(nodes: Nodes, root: int, row: Row) -> int:
    """The leaf of a tree that a row comes to."""
    node = int(root)
    while nodes.links[node, FEATURE] != LEAF:
        node = next_node(nodes, node, row)
    return node


@inlined
def come_to_leaf(nodes: Nodes, root: int, row: Row, weight: float) -> int:
    """The leaf, noting at every node on the way that an example came by."""
    node = int(root)
    nodes.numbers[node, WEIGHT] += weight
    while nodes.links[node, FEATURE] != LEAF:
        node = next_node(nodes, node, row)
        nodes.numbers[node, WEIGHT] += weight
    return node


@inlined
def view_of(nodes: Nodes, observers: Observers, leaf: int) -> View:
    """What a leaf that observes has seen."""
    s = nodes.links[leaf, SLOT]
    return View(nodes.classes[leaf], observers.watched[s], observers.binary[s], observers.tables[s])


@inlined
def sees(features: Features, j: int, i: int) -> bool:
    """Whether learner i sees feature j."""
    return features.seen.shape[0] == 0 or bool(features.seen[j, i])


@inlined
def moments(watched: Floats, tables: Floats, j: int, k: int) -> tuple[float, float, float]:
    """(weight, mean, M2) of feature j in class k, zeros included."""
    stored = float(tables[j, k, STORED])
    mean = float(tables[j, k, MEAN])
    spread = float(tables[j, k, SPREAD])
    zeros = float(watched[k] - tables[j, k, ENTRIES])
    if zeros <= 0.0:
        return stored, mean, spread
    n = stored + zeros
    return n, mean * stored / n, spread + mean * mean * stored * zeros / n


@inlined
def pooled_moments(watched: Floats, tables: Floats, j: int) -> tuple[float, float, float]:
    """(weight, mean, M2) of feature j over all classes."""
    total, mean, spread = 0.0, 0.0, 0.0
    for k in range(len(watched)):
        n, m, M2 = moments(watched, tables, j, k)
        if n > 0.0:
            step = m - mean
            total += n
            mean += step * n / total
            spread += M2 + step * step * n * (total - n) / total
    return total, mean, spread


@inlined
def ones_of(tables: Floats, j: int, k: int) -> float:
    """Weight of the ones of a feature whose values are 0 or 1."""
    return float(tables[j, k, STORED] * tables[j, k, MEAN])


@inlined
def share_log(ones: float, n: float, x: float, categories: float) -> float:
    """Log of the smoothed share of the ones, or of the others."""
    return math.log((ones + 1.0 if x > 0.0 else n - ones + 1.0) / (n + categories))


@inlined
def binary_logs(view: View, j: int, x: float, categories: float, logs: Floats) -> None:
    """Log likelihoods of a feature whose values are 0 or 1; a class that has not been seen takes all classes'.

    Zero where the feature has been the same all along.
    """
    watched, tables = view.watched, view.tables
    total, ones = 0.0, 0.0
    for k in range(len(logs)):
        total += moments(watched, tables, j, k)[0]
        ones += ones_of(tables, j, k)
    if not 0.0 < ones < total:
        logs[:] = 0.0
        return
    for k in range(len(logs)):
        n = moments(watched, tables, j, k)[0]
        if n > 0.0:
            logs[k] = share_log(ones_of(tables, j, k), n, x, categories)
        else:
            logs[k] = share_log(ones, total, x, categories)


@inlined
def gaussian_logs(view: View, j: int, x: float, logs: Floats) -> None:
    """Log densities but for a constant; zero where the feature has been the same all along."""
    watched, tables = view.watched, view.tables
    total, mean, spread = pooled_moments(watched, tables, j)
    common = spread / total if total > 0.0 else 0.0
    if not common > CONSTANT * mean * mean:
        logs[:] = 0.0
        return
    for k in range(len(logs)):
        n, m, M2 = moments(watched, tables, j, k)
        variance = (M2 + common) / (n + 1.0)
        distance = x - (m if n > 0.0 else mean)
        logs[k] = -0.5 * (math.log(variance) + distance * distance / variance)


@inlined
def add_evidence(logs: Floats, each: Floats) -> None:
    """Add one feature's logs, at most CLIP against any class."""
    largest = -math.inf
    for k in range(len(logs)):
        largest = max(largest, each[k])
    for k in range(len(logs)):
        logs[k] += max(each[k] - largest, -CLIP)


@inlined
def normalise(logs: Floats) -> None:
    """Make shares of logs."""
    largest, total = -math.inf, 0.0
    for k in range(len(logs)):
        largest = max(largest, logs[k])
    for k in range(len(logs)):
        logs[k] = math.exp(logs[k] - largest)
        total += logs[k]
    for k in range(len(logs)):
        logs[k] /= total


@inlined
def largest_of(values: Floats) -> int:
    """The position of the largest, the first of equals."""
    best = 0
    for k in range(1, len(values)):
        if values[k] > values[best]:
            best = k
    return best


@inlined
def naive_shares(view: View, features: Features, i: int, row: Row, shares: Floats, each: Floats) -> None:
    """Fill in the probability of each class by naive Bayes. each: scratch, (K,)."""
    for k in range(len(shares)):
        shares[k] = math.log(view.classes[k] + 1.0)  # what they share is normalised away
    p = 0
    for j in range(features.known):
        x = 0.0
        if p < len(row.indices) and row.indices[p] == j:
            x = float(row.values[p])
            p += 1
        if math.isnan(x) or not sees(features, j, i) or (features.nominal[j] and not x > 0.0):
            continue
        if features.nominal[j]:
            binary_logs(view, j, x, float(features.categories[j]), each)
        elif view.binary[j] and (x == 0.0 or x == 1.0):
            binary_logs(view, j, x, 2.0, each)
        else:
            gaussian_logs(view, j, x, each)
        add_evidence(shares, each)
    normalise(shares)


@inlined
def trusts_naive(nodes: Nodes, growth: Growth, leaf: int) -> bool:
    """Whether the leaf answers by naive Bayes."""
    if nodes.links[leaf, SLOT] < 0 or not growth.naive:
        return False
    return not growth.majority or bool(nodes.numbers[leaf, RIGHT_NAIVE] >= nodes.numbers[leaf, RIGHT_MAJORITY])


@inlined
def leaf_shares(
    nodes: Nodes,
    observers: Observers,
    features: Features,
    growth: Growth,
    i: int,
    leaf: int,
    row: Row,
    shares: Floats,
    each: Floats,
) -> bool:
    """Fill in the leaf's probability of each class; False if it has seen nothing. each: scratch, (K,)."""
    total = 0.0
    for k in range(len(shares)):
        total += nodes.classes[leaf, k]
    if total <= 0.0:
        return False
    if trusts_naive(nodes, growth, leaf):
        naive_shares(view_of(nodes, observers, leaf), features, i, row, shares, each)
    else:
        for k in range(len(shares)):
            shares[k] = nodes.classes[leaf, k] / total
    return True


@inlined
def observe_value(tables: Floats, j: int, k: int, x: float, weight: float) -> None:
    """One value of feature j in an example of class k."""
    tables[j, k, ENTRIES] += weight
    if math.isnan(x):
        return
    if tables[j, k, STORED] == 0.0:
        tables[j, k, LOW] = x
        tables[j, k, HIGH] = x
    tables[j, k, LOW] = min(tables[j, k, LOW], x)
    tables[j, k, HIGH] = max(tables[j, k, HIGH], x)
    n = float(tables[j, k, STORED]) + weight
    before = x - float(tables[j, k, MEAN])
    tables[j, k, STORED] = n
    tables[j, k, MEAN] += before * (weight / n)
    tables[j, k, SPREAD] += weight * before * (x - float(tables[j, k, MEAN]))


@inlined
def observe(view: View, features: Features, i: int, row: Row, k: int, weight: float) -> None:
    """A leaf that observes sees an example of class k."""
    view.watched[k] += weight
    for p in range(len(row.indices)):
        j, x = int(row.indices[p]), float(row.values[p])
        if sees(features, j, i):
            observe_value(view.tables, j, k, x, weight)
            if x != 0.0 and x != 1.0 and not math.isnan(x):
                view.binary[j] = False


@inlined
def learn_at(
    nodes: Nodes,
    observers: Observers,
    features: Features,
    growth: Growth,
    i: int,
    leaf: int,
    row: Row,
    k: int,
    weight: float,
    shares: Floats,
    each: Floats,
) -> None:
    """A leaf notes who would have been right, then learns an example of class k. shares, each: scratch, (K,)."""
    if nodes.links[leaf, SLOT] >= 0:
        view = view_of(nodes, observers, leaf)
        if growth.naive and growth.majority:
            naive_shares(view, features, i, row, shares, each)
            nodes.numbers[leaf, RIGHT_NAIVE] += weight if largest_of(shares) == k else 0.0
            nodes.numbers[leaf, RIGHT_MAJORITY] += weight if largest_of(view.classes) == k else 0.0
        observe(view, features, i, row, k, weight)
    nodes.classes[leaf, k] += weight
    nodes.numbers[leaf, WAITED] += weight
    nodes.numbers[leaf, EXAMPLES] += 1.0
