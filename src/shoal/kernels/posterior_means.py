"""Means and variances of the two posteriors without a closed form: Bai et al. 2016, (21) and (24).

Both are members of one family of densities on x > 0, with three numbers (slope, r, s), r > 0, r >= s >= 0:

    log density(x) = slope * x - r * logGamma(x) + logGamma(s * x + 1) - s * log(s) * x

The gamma shape's law (21) is s = 0; the law (24) of a gamma's shape and rate, its rate integrated out
exactly, has slope = P - s log(Q / s). Leading terms cancel to the last digit for large r and s, so every
evaluation is of remainders (see `special`), in units of the mode: `curvatures` are x**j times the j-th
derivative, which neither overflow nor vanish. A law that is narrow in these units is expanded around its
mode to second order (Laplace); any other is integrated over u = log x, where its tails are shortest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from shoal.kernels.compiler import compiled, inlined
from shoal.kernels.special import first_remainders, higher_remainders, log_gamma_remainder
from shoal.types import Floats

N_NODES = 96
NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(N_NODES)

NARROW = 1000.0  # -curvature from which Laplace's error, about 0.02 / curvature**3, is below 3e-11
NARROW_VARIANCE = 10_000.0  # the variance's expansion is one order shorter
NEGLIGIBLE = 38.0  # fall of the log integrand beyond which a tail is left out: exp(-38) = 3e-17
WIDENING = 1.6  # growth of the steps that walk out to the tails
MAX_WALK = 100
EDGE_HALVINGS = 5

MODE_TOLERANCE = 1e-12  # in log x; less would let rounding make Newton's method oscillate
PEAK_TOLERANCE = 1e-3  # the peak only places the interval
QUANTILE_TOLERANCE = 1e-10  # of the width of the whole law
MAX_NEWTON = 100  # steps are at most 1 in log x, so this covers 43 decades

EULER_GAMMA = 0.5772156649015329
MINKA_SWITCH = -2.22  # Minka 2000, "Estimating a Dirichlet distribution", appendix C
LEAST_GAP = 1e-12  # of Jensen's inequality, when all losses are equal


@inlined
def _climb(slope: float, r: float, s: float, tilt: float, u: float, tolerance: float) -> float:
    """Maximise log density(e**u) + tilt * u, starting at u, by damped Newton steps."""
    for _ in range(MAX_NEWTON):
        x = math.exp(u)
        x0, x1 = first_remainders(x)
        y0, y1 = first_remainders(s * x)
        gradient = x * (slope - (r - s) * u) + r * x0 + (1.0 - y0)
        curvature = -(r - s) * x - r * x1 - (1.0 - y1)
        step = (gradient + tilt) / (curvature + min(gradient, 0.0))
        step = min(max(step, -1.0), 1.0)
        u -= step
        if abs(step) < tolerance:
            break
    return u


@inlined
def _curvatures(r: float, s: float, x: float) -> tuple[float, float, float, float]:
    """The second to fifth derivative of the log density, each times that power of x."""
    x1, x2, x3, x4 = higher_remainders(x)
    y1, y2, y3, y4 = higher_remainders(s * x)
    lead = (r - s) * x
    return (
        -(lead + r * x1 + (1.0 - y1)),
        lead + r * x2 + (2.0 - y2),
        -(2.0 * lead + r * x3 + (6.0 - y3)),
        6.0 * lead + r * x4 + (24.0 - y4),
    )


@inlined
def _laplace_mean(mode: float, f2: float, f3: float, f4: float, f5: float) -> float:
    """The mean to second order, from the curvatures at the mode."""
    sd = 1.0 / math.sqrt(-f2)
    a3 = f3 * sd**3 / 6.0
    a4 = f4 * sd**4 / 24.0
    a5 = f5 * sd**5 / 120.0
    return mode * (1.0 + sd * (3.0 * a3 + 15.0 * a5 + 96.0 * a3 * a4 + 135.0 * a3**3))


@inlined
def _laplace_variance(mode: float, f2: float, f3: float, f4: float) -> float:
    """The variance to first order beyond the normal one."""
    v = -1.0 / f2
    return mode * mode * v * (1.0 + 0.5 * f4 * v * v + f3 * f3 * v**3)


@inlined
def _log_integrand(slope: float, r: float, s: float, u: float, log_s: float) -> float:
    """Log density(e**u) + u, the log density of u = log x."""
    x = math.exp(u)
    bulk = x * (slope - (r - s) * (u - 1.0)) - r * (log_gamma_remainder(x, u) - u)
    return bulk + log_gamma_remainder(s * x, u + log_s) + u


@inlined
def _edge(slope: float, r: float, s: float, log_s: float, peak: float, step: float) -> float:
    """Where, walking from the peak in the direction of `step`, the integrand becomes negligible."""
    floor = _log_integrand(slope, r, s, peak, log_s) - NEGLIGIBLE
    inside, outside = peak, peak + step
    for _ in range(MAX_WALK):
        if not _log_integrand(slope, r, s, outside, log_s) > floor:
            break
        step *= WIDENING
        inside, outside = outside, outside + step
    for _ in range(EDGE_HALVINGS):
        middle = 0.5 * (inside + outside)
        if _log_integrand(slope, r, s, middle, log_s) > floor:
            inside = middle
        else:
            outside = middle
    return outside


@inlined
def _span(slope: float, r: float, s: float, mode: float) -> tuple[float, float, float, float]:
    """Where log x has its peak, the height there, and the interval that holds all but a negligible mass."""
    log_s = math.log(s) if s > 0.0 else 0.0
    peak = _climb(slope, r, s, 1.0, math.log(mode), PEAK_TOLERANCE)
    width = 1.0 / math.sqrt(1.0 - _curvatures(r, s, math.exp(peak))[0])
    low = _edge(slope, r, s, log_s, peak, -width)
    high = _edge(slope, r, s, log_s, peak, width)
    return peak, _log_integrand(slope, r, s, peak, log_s), low, high


@inlined
def _masses(
    slope: float, r: float, s: float, peak: float, top: float, low: float, high: float
) -> tuple[float, float, float]:
    """Integrals of (x / e**peak - 1)**j, j = 0..2, over low < log x < high, by Gauss-Legendre quadrature."""
    log_s = math.log(s) if s > 0.0 else 0.0
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    mass, first, second = 0.0, 0.0, 0.0
    for j in range(N_NODES):
        u = middle + half * NODES[j]
        weight = half * NODE_WEIGHTS[j] * math.exp(_log_integrand(slope, r, s, u, log_s) - top)
        offset = math.exp(u - peak) - 1.0
        mass += weight
        first += weight * offset
        second += weight * offset * offset
    return mass, first, second


@compiled
def _integrate(slope: float, r: float, s: float, mode: float) -> tuple[float, float]:
    """Mean and variance from the whole density."""
    peak, top, low, high = _span(slope, r, s, mode)
    mass, first, second = _masses(slope, r, s, peak, top, low, high)
    centre = math.exp(peak)
    shift = first / mass
    return centre * (1.0 + shift), centre * centre * (second / mass - shift * shift)


@compiled
def _quantile(slope: float, r: float, s: float, start: float, probability: float) -> float:
    """The x below which the density has the given mass: Newton's method on log x, kept inside a bracket."""
    mode = math.exp(_climb(slope, r, s, 0.0, math.log(start), MODE_TOLERANCE))
    peak, top, low, high = _span(slope, r, s, mode)
    log_s = math.log(s) if s > 0.0 else 0.0
    total = _masses(slope, r, s, peak, top, low, high)[0]
    below, above, u = low, high, peak
    for _ in range(MAX_NEWTON):
        excess = _masses(slope, r, s, peak, top, low, u)[0] - probability * total
        if excess > 0.0:
            above = u
        else:
            below = u
        proposal = u - excess / math.exp(_log_integrand(slope, r, s, u, log_s) - top)
        if not below < proposal < above:
            proposal = 0.5 * (below + above)
        step = proposal - u
        u = proposal
        if abs(step) < QUANTILE_TOLERANCE * (high - low):
            break
    return math.exp(u)


