"""The laws that posteriors are made of, one per member: moments, quantiles and comparisons, for NumPy arrays.

Under loss (8) a law is Gamma, and all is known in closed form. The laws under (19) and (22) have moments and
quantiles in `posterior_means`; what is left, comparing two of them, is a sum over a grid of log x that
reaches from quantile to quantile.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy import optimize, special

from shoal.kernels.posterior_means import (
    gamma_mean,
    gamma_means,
    gamma_quantiles,
    gamma_shape_mean,
    gamma_shape_means,
    gamma_shape_quantiles,
    gamma_shape_variance,
    gamma_variance,
)
from shoal.kernels.special import log_gamma_remainder
from shoal.types import Floats

OUTSIDE = 1e-9  # probability left out at either end of a grid
N_POINTS = 400  # of a grid
MOST_POINTS = 4000
POINTS_PER_ROOT = 20.0  # points per square root of the shape that keep a mixture of Gamma laws smooth


class Law(Protocol):
    """One law per member."""

    @property
    def mean(self) -> Floats:
        """Means."""
        ...

    @property
    def variance(self) -> Floats:
        """Variances."""
        ...

    @property
    def mode(self) -> Floats:
        """Where the densities are highest."""
        ...

    def quantile(self, probability: float) -> Floats:
        """Below these lies the given probability."""
        ...

    def probability_greater(self, i: int, j: int) -> Any:
        """That a draw of member i's law is above one of member j's."""
        ...


@dataclass(frozen=True)
class GammaLaw:
    """Gamma laws by shape and rate."""

    shape: Floats
    rate: Floats

    @property
    def mean(self) -> Floats:
        """Shape over rate."""
        return self.shape / self.rate

    @property
    def variance(self) -> Floats:
        """Shape over the square of the rate."""
        return self.shape / self.rate**2

    @property
    def mode(self) -> Floats:
        """One less than the shape over the rate, or 0."""
        return np.maximum(self.shape - 1.0, 0.0) / self.rate

    def quantile(self, probability: float) -> Floats:
        """By the inverse of the incomplete gamma function."""
        return np.asarray(special.gammaincinv(self.shape, probability)) / self.rate

    def probability_greater(self, i: int, j: int) -> Any:
        """By the incomplete beta function."""
        x = self.rate[..., j] / (self.rate[..., i] + self.rate[..., j])
        return special.betainc(self.shape[..., j], self.shape[..., i], x)


class GridLaw:
    """What follows from a log density (up to a constant) and quantiles."""

    def log_density(self, i: int, x: Floats) -> Floats:
        """Of member i's law."""
        raise NotImplementedError

    def quantile(self, probability: float) -> Floats:
        """Below these lies the given probability."""
        raise NotImplementedError

    @cached_property
    def _range(self) -> tuple[Floats, Floats]:
        return np.log(self.quantile(OUTSIDE)), np.log(self.quantile(1.0 - OUTSIDE))

    def points(self, i: int, n_points: int = N_POINTS) -> Floats:
        """Points of log x that cover member i's law."""
        low, high = self._range
        return np.linspace(low[i], high[i], n_points)

    def masses(self, i: int, u: Floats) -> Floats:
        """The probability that member i's law gives to each point of a rising grid of log x."""
        width = np.gradient(u) if len(u) > 1 else np.ones(1)
        heights = self.log_density(i, np.exp(u)) + u
        masses = np.exp(heights - np.max(heights)) * width
        return np.asarray(masses / np.sum(masses))

    def probability_greater(self, i: int, j: int) -> Any:
        """From both laws on the points of either; P(i above j) and P(j above i) add up to 1."""
        u = np.union1d(self.points(i), self.points(j))
        mine, theirs = self.masses(i, u), self.masses(j, u)
        return np.sum(mine * (np.cumsum(theirs) - 0.5 * theirs))


_remainder = np.vectorize(log_gamma_remainder, otypes="d")


def log_density_of(slope: float, r: float, s: float, mode: float, x: Floats) -> Floats:
    """Slope * x - r * logGamma(x) + logGamma(s * x + 1) - s * log(s) * x, up to a constant.

    Taken relative to the mode, term by term, for the terms themselves may be 1e18 and what is left of them 1.
    """
    u = np.log(x)
    v = np.log(x / mode)
    bulk = (x - mode) * (slope - (r - s) * np.log(mode)) + (r - s) * mode * (np.expm1(v) - v * np.exp(v))
    log_s = np.log(s) if s > 0.0 else 0.0
    return np.asarray(bulk - r * (_remainder(x, u) - u) + _remainder(s * x, u + log_s))


