"""Poisson numbers follow their law."""

import numpy as np
import pytest
from scipy.stats import chisquare
from scipy.stats import poisson as law

from shoal.kernels.poisson import poisson


@pytest.mark.parametrize("mean", [0.01, 1.0, 7.5, 29.9, 30.1, 200.0])
def test_numbers_follow_the_law(mean):
    """20,000 numbers are told from the law by a chi-squared test only at a level of one in a thousand."""
    n = 20_000
    numbers = np.array([poisson(5, t, 1, 0, mean) for t in range(n)])
    edges = np.unique(law.ppf(np.linspace(0.02, 0.98, 25), mean))
    cuts = np.concatenate([[-1.0], edges, [np.inf]])
    expected = n * np.diff(law.cdf(cuts, mean))
    observed = np.histogram(numbers, bins=cuts + 0.5)[0]
    keep = expected >= 5.0
    assert chisquare(observed[keep], expected[keep] * observed[keep].sum() / expected[keep].sum()).pvalue > 1e-3


def test_huge_means_are_met_within_their_spread():
    """At a mean of a million the numbers lie within six standard deviations."""
    numbers = [poisson(6, t, 0, 0, 1e6) for t in range(100)]
    assert abs(np.mean(numbers) - 1e6) < 600.0
    assert 500.0 < np.std(numbers) < 1500.0


def test_nothing_is_drawn_for_mean_0():
    """Importance 0 means no update."""
    assert poisson(1, 2, 3, 4, 0.0) == 0


def test_numbers_differ_by_learner_output_and_example():
    """Changing any of them changes the numbers."""
    base = [poisson(1, t, 0, 0, 50.0) for t in range(20)]
    assert base != [poisson(1, t, 1, 0, 50.0) for t in range(20)]
    assert base != [poisson(1, t, 0, 1, 50.0) for t in range(20)]
    assert base != [poisson(2, t, 0, 0, 50.0) for t in range(20)]
