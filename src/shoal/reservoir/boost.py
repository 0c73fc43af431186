"""One round of LogitBoost on chosen examples: their weights, and the step of a stump (specification D.6)."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit

from shoal.types import Floats

STEPS = ("newton", "edge")  # LogitBoost's on the loss of what is kept; AdaBoost's of the edge
NEWTON_STEPS = 3
STEP_MAX = 4.0  # specification D.6
EDGE_MARGIN = 1e-6  # a normalised edge stays that far from 1


def boosting_weights(margins: Floats) -> Floats:
    """-l'(z) = 1 / (1 + exp(z)) of the loss l(z) = log(1 + exp(-z))."""
    return np.asarray(expit(-margins))


def step_of(agreement: Floats, weights: Floats, margins: Floats) -> float:
    """The step a that minimises the sum of (w~ / w) l(margin + a agreement), by a few Newton steps from 0.

    agreement: y h(x), +1 or -1. weights: w~; where below 0 an example does not count. margins: y F(x).
    """
    counted = np.maximum(weights, 0.0)
    before = np.logaddexp(0.0, margins)
    a = 0.0
    for _ in range(NEWTON_STEPS):
        now = margins + a * agreement
        share = counted * np.exp(before - np.logaddexp(0.0, now))  # (w~ / w) (-l'(now)), w = -l'(margin)
        curvature = float(np.sum(share * expit(now)))
        if not curvature > 0.0:
            return closed_step(agreement, weights)
        a = min(max(a + float(share @ agreement) / curvature, -STEP_MAX), STEP_MAX)
    return a if a > 0.0 else closed_step(agreement, weights)


def closed_step(agreement: Floats, weights: Floats) -> float:
    """AdaBoost's step, from the edge over the sum of |w~|; where Newton's goes nowhere."""
    total = float(np.abs(weights).sum())
    edge = float(weights @ agreement) / total if total > 0.0 else 0.0
    return math.atanh(min(max(edge, EDGE_MARGIN - 1.0), 1.0 - EDGE_MARGIN))


def step_by(rule: str, agreement: Floats, weights: Floats, margins: Floats) -> float:
    """The step that a rule of STEPS gives."""
    return closed_step(agreement, weights) if rule == "edge" else step_of(agreement, weights, margins)
