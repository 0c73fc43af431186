"""Whether methods differ: ranks over data sets, and, on one stream, an interval that may be watched.

Friedman's test and Nemenyi's critical difference follow Demsar (2006). The confidence sequence is the
empirical-Bernstein one of Howard, Ramdas, McAuliffe and Sekhon (2021), theorem 4 with the stitched boundary
(10), applied to differences of losses as by Choe and Ramdas (2024).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import zeta
from scipy.stats import friedmanchisquare, rankdata, studentized_range, ttest_1samp

from shoal.errors import InputError
from shoal.types import Floats

GROWTH = 2.0  # eta of the stitched boundary: each epoch has twice the variance of the last
DECAY = 1.4  # s of the stitched boundary; both as in Howard et al., equation (2)
LEAST_VARIANCE = 1.0  # m: where the boundary begins to be tight


@dataclass(frozen=True, eq=False)
class FriedmanTest:
    """Mean ranks over data sets. p: of all methods being equal. critical: difference of mean ranks that tells two
    methods apart (Nemenyi). Both NaN where there are too few methods or data sets to tell.
    """

    ranks: Floats
    p: float
    critical: float
    n_datasets: int


def friedman(errors: ArrayLike, level: float = 0.95) -> FriedmanTest:
    """The test of (n_datasets, n_methods) mean errors; 1 is the best rank, ties share theirs."""
    table = np.asarray(errors, dtype=np.float64)
    if table.ndim != 2 or 0 in table.shape:
        raise InputError(f"errors has shape {table.shape}; expected a row per data set, a column per method.")
    ranks = rankdata(table, axis=1).mean(axis=0)
    n, k = table.shape
    p = critical = float("nan")
    if k >= 2 and n >= 2:
        critical = critical_difference(k, n, level)
    if k >= 3 and n >= 2 and not (table == table[:, :1]).all():
        p = float(friedmanchisquare(*table.T).pvalue)
    return FriedmanTest(ranks, p, critical, n)


def critical_difference(n_methods: int, n_datasets: int, level: float = 0.95) -> float:
    """Nemenyi's: how far apart two mean ranks must be, whichever two they are."""
    q = float(studentized_range.ppf(level, n_methods, np.inf)) / sqrt(2.0)
    return q * sqrt(n_methods * (n_methods + 1) / (6.0 * n_datasets))


def indistinguishable(ranks: Floats, critical: float) -> list[tuple[int, int]]:
    """The largest runs (first, last) of methods, in order of rank, at most `critical` apart."""
    placed = np.sort(ranks)
    runs: list[tuple[int, int]] = []
    for first in range(len(placed)):
        last = int(np.searchsorted(placed, placed[first] + critical, side="right")) - 1
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def paired_test(one: ArrayLike, other: ArrayLike) -> float:
    """Two-sided p-value of Student's test that two methods err alike, paired over the same orders.

    Orders share the data set's examples, so p speaks of further orders of these examples. NaN for one order.
    """
    differences = np.asarray(one, dtype=np.float64) - np.asarray(other, dtype=np.float64)
    if len(differences) < 2:
        return float("nan")
    if (differences == differences[0]).all():
        return 1.0 if differences[0] == 0.0 else 0.0
    return float(ttest_1samp(differences, 0.0).pvalue)


@dataclass(frozen=True, eq=False)
class ConfidenceSequence:
    """Intervals (low, high) around `mean` after each example, all of which hold at once."""

    mean: Floats
    low: Floats
    high: Floats

    def decided_at(self) -> int | None:
        """The number of examples after which 0 was first outside; None if it never was."""
        outside = np.flatnonzero((self.low > 0.0) | (self.high < 0.0))
        return int(outside[0]) + 1 if len(outside) else None


def difference_sequence(
    losses: ArrayLike, others: ArrayLike, level: float = 0.95, bound: float = 1.0
) -> ConfidenceSequence:
    """An interval for the difference of two methods' errors on one stream, valid however often one looks.

    It covers, at every length t at once with probability `level`, the mean over the first t examples of what
    was to be expected of the difference given all that came before; so it needs no identical distribution and
    holds under drift. It says nothing about the examples to come.

    losses, others: (n,) each in [0, bound], such as 1 for a mistake.
    """
    if not 0.0 < level < 1.0:
        raise InputError(f"level is {level}; give a number between 0 and 1, such as 0.95.")
    differences = np.asarray(losses, dtype=np.float64) - np.asarray(others, dtype=np.float64)
    if differences.ndim != 1 or (len(differences) and np.abs(differences).max() > bound):
        raise InputError(f"expected two lists of losses, as long as each other, each in [0, {bound:g}].")
    t = np.arange(1, len(differences) + 1)
    mean = np.cumsum(differences) / t
    guesses = np.concatenate([[0.0], mean[:-1]])  # of each difference, from those before
    variance = np.cumsum(np.square(differences - guesses))
    half = boundary(variance, (1.0 - level) / 2.0, 2.0 * bound) / t
    return ConfidenceSequence(mean, np.maximum(mean - half, -bound), np.minimum(mean + half, bound))


def boundary(variance: Floats, alpha: float, scale: float) -> Floats:
    """How far a sum may stray from what was expected of it, at any time; crossed with chance alpha at most.

    variance: its intrinsic time so far. scale: the width of the range of each term.
    """
    v = np.maximum(variance, LEAST_VARIANCE)
    epoch = np.log(v / LEAST_VARIANCE) / np.log(GROWTH)
    cost = DECAY * np.log(epoch + 1.0) + np.log(zeta(DECAY) / alpha)
    k1 = (GROWTH**0.25 + GROWTH**-0.25) / sqrt(2.0)
    k2 = (sqrt(GROWTH) + 1.0) / 2.0
    return np.asarray(np.sqrt(k1**2 * v * cost + (k2 * scale * cost) ** 2) + k2 * scale * cost)
