"""What reservoir boosting remembers: examples kept, examples waiting for the next round, and the stumps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.decision import DecisionState, decide, decision_update, importance
from shoal.kernels.compiler import compiled, inlined
from shoal.reservoir.orders import Order, merged_order, order_of_kept, sorted_order
from shoal.reservoir.stumps import StumpTable, no_stumps, score_row
from shoal.types import Floats, Ints, Rows

MISSING = -np.inf  # a missing value is below every number
FIRST_SCORE_MAX = 4.0  # how surely a class that has just appeared is taken not to be the answer


class Waiting(NamedTuple):
    """Examples that came since the last round, a row each; room for those of the first round."""

    values: Floats  # (r + q, d)
    labels: Ints
    weights: Floats
    born: Ints  # how many examples had come before
    held: Ints  # (1,) how many there are


class Kept(NamedTuple):
    """The examples kept, in P reservoirs: one, or one for each class."""

    values: Floats  # (P, d, r)
    order: NDArray[np.int32]  # (P, d, r)
    labels: Ints  # (P, r)
    weights: Floats
    born: Ints
    held: Ints  # (P,) how many there are


class ReservoirState(NamedTuple):
    """Everything that reservoir boosting remembers."""

    seed: int
    seen: Ints  # (1,) examples learned
    decision: DecisionState
    waiting: Waiting
    kept: Kept
    stumps: StumpTable

    @property
    def rule(self) -> StumpTable:
        """What weighs the learners, as in other ensembles: here their own steps."""
        return self.stumps


class Batch(NamedTuple):
    """Examples side by side, feature by feature, with their order."""

    values: Floats  # (d, n)
    order: Order
    labels: Ints
    weights: Floats
    born: Ints

    def part(self, chosen: Ints) -> Batch:
        """Some of the examples."""
        values = np.ascontiguousarray(self.values[:, chosen])
        order = order_of_kept(self.order, chosen)
        return Batch(values, order, self.labels[chosen], self.weights[chosen], self.born[chosen])

    def with_more(self, new: Batch) -> Batch:
        """These examples, then others."""
        values = np.concatenate([self.values, new.values], axis=1)
        return Batch(
            values,
            merged_order(values, self.order, new.order),
            np.concatenate([self.labels, new.labels]),
            np.concatenate([self.weights, new.weights]),
            np.concatenate([self.born, new.born]),
        )


def batch_waiting(waiting: Waiting) -> Batch:
    """The examples that wait, side by side."""
    n = waiting.held[0]
    values = np.ascontiguousarray(waiting.values[:n].T)
    labels, weights, born = waiting.labels[:n].copy(), waiting.weights[:n].copy(), waiting.born[:n].copy()
    return Batch(values, sorted_order(values), labels, weights, born)


def batch_kept(kept: Kept, p: int) -> Batch:
    """The examples of reservoir p."""
    n = kept.held[p]
    values = np.ascontiguousarray(kept.values[p, :, :n])
    order = np.ascontiguousarray(kept.order[p, :, :n])
    return Batch(values, order, kept.labels[p, :n], kept.weights[p, :n], kept.born[p, :n])


def put_waiting(waiting: Waiting, batch: Batch) -> None:
    """Let these examples wait, and no others."""
    n = len(batch.labels)
    waiting.values[:n] = batch.values.T
    waiting.labels[:n] = batch.labels
    waiting.weights[:n] = batch.weights
    waiting.born[:n] = batch.born
    waiting.held[0] = n


def store(kept: Kept, p: int, batch: Batch) -> None:
    """Put examples in reservoir p in place of what was there."""
    n = len(batch.labels)
    kept.values[p, :, :n] = batch.values
    kept.order[p, :, :n] = batch.order
    kept.labels[p, :n] = batch.labels
    kept.weights[p, :n] = batch.weights
    kept.born[p, :n] = batch.born
    kept.held[p] = n


def no_examples_waiting(n: int, n_features: int) -> Waiting:
    """Room for so many."""
    nothing = np.zeros(n, dtype=np.int64)
    return Waiting(np.zeros((n, n_features)), nothing, np.zeros(n), nothing.copy(), np.zeros(1, dtype=np.int64))


def no_examples_kept(n_reservoirs: int, n: int, n_features: int) -> Kept:
    """Room for so many in each reservoir."""
    shape = (n_reservoirs, n_features, n)
    order, born = np.zeros(shape, dtype=np.int32), np.zeros((n_reservoirs, n), dtype=np.int64)
    held = np.zeros(n_reservoirs, dtype=np.int64)
    return Kept(np.zeros(shape), order, born.copy(), np.zeros((n_reservoirs, n)), born, held)


def with_features(state: ReservoirState, capacity: int) -> ReservoirState:
    """Room for more features, which are 0 in all examples held."""
    more = capacity - state.waiting.values.shape[1]
    if more <= 0:
        return state
    waiting = np.pad(state.waiting.values, ((0, 0), (0, more)))
    values = np.pad(state.kept.values, ((0, 0), (0, more), (0, 0)))
    n_reservoirs, _, size = state.kept.order.shape
    any_order = np.broadcast_to(np.arange(size, dtype=np.int32), (n_reservoirs, more, size))
    order = np.concatenate([state.kept.order, any_order], axis=1)
    kept = state.kept._replace(values=values, order=order)
    return state._replace(waiting=state.waiting._replace(values=waiting), kept=kept)


def with_classes(state: ReservoirState, n_outputs: int, n_reservoirs: int) -> ReservoirState:
    """Room for more classes. A new one starts with the examples of the first, all not its own, and with the
    score that one example among those seen deserves. Two classes had one score, which is that of the second.
    """
    known = state.stumps.step.shape[0]
    table = state.stumps
    if known == 1 and n_outputs > 1:
        table = StumpTable(*(np.concatenate([part, part]) for part in table))
        table.step[0] *= -1.0
        known = 2
    fresh = no_stumps(n_outputs - known, table.step.shape[1])
    if table.n_made.any():
        fresh.step[:, 0] = -min(float(np.log1p(state.seen[0])), FIRST_SCORE_MAX)
        fresh.n_made[:] = 1
    joined = StumpTable(*(np.concatenate(pair) for pair in zip(table, fresh, strict=True)))
    source = np.minimum(np.arange(n_reservoirs), len(state.kept.held) - 1)
    source[len(state.kept.held) :] = 0
    kept = state.kept
    again = Kept(
        values=kept.values[source],
        order=kept.order[source],
        labels=kept.labels[source],
        weights=kept.weights[source],
        born=kept.born[source],
        held=kept.held[source],
    )
    return state._replace(stumps=joined, kept=again)


@inlined
def fill(x: Floats, rows: Rows, t: int) -> None:
    """Write row t where all is 0."""
    for p in range(rows.indptr[t], rows.indptr[t + 1]):
        value = rows.values[p]
        x[rows.indices[p]] = MISSING if np.isnan(value) else value


@inlined
def empty(x: Floats, rows: Rows, t: int) -> None:
    """Take it away again."""
    for p in range(rows.indptr[t], rows.indptr[t + 1]):
        x[rows.indices[p]] = 0.0


@inlined
def put(waiting: Waiting, x: Floats, label: int, weight: float, now: int) -> None:
    """Let an example wait for the next round."""
    n = waiting.held[0]
    waiting.values[n] = x
    waiting.labels[n] = label
    waiting.weights[n] = weight
    waiting.born[n] = now
    waiting.held[0] = n + 1


@compiled
def answer_until(
    state: ReservoirState,
    rows: Rows,
    labels: Floats,
    weights: Floats,
    start: int,
    due: int,
    predicted: Ints,
    proba: Floats,
) -> int:
    """Answer rows from `start` on, letting those with a label wait, until so many do; answers the next row."""
    x = np.zeros(state.waiting.values.shape[1])
    score = np.zeros(state.stumps.step.shape[0])
    for t in range(start, len(rows.indptr) - 1):
        fill(x, rows, t)
        score_row(state.stumps, x, score)
        score *= 0.5  # a score of F is log-odds; decisions take half of them
        predicted[t] = decide(state.decision, score, proba[t])
        if not np.isnan(labels[t]) and weights[t] > 0.0:
            y = int(labels[t])
            counted = weights[t] * importance(state.decision, y)
            decision_update(state.decision, score, y, weights[t], counted)
            put(state.waiting, x, y, counted, state.seen[0])
            state.seen[0] += 1
            if state.waiting.held[0] == due:
                return t + 1
        empty(x, rows, t)
    return len(rows.indptr) - 1
