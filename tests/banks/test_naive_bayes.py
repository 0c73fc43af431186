"""Naive Bayes against its slow twin, against scikit-learn, and against what it promises."""

import math

import numpy as np
import pytest
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from tests.reference.interfaces import Lesson
from tests.reference.naive_bayes import ReferenceNaiveBayes

from shoal.banks.naive_bayes import NaiveBayes
from shoal.errors import InputError
from shoal.testing import BankDriver, states_equal
from shoal.types import Space, Task

BINARY = Task("classification", 1)
N = 3


def task_of(n_classes):
    return Task("classification", 1 if n_classes == 2 else n_classes)


def mixed_rows(rng, n, zeros=True):
    """Four features: numbers with zeros among them, 0 or 1, -1 or 1, numbers far from 0; some missing."""
    X = np.column_stack(
        [
            rng.normal(size=n) * (rng.random(n) < 0.6),
            (rng.random(n) < 0.3).astype(float),
            np.where(rng.random(n) < 0.5, -1.0, 1.0),
            1e3 + rng.normal(size=n),
        ]
    )
    X[0] = 0.5, 1.0, 1.0, 1e3  # every feature is met at once, so that the twin has no constant zeros
    X[1:][rng.random((n - 1, 4)) < 0.1] = np.nan
    return X


def lessons_of(rng, n, n_classes):
    """The class and each learner's weight, a few of them 0."""
    y = rng.integers(0, n_classes, n)
    y[:3] = 0  # the other classes come later
    weights = rng.exponential(size=(n, N)) * (rng.random((n, N)) < 0.9)
    weights[0] = 1.0
    return y, weights


def reference_lesson(y, weights, n_outputs):
    lesson = Lesson.blank(N, n_outputs)
    for i in range(N):
        for c in range(n_outputs):
            lesson.target[i][c] = 2.0 * y - 1.0 if n_outputs == 1 else (1.0 if c == y else -1.0)
            lesson.weight[i][c] = float(weights[i])
    return lesson


@pytest.mark.parametrize("clip", [50.0, 1.5, None])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_votes_are_those_of_the_slow_twin(n_classes, clip):
    """On weighted rows with zeros and missing values every vote agrees with the literal formulas to 1e-9."""
    rng = np.random.default_rng(n_classes)
    X = mixed_rows(rng, 60)
    y, weights = lessons_of(rng, len(X), n_classes)
    driver = BankDriver(NaiveBayes(N, clip=clip), Space.of_size(4), task_of(n_classes), seed=0)
    n_outputs = task_of(n_classes).n_outputs
    bernoulli = [False, True, True, False]
    twin = ReferenceNaiveBayes(N, bernoulli, n_outputs, math.inf if clip is None else clip)
    for t in range(len(X)):
        votes, live = driver.predict(X[t])
        assert live.all()
        if t >= 10:  # by now a number other than 0 and 1 has shown that feature 0 is not binary
            np.testing.assert_allclose(votes, twin.predict(list(X[t]))[0], rtol=0, atol=1e-9)
        driver.update(X[t], y[t], weights[t])
        twin.update(list(X[t]), [], reference_lesson(y[t], weights[t], n_outputs))


def test_order_does_not_matter():
    """The same weighted rows in another order leave the same votes."""
    rng = np.random.default_rng(5)
    X = mixed_rows(rng, 80)
    y, weights = lessons_of(rng, len(X), 2)
    drivers = [BankDriver(NaiveBayes(N), Space.of_size(4), BINARY, seed=0) for _ in range(2)]
    for driver, order in zip(drivers, (np.arange(80), rng.permutation(80)), strict=True):
        for t in order:
            driver.update(X[t], y[t], weights[t])
    for x in mixed_rows(rng, 10):
        np.testing.assert_allclose(drivers[0].predict(x)[0], drivers[1].predict(x)[0], rtol=0, atol=1e-9)


def test_weight_two_is_twice():
    """An example of weight 2 teaches what two of weight 1 teach."""
    rng = np.random.default_rng(6)
    X = mixed_rows(rng, 40)
    y, _ = lessons_of(rng, len(X), 2)
    heavy, twice = (BankDriver(NaiveBayes(N), Space.of_size(4), BINARY, seed=0) for _ in range(2))
    for t in range(len(X)):
        heavy.update(X[t], y[t], np.full(N, 2.0))
        twice.update(X[t], y[t], np.ones(N))
        twice.update(X[t], y[t], np.ones(N))
    for x in mixed_rows(rng, 10):
        np.testing.assert_allclose(heavy.predict(x)[0], twice.predict(x)[0], rtol=0, atol=1e-9)


def test_merging_shards_is_learning_both():
    """Two banks that each saw half of the stream merge into the one that saw all of it."""
    rng = np.random.default_rng(7)
    X = mixed_rows(rng, 80)
    y, weights = lessons_of(rng, len(X), 2)
    bank = NaiveBayes(N)
    whole, left, right = (BankDriver(bank, Space.of_size(4), BINARY, seed=0) for _ in range(3))
    for t in range(len(X)):
        whole.update(X[t], y[t], weights[t])
        (left if t < 40 else right).update(X[t], y[t], weights[t])
    left.state = bank.merge(left.state, right.state)
    for x in mixed_rows(rng, 10):
        np.testing.assert_allclose(left.predict(x)[0], whole.predict(x)[0], rtol=0, atol=1e-9)


