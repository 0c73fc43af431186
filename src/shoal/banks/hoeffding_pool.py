"""All nodes of all Hoeffding trees in one set of arrays, and the room for them.

A node is a row of `Nodes`. A leaf that learns also holds a slot: a row of `Observers`, by far the larger
part. Both kinds are taken from one pool for the whole bank and given back to it, so memory follows what the
trees have become, not how many they could be. Compiled code cannot lengthen arrays: `reserve` makes sure,
before rows are learned, that there is room for whatever they can bring about.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.kernels.compiler import compiled, inlined
from shoal.types import Flags, Floats, Ints, Keys

LEAF = -1  # as a node's feature
NOBODY = -1  # as a node's owner: it is not in use
NO_SLOT = -1

NODES, SLOTS = 0, 1  # positions in the pool's pairs
FEATURE, LOWER, UPPER, OWNER, SLOT = range(5)  # positions in a node's links
LINKS = 5
THRESHOLD, WEIGHT, WAITED, EXAMPLES, RIGHT_MAJORITY, RIGHT_NAIVE = range(6)  # positions in a node's numbers
NUMBERS = 6
ENTRIES, STORED, MEAN, SPREAD, LOW, HIGH = range(6)  # positions in a table
TABLE = 6
NODES_PER_SPLIT = 2

T = TypeVar("T", bound=np.generic)


class Growth(NamedTuple):
    """When leaves are split, and how they answer.

    grace, least_examples: weight and examples that a leaf learns between two tests.
    log_delta: log(1 / delta). max_slots: leaves of one tree that may observe.
    """

    grace: float
    least_examples: int
    log_delta: float
    tau: float
    gini: bool
    naive: bool  # naive Bayes in leaves
    majority: bool  # the majority class in leaves
    n_splits: int
    max_nodes: int
    max_slots: int


class Nodes(NamedTuple):
    """Rows are nodes. Few arrays, since compiled calls pay for every array that they are handed.

    links: (C, 5) the feature that a branch asks for, or LEAF (FEATURE); the children for values up to the
        threshold and above (LOWER, UPPER); the learner whose node it is, or NOBODY (OWNER); a leaf's slot, or
        NO_SLOT if it observes nothing (SLOT).
    numbers: (C, 6) a branch's THRESHOLD; the WEIGHT of the examples that came by; a leaf's weight of examples
        since the last test (WAITED) and their number (EXAMPLES); the weight of those that the majority class
        and that naive Bayes got right (RIGHT_MAJORITY, RIGHT_NAIVE).
    classes: (C, K) weight of each class, as estimated when the node came to be and as seen since.
    """

    links: NDArray[np.int32]
    numbers: Floats
    classes: Floats


class Observers(NamedTuple):
    """Rows are slots: what a leaf has seen.

    tables: (S, d, K, 6) of each feature in each class: the weight of the examples that hold the feature,
        missing values included (ENTRIES); of the values other than 0 their weight (STORED), mean (MEAN), sum of
        squared distances from it (SPREAD), least and largest (LOW, HIGH).
    """

    watched: Floats  # (S, K) weight of each class
    binary: Flags  # (S, d) whether all values so far are 0 or 1
    tables: Floats


class Pool(NamedTuple):
    """Which nodes and slots are free: those given back, and those never taken."""

    free_nodes: NDArray[np.int32]  # (C,)
    free_slots: NDArray[np.int32]  # (S,)
    freed: Ints  # (2,) how many of each were given back and wait to be taken again
    taken: Ints  # (2,) how many of each have ever been taken


class Features(NamedTuple):
    """What is known of the features, in the order of the columns of the tables."""

    known: int  # in use; the columns behind them are room to grow
    seen: Flags  # (d, N) whether the learner sees the feature; or (0, N) where all see all
    nominal: Flags  # (d,)
    columns: Keys  # (d,) which features are indicators of one column
    categories: Floats  # (d,) how many there are of that column


class HoeffdingState(NamedTuple):
    """All trees of a bank."""

    growth: Growth
    keys: Keys  # (N,) one per learner
    features: Features
    roots: NDArray[np.int32]  # (N,)
    n_nodes: Ints  # (N,)
    n_slots: Ints  # (N,)
    nodes: Nodes
    observers: Observers
    pool: Pool


def no_nodes(n_classes: int) -> Nodes:
    """Room for none."""
    links = np.zeros((0, LINKS), dtype=np.int32)
    return Nodes(links, np.zeros((0, NUMBERS)), np.zeros((0, n_classes)))


def no_observers(n_features: int, n_classes: int) -> Observers:
    """Room for none."""
    flags = np.zeros((0, n_features), dtype=np.bool_)
    return Observers(np.zeros((0, n_classes)), flags, np.zeros((0, n_features, n_classes, TABLE)))


def no_pool() -> Pool:
    """Nothing taken, nothing to take."""
    none = np.zeros(0, dtype=np.int32)
    return Pool(none, none, np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64))


def slot_bytes(n_features: int, n_classes: int) -> int:
    """What one slot costs."""
    blank = no_observers(n_features, n_classes)
    return sum(int(np.prod(table.shape[1:])) * table.itemsize for table in blank)


def reshaped(table: NDArray[T], shape: tuple[int, ...]) -> NDArray[T]:
    """A larger table with the old one in its corner. What is not written costs no memory until it is."""
    if table.shape == shape:
        return table
    larger = np.zeros(shape, dtype=table.dtype)
    larger[tuple(slice(0, n) for n in table.shape)] = table
    return larger


def resized(table: NDArray[T], length: int) -> NDArray[T]:
    """The table with that many rows."""
    return table[:length].copy() if length < len(table) else reshaped(table, (length, *table.shape[1:]))


def with_room(state: HoeffdingState, n_nodes: int, n_slots: int) -> HoeffdingState:
    """The same trees, in arrays of that many nodes and slots, each at least as many as were ever taken."""
    pool = state.pool
    return state._replace(
        nodes=Nodes._make(resized(table, n_nodes) for table in state.nodes),
        observers=Observers._make(resized(table, n_slots) for table in state.observers),
        pool=pool._replace(
            free_nodes=resized(pool.free_nodes, n_nodes),
            free_slots=resized(pool.free_slots, n_slots),
        ),
    )


def with_features(observers: Observers, n_features: int) -> Observers:
    """Room for more features, none of which has had a value other than 0."""
    watched, binary, tables = observers
    n_slots, n_classes = watched.shape
    wider = reshaped(binary, (n_slots, n_features))
    wider[:, binary.shape[1] :] = True
    return Observers(watched, wider, reshaped(tables, (n_slots, n_features, n_classes, TABLE)))


def with_classes(state: HoeffdingState, n_classes: int) -> HoeffdingState:
    """Room for more classes, none of which has been seen."""
    nodes, (watched, binary, tables) = state.nodes, state.observers
    n_slots, n_features = binary.shape
    return state._replace(
        nodes=nodes._replace(classes=reshaped(nodes.classes, (len(nodes.classes), n_classes))),
        observers=Observers(
            reshaped(watched, (n_slots, n_classes)),
            binary,
            reshaped(tables, (n_slots, n_features, n_classes, TABLE)),
        ),
    )


def reserved(state: HoeffdingState, n_rows: int) -> HoeffdingState:
    """Room for whatever n_rows more examples can bring about."""
    if _has_room(state, n_rows * len(state.roots)):
        return state
    n_splits = most_splits(state.growth, state.roots, state.nodes, state.n_nodes, n_rows)
    if _has_room(state, n_splits):
        return state
    used = state.pool.taken - state.pool.freed
    n_nodes = max(len(state.nodes.links), _power_of_two(int(used[NODES]) + NODES_PER_SPLIT * n_splits))
    n_slots = max(len(state.observers.watched), _power_of_two(int(used[SLOTS]) + n_splits))
    return with_room(state, n_nodes, min(n_slots, max(len(state.observers.watched), _most_slots(state))))


def settled(state: HoeffdingState) -> HoeffdingState:
    """Room that depends on the trees alone, enough for another row, whatever was reserved."""
    n = len(state.roots)
    n_nodes = _power_of_two(int(state.pool.taken[NODES]) + NODES_PER_SPLIT * n)
    n_slots = _power_of_two(int(state.pool.taken[SLOTS]) + n)
    if (n_nodes, n_slots) == (len(state.nodes.links), len(state.observers.watched)):
        return state
    return with_room(state, n_nodes, n_slots)


def _has_room(state: HoeffdingState, n_splits: int) -> bool:
    left_nodes, left_slots = n_left(state)
    nodes_suffice = left_nodes >= NODES_PER_SPLIT * n_splits
    return nodes_suffice and (left_slots >= n_splits or len(state.observers.watched) >= _most_slots(state))


def _most_slots(state: HoeffdingState) -> int:
    """As many slots as the trees can hold together."""
    return int(np.maximum(state.n_slots, state.growth.max_slots).sum())


def n_left(state: HoeffdingState) -> tuple[int, int]:
    """How many nodes and slots can still be taken."""
    used = state.pool.taken - state.pool.freed
    return len(state.nodes.links) - int(used[NODES]), len(state.observers.watched) - int(used[SLOTS])


def _power_of_two(n: int) -> int:
    """At least n: so that room seldom changes."""
    return 1 << max(n - 1, 0).bit_length()


@compiled
def most_splits(growth: Growth, roots: NDArray[np.int32], nodes: Nodes, n_nodes: Ints, n_rows: int) -> int:
    """An upper bound of the splits that n_rows more examples can bring about.

    A leaf is split only after `least_examples` examples of its own, and an example reaches one leaf of each
    tree: at most, the leaves that lack the fewest are served first, then fresh ones.
    """
    left = np.full(len(roots), float(n_rows))
    splits = np.zeros(len(roots))
    missing = np.maximum(growth.least_examples - nodes.numbers[:, EXAMPLES], 1.0)
    for node in np.argsort(missing):
        i = nodes.links[node, OWNER]
        if i != NOBODY and nodes.links[node, FEATURE] == LEAF and missing[node] <= left[i]:
            left[i] -= missing[node]
            splits[i] += 1.0
    total = 0
    for i in range(len(roots)):
        possible = (growth.max_nodes - n_nodes[i]) // NODES_PER_SPLIT
        total += min(int(splits[i] + left[i] // growth.least_examples), max(possible, 0))
    return total


@inlined
def take_node(state: HoeffdingState, i: int) -> int:
    """A node for learner i: a leaf that has seen nothing."""
    pool, nodes = state.pool, state.nodes
    if pool.freed[NODES] > 0:
        pool.freed[NODES] -= 1
        node = int(pool.free_nodes[pool.freed[NODES]])
    else:
        if pool.taken[NODES] == len(nodes.links):
            raise InputError("No room for another node: call reserve(state, n_rows) before learning.")
        node = int(pool.taken[NODES])
        pool.taken[NODES] += 1
    nodes.links[node, OWNER] = i
    state.n_nodes[i] += 1
    clear_node(nodes, node)
    return node


@inlined
def clear_node(nodes: Nodes, node: int) -> None:
    """As if it had seen nothing."""
    nodes.links[node, FEATURE] = LEAF
    nodes.links[node, SLOT] = NO_SLOT
    nodes.numbers[node, :] = 0.0
    nodes.classes[node, :] = 0.0


@inlined
def take_slot(state: HoeffdingState, i: int) -> int:
    """A slot that has seen nothing, for a leaf of learner i."""
    pool, observers = state.pool, state.observers
    if pool.freed[SLOTS] > 0:
        pool.freed[SLOTS] -= 1
        slot = int(pool.free_slots[pool.freed[SLOTS]])
    else:
        if pool.taken[SLOTS] == len(observers.watched):
            raise InputError("No room for another leaf: call reserve(state, n_rows) before learning.")
        slot = int(pool.taken[SLOTS])
        pool.taken[SLOTS] += 1
    state.n_slots[i] += 1
    observers.watched[slot] = 0.0
    observers.binary[slot] = True
    observers.tables[slot] = 0.0
    return slot


@inlined
def give_slot_back(state: HoeffdingState, i: int, node: int) -> None:
    """The leaf observes no more."""
    pool = state.pool
    pool.free_slots[pool.freed[SLOTS]] = state.nodes.links[node, SLOT]
    pool.freed[SLOTS] += 1
    state.nodes.links[node, SLOT] = NO_SLOT
    state.nodes.numbers[node, RIGHT_MAJORITY] = 0.0
    state.nodes.numbers[node, RIGHT_NAIVE] = 0.0
    state.n_slots[i] -= 1


@inlined
def give_tree_back(state: HoeffdingState, i: int) -> None:
    """All nodes and slots of learner i become free."""
    pool, nodes = state.pool, state.nodes
    for node in range(pool.taken[NODES]):
        if nodes.links[node, OWNER] == i:
            if nodes.links[node, SLOT] != NO_SLOT:
                give_slot_back(state, i, node)
            nodes.links[node, OWNER] = NOBODY
            pool.free_nodes[pool.freed[NODES]] = node
            pool.freed[NODES] += 1
    state.n_nodes[i] = 0


@inlined
def plant(state: HoeffdingState, i: int) -> None:
    """A fresh tree for learner i: one leaf that observes."""
    root = take_node(state, i)
    state.roots[i] = root
    state.nodes.links[root, SLOT] = take_slot(state, i)


@compiled
def plant_all(state: HoeffdingState) -> None:
    """A fresh tree for every learner."""
    for i in range(len(state.roots)):
        plant(state, i)


@inlined
def promise(nodes: Nodes, node: int) -> float:
    """Weight of the classes other than the leaf's largest: what splitting it could gain (Domingos and Hulten)."""
    return float(nodes.classes[node].sum() - nodes.classes[node].max())


