"""The gamma function's logarithm and its derivatives, for compiled code.

SciPy has them all, but compiled functions cannot call scipy.special and still be kept on disk, so these
are ours: the recurrence carries x up to where the asymptotic series (Abramowitz and Stegun 6.1.41,
6.3.18, 6.4.11) is exact to the last bit, for x > 0 only.

The workhorses are remainders: what is left of a function, in units that take out its scale, once its
leading term is gone. For m = 0..4

    X_m(x) = x**(m + 1) * |psi_m(x)| - (m - 1)! * x      (for m = 0: x * (log x - psi(x)))

falls from m! at x = 0 to m!/2 at infinity. Differences of polygammas at large arguments, which posteriors
are full of, lose all their digits when taken directly and none when taken of remainders.
"""

from __future__ import annotations

import math

from shoal.kernels.compiler import compiled, inlined

log_gamma = math.lgamma  # numba compiles this one by itself

SERIES_FROM = 16.0  # from here the eight terms below leave less than 1e-16 of psi_4, the slowest order
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)  # B_2, B_4, ..., B_16
HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)
STIRLING_FROM = 10.0  # from here the series of log Gamma is exact


def _series(order: int) -> tuple[float, ...]:
    """Coefficients of 1/x, 1/x**3, ... in X_order(x); order -1 is the series of log Gamma itself."""
    powers = range(2, 2 * len(BERNOULLI) + 1, 2)
    return tuple(
        b * math.factorial(j + order - 1) / math.factorial(j) for b, j in zip(BERNOULLI, powers, strict=True)
    )


LOG_GAMMA_SERIES = _series(-1)
SERIES_0 = _series(0)
SERIES_1 = _series(1)
SERIES_2 = _series(2)
SERIES_3 = _series(3)
SERIES_4 = _series(4)


@inlined
def _odd_powers(coefficients: tuple[float, ...], inverse: float) -> float:
    """Sum of coefficients[j] * inverse**(2 j + 1)."""
    square = inverse * inverse
    total = 0.0
    for j in range(len(coefficients) - 1, -1, -1):
        total = total * square + coefficients[j]
    return total * inverse


@compiled
def log_gamma_remainder(x: float, log_x: float) -> float:
    """The part of log Gamma(x + 1) beyond x log x - x, for x >= 0; 0 at 0, (1/2) log(2 pi x) far out."""
    if x >= STIRLING_FROM:
        return HALF_LOG_TWO_PI + 0.5 * log_x + _odd_powers(LOG_GAMMA_SERIES, 1.0 / x)
    if x == 0.0:
        return 0.0
    return math.lgamma(x + 1.0) - x * (log_x - 1.0)


@compiled
def first_remainders(x: float) -> tuple[float, float]:
    """X_0 and X_1 at x >= 0: of digamma and trigamma."""
    if x == 0.0:
        return 1.0, 1.0
    sum0, sum1, z = 0.0, 0.0, x
    while z < SERIES_FROM:
        ratio = x / z
        sum0 += ratio
        sum1 += ratio * ratio
        z += 1.0
    inverse = 1.0 / z
    x0 = 0.5 + _odd_powers(SERIES_0, inverse)
    x1 = 0.5 + _odd_powers(SERIES_1, inverse)
    if z == x:
        return x0, x1
    ratio = x * inverse
    return sum0 + ratio * x0 + x * math.log(ratio), sum1 + ratio * ratio * (x1 + z) - x


@compiled
def higher_remainders(x: float) -> tuple[float, float, float, float]:
    """X_1, X_2, X_3 and X_4 at x >= 0."""
    if x == 0.0:
        return 1.0, 2.0, 6.0, 24.0
    sum1, sum2, sum3, sum4, z = 0.0, 0.0, 0.0, 0.0, x
    while z < SERIES_FROM:
        ratio = x / z
        square = ratio * ratio
        sum1 += square
        sum2 += square * ratio
        sum3 += square * square
        sum4 += square * square * ratio
        z += 1.0
    inverse = 1.0 / z
    x1 = 0.5 + _odd_powers(SERIES_1, inverse)
    x2 = 1.0 + _odd_powers(SERIES_2, inverse)
    x3 = 3.0 + _odd_powers(SERIES_3, inverse)
    x4 = 12.0 + _odd_powers(SERIES_4, inverse)
    if z == x:
        return x1, x2, x3, x4
    ratio = x * inverse
    square = ratio * ratio
    return (
        sum1 + square * (x1 + z) - x,
        2.0 * sum2 + square * ratio * (x2 + z) - x,
        6.0 * sum3 + square * square * (x3 + 2.0 * z) - 2.0 * x,
        24.0 * sum4 + square * square * ratio * (x4 + 6.0 * z) - 6.0 * x,
    )


@compiled
def digamma(x: float) -> float:
    """The derivative of log Gamma at x > 0; relative error 1e-15, absolute near its root 1.4616."""
    total = 0.0
    while x < SERIES_FROM:
        total += 1.0 / x
        x += 1.0
    inverse = 1.0 / x
    return math.log(x) - inverse * (0.5 + _odd_powers(SERIES_0, inverse)) - total


@compiled
def polygamma(order: int, x: float) -> float:
    """The derivative of digamma of the given order, 1 to 4, at x > 0; NaN for other orders."""
    x1, x2, x3, x4 = higher_remainders(x)
    if order == 1:
        return (x1 / x + 1.0) / x
    if order == 2:
        return -((x2 / x + 1.0) / x) / x
    if order == 3:
        return ((x3 / x + 2.0) / x) / x / x
    if order == 4:
        return -((x4 / x + 6.0) / x) / x / x / x
    return math.nan


@compiled
def trigamma(x: float) -> float:
    """The second derivative of log Gamma at x > 0."""
    return (first_remainders(x)[1] / x + 1.0) / x
