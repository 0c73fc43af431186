"""Streaming histograms of weighted classes, and what a split of one is worth.

A histogram is the rising values of its bins and the weight of each class in each; a value that is not
among them becomes a bin, and where that is one too many the two closest become one at their common mean
(Ben-Haim and Tom-Tov 2010).
"""

from __future__ import annotations

from shoal.kernels.compiler import inlined
from shoal.types import Floats


@inlined
def weight_of(mass: Floats) -> float:
    """The weight of all classes."""
    total = 0.0
    for weight in mass:
        total += weight
    return total


@inlined
def join_closest(centres: Floats, masses: Floats, n: int) -> None:
    """Make one bin of the two closest of n."""
    least = 0
    for b in range(1, n - 1):
        if centres[b + 1] - centres[b] < centres[least + 1] - centres[least]:
            least = b
    one, other = weight_of(masses[least]), weight_of(masses[least + 1])
    centres[least] += (centres[least + 1] - centres[least]) * (other / (one + other))
    for k in range(masses.shape[1]):
        masses[least, k] += masses[least + 1, k]
        for b in range(least + 1, n - 1):
            masses[b, k] = masses[b + 1, k]
        masses[n - 1, k] = 0.0
    for b in range(least + 1, n - 1):
        centres[b] = centres[b + 1]


@inlined
def insert_empty(centres: Floats, masses: Floats, n: int, b: int, x: float) -> None:
    """An empty bin for the value x in front of bin b of n."""
    for a in range(n, b, -1):
        centres[a] = centres[a - 1]
        for k in range(masses.shape[1]):
            masses[a, k] = masses[a - 1, k]
    centres[b] = x
    for k in range(masses.shape[1]):
        masses[b, k] = 0.0


@inlined
def add_value(centres: Floats, masses: Floats, n: int, x: float, k: int, weight: float) -> int:
    """Add a value of class k to a histogram of n bins, one to spare; how many it has then."""
    b = n
    while b > 0 and centres[b - 1] >= x:
        b -= 1
    if b == n or centres[b] != x:
        insert_empty(centres, masses, n, b, x)
        n += 1
    masses[b, k] += weight
    if n == len(centres):
        join_closest(centres, masses, n)
        n -= 1
    return n


@inlined
def side_errors(side: Floats) -> tuple[float, float]:
    """(weight not of the heaviest class, Gini impurity) of a side."""
    total, heaviest, squares = 0.0, 0.0, 0.0
    for weight in side:
        total += weight
        heaviest = max(heaviest, weight)
        squares += weight * weight
    return total - heaviest, (total - squares / total if total > 0.0 else 0.0)


@inlined
def between(low: float, high: float) -> float:
    """A threshold with low at or below it and high above."""
    middle = low + 0.5 * (high - low)
    return middle if middle < high else low


@inlined
def is_better(error: float, impurity: float, best: tuple[float, float, float], tolerance: float) -> bool:
    """Whether a split has less error than the best, or equal error and purer sides."""
    return error < best[0] - tolerance or (error <= best[0] + tolerance and impurity < best[1] - tolerance)