def test_gaussian_votes_are_those_of_scikit_learn():
    """With balanced classes and dense numbers votes are 2 P - 1 of GaussianNB, whose prior is then the same."""
    rng = np.random.default_rng(8)
    y = np.tile([0, 1], 50)
    X = rng.normal(size=(100, 3)) + y[:, None]
    driver = BankDriver(NaiveBayes(N, kind="gaussian", clip=None), Space.of_size(3), BINARY, seed=0)
    for t in range(len(X)):
        driver.update(X[t], y[t], np.ones(N))
    expected = 2.0 * GaussianNB().fit(X, y).predict_proba(X)[:, 1] - 1.0
    votes = [driver.predict(x)[0][0, 0] for x in X]
    np.testing.assert_allclose(votes, expected, rtol=0, atol=1e-6)  # the floors differ by the pooled variance


def test_bernoulli_votes_are_those_of_scikit_learn():
    """With balanced classes and zeros and ones the votes are 2 P - 1 of BernoulliNB with Laplace's prior."""
    rng = np.random.default_rng(9)
    y = np.tile([0, 1], 50)
    X = (rng.random((100, 5)) < 0.3 + 0.3 * y[:, None]).astype(float)
    driver = BankDriver(NaiveBayes(N, clip=None), Space.of_size(5), BINARY, seed=0)
    for t in range(len(X)):
        driver.update(X[t], y[t], np.ones(N))
    expected = 2.0 * BernoulliNB().fit(X, y).predict_proba(X)[:, 1] - 1.0
    votes = [driver.predict(x)[0][0, 0] for x in X]
    np.testing.assert_allclose(votes, expected, rtol=0, atol=1e-12)


def test_a_feature_that_never_occurs_says_nothing():
    """Votes are the same to the bit however far the declared space reaches beyond the features that occur."""
    rng = np.random.default_rng(10)
    X = mixed_rows(rng, 40)
    y, weights = lessons_of(rng, len(X), 2)
    near, far = (BankDriver(NaiveBayes(N), Space.of_size(d, open=True), BINARY, seed=0) for d in (10, 20))
    for t in range(len(X)):
        assert np.array_equal(near.predict(X[t])[0], far.predict(X[t])[0])
        near.update(X[t], y[t], weights[t])
        far.update(X[t], y[t], weights[t])


@pytest.mark.parametrize(
    ("values", "is_bernoulli"),
    [
        ([1.0, 0.0, 1.0], True),
        ([-1.0, 1.0, 1.0], True),
        ([-1.0, 0.0, 1.0], False),
        ([0.0, 1.0, -1.0], False),
        ([1.0, 2.0, 1.0], False),
        ([1.0] * 100 + [2.0], True),
        ([1.0] * 99 + [2.0], False),
    ],
)
def test_the_kind_of_a_feature_is_decided_by_its_first_values(values, is_bernoulli):
    """A feature is Bernoulli when its first 100 values are all in {0, 1} or all in {-1, 1}."""
    driver = BankDriver(NaiveBayes(N), Space.of_size(1), BINARY, seed=0)
    for t, value in enumerate(values):
        driver.update(np.array([value]), t % 2, np.ones(N))
    assert (driver.state.told[0] >= 0).tolist() == [is_bernoulli] * N


def test_indicators_of_nominal_columns_are_bernoulli_from_the_start():
    """The indicator of a category is Bernoulli before any value, and again after a learner is replaced."""
    space = Space.of_columns([("colour", "red"), ("size", None)])
    driver = BankDriver(NaiveBayes(N), space, BINARY, seed=0)
    first = driver.state.told.copy()
    assert (first[0] > 0).all()
    assert (first[1] == 0).all()
    driver.update(np.array([1.0, 2.5]), 1, np.ones(N))
    driver.replace(1, seed=3)
    assert np.array_equal(driver.state.told[:, 1], first[:, 1])
    assert driver.predict(np.array([1.0, 2.5]))[0][1, 0] == 0.0


def test_absent_features_may_be_missing_instead_of_zero():
    """With zeros="missing" a row that leaves a feature out teaches the same as one in which it is missing."""
    rng = np.random.default_rng(11)
    X = mixed_rows(rng, 40)
    y, weights = lessons_of(rng, len(X), 2)
    absent, missing = (BankDriver(NaiveBayes(N, zeros="missing"), Space.of_size(4), BINARY, seed=0) for _ in "ab")
    for t in range(len(X)):
        absent.update(np.nan_to_num(X[t]), y[t], weights[t])
        missing.update(np.where(X[t] == 0.0, np.nan, X[t]), y[t], weights[t])
    assert states_equal(absent.state, missing.state)
    for x in X:
        assert np.array_equal(absent.predict(np.nan_to_num(x))[0], missing.predict(x)[0])


def test_classes_that_appear_later_change_nothing_before():
    """A bank widened from two classes to three is the one that had three from the start."""
    rng = np.random.default_rng(12)
    X = mixed_rows(rng, 40)
    y, weights = lessons_of(rng, len(X), 2)
    bank = NaiveBayes(N)
    two, three = (BankDriver(bank, Space.of_size(4), task_of(k), seed=0) for k in (2, 3))
    for t in range(len(X)):
        two.update(X[t], y[t], weights[t])
        three.update(X[t], y[t], weights[t])
    assert states_equal(bank.widen(two.state, task_of(3)), three.state)


@pytest.mark.parametrize(
    "wrong", [{"n_learners": 0}, {"feature_fraction": 0.0}, {"kind": "poisson"}, {"clip": -1.0}, {"zeros": "no"}]
)
def test_meaningless_parameters_are_refused(wrong):
    """A parameter without meaning is named in the error."""
    with pytest.raises(InputError, match=next(iter(wrong))):
        NaiveBayes(**wrong).init(Space.of_size(2), BINARY, 0)
