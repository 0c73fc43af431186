"""Tests of the gamma function's derivatives against 40-digit arithmetic and SciPy."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy import special as scipy_special

from shoal.kernels.compiler import compiled
from shoal.kernels.special import (
    digamma,
    first_remainders,
    higher_remainders,
    log_gamma,
    log_gamma_remainder,
    polygamma,
    trigamma,
)

RNG = np.random.default_rng(5)
ARGUMENTS = [float(x) for x in np.concatenate([10 ** RNG.uniform(-8, 12, 150), RNG.uniform(0.1, 40, 150)])]
DIGAMMA_ROOT = 1.4616321449683623


def relative_error(given, exact) -> float:
    return float(abs((mpmath.mpf(given) - exact) / exact))


def remainder(order: int, x: float):
    x = mpmath.mpf(x)
    if order == 0:
        return x * (mpmath.log(x) - mpmath.digamma(x))
    return x ** (order + 1) * abs(mpmath.polygamma(order, x)) - mpmath.factorial(order - 1) * x


@pytest.fixture(autouse=True)
def forty_digits():
    with mpmath.workdps(40):
        yield


def test_digamma_is_exact():
    """Digamma is right to 1e-14 of itself or, around its root, of one."""
    for x in ARGUMENTS:
        exact = mpmath.digamma(mpmath.mpf(x))
        assert abs(digamma(x) - exact) < 1e-14 * max(1, abs(exact)) or relative_error(digamma(x), exact) < 1e-14
    assert abs(digamma(DIGAMMA_ROOT)) < 1e-14


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_polygamma_is_exact(order):
    """Polygammas of order 1 to 4 are right to 2e-15 of themselves from 1e-8 to 1e12."""
    for x in ARGUMENTS:
        assert relative_error(polygamma(order, x), mpmath.polygamma(order, mpmath.mpf(x))) < 2e-15


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_polygamma_agrees_with_scipy(order):
    """Polygammas agree with SciPy's to rounding."""
    ours = [polygamma(order, x) for x in ARGUMENTS]
    np.testing.assert_allclose(ours, scipy_special.polygamma(order, ARGUMENTS), rtol=1e-13)


def test_trigamma_is_the_first_polygamma():
    """Trigamma is the polygamma of order 1."""
    np.testing.assert_allclose([trigamma(x) for x in ARGUMENTS], [polygamma(1, x) for x in ARGUMENTS], rtol=1e-14)


def test_polygamma_of_another_order_is_nan():
    """An order that is not offered gives NaN."""
    assert math.isnan(polygamma(5, 1.0))


def test_remainders_are_exact():
    """Remainders keep their digits where the polygammas' leading terms are 1e12 times larger."""
    for x in ARGUMENTS:
        given = (first_remainders(x)[0], *higher_remainders(x))
        for order in range(5):
            assert relative_error(given[order], remainder(order, x)) < 3e-14


def test_both_sets_of_remainders_agree():
    """The remainder of trigamma is the same whether asked for alone or with those of higher order."""
    for x in ARGUMENTS:
        assert first_remainders(x)[1] == pytest.approx(higher_remainders(x)[0], rel=1e-14)


@pytest.mark.parametrize("x", [0.0, 1e-300, 1e-12])
def test_remainders_begin_at_factorials(x):
    """Remainders tend to m! at zero, and are m! there."""
    np.testing.assert_allclose((*first_remainders(x), *higher_remainders(x)), (1, 1, 1, 2, 6, 24), rtol=1e-10)


def test_remainders_end_at_half_the_factorials():
    """Remainders tend to m!/2 far out, without overflow."""
    given = (*first_remainders(1e300), *higher_remainders(1e300))
    np.testing.assert_allclose(given, (0.5, 0.5, 0.5, 1, 3, 12), rtol=1e-15)


def test_log_gamma_remainder_is_exact():
    """What log Gamma(x + 1) exceeds x log x - x by is right to 1e-14, small x included."""
    assert log_gamma_remainder(0.0, -math.inf) == 0.0
    for x in ARGUMENTS:
        big = mpmath.mpf(x)
        exact = mpmath.loggamma(big + 1) - big * (mpmath.log(big) - 1)
        assert abs(log_gamma_remainder(x, math.log(x)) - exact) < 1e-14 * max(1, abs(exact))


def test_compiled_code_can_call_all_of_them():
    """A compiled function may call every one of these functions."""

    @compiled
    def together(x):
        return log_gamma(x) + digamma(x) + polygamma(2, x) + trigamma(x)

    expected = math.lgamma(2.5) + scipy_special.digamma(2.5) + scipy_special.polygamma([2, 1], 2.5).sum()
    assert together(2.5) == pytest.approx(expected, rel=1e-14)
