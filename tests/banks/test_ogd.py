"""Projected online gradient descent against its slow twin and against its regret bound."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.banks.twin_helpers import D, N, agree, driver_of, linear_start, stream
from tests.reference.ogd import ReferenceOGD

from shoal.banks.ogd import LEAST_FACTOR, OGD
from shoal.errors import InputError
from shoal.testing import task_of


@pytest.mark.parametrize("fraction", [1.0, 0.5])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_agrees_with_the_slow_twin(n_classes, fraction):
    """On weighted rows votes, weights and sums agree with the literal formulas to 1e-9."""
    driver = driver_of(OGD(N, feature_fraction=fraction), n_classes)
    subsets, initial = linear_start(driver, fraction, n_classes)
    n_outputs = task_of(n_classes).n_outputs
    twin = ReferenceOGD(N, D + 1, n_outputs, subsets=subsets, initial=initial)
    agree(driver, twin, *stream(n_classes), driver.dense)
    weights = (driver.state.weights.table * driver.state.factors).T
    np.testing.assert_allclose(weights.reshape(N, n_outputs, D + 1), twin.w, rtol=0, atol=1e-9)
    np.testing.assert_allclose(driver.state.sums.reshape(N, n_outputs), twin.sums, rtol=0, atol=1e-9)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["random", "opposed", "alternating"]))
def test_regret_is_within_the_theorem(seed, kind):
    """Against the best vector of the unit ball the regret is at most sqrt(8 * sum of squared weights)."""
    rng = np.random.default_rng(seed)
    driver = driver_of(OGD(N, noise=0.0), 2)
    best, gained, squares = np.zeros((N, D + 1)), np.zeros(N), np.zeros(N)
    x = rng.normal(size=D)
    for t in range(80):
        x = rng.normal(size=D) if kind == "random" else x
        weights = rng.random(N)
        answer = driver.predict(x)[0][:, 0]
        y = {"random": rng.integers(2), "opposed": int(answer[0] < 0.0), "alternating": t % 2}[kind]
        sign = 2.0 * y - 1.0
        gained += weights * sign * answer
        best += sign * np.outer(weights, driver.dense(x))
        squares += weights**2
        driver.update(x, y, weights)
    regret = np.linalg.norm(best, axis=1) - gained
    assert (regret <= np.sqrt(8.0 * squares)).all()


def test_tiny_factor_is_multiplied_into_its_column():
    """A factor about to fall below the least is multiplied into its column, and the votes stay."""
    one = driver_of(OGD(N), 2)
    X, y, _ = stream(2, n=60)
    for t in range(20):
        one.update(X[t], y[t], np.ones(N))
    other = one.twin()
    shrunk = 1.01 * LEAST_FACTOR / other.state.factors
    other.state.factors[:] *= shrunk
    other.state.weights.table[:] /= shrunk
    other.state.weights.squares[:] /= shrunk**2
    for t in range(20, len(X)):
        for driver in (one, other):
            driver.update(X[t], 1 - y[t], np.ones(N))
        np.testing.assert_allclose(one.predict(X[t])[0], other.predict(X[t])[0], rtol=0, atol=1e-9)
    assert (other.state.factors > 1e-10).all()


@pytest.mark.parametrize("bank", [OGD(0), OGD(N, 0.0), OGD(N, radius=-1.0), OGD(N, noise=-1.0)])
def test_refuses_parameters_without_meaning(bank):
    """A parameter out of range is refused with what was expected."""
    with pytest.raises(InputError, match="expected"):
        driver_of(bank, 2)
