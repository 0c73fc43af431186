"""What naive Bayes learners remember, and what it says of a row: moments, likelihoods, posteriors."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.compiler import inlined
from shoal.types import Flags, Floats, Keys, Row

RELATIVE_FLOOR = 1e-9  # of the largest variance; B.7
ABSOLUTE_FLOOR = 1e-12  # B.7
LARGEST = 1e300  # stands for what is beyond all numbers, so that two such still compare

GAUSSIAN = -1
BERNOULLI = 100  # values of one of the two binary forms that settle a feature's kind; B.7


class NaiveBayesState(NamedTuple):
    """Moments per feature, class and learner: (d, K, N) where nothing else is said."""

    clip: float
    zeros: bool  # whether an absent feature is the value 0
    first_told: int
    known: int  # features in use; the rows behind them are room to grow
    keys: Keys  # (N,) one per learner
    seen: Flags  # (d, N) whether the learner sees the feature; or (0, 0) where all see all
    nominal: Flags  # (d,)
    told: NDArray[np.int8]  # (d, N) GAUSSIAN, or binary values so far, up to BERNOULLI
    counts: Floats  # (K, N) weight of each class
    entries: Floats  # weight of the rows that hold the feature, missing values included; (0, K, N) without zeros
    stored: Floats  # weight of the stored values
    mean: Floats  # of the stored values
    spread: Floats  # sum of their squared distances from the mean


class Moments(NamedTuple):
    """What all learners know of one feature, zeros included; (K + 1, N), the last row of all classes. Scratch."""

    weight: Floats
    mean: Floats
    spread: Floats
    stored: Floats  # the weight of the values other than 0


@inlined
def room_for_moments(bank: NaiveBayesState) -> Moments:
    """Room for one feature's moments."""
    shape = (bank.counts.shape[0] + 1, bank.counts.shape[1])
    return Moments(np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(shape))


@inlined
def gather_moments(bank: NaiveBayesState, j: int, first: int, last: int, out: Moments) -> None:
    """Put the zeros of feature j back, by merging moments, and add up the classes."""
    everyone = bank.counts.shape[0]
    for i in range(first, last):
        out.weight[everyone, i] = out.mean[everyone, i] = out.spread[everyone, i] = out.stored[everyone, i] = 0.0
    for k in range(everyone):
        for i in range(first, last):
            stored, mean = float(bank.stored[j, k, i]), float(bank.mean[j, k, i])
            zeros = max(0.0, float(bank.counts[k, i] - bank.entries[j, k, i])) if bank.zeros else 0.0
            weight = stored + zeros
            share = stored / weight if weight > 0.0 else 0.0
            out.weight[k, i] = weight
            out.mean[k, i] = mean * share
            out.spread[k, i] = float(bank.spread[j, k, i]) + mean * mean * zeros * share
            out.stored[k, i] = stored
            out.weight[everyone, i] += weight
            out.mean[everyone, i] += mean * stored
            out.stored[everyone, i] += stored
    for i in range(first, last):
        out.mean[everyone, i] /= out.weight[everyone, i] if out.weight[everyone, i] > 0.0 else 1.0
    for k in range(everyone):
        for i in range(first, last):
            distance = float(out.mean[k, i] - out.mean[everyone, i])
            out.spread[everyone, i] += float(out.spread[k, i]) + float(out.weight[k, i]) * distance * distance


@inlined
def any_gaussian(bank: NaiveBayesState, j: int, first: int, last: int) -> bool:
    """Whether any of the learners takes feature j for Gaussian."""
    for i in range(first, last):  # noqa: SIM110, any() of a generator does not compile
        if bank.told[j, i] == GAUSSIAN:
            return True
    return False


@inlined
def variance_floors(bank: NaiveBayesState, first: int, last: int, room: Moments) -> Floats:
    """What is added to the variances of learners first to last."""
    everyone = bank.counts.shape[0]
    floors = np.zeros(bank.counts.shape[1])
    n_told = 0 if bank.first_told == BERNOULLI else bank.known  # told so, no feature is ever Gaussian
    for j in range(n_told):
        if not any_gaussian(bank, j, first, last):
            continue
        gather_moments(bank, j, first, last, room)
        for i in range(first, last):
            if bank.told[j, i] == GAUSSIAN and room.stored[everyone, i] > 0.0:
                floors[i] = max(floors[i], room.spread[everyone, i] / room.weight[everyone, i])
    for i in range(first, last):
        floors[i] = RELATIVE_FLOOR * floors[i] + ABSOLUTE_FLOOR
    return floors


