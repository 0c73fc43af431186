"""When and where a leaf of a Hoeffding tree is split (Domingos and Hulten 2000).

The merit of a split is what it takes from the impurity of the classes, in bits or Gini's, times the share of
the examples whose value is known. A numeric feature is tried at `n_splits` thresholds evenly between its
least and largest value, with a Gaussian per class (Pfahringer, Holmes and Kirkby 2008); a feature of zeros
and ones, or an indicator of a nominal column, exactly and once.

A leaf is split on the best feature if its merit leads that of the best *other column*, or of no split at
all (0), by more than the Hoeffding bound R sqrt(log(1 / delta) / 2n), or if that bound is below `tau`. The
indicators of one column compete for one place: they say the same in other words and would tie.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.banks.hoeffding_leaf import View, moments, ones_of, sees, view_of
from shoal.banks.hoeffding_pool import (
    ENTRIES,
    EXAMPLES,
    FEATURE,
    HIGH,
    LEAF,
    LOW,
    LOWER,
    NO_SLOT,
    NODES_PER_SPLIT,
    SLOT,
    STORED,
    THRESHOLD,
    UPPER,
    WAITED,
    WEIGHT,
    Features,
    Growth,
    HoeffdingState,
    Nodes,
    ask_for_slot,
    give_slot_back,
    promise,
    take_node,
)
from shoal.kernels.compiler import inlined
from shoal.types import Floats

LEAST_BRANCH = 0.01  # share of the examples that each side of a split must get; as in MOA
MIDDLE = 0.5  # between 0 and 1
TIE = 1e-12  # merits this close are equal, and the first feature wins: mirrored indicators differ by rounding
ROOT_2 = math.sqrt(2.0)


@inlined
def impurity(classes: Floats, gini: bool) -> float:
    """Of a distribution of classes, in bits or Gini's."""
    total = classes.sum()
    sum_of = 0.0
    if total > 0.0:
        for k in range(len(classes)):
            share = classes[k] / total
            if gini:
                sum_of += share * (1.0 - share)
            elif share > 0.0:
                sum_of -= share * math.log2(share)
    return sum_of


@inlined
def merit_of(sides: Floats, known_share: float, gini: bool) -> float:
    """What a split into two distributions of classes gains; -inf if a side gets next to nothing."""
    lower, upper = sides[0].sum(), sides[1].sum()
    total = lower + upper
    if not min(lower, upper) > LEAST_BRANCH * total:
        return -math.inf
    after = (lower * impurity(sides[0], gini) + upper * impurity(sides[1], gini)) / total
    return known_share * (impurity(sides[0] + sides[1], gini) - after)


@inlined
def class_range(view: View, j: int, k: int) -> tuple[float, float]:
    """(least, largest) value of feature j in class k, zeros included; (inf, -inf) if there is none."""
    low, high = math.inf, -math.inf
    if view.tables[j, k, STORED] > 0.0:
        low, high = float(view.tables[j, k, LOW]), float(view.tables[j, k, HIGH])
    if view.watched[k] > view.tables[j, k, ENTRIES]:
        low, high = min(low, 0.0), max(high, 0.0)
    return low, high


@inlined
def weight_up_to(view: View, j: int, k: int, threshold: float) -> float:
    """Estimated weight of class k with values of feature j up to a threshold."""
    n, mean, spread = moments(view.watched, view.tables, j, k)
    low, high = class_range(view, j, k)
    if threshold < low:
        return 0.0
    if threshold >= high:
        return n
    deviation = math.sqrt(spread / n)
    if not deviation > 0.0:
        return n if mean <= threshold else 0.0
    return n * 0.5 * math.erfc((mean - threshold) / (deviation * ROOT_2))


@inlined
def divide(view: View, exact: bool, j: int, threshold: float, sides: Floats) -> None:
    """Fill in the classes on either side of a threshold, (2, K), of the examples whose value is known."""
    for k in range(sides.shape[1]):
        n = moments(view.watched, view.tables, j, k)[0]
        if exact:
            lower = max(n - ones_of(view.tables, j, k), 0.0)
        else:
            lower = weight_up_to(view, j, k, threshold)
        sides[0, k], sides[1, k] = lower, n - lower


@inlined
def is_exact(view: View, features: Features, j: int) -> bool:
    """Whether the values of a feature are 0 and 1."""
    return bool(features.nominal[j] or view.binary[j])


