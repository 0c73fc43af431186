"""What Algorithm 1 believes about its members, for people: a `Posterior` from any of its representations.

The sandwich error is that of the M-estimator, taken in log weight: the root of the sum of squared gradients,
each at the weight of its time, over the curvature that the posterior has gathered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import interpolate

from shoal.rules.algorithm1 import Algorithm1, FamilyState, family_log_density
from shoal.rules.grid_posterior import GridState, log_density
from shoal.rules.laws import GridLaw
from shoal.rules.log_densities import NEGLIGIBLE, Windows, moments_on, points_of
from shoal.rules.posterior import Posterior
from shoal.types import Floats

WIDTH = 8.0  # standard deviations of a normal law that are kept on either side
N_POINTS = 512
N_FINE = 4000  # of a grid that is interpolated linearly


@dataclass(frozen=True)
class PointsLaw(GridLaw):
    """Laws known by the log density of log x at points of it, (N, points), and their means."""

    u: Floats
    heights: Floats
    mean: Floats

    def points(self, i: int, n_points: int = N_POINTS) -> Floats:
        """Points of log x that cover member i's law."""
        return np.asarray(self.u[i])

    def log_density(self, i: int, x: Floats) -> Floats:
        """Up to a constant."""
        u = np.log(x)
        return np.asarray(np.interp(u, self.u[i], self.heights[i], left=-np.inf, right=-np.inf)) - u

    @property
    def _masses(self) -> Floats:
        masses = np.exp(self.heights - np.max(self.heights, axis=1, keepdims=True))
        return np.asarray(masses / np.sum(masses, axis=1, keepdims=True))

    @property
    def variance(self) -> Floats:
        """About the mean."""
        return np.asarray(np.sum(self._masses * (np.exp(self.u) - self.mean[:, None]) ** 2, axis=1))

    @property
    def mode(self) -> Floats:
        """The top of the parabola through the three highest points of x's density."""
        density = self.heights - self.u
        best = np.clip(np.argmax(density, axis=1), 1, self.u.shape[1] - 2)
        below, here, above = (np.take_along_axis(density, best[:, None] + k, axis=1)[:, 0] for k in (-1, 0, 1))
        step = self.u[:, 1] - self.u[:, 0]
        bend = below - 2.0 * here + above
        shift = np.where(bend < 0.0, 0.5 * (below - above) / np.where(bend < 0.0, bend, 1.0), 0.0)
        return np.asarray(np.exp(np.take_along_axis(self.u, best[:, None], axis=1)[:, 0] + shift * step))

    def quantile(self, probability: float) -> Floats:
        """Below these lies the given probability."""
        return np.exp(np.array([self._quantile_of(i, probability) for i in range(len(self.u))]))

    def _quantile_of(self, i: int, probability: float) -> float:
        held = self.heights[i] > np.max(self.heights[i]) - NEGLIGIBLE
        points = self.u[i, held]
        height = interpolate.CubicSpline(points, self.heights[i, held])
        u = np.linspace(points[0], points[-1], N_FINE)
        masses = np.exp(height(u) - np.max(self.heights[i]))
        below = (np.cumsum(masses) - 0.5 * masses) / np.sum(masses)
        return float(np.interp(probability, below, u))


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
