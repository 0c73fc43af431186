"""Reservoir boosting with GEEM, one round after the other as the specification says it (D.1, D.3 to D.6)."""

from __future__ import annotations

import math

import numpy as np
from tests.reference import geem

Array = np.ndarray
Stump = tuple[int, float, float]  # feature, threshold, step

NEWTON_STEPS, STEP_MAX = 3, 4.0


def boosted(
    X: Array, y: Array, size: int, batch: int, n_rounds: int, ridge: float, shrinkage: float
) -> list[Stump]:
    """The stumps found on a stream of rows, with labels +1 and -1."""
    found: list[Stump] = []
    held = list(range(size + batch))
    for t in range(n_rounds):
        margins = np.array([y[i] * score(found, X[i]) for i in held])
        w = 1.0 / (1.0 + np.exp(margins))
        sigma = np.array(geem.covariance(X[held].tolist(), y[held].tolist()))
        sigma = sigma / np.mean(np.diag(sigma)) + ridge * np.eye(len(held))
        removed = geem.greedy(sigma, w, np.ones(len(held)), size)
        kept = [p for p in range(len(held)) if p not in removed]
        corrected = geem.corrected_weights(sigma, w, kept)
        held, w, margins = [held[p] for p in kept], w[kept], margins[kept]
        feature, threshold, polarity = best_stump(X[held], y[held] * corrected)
        agreement = y[held] * polarity * np.where(X[held][:, feature] >= threshold, 1.0, -1.0)
        found.append((feature, threshold, shrinkage * polarity * step_of(agreement, corrected, w, margins)))
        held += range(size + batch * (t + 1), size + batch * (t + 2))
    return found


def score(found: list[Stump], x: Array) -> float:
    """The sum of the stumps on a row."""
    return math.fsum(step if x[feature] >= threshold else -step for feature, threshold, step in found)


def best_stump(X: Array, signed: Array) -> Stump:
    """(feature, threshold, polarity) of the largest edge."""
    best, largest = (0, 0.0, 1.0), -math.inf
    for feature in range(X.shape[1]):
        values = np.unique(X[:, feature])
        for threshold in (values[1:] + values[:-1]) / 2.0:
            edge = float(np.where(X[:, feature] >= threshold, 1.0, -1.0) @ signed)
            if abs(edge) > largest:
                best, largest = (feature, float(threshold), math.copysign(1.0, edge)), abs(edge)
    return best


def step_of(agreement: Array, corrected: Array, w: Array, margins: Array) -> float:
    """Three Newton steps down the loss, an example counting max(w~ / w, 0) times."""
    counts = np.maximum(corrected / w, 0.0)
    a = 0.0
    for _ in range(NEWTON_STEPS):
        now = 1.0 / (1.0 + np.exp(margins + a * agreement))
        a += float(counts @ (now * agreement)) / float(counts @ (now * (1.0 - now)))
        a = min(max(a, -STEP_MAX), STEP_MAX)
    return a
