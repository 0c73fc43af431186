"""How far an error rate may be from what it estimates."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

from shoal.errors import InputError


def wilson(errors: float, n: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for an error rate.

    A progressive error is the mean of losses of a model that changes from row to row. It estimates the
    mean of the error rates that the model had along the way, each loss being a draw given all that went
    before. The variance of such a mean is at most that of independent losses at the mean rate, so the
    interval is, if anything, wide. It says nothing about other orders of the rows (repeat with several
    seeds for that), nor, on a drifting stream, about the future.

    errors: number of mistakes, at most `n`. n: number of examples. level: coverage, in (0, 1).
    """
    if not 0.0 < level < 1.0:
        raise InputError(f"level is {level}; give a number between 0 and 1, such as 0.95")
    if not 0 <= errors <= n or n == 0:
        raise InputError(f"{errors} errors among {n} examples; expected 0 <= errors <= n and n > 0")
    z2 = NormalDist().inv_cdf(0.5 + 0.5 * level) ** 2
    centre = (errors + 0.5 * z2) / (n + z2)
    half = sqrt(z2 * (errors * (1.0 - errors / n) + 0.25 * z2)) / (n + z2)
    return max(0.0, centre - half), min(1.0, centre + half)