@dataclass(frozen=True)
class ShapeLaw(GridLaw):
    """Laws (21) of a Gamma shape, exp(n * (k x - logGamma(x)))."""

    n: Floats
    k: Floats

    @property
    def mean(self) -> Floats:
        """The coefficients are 1 less these."""
        return gamma_shape_means(self.n, self.k)

    @property
    def variance(self) -> Floats:
        """From the same integral."""
        return gamma_shape_variance(self.n, self.k)

    @cached_property
    def mode(self) -> Floats:
        """The inverse digamma of k."""
        return np.array([gamma_shape_mean(n, k, 0.0)[1] for n, k in zip(self.n, self.k, strict=True)])

    def quantile(self, probability: float) -> Floats:
        """Below these lies the given probability."""
        return gamma_shape_quantiles(self.n, self.k, probability)

    def log_density(self, i: int, x: Floats) -> Floats:
        """Up to a constant."""
        return log_density_of(self.n[i] * self.k[i], self.n[i], 0.0, self.mode[i], x)


@dataclass(frozen=True)
class TwoParameterLaw(GridLaw):
    """Laws of the shape under (24), the rate integrated out; letters as in the paper."""

    P: Floats
    Q: Floats
    R: Floats
    s: Floats

    @property
    def mean(self) -> Floats:
        """E[alpha]."""
        return gamma_means(self.P, self.Q, self.R, self.s)[0]

    @property
    def variance(self) -> Floats:
        """From the same integral."""
        return gamma_variance(self.P, self.Q, self.R, self.s)[0]

    @cached_property
    def mode(self) -> Floats:
        """Of the shape alone, not of shape and rate together."""
        numbers = zip(self.P, self.Q, self.R, self.s, strict=True)
        return np.array([gamma_mean(P, Q, R, s, 0.0)[1] for P, Q, R, s in numbers])

    def quantile(self, probability: float) -> Floats:
        """Below these lies the given probability."""
        return gamma_quantiles(self.P, self.Q, self.R, self.s, probability)

    def log_density(self, i: int, x: Floats) -> Floats:
        """Up to a constant."""
        P, Q, R, s = self.P[i], self.Q[i], self.R[i], self.s[i]
        return log_density_of(P - s * np.log(Q / s), R, s, self.mode[i], x)


@dataclass(frozen=True)
class RateLaw(GridLaw):
    """Laws of the rate under (24): Gamma(s * shape + 1, Q), averaged over the shape."""

    of: TwoParameterLaw

    @property
    def mean(self) -> Floats:
        """E[beta]."""
        return gamma_means(self.of.P, self.of.Q, self.of.R, self.of.s)[1]

    @property
    def variance(self) -> Floats:
        """From the variance of the shape."""
        return gamma_variance(self.of.P, self.of.Q, self.of.R, self.of.s)[1]

    @cached_property
    def _mixtures(self) -> list[tuple[Floats, Floats]]:
        """(shapes, probabilities) of the Gamma laws that each member's rate mixes."""
        wanted = np.clip(POINTS_PER_ROOT * np.sqrt(self.of.mean), N_POINTS, MOST_POINTS).astype(int)
        grids = [self.of.points(i, wanted[i]) for i in range(len(self.of.P))]
        return [(self.of.s[i] * np.exp(u) + 1.0, self.of.masses(i, u)) for i, u in enumerate(grids)]

    @property
    def mode(self) -> Floats:
        """Of the rate alone."""
        return np.array([self._mode_of(i) for i in range(len(self.of.P))])

    def _mode_of(self, i: int) -> float:
        x = np.exp(self.points(i))
        best = int(np.argmax(self.log_density(i, x)))
        around = (x[max(best - 1, 0)], x[min(best + 1, len(x) - 1)])
        found = optimize.minimize_scalar(
            lambda b: -self.log_density(i, np.array([b]))[0], bounds=around, method="bounded"
        )
        return float(found.x)

    def quantile(self, probability: float) -> Floats:
        """Below these lies the given probability."""
        return np.array([self._quantile_of(i, probability) for i in range(len(self.of.P))])

    def _quantile_of(self, i: int, probability: float) -> float:
        shapes, masses = self._mixtures[i]
        rate = self.of.Q[i]
        ends = special.gammaincinv(shapes[[0, -1]], probability) / rate

        def excess(log_x: float) -> float:
            return float(masses @ special.gammainc(shapes, rate * np.exp(log_x))) - probability

        return float(np.exp(optimize.brentq(excess, np.log(ends[0]), np.log(ends[1]), xtol=1e-12)))

    def log_density(self, i: int, x: Floats) -> Floats:
        """Up to a constant."""
        shapes, masses = self._mixtures[i]
        shapes, masses = shapes[masses > 0.0], masses[masses > 0.0]
        rate = self.of.Q[i]
        terms = (
            (shapes - 1.0) * np.log(rate * x[:, None])
            - rate * x[:, None]
            - special.gammaln(shapes)
            + np.log(masses)
        )
        return np.asarray(special.logsumexp(terms, axis=1))
