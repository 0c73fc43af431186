"""Tests of the means under losses (19) and (22) against 40-digit integrals, at any length of stream."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special, stats
from tests.reference import posterior_means as reference

from shoal.kernels.compiler import compiled
from shoal.kernels.posterior_means import (
    gamma_mean,
    gamma_means,
    gamma_quantiles,
    gamma_rate_mean,
    gamma_rate_variance,
    gamma_shape_mean,
    gamma_shape_means,
    gamma_shape_quantiles,
    gamma_shape_variance,
    gamma_variance,
)

COLD = 0.0
PRIOR = (0.0, 1.0, 1.5, 1.0)  # P, Q, R, s before any example, p = q = s = 1, r = 1.5
COUNTS = [0.01, 0.3, 1, 2, 7, 30, 100, 400, 950, 1050, 3000, 1e5, 1e9]


def statistics(t: float, mean: float, mean_log: float) -> tuple[float, float, float, float]:
    """P, Q, R, s after t losses with the given means."""
    return mean_log * t, 1.0 + mean * t, 1.5 + t, 1.0 + t


def statistics_of(losses: list[float]) -> tuple[float, float, float, float]:
    return statistics(len(losses), float(np.mean(losses)), float(np.mean(np.log(losses))))


def bound(t: float) -> float:
    """The relative error allowed after t examples."""
    if t <= 1:
        return 1e-7
    return 1e-8 if t < 100 else 1e-10


def relative_error(given: float, exact) -> float:
    return float(abs(given / exact - 1))


@pytest.mark.parametrize(
    ("n", "k", "mean"),
    [
        (3, -1.2, 0.839132339412291),
        (50, -2.8, 0.375223142456982),
        (1000, 0.25, 1.75379317330639),
        (1, -2.8, 0.641769001609),
        (20, -20, 0.0538138163715712),
        (1e5, 3, 20.583468038657),
        (4, -2.512417515678552, 0.482413643185731),
    ],
)
def test_shape_mean_golden(n, k, mean):
    """The mean of (21) is that of the specification's golden vectors."""
    assert gamma_shape_mean(float(n), float(k), COLD)[0] == pytest.approx(mean, rel=1e-11)


def test_shape_mean_golden_from_losses():
    """Three losses under a = b = c = 1 and theta = 0.1 give the golden n, k and mean."""
    losses, theta = [0.4, 0.9, 1.2], 0.1
    n = 1.0 + len(losses)
    k = (float(np.log(losses).sum()) + n * math.log(theta)) / n
    assert k == pytest.approx(-2.512417515678552, rel=1e-14)
    assert gamma_shape_mean(n, k, COLD)[0] == pytest.approx(0.482413643185731, rel=1e-12)


@pytest.mark.parametrize(
    ("numbers", "mean"),
    [
        (PRIOR, 3.37492899098250),
        (statistics_of([0.4, 0.9, 1.2]), 3.80300072010296),
        (statistics(1, 0.6, -0.7), 3.1751313010008),
        (statistics(20, 0.6, -0.7), 2.8835455521728),
        (statistics(100, 0.6, -0.7), 2.8203277575321),
        (statistics(1e3, 0.6, -0.7), 2.8008957886269),
        (statistics(1e5, 0.6, -0.7), 2.798592151723),
        (statistics(1e7, 0.6, -0.7), 2.7985689353145),
        (statistics(1e9, 0.6, -0.7), 2.7985687031322),
        (statistics(1e3, 0.65, -0.4325), 119.29916707393),
        (statistics(1e5, 0.65, -0.4325), 286.47467409791),
        (statistics(1e9, 0.65, -0.4325), 291.35743408359),
    ],
)
def test_gamma_mean_golden(numbers, mean):
    """The mean shape of (24) is that of the specification's golden vectors."""
    assert gamma_mean(*numbers, COLD)[0] == pytest.approx(mean, rel=1e-12)


@pytest.mark.parametrize(
    ("numbers", "mean"), [(PRIOR, 4.37492899098250), (statistics_of([0.4, 0.9, 1.2]), 4.63200082297482)]
)
def test_rate_mean_golden(numbers, mean):
    """The mean rate of (24) is that of the specification's golden vectors."""
    assert gamma_means(*numbers)[1] == pytest.approx(mean, rel=1e-12)


@pytest.mark.parametrize("n", COUNTS)
def test_shape_moments_are_exact_at_any_count(n):
    """Mean and variance of (21) agree with 40-digit integrals from a hundredth of an example to 1e9."""
    rng = np.random.default_rng(int(n * 100))
    for k in [-700.0, *rng.uniform(-8, 3, 5), 8.0]:
        exact = reference.gamma_shape_moments(n, float(k))
        assert relative_error(gamma_shape_mean(float(n), float(k), COLD)[0], exact.mean) < bound(n)
        assert relative_error(gamma_shape_variance(n, k), exact.variance) < 2e-8


