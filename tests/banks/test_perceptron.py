"""Perceptrons against their slow twin."""

import numpy as np
import pytest
from tests.reference.interfaces import Lesson
from tests.reference.perceptron import ReferencePerceptrons

from shoal.banks.perceptron import Perceptrons
from shoal.banks.subsets import seen_by
from shoal.kernels.random import learner_keys
from shoal.testing import BankDriver, sample, task_of
from shoal.types import Space

N, D = 3, 6


@pytest.mark.parametrize("fraction", [1.0, 0.5])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_votes_are_those_of_the_slow_twin(n_classes, fraction):
    """On weighted rows, each of unit length, every vote agrees with the literal formulas to 1e-9."""
    X, y = sample(n_classes, n=100)
    weights = np.random.default_rng(1).exponential(size=(len(X), N))
    driver = BankDriver(Perceptrons(N, feature_fraction=fraction), Space.of_size(D), task_of(n_classes), seed=2)
    first = driver.state.weights.table.copy()
    n_outputs = task_of(n_classes).n_outputs
    seen = seen_by(Space.of_size(D), fraction, learner_keys(2, N))
    subsets = [[0, *(np.flatnonzero(seen[:, i]) + 1).tolist()] for i in range(N)]
    initial = lambda i, c: first[:, i * n_outputs + c].tolist()  # noqa: E731
    twin = ReferencePerceptrons(N, D + 1, n_outputs, subsets, initial)
    for t in range(len(X)):
        row = driver.row(X[t])
        x = np.zeros(D + 1)
        x[row.input_indices] = row.inputs
        np.testing.assert_allclose(driver.predict(X[t])[0], twin.predict(x.tolist())[0], rtol=0, atol=1e-9)
        lesson = driver.lesson(y[t], weights[t])
        offset, step = np.zeros((N, n_outputs)), np.ones((N, n_outputs))
        twin.update(x.tolist(), [], Lesson(*(a.tolist() for a in (lesson.target, lesson.weight, offset, step))))
        driver.update(X[t], y[t], weights[t])
