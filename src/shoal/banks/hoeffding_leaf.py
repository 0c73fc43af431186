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

import numpy as np

from shoal.banks.hoeffding_pool import LEAF, HoeffdingState, Nodes, Observers
from shoal.kernels.compiler import inlined
from shoal.types import Floats, Row

CLIP = 50.0  # largest evidence of one feature, in log-odds; specification B.7

MAJORITY, NAIVE = 0, 1  # positions in a node's `right`


@inlined
def value_of(row: Row, j: int) -> float:
    """Feature j of a sparse row."""
    n = len(row.indices)
    p = j if j < n and row.indices[j] == j else int(np.searchsorted(row.indices, j))
    return float(row.values[p]) if p < n and row.indices[p] == j else 0.0


@inlined
def next_node(nodes: Nodes, node: int, row: Row) -> int:
    """The child on the row's side of a branch; where the value is missing, the child that more came to."""
    x = value_of(row, nodes.feature[node])
    lower, upper = int(nodes.children[node, 0]), int(nodes.children[node, 1])
    if math.isnan(x):
        return lower if nodes.weight[lower] >= nodes.weight[upper] else upper
    return lower if x <= nodes.threshold[node] else upper


@inlined
def leaf_of(state: HoeffdingState, i: int, row: Row) -> int:
    """The leaf of learner i that a row comes to."""
    node = int(state.roots[i])
    while state.nodes.feature[node] != LEAF:
        node = next_node(state.nodes, node, row)
    return node


@inlined
def sees(state: HoeffdingState, j: int, i: int) -> bool:
    """Whether learner i sees feature j."""
    return state.seen.shape[0] == 0 or bool(state.seen[j, i])


@inlined
def moments(observers: Observers, s: int, j: int, k: int) -> tuple[float, float, float]:
    """(weight, mean, M2) of feature j in class k, zeros included."""
    stored = float(observers.stored[s, j, k])
    mean = float(observers.mean[s, j, k])
    spread = float(observers.spread[s, j, k])
    zeros = float(observers.watched[s, k] - observers.entries[s, j, k])
    if zeros <= 0.0:
        return stored, mean, spread
    n = stored + zeros
    return n, mean * stored / n, spread + mean * mean * stored * zeros / n


@inlined
def pooled_moments(observers: Observers, s: int, j: int) -> tuple[float, float, float]:
    """(weight, mean, M2) of feature j over all classes."""
    total, mean, spread = 0.0, 0.0, 0.0
    for k in range(observers.watched.shape[1]):
        n, m, M2 = moments(observers, s, j, k)
        if n > 0.0:
            step = m - mean
            total += n
            mean += step * n / total
            spread += M2 + step * step * n * (total - n) / total
    return total, mean, spread


@inlined
def ones_of(observers: Observers, s: int, j: int, k: int) -> float:
    """Weight of the ones of a feature whose values are 0 or 1."""
    return float(observers.stored[s, j, k] * observers.mean[s, j, k])


@inlined
def share_log(ones: float, n: float, x: float, categories: float) -> float:
    """Log of the smoothed share of the ones, or of the others."""
    return math.log((ones + 1.0 if x > 0.0 else n - ones + 1.0) / (n + categories))


@inlined
def binary_logs(observers: Observers, s: int, j: int, x: float, categories: float, logs: Floats) -> None:
    """Log likelihoods of a feature whose values are 0 or 1; a class that has not been seen takes all classes'."""
    total, ones = 0.0, 0.0
    for k in range(len(logs)):
        total += moments(observers, s, j, k)[0]
        ones += ones_of(observers, s, j, k)
    for k in range(len(logs)):
        n = moments(observers, s, j, k)[0]
        if n > 0.0:
            logs[k] = share_log(ones_of(observers, s, j, k), n, x, categories)
        else:
            logs[k] = share_log(ones, total, x, categories)


@inlined
def gaussian_logs(observers: Observers, s: int, j: int, x: float, logs: Floats) -> None:
    """Log densities but for a constant; zero where the feature has been the same all along."""
    total, mean, spread = pooled_moments(observers, s, j)
    if not spread > 0.0:
        logs[:] = 0.0
        return
    common = spread / total
    for k in range(len(logs)):
        n, m, M2 = moments(observers, s, j, k)
        variance = (M2 + common) / (n + 1.0)
        distance = x - (m if n > 0.0 else mean)
        logs[k] = -0.5 * (math.log(variance) + distance * distance / variance)


@inlined
def add_evidence(logs: Floats, each: Floats) -> None:
    """Add one feature's logs, at most CLIP against any class."""
    largest = each.max()
    for k in range(len(logs)):
        logs[k] += max(each[k] - largest, -CLIP)