@pytest.mark.parametrize("t", [0, *COUNTS])
def test_gamma_moments_are_exact_at_any_count(t):
    """Mean and variance of (24)'s shape agree with 40-digit integrals from no example to 1e9."""
    rng = np.random.default_rng(int(t * 100))
    for _ in range(5):
        mean = float(10 ** rng.uniform(-2, 1))
        numbers = statistics(t, mean, math.log(mean) - float(10 ** rng.uniform(-3, 1.5)))
        exact = reference.gamma_moments(*numbers)
        assert relative_error(gamma_mean(*numbers, COLD)[0], exact.mean) < bound(t)
        assert relative_error(gamma_variance(*numbers)[0], exact.variance) < 2e-8


@pytest.mark.parametrize("t", COUNTS)
def test_equal_losses_keep_the_digits_that_their_statistics_hold(t):
    """With all losses equal, (24)'s mean stays finite and as exact as rounded sums determine it."""
    numbers = statistics(t, 0.5, math.log(0.5))
    given = gamma_mean(*numbers, COLD)[0]
    digits_lost = np.finfo(float).eps * abs(numbers[0]) * given
    assert relative_error(given, reference.gamma_moments(*numbers).mean) < bound(t) + digits_lost


@pytest.mark.parametrize(
    "losses",
    [[1e-300], [1e-300, 0.5, 0.7], [700.0], [700.0, 1e-300], [700.0] * 3, [0.3, 0.4] * 50 + [1e-300]],
)
def test_extreme_losses_are_harmless(losses):
    """A single loss of 1e-300 or 700 leaves both means finite and exact."""
    numbers = statistics_of(losses)
    assert relative_error(gamma_mean(*numbers, COLD)[0], reference.gamma_moments(*numbers).mean) < 1e-9
    n = 1.0 + len(losses)
    k = float(np.log(losses).sum()) / n + math.log(0.1)
    assert relative_error(gamma_shape_mean(n, k, COLD)[0], reference.gamma_shape_moments(n, k).mean) < 1e-9


@pytest.mark.parametrize("scale", [1e-3, 0.1, 1.0])
def test_forgotten_examples_leave_an_exact_law(scale):
    """Statistics that forgetting shrank to a fraction of an example are integrated as exactly as others."""
    numbers = tuple(scale * x for x in statistics(0.7, 0.6, -0.7))
    exact = reference.gamma_moments(*numbers)
    assert relative_error(gamma_mean(*numbers, COLD)[0], exact.mean) < 1e-9
    assert relative_error(gamma_variance(*numbers)[0], exact.variance) < 1e-9


def test_the_start_does_not_matter():
    """Cold, warm and hopeless starts lead to the same means within 1e-12."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        n, k = float(10 ** rng.uniform(-2, 9)), float(rng.uniform(-50, 8))
        t, mean = float(10 ** rng.uniform(-2, 9)), float(10 ** rng.uniform(-2, 1))
        numbers = statistics(t, mean, math.log(mean) - float(10 ** rng.uniform(-3, 1)))
        for start in (math.nan, -1.0, 1e-6, 1.0, 1e6):
            assert gamma_shape_mean(n, k, start)[0] == pytest.approx(gamma_shape_mean(n, k, COLD)[0], rel=1e-12)
            assert gamma_mean(*numbers, start)[0] == pytest.approx(gamma_mean(*numbers, COLD)[0], rel=1e-12)


def test_the_switch_to_the_expansion_leaves_no_step():
    """Where quadrature gives way to the expansion, the mean moves by no more than the error allowed."""
    means = gamma_shape_means(np.linspace(990, 1010, 201), -2.5)
    assert np.abs(np.diff(means, 2) / means[0]).max() < 1e-10


def test_shape_mean_rises_with_k():
    """The mean of (21) is strictly increasing in k."""
    k = np.linspace(-30, 10, 400)
    for n in COUNTS:
        assert (np.diff(gamma_shape_means(n, k)) > 0).all()


def test_mode_solves_its_equation():
    """The mode is the inverse digamma of k under (21), and a zero of log m's slope under (24)."""
    for k in np.linspace(-20, 8, 50):
        assert special.digamma(gamma_shape_mean(3.0, float(k), COLD)[1]) == pytest.approx(k, abs=1e-11)
    P, Q, R, s = statistics(50, 0.6, -0.7)
    mode = gamma_mean(P, Q, R, s, COLD)[1]
    slope = P - R * special.digamma(mode) + s * (special.digamma(s * mode + 1) - math.log(Q))
    assert abs(slope) < 1e-10


def test_mean_and_mode_meet():
    """After n examples, mean and mode differ by a constant over n (Bai et al., theorem 1)."""
    for k in (-5.0, -1.0, 2.0):
        gaps = [n * np.subtract(*gamma_shape_mean(n, k, COLD)) for n in (1e2, 1e4, 1e6)]
        assert gaps[0] == pytest.approx(gaps[2], rel=0.02)
    gaps = [t * np.subtract(*gamma_mean(*statistics(t, 0.6, -0.7), COLD)) for t in (1e2, 1e4, 1e6)]
    assert gaps[0] == pytest.approx(gaps[2], rel=0.1)


