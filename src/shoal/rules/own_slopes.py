"""Derivatives of a user's losses and priors in u = log weight, given or by central differences."""

from __future__ import annotations

import numpy as np

from shoal.rules.own_losses import OwnLoss, SeparableLoss, SmoothLoss
from shoal.types import Floats

DIFFERENCE = 1e-3  # in log weight: balances the error of central differences with that of rounding


def prior_slopes(own: OwnLoss, u: Floats) -> tuple[Floats, Floats]:
    """First and second derivative of the prior's negative log density of u."""
    h = DIFFERENCE
    above, here, below = (own.prior(np.exp(v)) - v for v in (u + h, u, u - h))
    return (above - below) / (2.0 * h), (above - 2.0 * here + below) / h**2


def slopes(own: OwnLoss, u: Floats, g: Floats) -> tuple[Floats, Floats]:
    """D l' and D l'' D at these learners' log weights."""
    weights = np.exp(u)
    if isinstance(own, SmoothLoss):
        second = np.asarray(own.curvature(weights, g))
        scale = weights[:, None] * weights if second.ndim == 2 else weights**2
        return weights * own.gradient(weights, g), scale * second
    h = DIFFERENCE
    if isinstance(own, SeparableLoss) and own.derivative is not None:
        above, below = (np.exp(v) * own.derivative(np.exp(v), g) for v in (u + h, u - h))
        first = weights * own.derivative(weights, g)
        return first, (above - below) / (2.0 * h) - first
    above, here, below = (own.loss(np.exp(v), g) for v in (u + h, u, u - h))
    first = (above - below) / (2.0 * h)
    return first, (above - 2.0 * here + below) / h**2 - first
