"""What Algorithm 1 believes about its members, for people: a `Posterior` from any of its representations.

The sandwich error is that of the M-estimator, taken in log weight: the root of the sum of squared gradients,
each at the weight of its time, over the curvature that the posterior has gathered.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.rules.algorithm1 import Algorithm1, FamilyState, family_log_density
from shoal.rules.grid_posterior import GridState, log_density
from shoal.rules.laws import PointsLaw
from shoal.rules.log_densities import Windows, moments_on, points_of
from shoal.rules.posterior import Posterior
from shoal.types import Floats

WIDTH = 8.0  # standard deviations of a normal law that are kept on either side
N_POINTS = 512


def of_own_loss(rule: Algorithm1, state: Any, names: tuple[str, ...] | None) -> Posterior:
    """Under a loss of the user's own."""
    u, heights = densities_of(state)
    law = PointsLaw(u, heights, state.means.copy())
    variance = moments_on(u, heights).deviation ** 2
    error = law.mean * np.sqrt(state.squares) * variance
    named = tuple(names) if names is not None else tuple(f"learner {i}" for i in range(len(law.mean)))
    return Posterior(rule, state, ("weight",), (law,), (error,), state.rounds.copy(), named)


def densities_of(state: Any) -> tuple[Floats, Floats]:
    """Points of log weight and the log density there."""
    if isinstance(state, FamilyState):
        u = points_of(Windows(state.low, state.high), N_POINTS)
        with np.errstate(over="ignore", invalid="ignore"):
            heights = family_log_density(state, u)
        return u, np.where(np.isfinite(heights), heights, -np.inf)
    u, heights = normal_densities(state)
    if isinstance(state, GridState):
        who = np.flatnonzero(~state.normal)
        u[who], heights[who] = log_density(state, who)
    return u, heights


def normal_densities(state: Any) -> tuple[Floats, Floats]:
    """Of normal laws of log weight."""
    together = state.curvature.ndim == 2
    variance = np.diag(np.linalg.inv(state.curvature)) if together else 1.0 / state.curvature
    z = np.linspace(-WIDTH, WIDTH, N_POINTS)
    u = state.position[:, None] + np.sqrt(variance)[:, None] * z
    return u, np.tile(-0.5 * z**2, (len(u), 1))