@inlined
def within_range(number: float) -> float:
    """The number, or the largest that still compares where it is beyond all."""
    return number if number < LARGEST else LARGEST


@inlined
def gaussian_terms(weight: float, mean: float, spread: float, x: float, floor: float) -> tuple[float, float]:
    """(v, q) where the log likelihood is -(log v + q) / 2, but for a constant."""
    variance = within_range(spread / weight + floor)
    distance = x - mean
    return variance, within_range(distance * distance / variance)


@inlined
def bernoulli_terms(weight: float, mean: float, stored: float, x: float) -> tuple[float, float]:
    """The same for a Bernoulli feature, whose values other than 0 are all kept as -1 or 1."""
    ones = 0.5 * (stored + weight * mean)
    share = ((ones if x > 0.0 else weight - ones) + 1.0) / (weight + 2.0)
    return 1.0 / (share * share), 0.0


# Loops over learners stay inside the functions below: handing a state to a function costs more than the
# arithmetic for one learner.


@inlined
def add_evidence(
    bank: NaiveBayesState,
    j: int,
    x: float,
    of: Moments,
    floors: Floats,
    first: int,
    last: int,
    each: Floats,
    logs: Floats,
) -> None:
    """Add to each class's log what the value x of feature j says, at most `clip` against any.

    each: room for log likelihoods less that of class 0, which saves its logarithm.
    """
    n_classes = logs.shape[0]
    for i in range(first, last):
        if of.stored[n_classes, i] <= 0.0:
            continue
        gaussian = bank.told[j, i] == GAUSSIAN
        v_0, q_0, largest = 1.0, 0.0, 0.0
        for k in range(n_classes):
            row = k if of.weight[k, i] > 0.0 else n_classes
            weight, mean = float(of.weight[row, i]), float(of.mean[row, i])
            if gaussian:
                v, q = gaussian_terms(weight, mean, float(of.spread[row, i]), x, float(floors[i]))
            else:
                v, q = bernoulli_terms(weight, mean, float(of.stored[row, i]), x)
            if k == 0:
                v_0, q_0 = v, q
            else:
                each[k] = 0.5 * (math.log(v_0 / v) + q_0 - q)
                largest = max(largest, each[k])
        for k in range(n_classes):
            logs[k, i] += max(each[k] - largest, -bank.clip)


@inlined
def log_priors(bank: NaiveBayesState, first: int, last: int) -> Floats:
    """(K, N) log of (n_c + 1) / (n + K); only columns first to last are filled."""
    n_classes = bank.counts.shape[0]
    logs = np.zeros(bank.counts.shape)
    for i in range(first, last):
        total = 0.0
        for k in range(n_classes):
            total += bank.counts[k, i]
        for k in range(n_classes):
            logs[k, i] = math.log((bank.counts[k, i] + 1.0) / (total + n_classes))
    return logs


@inlined
def log_posteriors(bank: NaiveBayesState, row: Row, first: int, last: int) -> Floats:
    """(K, N) log of each class's posterior but for a constant; only columns first to last are filled."""
    logs = log_priors(bank, first, last)
    room = room_for_moments(bank)
    floors = variance_floors(bank, first, last, room)
    each = np.zeros(logs.shape[0])  # its first stays 0
    if not bank.zeros:  # only what the row holds says anything
        for p in range(len(row.indices)):
            if not math.isnan(row.values[p]):
                gather_moments(bank, row.indices[p], first, last, room)
                add_evidence(bank, row.indices[p], float(row.values[p]), room, floors, first, last, each, logs)
        return logs
    p = 0
    for j in range(bank.known):
        x = 0.0
        if p < len(row.indices) and row.indices[p] == j:
            x = float(row.values[p])
            p += 1
        if not math.isnan(x):
            gather_moments(bank, j, first, last, room)
            add_evidence(bank, j, x, room, floors, first, last, each, logs)
    return logs