@inlined
def best_threshold(view: View, exact: bool, growth: Growth, j: int, sides: Floats) -> tuple[float, float]:
    """(merit, threshold) of the best split on feature j; -inf if there is none. sides: scratch, (2, K)."""
    low, high, known = math.inf, -math.inf, 0.0
    for k in range(sides.shape[1]):
        least, largest = class_range(view, j, k)
        low, high = min(low, least), max(high, largest)
        known += moments(view.watched, view.tables, j, k)[0]
    best, where = -math.inf, 0.0
    if not low < high:
        return best, where
    share = known / view.watched.sum()
    for c in range(1 if exact else growth.n_splits):
        threshold = MIDDLE if exact else low + (high - low) * (c + 1.0) / (growth.n_splits + 1.0)
        divide(view, exact, j, threshold, sides)
        merit = merit_of(sides, share, growth.gini)
        if merit > best + TIE:
            best, where = merit, threshold
    return best, where


@inlined
def is_decided(state: HoeffdingState, leaf: int, lead: float) -> bool:
    """Whether a lead in merit is beyond chance, or waiting longer does not pay."""
    growth, observers = state.growth, state.observers
    present = int(np.count_nonzero(observers.watched[state.nodes.links[leaf, SLOT]]))
    scale = 1.0 if growth.gini else math.log2(max(present, 2))
    n = float(state.nodes.classes[leaf].sum())
    bound = scale * math.sqrt(growth.log_delta / (2.0 * n))
    return lead > bound or bound < growth.tau


@inlined
def best_split(state: HoeffdingState, view: View, i: int, sides: Floats) -> tuple[int, float, float]:
    """(feature, threshold, lead over the best other column). Feature LEAF where no split gains anything."""
    features = state.features
    merits = np.full(features.known, -math.inf)
    thresholds = np.zeros(features.known)
    best = -1
    for j in range(features.known):
        if sees(features, j, i):
            merits[j], thresholds[j] = best_threshold(view, is_exact(view, features, j), state.growth, j, sides)
            if best < 0 or merits[j] > merits[best] + TIE:
                best = j
    if best < 0 or not merits[best] > 0.0:
        return LEAF, 0.0, 0.0
    second = 0.0  # that of no split
    for j in range(features.known):
        if features.columns[j] != features.columns[best]:
            second = max(second, float(merits[j]))
    return best, float(thresholds[best]), float(merits[best]) - second


@inlined
def test_leaf(state: HoeffdingState, i: int, leaf: int) -> None:
    """Split the leaf if a split is decided."""
    if state.n_nodes[i] + NODES_PER_SPLIT > state.growth.max_nodes:
        return
    view = view_of(state.nodes, state.observers, leaf)
    if np.count_nonzero(view.watched) < 2:
        return
    sides = np.zeros((2, len(view.watched)))
    j, threshold, lead = best_split(state, view, i, sides)
    if j != LEAF and is_decided(state, leaf, lead):
        divide(view, is_exact(view, state.features, j), j, threshold, sides)
        split(state, i, leaf, j, threshold, sides)


@inlined
def split(state: HoeffdingState, i: int, leaf: int, j: int, threshold: float, sides: Floats) -> None:
    """Make the leaf a branch; its children start from the classes on their side.

    The more promising one is the first to get a slot.
    """
    nodes = state.nodes
    give_slot_back(state, i, leaf)
    nodes.links[leaf, FEATURE] = j
    nodes.numbers[leaf, THRESHOLD] = threshold
    for side in range(2):
        child = take_node(state, i)
        nodes.links[leaf, LOWER + side] = child
        nodes.classes[child] = sides[side]
        nodes.numbers[child, WEIGHT] = sides[side].sum()
    lower, upper = int(nodes.links[leaf, LOWER]), int(nodes.links[leaf, UPPER])
    if promise(nodes, lower) >= promise(nodes, upper):
        ask_for_slot(state, i, lower)
        ask_for_slot(state, i, upper)
    else:
        ask_for_slot(state, i, upper)
        ask_for_slot(state, i, lower)


@inlined
def is_due(nodes: Nodes, growth: Growth, leaf: int) -> bool:
    """Whether a leaf's time of grace is over."""
    return bool(
        nodes.numbers[leaf, WAITED] >= growth.grace and nodes.numbers[leaf, EXAMPLES] >= growth.least_examples
    )


@inlined
def consider(state: HoeffdingState, i: int, leaf: int) -> None:
    """Test a leaf that observes; one that does not asks whether it may."""
    nodes = state.nodes
    nodes.numbers[leaf, WAITED] = 0.0
    nodes.numbers[leaf, EXAMPLES] = 0.0
    if nodes.links[leaf, SLOT] == NO_SLOT:
        ask_for_slot(state, i, leaf)
    else:
        test_leaf(state, i, leaf)
