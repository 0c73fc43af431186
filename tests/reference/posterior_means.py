"""The posteriors (21) and (24) of Bai et al. 2016 as printed, integrated with 40 digits: slow and literal.

The integral runs over u = log x by the trapezoidal rule, whose error falls exponentially for densities
that are analytic and die out at both ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath

DIGITS = 40
DROP = 60  # the tails beyond exp(-60) = 1e-26 of the peak are left out
POINTS = 400
FARTHEST = 1000  # |log x| of any conceivable peak
HALVINGS = 60


class Moments(NamedTuple):
    mean: Any
    variance: Any


def gamma_shape_moments(n: float, k: float) -> Moments:
    """Of the density proportional to exp(n (k x - log Gamma(x)))."""
    with mpmath.workdps(DIGITS):
        n, k = mpmath.mpf(n), mpmath.mpf(k)
        return _moments(
            lambda x: n * (k * x - mpmath.loggamma(x)),
            lambda x: n * (k - mpmath.digamma(x)),
        )


def gamma_moments(P: float, Q: float, R: float, s: float) -> Moments:
    """Of the shape alpha, the rate beta integrated out as a Gamma(s alpha + 1, rate Q)."""
    with mpmath.workdps(DIGITS):
        P, Q, R, s = (mpmath.mpf(x) for x in (P, Q, R, s))
        log_q = mpmath.log(Q)
        return _moments(
            lambda a: a * P - R * mpmath.loggamma(a) + mpmath.loggamma(s * a + 1) - (s * a + 1) * log_q,
            lambda a: P - R * mpmath.digamma(a) + s * mpmath.digamma(s * a + 1) - s * log_q,
        )


def _moments(log_density: Callable[[Any], Any], slope: Callable[[Any], Any]) -> Moments:
    def height(u: Any) -> Any:
        return log_density(mpmath.exp(u)) + u

    peak = _peak(lambda u: mpmath.exp(u) * slope(mpmath.exp(u)) + 1)
    top = height(peak)
    low, high = (_end(lambda u: top - height(u), peak, sign) for sign in (-1, 1))
    mass, first, second = mpmath.mpf(0), mpmath.mpf(0), mpmath.mpf(0)
    for j in range(POINTS + 1):
        u = low + (high - low) * j / POINTS
        weight, x = mpmath.exp(height(u) - top), mpmath.exp(u)
        mass += weight
        first += weight * x
        second += weight * x * x
    mean = first / mass
    return Moments(mean, second / mass - mean**2)


def _peak(slope: Callable[[Any], Any]) -> Any:
    low, high = mpmath.mpf(-FARTHEST), mpmath.mpf(FARTHEST)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if slope(middle) > 0:
            low = middle
        else:
            high = middle
    return low


def _end(fall: Callable[[Any], Any], peak: Any, sign: int) -> Any:
    reach = mpmath.mpf("1e-6")
    while fall(peak + sign * reach) < DROP:
        reach *= mpmath.mpf("1.2")
    return peak + sign * reach
