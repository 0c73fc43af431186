"""A two-class learner for every class, made of any bank."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.banks.naive_bayes import NaiveBayes
from shoal.banks.one_vs_rest import OneVsRest, one_vs_rest
from shoal.banks.scripted import ScriptedBank
from shoal.banks.stack import Stack
from shoal.errors import InputError
from shoal.testing.driver import BankDriver, sample, task_of
from shoal.testing.equality import states_equal
from shoal.types import Space

N = 3
SPACE = Space.of_size(6)


def driver(bank, n_classes):
    """The bank before any example."""
    return BankDriver(bank, SPACE, task_of(n_classes), seed=1)


def taught(one, X, y, seed=2):
    """The same after the examples, each learner with weights of its own."""
    weights = np.random.default_rng(seed).exponential(size=(len(X), N))
    for t in range(len(X)):
        one.update(X[t], y[t], weights[t])
    return one


def test_two_classes_are_the_inner_bank_itself():
    """Votes and state are the inner bank's to the last bit."""
    X, y = sample(2)
    plain, wrapped = (taught(driver(bank, 2), X, y) for bank in (NaiveBayes(N), OneVsRest(NaiveBayes(N))))
    assert states_equal(plain.state, wrapped.state.groups[0].bank)
    assert np.array_equal(plain.predict(X[0])[0], wrapped.predict(X[0])[0])


def test_each_class_is_a_two_class_problem_of_its_own():
    """Its column says what a two-class bank says that was taught this class against the rest."""
    X, y = sample(3)
    wrapped = taught(driver(OneVsRest(NaiveBayes(N)), 3), X, y)
    for c in range(3):
        alone = taught(driver(NaiveBayes(N), 2), X, (y == c).astype(int))
        for x in X[:5]:
            np.testing.assert_allclose(wrapped.predict(x)[0][:, c], alone.predict(x)[0][:, 0], atol=1e-12)


def test_classes_that_come_later_find_the_others_as_they_were():
    """Votes between the first two classes become opposite columns, and new classes may come one by one."""
    X, y = sample(2)
    at_once, one_by_one = (taught(driver(OneVsRest(NaiveBayes(N)), 2), X, y) for _ in range(2))
    before = at_once.predict(X[0])[0][:, 0]
    at_once.widen(task_of(4))
    after = at_once.predict(X[0])[0]
    assert np.array_equal(after[:, 1], before)
    assert np.array_equal(after[:, 0], -before)
    assert after[:, 2:].tolist() == [[0.0, 0.0]] * N
    one_by_one.widen(task_of(3))
    one_by_one.widen(task_of(4))
    assert states_equal(at_once.state, one_by_one.state)
    X, y = sample(4, seed=3)
    taught(at_once, X, y)
    assert len(at_once.state.groups) == 3
    right = [int(np.argmax(at_once.predict(x)[0].mean(axis=0)) == k) for x, k in zip(X, y, strict=True)]
    assert np.mean(right) > 0.5


def test_one_learner_at_a_time_is_all_at_once():
    """Predicting, teaching and replacing learner by learner does the same."""
    X, y = sample(3)
    whole, single = (taught(driver(OneVsRest(NaiveBayes(N)), 3), X[:20], y[:20]) for _ in range(2))
    weights = np.full(N, 2.0)
    for t in range(20, 40):
        votes = whole.predict(X[t])[0]
        whole.update(X[t], y[t], weights)
        for i in range(N):
            assert np.array_equal(single.predict_at(i, X[t]), votes[i])
            single.update_at(i, X[t], y[t], votes, weights)
    assert states_equal(whole.state, single.state)
    whole.replace(1, seed=5)
    after = whole.predict(X[0])[0]
    assert after[1].tolist() == [0.0, 0.0, 0.0]
    assert np.array_equal(after[[0, 2]], single.predict(X[0])[0][[0, 2]])


def test_banks_side_by_side_are_wrapped_one_by_one():
    """A stack stays a stack, and what is not a bank of any size is refused."""
    stack = one_vs_rest(Stack((NaiveBayes(2), NaiveBayes(1))))
    assert [type(bank) for bank in stack.banks] == [OneVsRest, OneVsRest]
    assert stack.n_learners == N
    with pytest.raises(InputError, match="ScriptedBank"):
        OneVsRest(ScriptedBank(np.zeros((1, 2)))).check()
