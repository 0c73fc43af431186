"""GEEM's swap phase: exchange a kept example for a discarded one as long as the objective rises.

For the kept set with one more, j, the inverse follows from that of the kept set by a border; taking any k
out of it again costs what `geem` says. The paper found no gain; it is here so that this can be seen.
"""

from __future__ import annotations

import numpy as np

from shoal.reservoir.geem import corrected, inverse
from shoal.types import Floats, Ints

LEAST_GAIN = 1e-9  # of the objective, as a share of the sum of weights: less is rounding


def swap(covariance: Floats, answers: Floats, signed: Floats, kept: Ints, n_swaps: int) -> tuple[Ints, Floats]:
    """(kept examples, their corrected signed weights) after at most so many exchanges, the best first."""
    least = LEAST_GAIN * float(np.abs(signed).sum())
    for _ in range(n_swaps):
        gain, out, into = best_swap(covariance, answers, signed, kept)
        if gain <= least:
            break
        kept = np.sort(np.where(kept == out, into, kept))
    return kept, corrected(covariance, signed, kept)


def best_swap(covariance: Floats, answers: Floats, signed: Floats, kept: Ints) -> tuple[float, int, int]:
    """(gain, example to discard, example to keep instead) of the best exchange."""
    gone = np.setdiff1d(np.arange(len(covariance)), kept)
    p = inverse(covariance[np.ix_(kept, kept)])
    pull = signed[:, gone] @ covariance[gone]
    best = (-np.inf, -1, -1)
    for j in gone:
        costs = removal_costs(covariance, answers, signed, pull, np.append(kept, j), p)
        k = int(np.argmin(costs[:-1]))
        if costs[-1] - costs[k] > best[0]:
            best = (float(costs[-1] - costs[k]), int(kept[k]), int(j))
    return best


def removal_costs(
    covariance: Floats, answers: Floats, signed: Floats, pull: Floats, members: Ints, p: Floats
) -> Floats:
    """What taking each member out would cost, the last one being new to the set that P belongs to."""
    own, j = members[:-1], members[-1]
    border = p @ covariance[own, j]
    rest = float(covariance[j, j] - covariance[j, own] @ border)
    edge = np.append(-border, 1.0)
    grown = np.outer(edge, edge) / rest
    grown[:-1, :-1] += p
    others = pull[:, members] - signed[:, [j]] * covariance[j, members]  # Sigma_BC c_C without j in C
    now = signed[:, members] + others @ grown
    v = answers[:, members] @ grown
    return np.asarray((v * now).sum(axis=0) / np.diag(grown))