@compiled
def _mean(slope: float, r: float, s: float, start: float) -> tuple[float, float]:
    """Mean and mode, the mode sought from `start`."""
    mode = math.exp(_climb(slope, r, s, 0.0, math.log(start), MODE_TOLERANCE))
    f2, f3, f4, f5 = _curvatures(r, s, mode)
    if -f2 >= NARROW:
        return _laplace_mean(mode, f2, f3, f4, f5), mode
    return _integrate(slope, r, s, mode)[0], mode


@compiled
def _mean_and_variance(slope: float, r: float, s: float, start: float) -> tuple[float, float]:
    mode = math.exp(_climb(slope, r, s, 0.0, math.log(start), MODE_TOLERANCE))
    f2, f3, f4, f5 = _curvatures(r, s, mode)
    if -f2 >= NARROW_VARIANCE:
        return _laplace_mean(mode, f2, f3, f4, f5), _laplace_variance(mode, f2, f3, f4)
    return _integrate(slope, r, s, mode)


@inlined
def _shape_start(k: float) -> float:
    """About the inverse digamma of k."""
    if k >= MINKA_SWITCH:
        return math.exp(k) + 0.5
    return -1.0 / (k + EULER_GAMMA)


@inlined
def _slope(P: float, Q: float, s: float) -> float:
    return P - s * math.log(Q / s)