@inlined
def normalise(logs: Floats) -> None:
    """Make shares of logs."""
    largest, total = logs.max(), 0.0
    for k in range(len(logs)):
        logs[k] = math.exp(logs[k] - largest)
        total += logs[k]
    for k in range(len(logs)):
        logs[k] /= total


@inlined
def naive_shares(state: HoeffdingState, i: int, leaf: int, row: Row, shares: Floats, each: Floats) -> None:
    """Fill in the probability of each class by naive Bayes. each: scratch, (K,)."""
    observers, classes = state.observers, state.nodes.classes[leaf]
    s = int(state.nodes.slot[leaf])
    for k in range(len(shares)):
        shares[k] = math.log(classes[k] + 1.0)  # what they share is normalised away
    p = 0
    for j in range(state.known):
        x = 0.0
        if p < len(row.indices) and row.indices[p] == j:
            x = float(row.values[p])
            p += 1
        if math.isnan(x) or not sees(state, j, i):
            continue
        if state.nominal[j]:
            if x > 0.0:
                binary_logs(observers, s, j, x, float(state.categories[j]), each)
                add_evidence(shares, each)
        elif observers.binary[s, j] and (x == 0.0 or x == 1.0):
            binary_logs(observers, s, j, x, 2.0, each)
            add_evidence(shares, each)
        else:
            gaussian_logs(observers, s, j, x, each)
            add_evidence(shares, each)
    normalise(shares)


@inlined
def trusts_naive(state: HoeffdingState, leaf: int) -> bool:
    """Whether the leaf answers by naive Bayes."""
    nodes, growth = state.nodes, state.growth
    if nodes.slot[leaf] < 0 or not growth.naive:
        return False
    return not growth.majority or bool(nodes.right[leaf, NAIVE] >= nodes.right[leaf, MAJORITY])


@inlined
def leaf_shares(state: HoeffdingState, i: int, leaf: int, row: Row, shares: Floats, each: Floats) -> bool:
    """Fill in the leaf's probability of each class; False if it has seen nothing. each: scratch, (K,)."""
    classes = state.nodes.classes[leaf]
    total = float(classes.sum())
    if total <= 0.0:
        return False
    if trusts_naive(state, leaf):
        naive_shares(state, i, leaf, row, shares, each)
    else:
        for k in range(len(shares)):
            shares[k] = classes[k] / total
    return True


@inlined
def judge(state: HoeffdingState, i: int, leaf: int, row: Row, k: int, weight: float) -> None:
    """Note who would have been right, before the example is learned."""
    nodes, growth = state.nodes, state.growth
    if nodes.slot[leaf] < 0 or not (growth.naive and growth.majority):
        return
    classes = nodes.classes[leaf]
    if np.argmax(classes) == k:
        nodes.right[leaf, MAJORITY] += weight
    shares, each = np.zeros(len(classes)), np.zeros(len(classes))
    naive_shares(state, i, leaf, row, shares, each)
    if np.argmax(shares) == k:
        nodes.right[leaf, NAIVE] += weight


@inlined
def observe_value(observers: Observers, s: int, j: int, k: int, x: float, weight: float) -> None:
    """One value of feature j in an example of class k."""
    observers.entries[s, j, k] += weight
    if math.isnan(x):
        return
    if x != 0.0 and x != 1.0:
        observers.binary[s, j] = False
    if observers.stored[s, j, k] == 0.0:
        observers.low[s, j, k] = x
        observers.high[s, j, k] = x
    observers.low[s, j, k] = min(observers.low[s, j, k], x)
    observers.high[s, j, k] = max(observers.high[s, j, k], x)
    n = float(observers.stored[s, j, k]) + weight
    before = x - float(observers.mean[s, j, k])
    observers.stored[s, j, k] = n
    observers.mean[s, j, k] += before * (weight / n)
    observers.spread[s, j, k] += weight * before * (x - float(observers.mean[s, j, k]))


@inlined
def observe(state: HoeffdingState, i: int, leaf: int, row: Row, k: int, weight: float) -> None:
    """The leaf sees an example of class k."""
    nodes, observers = state.nodes, state.observers
    nodes.classes[leaf, k] += weight
    nodes.waited[leaf] += weight
    nodes.examples[leaf] += 1
    s = int(nodes.slot[leaf])
    if s < 0:
        return
    observers.watched[s, k] += weight
    for p in range(len(row.indices)):
        j = int(row.indices[p])
        if sees(state, j, i):
            observe_value(observers, s, j, k, float(row.values[p]), weight)
