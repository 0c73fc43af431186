"""Two models that learned from two parts of a stream, as one (specification F.7).

The score is the mean of both: every stump counts half, and where there are more than planned those with the
smallest steps go. The union of both reservoirs, and of what waits, is cut to size by the strategy. This is
not exactly what one model would have learned, nor does it matter little in which order many are merged.
"""

from __future__ import annotations

import copy

import numpy as np

from shoal.decision import DecisionState
from shoal.errors import InputError
from shoal.reservoir.model import ReservoirBoost
from shoal.reservoir.state import Batch, ReservoirState, batch_kept, batch_waiting, put_waiting, store
from shoal.reservoir.stumps import StumpTable


def merge(spec: ReservoirBoost, one: ReservoirState, other: ReservoirState) -> ReservoirState:
    """A new state, of the same features and classes in the same order; the two stay as they are."""
    if one.waiting.values.shape != other.waiting.values.shape or one.stumps.step.shape != other.stumps.step.shape:
        raise InputError(
            f"one model has {one.stumps.step.shape} stumps on {one.waiting.values.shape[1]} features, the other "
            f"{other.stumps.step.shape} on {other.waiting.values.shape[1]}: merge models of the same settings, "
            "features and classes."
        )
    state = copy.deepcopy(one)._replace(
        seen=one.seen + other.seen,
        decision=merged_decision(one.decision, other.decision),
        stumps=merged_stumps(one.stumps, other.stumps),
    )
    state.waiting.held[0] = 0
    new = aged(batch_waiting(one.waiting), one, state).with_more(aged(batch_waiting(other.waiting), other, state))
    if not (one.kept.held.any() or other.kept.held.any()) and len(new.labels) < len(state.waiting.labels):
        put_waiting(state.waiting, new)
        return state
    for p in range(len(state.kept.held)):
        kept = [aged(batch_kept(part.kept, p), part, state) for part in (one, other)]
        union = kept[0].with_more(kept[1]).with_more(new)
        _, candidates = spec.weighed(state, p, union)
        chosen = spec.choose(candidates, np.random.default_rng([state.seed, int(state.seen[0]), p]))
        store(state.kept, p, union.part(chosen.kept))
    return state


def aged(batch: Batch, state: ReservoirState, merged: ReservoirState) -> Batch:
    """The examples with births that give them the same age in the merged model."""
    return batch._replace(born=batch.born + (merged.seen[0] - state.seen[0]))


def merged_stumps(one: StumpTable, other: StumpTable) -> StumpTable:
    """The stumps of both at half their steps; of each class the heaviest that there is room for."""
    feature, threshold, step, made = (
        np.concatenate(pair, axis=1) for pair in zip(one[:4], other[:4], strict=True)
    )
    places = np.sort(np.argsort(-np.abs(step), axis=1, kind="stable")[:, : one.step.shape[1]], axis=1)
    take = [np.take_along_axis(part, places, axis=1) for part in (feature, threshold, 0.5 * step, made)]
    return StumpTable(take[0], take[1], take[2], take[3], np.maximum(one.n_made, other.n_made))


def merged_decision(one: DecisionState, other: DecisionState) -> DecisionState:
    """What was counted adds up; the slopes are averaged by how firmly they are held."""
    firmness = one.slope[1] + other.slope[1]
    slope = (one.slope[0] * one.slope[1] + other.slope[0] * other.slope[1]) / firmness
    return one._replace(
        slope=np.array([slope, firmness]),
        examples=one.examples + other.examples,
        charges=one.charges + other.charges,
        rounds=one.rounds + other.rounds,
    )
