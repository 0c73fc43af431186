"""GEEM as the corrected formulas of the specification say it, one set of kept examples at a time (D.3-D.5)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

Array = np.ndarray


def stumps(X: Sequence[Sequence[float]]) -> Iterator[list[float]]:
    """The answers of every stump between two distinct values of a feature, both polarities, on all rows."""
    for column in zip(*X, strict=True):
        values = sorted(set(column))
        for low, high in itertools.pairwise(values):
            answers = [1.0 if x > (low + high) / 2 else -1.0 for x in column]
            yield answers
            yield [-a for a in answers]


def covariance(X: Sequence[Sequence[float]], y: Sequence[float]) -> list[list[float]]:
    """Sum over all stumps of edge times edge."""
    edges = [[a * label for a, label in zip(answers, y, strict=True)] for answers in stumps(X)]
    n = len(y)
    return [[sum(e[i] * e[j] for e in edges) for j in range(n)] for i in range(n)]


def corrected_weights(sigma: Array, w: Array, kept: Sequence[int]) -> Array:
    """w_B + Sigma_BB^-1 Sigma_BC w_C."""
    gone = [i for i in range(len(w)) if i not in kept]
    within = sigma[np.ix_(kept, kept)]
    return w[list(kept)] + np.linalg.inv(within) @ sigma[np.ix_(kept, gone)] @ w[gone]


def objective(sigma: Array, w: Array, kept: Sequence[int], e: Array) -> float:
    """J(B): the edge on the kept, and the edge expected on the others given the answers on the kept."""
    gone = [i for i in range(len(w)) if i not in kept]
    expected = sigma[np.ix_(gone, kept)] @ np.linalg.inv(sigma[np.ix_(kept, kept)]) @ e[list(kept)]
    return float(e[list(kept)] @ w[list(kept)] + expected @ w[gone])


def greedy(sigma: Array, w: Array, e: Array, n_kept: int) -> list[int]:
    """The examples in the order in which brute force discards them."""
    kept = list(range(len(w)))
    removed = []
    while len(kept) > n_kept:
        values = {j: objective(sigma, w, [i for i in kept if i != j], e) for j in kept}
        best = max(values, key=lambda j: (values[j], -w[j], -j))
        kept.remove(best)
        removed.append(best)
    return removed
