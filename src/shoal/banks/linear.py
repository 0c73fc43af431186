"""What linear banks share: weights `(inputs, N * C)`, input 0 the bias, grown as features appear.

Column i * C + c belongs to output c of learner i. First weights are small random numbers made from the
learner's key and the feature's, so they do not depend on when the feature appeared. Loops over columns run
from 0 along slices: compiled code then knows that no index is negative, and takes eight columns at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.banks.subsets import seen_by
from shoal.kernels.compiler import in_place, inlined
from shoal.kernels.random import learner_keys, mix, normal
from shoal.memory import check_room
from shoal.types import Floats, Ints, Keys, Row, Scores, Space, Task

NOISE = np.uint64(0x4E6F697365000001)
BIAS_KEY = np.uint64(0x4269617300000001)


class Weights(NamedTuple):
    """The weights of every learner, and what they may touch."""

    table: Floats  # (capacity + 1, N * C)
    mask: Floats  # the same shape, of 0 and 1; or (0, 0) where every learner sees every feature
    squares: Floats  # (N * C,) the squared length of each column, as `add_to` changes it; see `fill`
    keys: Keys  # (N,) one per learner
    features: Keys  # (known,) of the features in use; the rows of the table behind them are room to grow
    noise: float
    counted: bool  # whether first weights count in `squares`


@in_place
def fill(table: Floats, learners: Keys, features: Keys, first: int, noise: float) -> None:
    """Give the inputs from `first` on their first weights."""
    n_outputs = table.shape[1] // len(learners)
    for p in range(len(features)):
        for i in range(len(learners)):
            for c in range(n_outputs):
                number = mix(mix(mix(learners[i], NOISE), features[p]), np.uint64(c))
                table[first + p, i * n_outputs + c] = noise * normal(number)


@in_place
def add_squares(table: Floats, first: int, squares: Floats) -> None:
    """Add what the inputs from `first` on contribute to the squared lengths, input by input."""
    for j in range(first, table.shape[0]):
        for k in range(table.shape[1]):
            squares[k] += table[j, k] ** 2


def first_weights(n_learners: int, fraction: float, noise: float, space: Space, task: Task, seed: int) -> Weights:
    """Weights before any example. The first ones count in the lengths only where all features are known
    beforehand: elsewhere a length must not depend on features that are still to come.
    """
    learners = learner_keys(seed, n_learners)
    width = n_learners * task.n_outputs
    table = np.zeros((1, width))
    squares = np.zeros(width)
    fill(table, learners, np.array([BIAS_KEY]), 0, noise)
    if not space.open:
        add_squares(table, 0, squares)
    mask = np.ones((1, width)) if fraction < 1.0 else np.zeros((0, 0))
    none = np.zeros(0, dtype=np.uint64)
    return grown(Weights(table, mask, squares, learners, none, noise, not space.open), fraction, space)


def grown(weights: Weights, fraction: float, space: Space) -> Weights:
    """The same weights, with those of the features that are new in the space."""
    table, mask, known = weights.table, weights.mask, len(weights.features)
    room = space.capacity + 1 - len(table)
    if room > 0:
        check_room(space.capacity + 1, table.shape[1])
        table = np.concatenate([table, np.zeros((room, table.shape[1]))])
        mask = np.concatenate([mask, np.zeros((room, table.shape[1]))]) if mask.size else mask
    new = slice(known + 1, space.n_features + 1)
    fill(table, weights.keys, space.keys[known:], new.start, weights.noise)
    if mask.size:
        seen = seen_by(space, fraction, weights.keys, first=known)
        mask[new] = np.repeat(seen, table.shape[1] // len(weights.keys), axis=1)
        table[new] *= mask[new]
    if weights.counted:
        add_squares(table[: new.stop], new.start, weights.squares)
    return weights._replace(table=table, mask=mask, features=keys_of(space))


def keys_of(space: Space) -> Keys:
    """The features' keys; those of positions are kept once for all and may not be written to, which is another
    type to the compiler.
    """
    return space.keys if space.keys.flags.writeable else np.array(space.keys)


def noise_of(weights: Weights, n_outputs: int) -> Floats:
    """The first weights that a table of so many outputs would have begun with, without regard to the mask."""
    noise = np.zeros((len(weights.table), len(weights.keys) * n_outputs))
    fill(noise, weights.keys, np.array([BIAS_KEY]), 0, weights.noise)
    fill(noise, weights.keys, weights.features, 1, weights.noise)
    return noise


def widened(weights: Weights, task: Task) -> Weights:
    """The same weights for more classes. Two classes become three by giving each a column of its own:
    what was learned in favour of class 1 speaks against class 0. Every column keeps first weights of its
    own, as if there had always been so many.
    """
    n = len(weights.keys)
    before = weights.table.shape[1] // n
    sources = column_sources(n, before, task)
    mask = np.repeat(weights.mask[:, ::before], task.n_outputs, axis=1)
    masked = weights.mask.size > 0
    learned = weights.table - noise_of(weights, before) * (weights.mask if masked else 1.0)
    learned = widened_columns(learned, sources, 0.0)
    if before == 1:
        learned[:, :: task.n_outputs] *= -1.0
    table = learned + noise_of(weights, task.n_outputs) * (mask if masked else 1.0)
    squares = np.zeros(table.shape[1])
    if weights.counted:
        add_squares(table, 0, squares)
    else:
        squares = widened_columns(weights.squares, sources, 0.0)
    return weights._replace(table=np.ascontiguousarray(table), mask=np.ascontiguousarray(mask), squares=squares)


def column_sources(n_learners: int, n_before: int, task: Task) -> Ints:
    """Where each column comes from when a bank of `n_before` outputs is widened: an old column, or -1.

    Of two classes, the one column there was stands behind both.
    """
    learner, output = np.divmod(np.arange(n_learners * task.n_outputs), task.n_outputs)
    if n_before == 1:
        return np.where(output < 2, learner, -1)
    return np.where(output < n_before, learner * n_before + output, -1)


def widened_columns(table: Floats, sources: Ints, fresh: float) -> Floats:
    """A table of numbers without a side, columns last, for more classes; new columns hold `fresh`."""
    return np.where(sources >= 0, table[..., np.maximum(sources, 0)], fresh)


@inlined
def margins(weights: Weights, row: Row, votes: Scores) -> None:
    """<w, x> of every learner and output, into `votes`: summed input by input, four of them in one pass."""
    flat = votes.reshape(votes.size)
    flat[:] = 0.0
    table, indices, inputs = weights.table, row.input_indices, row.inputs
    whole = len(inputs) - len(inputs) % 4
    for p in range(0, whole, 4):
        x0, x1, x2, x3 = inputs[p], inputs[p + 1], inputs[p + 2], inputs[p + 3]
        w0, w1, w2, w3 = table[indices[p]], table[indices[p + 1]], table[indices[p + 2]], table[indices[p + 3]]
        for k in range(len(flat)):
            flat[k] = (((flat[k] + w0[k] * x0) + w1[k] * x1) + w2[k] * x2) + w3[k] * x3
    for p in range(whole, len(inputs)):
        x, weight = inputs[p], table[indices[p]]
        for k in range(len(flat)):
            flat[k] += weight[k] * x


@inlined
def margins_at(weights: Weights, i: int, row: Row, votes: Scores) -> None:
    """<w, x> of learner i alone, the same to the last bit."""
    n_outputs = votes.shape[1]
    for c in range(n_outputs):
        votes[i, c] = 0.0
        for p in range(len(row.inputs)):
            votes[i, c] += weights.table[row.input_indices[p], i * n_outputs + c] * row.inputs[p]


@inlined
def add_to(weights: Weights, row: Row, steps: Floats, first: int, last: int) -> None:
    """Add steps[k] * x to column k for k in [first, last), keeping the squared lengths.

    (w + d)**2 - w**2 = d * (2 w + d) is summed input by input in the same pass, of two inputs where all see them.
    """
    table, indices, inputs = weights.table, row.input_indices, row.inputs
    squares, moves = weights.squares[first:last], steps[first:last]
    masked = len(weights.mask) > 0
    paired = 0 if masked else len(inputs) - len(inputs) % 2
    for p in range(0, paired, 2):
        x, weight = inputs[p], table[indices[p]][first:last]
        x_next, weight_next = inputs[p + 1], table[indices[p + 1]][first:last]
        for k in range(len(squares)):
            d, e = moves[k] * x, moves[k] * x_next
            squares[k] = (squares[k] + d * (2.0 * weight[k] + d)) + e * (2.0 * weight_next[k] + e)
            weight[k] += d
            weight_next[k] += e
    for p in range(paired, len(inputs)):
        x, weight = inputs[p], table[indices[p]][first:last]
        if masked:
            seen = weights.mask[indices[p]][first:last]
            for k in range(len(squares)):
                d = moves[k] * x * seen[k]
                squares[k] += d * (2.0 * weight[k] + d)
                weight[k] += d
        else:
            for k in range(len(squares)):
                d = moves[k] * x
                squares[k] += d * (2.0 * weight[k] + d)
                weight[k] += d


@inlined
def forget_learner(weights: Weights, i: int, seed: int) -> None:
    """Fresh zero weights for learner i, with the seed's noise on the bias so that it differs."""
    n_outputs = weights.table.shape[1] // len(weights.keys)
    for c in range(i * n_outputs, (i + 1) * n_outputs):
        for j in range(len(weights.table)):
            weights.table[j, c] = 0.0
        number = mix(mix(mix(np.uint64(seed), NOISE), weights.keys[i]), np.uint64(c))
        weights.table[0, c] = weights.noise * normal(number)
        weights.squares[c] = weights.table[0, c] ** 2
