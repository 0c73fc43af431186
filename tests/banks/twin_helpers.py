"""Give a bank and its slow twin the same rows and lessons, and compare what they vote."""

import numpy as np
from tests.reference.interfaces import Lesson

from shoal.banks.subsets import seen_by
from shoal.kernels.random import learner_keys
from shoal.testing import BankDriver, sample, task_of
from shoal.types import Row, Space

N, D, SEED = 3, 6, 2


class UnitDriver(BankDriver):
    """A bank given rows of unit length, the bias in front; missing values are left out."""

    def row(self, x):
        kept = np.flatnonzero(~np.isnan(x) & (x != 0.0))
        stored = np.flatnonzero(x != 0.0).astype(np.int32)
        inputs = np.concatenate([[1.0], x[kept]])
        indices = np.concatenate([[0], kept + 1]).astype(np.int32)
        return Row(stored, x[stored], indices, inputs / np.linalg.norm(inputs))

    def dense(self, x):
        """The inputs of the row as a list, for the twin."""
        row, full = self.row(x), np.zeros(self.space.n_features + 1)
        full[row.input_indices] = row.inputs
        return full.tolist()


def driver_of(bank, n_classes):
    return UnitDriver(bank, Space.of_size(D), task_of(n_classes), SEED)


def stream(n_classes, n=100):
    """Rows with zeros and missing values, classes, and a weight per learner, some of them 0."""
    X, y = sample(n_classes, n=n)
    rng = np.random.default_rng(1)
    return X, y, rng.exponential(size=(n, N)) * (rng.random((n, N)) < 0.9)


def linear_start(driver, fraction, n_classes):
    """(inputs that each learner sees, first weights of learner and output), as the kernel drew them."""
    first = driver.state.weights.table.copy()
    n_outputs = task_of(n_classes).n_outputs
    subsets = [[0, *(j + 1 for j in columns)] for columns in features_seen(fraction)]
    return subsets, lambda i, c: first[:, i * n_outputs + c].tolist()


def features_seen(fraction):
    """The features that each learner sees."""
    seen = seen_by(Space.of_size(D), fraction, learner_keys(SEED, N))
    return [np.flatnonzero(seen[:, i]).tolist() for i in range(N)]


def teach_twin(twin, driver, x, y, weights):
    """The driver's lesson, for its twin."""
    lesson = driver.lesson(y, weights)
    offset, step = np.zeros(lesson.target.shape), np.ones(lesson.target.shape)
    twin.update(x, [], Lesson(*(a.tolist() for a in (lesson.target, lesson.weight, offset, step))))


def agree(driver, twin, X, y, weights, inputs):
    """Every vote agrees to 1e-9, before and after every lesson. inputs: the row as the twin takes it."""
    for t in range(len(X)):
        votes, live = driver.predict(X[t])
        assert live.all()
        np.testing.assert_allclose(votes, twin.predict(inputs(X[t]))[0], rtol=0, atol=1e-9)
        driver.update(X[t], y[t], weights[t])
        teach_twin(twin, driver, inputs(X[t]), y[t], weights[t])
