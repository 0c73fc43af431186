"""Whether a state from a file is one that its parts could have come to: every shape, and every number that
compiled code takes for a place in an array. Compiled code does not look again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.banks.additive import AdditiveState
from shoal.banks.gaussian_stump import GaussianStumpState
from shoal.banks.hoeffding_pool import (
    FEATURE,
    LEAF,
    LOWER,
    NO_SLOT,
    NOBODY,
    OWNER,
    SLOT,
    UPPER,
    HoeffdingState,
)  # fmt: skip
from shoal.banks.naive_bayes_moments import NaiveBayesState
from shoal.banks.one_vs_rest import Group
from shoal.banks.regression_tree_leaf import BINS, RegressionTreesState
from shoal.banks.regression_tree_leaf import LOWER as LOWER_CHILD
from shoal.banks.regression_tree_leaf import SLOT as LEAF_SLOT
from shoal.banks.stack import StackState
from shoal.banks.stump import StumpState
from shoal.boosters.feature_boost import FeatureBoostState
from shoal.boosters.ogboost import OGBoostState
from shoal.drift import BUCKETS, DriftState
from shoal.ensemble import EnsembleState
from shoal.errors import DataFileError
from shoal.reservoir.state import ReservoirState
from shoal.rules.sag import REVISIT, SAGState
from shoal.scaling import ScalingState

MOST = 1 << 53  # examples that anything has counted


def check_state(fresh: Any, state: Any, path: str) -> None:
    """Refuse a state that its parts could not have come to. fresh: one of theirs that has seen nothing."""
    free = FREE.get(type(fresh), ())
    if isinstance(fresh, np.ndarray):
        require(state.shape == fresh.shape, f"{path} has the shape {state.shape}; expected {fresh.shape}")
    elif hasattr(fresh, "_fields"):
        for name in fresh._fields:
            if name not in free:
                check_state(getattr(fresh, name), getattr(state, name), f"{path}.{name}")
        if type(fresh) in PLACES:
            PLACES[type(fresh)](fresh, state, path)
    elif isinstance(fresh, tuple):
        for i, (part, other) in enumerate(zip(fresh, state, strict=True)):
            check_state(part, other, f"{path}.{i}")


def require(holds: Any, words: str) -> None:
    """Refuse the file unless this holds."""
    if not holds:
        raise DataFileError(words)


def within(array: NDArray[Any], low: Any, high: Any, path: str) -> None:
    """Refuse whole numbers outside low, ..., high."""
    if array.size:
        require((array >= low).all() and (array <= high).all(), f"{path} holds numbers that mean nothing")


def same_but_first(fresh: Any, state: Any, n: int, path: str) -> None:
    """Arrays of n rows that are otherwise like the fresh ones."""
    for name in fresh._fields:
        shape = (n, *getattr(fresh, name).shape[1:])
        found = getattr(state, name).shape
        require(found == shape, f"{path}.{name} has the shape {found}; expected {shape}")


def check_hoeffding(fresh: HoeffdingState, state: HoeffdingState, path: str) -> None:
    """Trees whose nodes, slots and features are there, and that have an end."""
    nodes, observers, pool = state.nodes, state.observers, state.pool
    n_nodes, n_slots, d = len(nodes.links), len(observers.watched), len(state.features.columns)
    n = len(state.roots)
    same_but_first(fresh.nodes, nodes, n_nodes, f"{path}.nodes")
    same_but_first(fresh.observers, observers, n_slots, f"{path}.observers")
    require(
        pool.free_nodes.shape == (n_nodes,) and pool.free_slots.shape == (n_slots,), f"{path}.pool does not fit"
    )
    require(pool.taken.shape == (2,) and pool.freed.shape == (2,), f"{path}.pool does not fit")
    within(pool.taken, 0, np.array([n_nodes, n_slots]), f"{path}.pool.taken")
    within(pool.freed, 0, pool.taken, f"{path}.pool.freed")
    taken = nodes.links[: pool.taken[0]]
    within(pool.free_nodes[: pool.freed[0]], 0, pool.taken[0] - 1, f"{path}.pool.free_nodes")
    within(pool.free_slots[: pool.freed[1]], 0, pool.taken[1] - 1, f"{path}.pool.free_slots")
    within(state.roots, 0, pool.taken[0] - 1, f"{path}.roots")
    within(state.n_nodes, 0, pool.taken[0], f"{path}.n_nodes")
    within(state.n_slots, 0, pool.taken[1], f"{path}.n_slots")
    within(taken[:, FEATURE], LEAF, d - 1, f"{path}.nodes")
    within(taken[:, SLOT], NO_SLOT, pool.taken[1] - 1, f"{path}.nodes")
    within(taken[:, OWNER], NOBODY, n - 1, f"{path}.nodes")
    branches = taken[taken[:, FEATURE] != LEAF]
    within(branches[:, [LOWER, UPPER]], 0, pool.taken[0] - 1, f"{path}.nodes")
    require(_are_trees(taken, state.roots), f"{path}.nodes are no trees")
    slots = taken[(taken[:, OWNER] != NOBODY) & (taken[:, SLOT] != NO_SLOT), SLOT]
    require(len(np.unique(slots)) == len(slots), f"{path}.nodes share what they observe")


def _are_trees(links: NDArray[Any], roots: NDArray[Any]) -> bool:
    """Whether no node is reached twice from the roots."""
    met = np.zeros(len(links), dtype=np.int64)
    front = roots
    while len(front):
        np.add.at(met, front, 1)
        if (met > 1).any():
            return False
        inner = links[front]
        front = inner[inner[:, FEATURE] != LEAF][:, [LOWER, UPPER]].ravel()
    return True


def check_regression_trees(fresh: RegressionTreesState, state: RegressionTreesState, path: str) -> None:
    """Branches ask for features that are observed, and lead on; leaves are in slots, with room for another bin."""
    n_trees, n_nodes, _ = state.links.shape
    within(state.n_leaves, 1, state.leaves.shape[1], f"{path}.n_leaves")
    within(state.n_bins, 0, BINS, f"{path}.n_bins")
    within(state.links[:, :, FEATURE], LEAF, state.n_bins.shape[2] - 1, f"{path}.links")
    within(state.links[:, :, LEAF_SLOT], 0, state.leaves.shape[1] - 1, f"{path}.links")
    places = np.broadcast_to(np.arange(n_nodes), (n_trees, n_nodes))
    branches = state.links[:, :, FEATURE] != LEAF
    lower = state.links[branches][:, LOWER_CHILD]
    within(lower, places[branches] + 1, n_nodes - 2, f"{path}.links")


def check_sag(fresh: SAGState, state: SAGState, path: str) -> None:
    """Room for as many examples as were seen."""
    held, n = len(state.past_weights), len(state.weights)
    require(state.past_weights.ndim == 1, f"{path}.past_weights does not fit")
    for table in (state.past_losses, state.past_gradients):
        require(table.shape == (held, n), f"{path} does not remember all that it should")
    require(0.0 <= state.rounds[0] < MOST, f"{path}.rounds is {state.rounds[0]}")
    if held or fresh.mode == REVISIT:
        require(state.rounds[0] <= held, f"{path} does not remember all that it should")


def check_stumps(fresh: StumpState, state: StumpState, path: str) -> None:
    """Features that are known, histograms that have room for another bin."""
    within(state.used, 0, state.centres.shape[-1] - 1, f"{path}.used")
    within(state.feature, -1, state.known - 1, f"{path}.feature")
    within(state.lessons, 0, MOST, f"{path}.lessons")
    within(state.due, 0, MOST, f"{path}.due")


def check_additive(fresh: AdditiveState, state: AdditiveState, path: str) -> None:
    """Histograms that have room for another bin."""
    within(state.used, 0, state.centres.shape[-1] - 1, f"{path}.used")


def check_naive_bayes(fresh: NaiveBayesState, state: NaiveBayesState, path: str) -> None:
    """Kinds that there are."""
    within(state.told, -8, 8, f"{path}.told")


def check_ogboost(fresh: OGBoostState, state: OGBoostState, path: str) -> None:
    """Candidates that there are."""
    within(state.chosen, 0, state.errors.total.shape[-1] - 1, f"{path}.chosen")


def check_feature_boost(fresh: FeatureBoostState, state: FeatureBoostState, path: str) -> None:
    """Candidates that there are."""
    within(state.selected, 0, state.right.total.shape[-1] - 1, f"{path}.selected")


def check_drift(fresh: DriftState, state: DriftState, path: str) -> None:
    """Buckets that there are; nothing left to do."""
    within(state.windows.held, 0, BUCKETS, f"{path}.windows.held")
    within(state.windows.width, 0, MOST, f"{path}.windows.width")
    within(state.rises, 0, len(state.mistakes), f"{path}.rises")
    within(state.replaced, 0, MOST, f"{path}.replaced")


def check_scaling(fresh: ScalingState, state: ScalingState, path: str) -> None:
    """Features that there are."""
    within(state.n_common, 0, len(state.common), f"{path}.n_common")
    within(state.common, 0, max(0, len(state.stored) - 1), f"{path}.common")


def check_reservoir(fresh: ReservoirState, state: ReservoirState, path: str) -> None:
    """Examples that there are, in orders of them, and stumps on features that there are."""
    n_classes = len(state.decision.fixed)
    waiting, kept, stumps = state.waiting, state.kept, state.stumps
    size = kept.labels.shape[1]
    room = len(waiting.labels) - (size if kept.held.any() else 0)  # for what comes between two rounds
    within(state.seen, 0, MOST, f"{path}.seen")
    within(waiting.held, 0, room - 1, f"{path}.waiting.held")
    within(kept.held, 0, size, f"{path}.kept.held")
    for part, name in ((waiting, "waiting"), (kept, "kept")):
        within(part.labels, 0, n_classes - 1, f"{path}.{name}.labels")
        within(part.born, 0, MOST, f"{path}.{name}.born")
    for p, n in enumerate(kept.held):
        orders = np.sort(kept.order[p, :, :n], axis=1)
        require((orders == np.arange(n)).all(), f"{path}.kept.order is no order")
    within(stumps.feature, -1, waiting.values.shape[1] - 1, f"{path}.stumps.feature")
    within(stumps.made, 0, MOST, f"{path}.stumps.made")
    within(stumps.n_made, 0, MOST, f"{path}.stumps.n_made")


def check_gaussian_stumps(fresh: GaussianStumpState, state: GaussianStumpState, path: str) -> None:
    """Features that are known."""
    within(state.known, fresh.known, fresh.known, f"{path}.known")
    within(state.feature, -1, fresh.known - 1, f"{path}.feature")


def check_outputs(fresh: Group, state: Group, path: str) -> None:
    """The outputs that the parts make."""
    within(state.outputs, fresh.outputs, fresh.outputs, f"{path}.outputs")


def check_starts(fresh: StackState, state: StackState, path: str) -> None:
    """The learners that the parts make."""
    within(state.starts, fresh.starts, fresh.starts, f"{path}.starts")


def check_ensemble(fresh: EnsembleState, state: EnsembleState, path: str) -> None:
    """A number of examples."""
    within(state.seen, 0, MOST, f"{path}.seen")


FREE: dict[type, tuple[str, ...]] = {  # what has as many rows as were needed
    HoeffdingState: ("nodes", "observers", "pool"),
    SAGState: ("past_losses", "past_weights", "past_gradients"),
}
PLACES: dict[type, Callable[[Any, Any, str], None]] = {
    HoeffdingState: check_hoeffding,
    RegressionTreesState: check_regression_trees,
    SAGState: check_sag,
    StumpState: check_stumps,
    AdditiveState: check_additive,
    NaiveBayesState: check_naive_bayes,
    OGBoostState: check_ogboost,
    FeatureBoostState: check_feature_boost,
    DriftState: check_drift,
    ScalingState: check_scaling,
    ReservoirState: check_reservoir,
    EnsembleState: check_ensemble,
    GaussianStumpState: check_gaussian_stumps,
    Group: check_outputs,
    StackState: check_starts,
}
