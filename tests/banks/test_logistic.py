"""Adaptive logistic regression against its slow twin, and what its options promise."""

import numpy as np
import pytest
from tests.banks.twin_helpers import D, N, agree, driver_of, linear_start, stream
from tests.reference.logistic import ReferenceLogistic

from shoal.banks.logistic import Logistic
from shoal.errors import InputError
from shoal.testing import task_of


@pytest.mark.parametrize("fraction", [1.0, 0.5])
@pytest.mark.parametrize("normalise", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_agrees_with_the_slow_twin(n_classes, normalise, fraction):
    """On weighted rows votes, weights and sums of gradients agree with the literal formulas to 1e-9."""
    driver = driver_of(Logistic(N, fraction, step=0.3, normalise=normalise, l2=0.01), n_classes)
    subsets, initial = linear_start(driver, fraction, n_classes)
    n_outputs = task_of(n_classes).n_outputs
    twin = ReferenceLogistic(N, D + 1, n_outputs, 0.3, normalise, 0.01, subsets, initial)
    agree(driver, twin, *stream(n_classes), driver.dense)
    shape = (N, n_outputs, D + 1)
    np.testing.assert_allclose(driver.state.weights.table.T.reshape(shape), twin.w, rtol=0, atol=1e-9)
    np.testing.assert_allclose(driver.state.gradients.T.reshape(shape), twin.G, rtol=0, atol=1e-9)


def test_normalised_learner_does_not_see_units():
    """Features in other units leave the votes of normalised rows of any length where they were."""

    def votes(units):
        driver = driver_of(Logistic(N, noise=0.0), 2)
        X, y, weights = stream(2)
        told = []
        for t in range(len(X)):
            row = driver.row(X[t])
            scaled = row._replace(inputs=row.inputs * units[row.input_indices])
            driver.row = lambda x, scaled=scaled: scaled
            told.append(driver.predict(X[t])[0])
            driver.update(X[t], y[t], weights[t])
            del driver.row
        return np.array(told)

    np.testing.assert_allclose(votes(np.ones(D + 1)), votes(10.0 ** np.arange(-3, D - 2)), rtol=0, atol=1e-9)


def test_steps_are_taken_in_turn():
    """A tuple of steps goes round the learners, so that they differ."""
    driver = driver_of(Logistic(N, step=(0.1, 1.0), noise=0.0), 2)
    X, y, _ = stream(2)
    for t in range(20):
        driver.update(X[t], y[t], np.ones(N))
    votes = driver.predict(X[20])[0][:, 0]
    assert votes[0] == votes[2]
    assert votes[0] != votes[1]


@pytest.mark.parametrize(
    "bank", [Logistic(0), Logistic(N, 1.5), Logistic(N, step=0.0), Logistic(N, step=()), Logistic(N, l2=-1.0)]
)
def test_refuses_parameters_without_meaning(bank):
    """A parameter out of range is refused with what was expected."""
    with pytest.raises(InputError, match="expected"):
        driver_of(bank, 2)