def test_tiny_shapes_follow_a_gamma_law():
    """For k far below zero, (21) is a Gamma(n + 1) law of rate -n (k + Euler's constant), quantiles included."""
    n, k = 3.0, -1e9
    limit = stats.gamma(n + 1, scale=-1 / (n * (k + np.euler_gamma)))
    probability = np.array([1e-6, 0.025, 0.5, 0.975, 1 - 1e-6])
    assert gamma_shape_means(n, k) == pytest.approx(limit.mean(), rel=1e-8)
    assert gamma_shape_variance(n, k) == pytest.approx(limit.var(), rel=1e-8)
    np.testing.assert_allclose(gamma_shape_quantiles(n, k, probability), limit.ppf(probability), rtol=1e-7)


@pytest.mark.parametrize("numbers", [PRIOR, statistics_of([0.4, 0.9, 1.2]), statistics(40, 0.6, -0.7)])
def test_moments_agree_with_the_two_dimensional_posterior(numbers):
    """Means and variances of shape and rate agree with sums over (24) itself, in two dimensions."""
    P, Q, R, s = numbers
    a = np.exp(np.linspace(-14, 6, 1500))[:, None]
    b = np.exp(np.linspace(-14, 6, 1500))[None, :]
    log_density = a * P - Q * b + s * a * np.log(b) - R * special.gammaln(a) + np.log(a) + np.log(b)
    density = np.exp(log_density - log_density.max())
    density /= density.sum()
    for j, x in enumerate((a, b)):
        mean = (density * x).sum()
        assert gamma_means(*numbers)[j] == pytest.approx(mean, rel=1e-9)
        assert gamma_variance(*numbers)[j] == pytest.approx((density * (x - mean) ** 2).sum(), rel=1e-8)


@pytest.mark.parametrize("t", [0, 5, 1000, 1e6])
def test_quantiles_hold_their_mass(t):
    """Below a quantile of (24)'s shape lies the probability asked for, summed over a fine grid."""
    P, Q, R, s = statistics(t, 0.6, -0.7)
    probability = np.array([0.025, 0.5, 0.975])
    quantile = gamma_quantiles(P, Q, R, s, probability)
    mean, sd = gamma_means(P, Q, R, s)[0], math.sqrt(gamma_variance(P, Q, R, s)[0])
    edges = np.concatenate([np.linspace(max(mean - 10 * sd, 1e-9), quantile[1], 20001), [quantile[1]]])[:-1]
    a = np.concatenate([edges, np.linspace(quantile[1], mean + 30 * sd, 60001)[1:]])
    log_density = a * P - R * special.gammaln(a) + special.gammaln(s * a + 1) - s * a * math.log(Q)
    density = np.exp(log_density - log_density.max())
    mass = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]) * np.diff(a))])
    np.testing.assert_allclose(np.interp(quantile, a, mass / mass[-1]), probability, atol=1e-5)


def test_arrays_broadcast():
    """Views on arrays broadcast their arguments and answer element by element."""
    means = gamma_shape_means(np.array([[3], [50]]), np.array([-1.2, -2.8, 0.0]))
    assert means.shape == (2, 3)
    assert means[0, 0] == gamma_shape_mean(3.0, -1.2, COLD)[0]
    shapes, rates = gamma_means(np.zeros(4), 1.0, 1.5, 1)
    assert shapes.shape == rates.shape == (4,)
    assert gamma_shape_means([], []).shape == (0,)


def test_compiled_loops_give_the_same_bits():
    """A compiled loop that starts each mean at the mode before gives what Python calls give, to the bit."""

    @compiled
    def last_mean(ks):
        mean, mode = 0.0, 0.0
        for i in range(len(ks)):
            mean, mode = gamma_shape_mean(10.0 + i, ks[i], mode)
            mean += gamma_mean(-7.0 - i, 8.0 + i, 10.5 + i, 10.0 + i, mode)[0]
        return mean

    ks = np.linspace(-3, -2, 50)
    mean, mode = 0.0, 0.0
    for i in range(len(ks)):
        mean, mode = gamma_shape_mean(10.0 + i, ks[i], mode)
        mean += gamma_mean(-7.0 - i, 8.0 + i, 10.5 + i, 10.0 + i, mode)[0]
    assert last_mean(ks) == mean


def test_rate_moments_have_total_expectation_and_variance():
    """The rate's mean and variance are those of a gamma law mixed over the shape's law."""
    draws = np.array([1.0, 2.0, 4.0])
    conditional_mean, conditional_variance = (3 * draws + 1) / 5, (3 * draws + 1) / 25
    assert gamma_rate_mean(draws.mean(), 5.0, 3.0) == pytest.approx(conditional_mean.mean())
    total = conditional_variance.mean() + conditional_mean.var()
    assert gamma_rate_variance(draws.mean(), draws.var(), 5.0, 3.0) == pytest.approx(total)
