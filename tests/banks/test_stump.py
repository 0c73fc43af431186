"""Online stumps against trying every split, and what their histograms promise."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier
from tests.banks.twin_helpers import D, N, agree, driver_of, features_seen, stream
from tests.reference.stump import ReferenceStumps

from shoal.banks.stump import NONE, Stumps
from shoal.errors import InputError
from shoal.testing import check_bank, task_of


@pytest.mark.parametrize("fraction", [1.0, 0.5])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_agrees_with_trying_every_split(n_classes, fraction):
    """With a bin for every value, votes and stumps after each lesson are those of the best split to 1e-9."""
    X, y, weights = stream(n_classes, n=60)
    X = np.round(2.0 * X) / 2.0  # few values, zeros and missing values among them
    driver = driver_of(Stumps(N, fraction, bins=32, search_every=1), n_classes)
    twin = ReferenceStumps(N, task_of(n_classes).n_outputs, features_seen(fraction))
    agree(driver, twin, X, y, weights, lambda x: x.tolist())
    for i in range(N):
        assert twin.stump[i] is not None
        assert (driver.state.feature[i], driver.state.threshold[i]) == pytest.approx(twin.stump[i], abs=1e-9)


def test_few_bins_come_close_to_the_best_stump():
    """On numeric features 16 bins lose at most 3 points of the error of the best stump over the same rows."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(1000, D)) * 10.0 ** np.arange(D)
    y = (X[:, 3] > 500.0) ^ (rng.random(1000) < 0.1)
    weights = rng.exponential(size=1000)
    driver = driver_of(Stumps(N), 2)
    for t in range(1000):
        driver.update(X[t], int(y[t]), np.full(N, weights[t]))
    best = DecisionTreeClassifier(max_depth=1).fit(X, y, weights)
    wrong = 1.0 - best.score(X, y, weights)
    answers = np.array([driver.predict(x)[0][0, 0] >= 0.0 for x in X])
    assert driver.state.feature.tolist() == [3] * N
    assert np.average(answers != y, weights=weights) <= wrong + 0.03


def test_histogram_keeps_all_weight_in_rising_bins():
    """However many values come, a histogram has rising bins and the weight of all that was stored."""
    rng = np.random.default_rng(5)
    driver = driver_of(Stumps(N, bins=4), 3)
    X, y, weights = stream(3)
    X = np.where(rng.random(X.shape) < 0.5, rng.standard_cauchy(X.shape), X)
    for t in range(len(X)):
        driver.update(X[t], y[t], weights[t])
    state = driver.state
    for j in range(D):
        for i in range(N):
            n = state.used[i, j]
            assert n <= 4
            assert (np.diff(state.centres[i, j, :n]) > 0.0).all()
            stored = (X[:, j] != 0.0) & ~np.isnan(X[:, j])
            expected = [weights[stored & (y == k), i].sum() for k in range(3)]
            np.testing.assert_allclose(state.masses[i, j, :n].sum(axis=0), expected, rtol=1e-9)


def test_splits_even_where_one_class_has_the_majority_everywhere():
    """Where no split lowers the error the purest is taken, so that votes still rank."""
    driver = driver_of(Stumps(N), 2)
    for t in range(60):
        x = np.zeros(D)
        x[2] = float(t % 2)
        driver.update(x, int(t % 6 == 1), np.ones(N))
    ones = driver.predict(np.eye(D)[2])[0][:, 0]
    zeros = driver.predict(np.zeros(D))[0][:, 0]
    assert (driver.state.feature == 2).all()
    assert (zeros < ones).all()
    assert (ones < 0.0).all()


def test_answers_by_the_majority_before_any_feature_was_met():
    """Rows without features teach the shares of the classes, which are then the vote."""
    driver = driver_of(Stumps(N), 2)
    for t in range(8):
        driver.update(np.zeros(D), int(t < 6), np.ones(N))
    assert (driver.state.feature == NONE).all()
    np.testing.assert_allclose(driver.predict(np.ones(D))[0], (6.0 - 2.0) / (8.0 + 2.0))


def test_subsets_with_few_bins_keep_all_promises():
    """A bank with every option away from its default passes the conformance suite."""
    check_bank(Stumps(N, 0.5, bins=3, search_every=4))


@pytest.mark.parametrize("bank", [Stumps(0), Stumps(N, 0.0), Stumps(bins=1), Stumps(search_every=0)])
def test_refuses_parameters_without_meaning(bank):
    """A parameter out of range is refused with what was expected."""
    with pytest.raises(InputError, match="expected"):
        driver_of(bank, 2)