@inlined
def _gamma_start(P: float, Q: float, R: float, s: float) -> float:
    """About the shape that fits best, from the gap in Jensen's inequality."""
    gap = max(math.log(Q / s) - P / R, LEAST_GAP)
    return (3.0 - gap + math.sqrt((gap - 3.0) ** 2 + 24.0 * gap)) / (12.0 * gap)


@compiled
def gamma_shape_mean(n: float, k: float, start: float) -> tuple[float, float]:
    """Mean and mode of the density exp(n * (k x - logGamma(x))), x > 0: (21).

    n: effective number of losses, > 0, fractions included.
    k: what the digamma function is at the mode.
    start: a guess at the mode, such as the previous one; 0 or NaN where there is none. It changes the
        mean by less than 1e-13 of itself, unless nearly equal losses make its own rounding larger.
    """
    return _mean(n * k, n, 0.0, start if start > 0.0 else _shape_start(k))


@compiled
def gamma_mean(P: float, Q: float, R: float, s: float, start: float) -> tuple[float, float]:
    """Mean and mode of the shape under (24), its rate integrated out; letters as in the paper, s = s'.

    Needs Q > 0 and R >= s > 0; for R = s also log(Q / s) > P / s, or the law is improper.
    start: as for `gamma_shape_mean`.
    """
    return _mean(_slope(P, Q, s), R, s, start if start > 0.0 else _gamma_start(P, Q, R, s))


@inlined
def gamma_rate_mean(mean: float, Q: float, s: float) -> float:
    """The mean of the rate under (24), given the mean of the shape; exact."""
    return (s * mean + 1.0) / Q


@inlined
def gamma_rate_variance(mean: float, variance: float, Q: float, s: float) -> float:
    """The variance of the rate under (24), given mean and variance of the shape; exact."""
    return (s * mean + 1.0 + s * s * variance) / (Q * Q)


@compiled
def _shape_variance(n: float, k: float) -> float:
    return _mean_and_variance(n * k, n, 0.0, _shape_start(k))[1]


@compiled
def _shape_quantile(n: float, k: float, probability: float) -> float:
    return _quantile(n * k, n, 0.0, _shape_start(k), probability)


@compiled
def _variance_pair(P: float, Q: float, R: float, s: float) -> tuple[float, float]:
    mean, variance = _mean_and_variance(_slope(P, Q, s), R, s, _gamma_start(P, Q, R, s))
    return variance, gamma_rate_variance(mean, variance, Q, s)


@compiled
def _gamma_quantile(P: float, Q: float, R: float, s: float, probability: float) -> float:
    return _quantile(_slope(P, Q, s), R, s, _gamma_start(P, Q, R, s), probability)


def _each(function: Callable[..., Any], outputs: int, *numbers: ArrayLike) -> Any:
    """Apply a compiled function of floats to all the numbers, broadcast against each other."""
    return np.vectorize(function, otypes="d" * outputs)(*(np.asarray(x, dtype=np.float64) for x in numbers))


def gamma_shape_means(n: ArrayLike, k: ArrayLike) -> Floats:
    """Means under (21) for arrays of (n, k)."""
    means: Floats = _each(gamma_shape_mean, 2, n, k, 0.0)[0]
    return means


def gamma_shape_variance(n: ArrayLike, k: ArrayLike) -> Floats:
    """Variances under (21) for arrays of (n, k)."""
    variances: Floats = _each(_shape_variance, 1, n, k)
    return variances


def gamma_shape_quantiles(n: ArrayLike, k: ArrayLike, probability: ArrayLike) -> Floats:
    """Quantiles of (21): below them lies the given probability, in (0, 1)."""
    quantiles: Floats = _each(_shape_quantile, 1, n, k, probability)
    return quantiles


def gamma_means(P: ArrayLike, Q: ArrayLike, R: ArrayLike, s: ArrayLike) -> tuple[Floats, Floats]:
    """Means of the shape and of the rate under (24) for arrays of statistics."""
    means: Floats = _each(gamma_mean, 2, P, Q, R, s, 0.0)[0]
    return means, (np.asarray(s) * means + 1.0) / np.asarray(Q)


def gamma_variance(P: ArrayLike, Q: ArrayLike, R: ArrayLike, s: ArrayLike) -> tuple[Floats, Floats]:
    """Variances of the shape and of the rate under (24) for arrays of statistics."""
    variances: tuple[Floats, Floats] = _each(_variance_pair, 2, P, Q, R, s)
    return variances


def gamma_quantiles(P: ArrayLike, Q: ArrayLike, R: ArrayLike, s: ArrayLike, probability: ArrayLike) -> Floats:
    """Quantiles of the shape under (24): below them lies the given probability, in (0, 1)."""
    quantiles: Floats = _each(_gamma_quantile, 1, P, Q, R, s, probability)
    return quantiles