@inlined
def least_promising(state: HoeffdingState, i: int) -> int:
    """The leaf of learner i that gains least from observing; the first of equals. -1 if none observes."""
    nodes = state.nodes
    worst, least = -1, np.inf
    for node in range(state.pool.taken[NODES]):
        if nodes.links[node, OWNER] == i and nodes.links[node, SLOT] != NO_SLOT and promise(nodes, node) < least:
            worst, least = node, promise(nodes, node)
    return worst


@inlined
def ask_for_slot(state: HoeffdingState, i: int, leaf: int) -> None:
    """A slot for a leaf without: a free one, or that of a less promising leaf."""
    if state.n_slots[i] >= state.growth.max_slots:
        other = least_promising(state, i)
        if other < 0 or promise(state.nodes, other) >= promise(state.nodes, leaf):
            return
        give_slot_back(state, i, other)
    state.nodes.links[leaf, SLOT] = take_slot(state, i)
    state.nodes.numbers[leaf, RIGHT_MAJORITY] = 0.0
    state.nodes.numbers[leaf, RIGHT_NAIVE] = 0.0


@compiled
def shed(state: HoeffdingState) -> None:
    """Take slots from the least promising leaves of trees that hold more than they may."""
    for i in range(len(state.roots)):
        while state.n_slots[i] > state.growth.max_slots:
            give_slot_back(state, i, least_promising(state, i))
