"""Weighted sums over the stream, one per learner, that may be forgotten, delayed and merged.

A sum keeps what rounding dropped beside it, so that it is the same however long the stream, and adding
two of them is exact where their terms are (whole numbers, for zero-one losses).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.compiler import inlined
from shoal.kernels.sums import add
from shoal.types import Floats


class Sums(NamedTuple):
    """The value is `total + lost`; both (rows, n_members)."""

    total: Floats
    lost: Floats

    def value(self) -> Floats:
        """The sums as plain numbers."""
        return self.total + self.lost


def no_sums(rows: int, n_members: int) -> Sums:
    """Sums of nothing."""
    return Sums(np.zeros((rows, n_members)), np.zeros((rows, n_members)))


def merged(one: Sums, other: Sums) -> Sums:
    """The sums over both streams, exactly (two-sum of Knuth)."""
    total = one.total + other.total
    back = total - one.total
    lost = (one.total - (total - back)) + (other.total - back)
    return Sums(total, one.lost + other.lost + lost)


@inlined
def value_at(sums: Sums, row: int, i: int) -> float:
    """One sum as a plain number."""
    return sums.total[row, i] + sums.lost[row, i]


@inlined
def decay(sums: Sums, factor: float) -> None:
    """Forget: multiply every sum by the factor."""
    if factor != 1.0:
        for r in range(sums.total.shape[0]):
            for i in range(sums.total.shape[1]):
                sums.total[r, i] *= factor
                sums.lost[r, i] *= factor


@inlined
def gather(sums: Sums, row: int, i: int, term: float) -> None:
    """Add a term to one sum."""
    add(sums.total[row], sums.lost[row], i, term)


@inlined
def forget(sums: Sums, i: int) -> None:
    """Set the sums of member i to those of nothing."""
    sums.total[:, i] = 0.0
    sums.lost[:, i] = 0.0
