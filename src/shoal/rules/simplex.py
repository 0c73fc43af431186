"""The nearest point of the probability simplex: weights of 0 or more that sum to one."""

from __future__ import annotations

import numpy as np

from shoal.kernels.compiler import compiled
from shoal.types import Scores


@compiled
def project(weights: Scores, c: int) -> None:
    """Replace column c by the nearest probabilities, max(v - tau, 0) with tau such that they sum to one.

    The entries that stay positive are found by dropping, pass after pass, those at or below the tau of the
    ones left (Michelot 1986): tau only rises, so none returns. A gradient step from within the simplex
    needs few passes, and no sorting. tau is counted from the largest entry, so it is in [-1, 0).
    """
    n = weights.shape[0]
    weights[:, c] -= np.max(weights[:, c])
    tau = -1.0
    before, left = n + 2, n + 1  # so that the first tau found is tried as well
    while left < before:
        before, left = left, 0
        total = 0.0
        for i in range(n):
            if weights[i, c] > tau:
                total += weights[i, c]
                left += 1
        tau = (total - 1.0) / left
    for i in range(n):
        weights[i, c] = max(weights[i, c] - tau, 0.0)
