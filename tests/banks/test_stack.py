"""Banks side by side."""

import numpy as np
import pytest
from river import linear_model

from shoal.banks.naive_bayes import NaiveBayes
from shoal.banks.outside import OutsideBank
from shoal.banks.perceptron import Perceptrons
from shoal.banks.stack import Stack, member_seed
from shoal.errors import InputError
from shoal.testing import BankDriver, check_bank, sample, states_equal, task_of
from shoal.types import Space


def alone_and_stacked(banks, n_classes=2):
    space, task = Space.of_size(6), task_of(n_classes)
    alone = [BankDriver(bank, space, task, member_seed(3, b)) for b, bank in enumerate(banks)]
    return alone, BankDriver(Stack(banks), space, task, seed=3)


@pytest.mark.parametrize(
    "banks",
    [
        (Perceptrons(2), NaiveBayes(1), Perceptrons(1)),
        (NaiveBayes(2), OutsideBank((linear_model.LogisticRegression(),))),
    ],
    ids=["compiled", "python"],
)
def test_a_stack_is_its_members_side_by_side(banks):
    """Votes and memories are to the bit those of the banks by themselves."""
    alone, stack = alone_and_stacked(banks)
    X, y = sample(2)
    weights = np.random.default_rng(4).exponential(size=(len(X), stack.bank.n_learners))
    starts = stack.state.starts
    for t in range(len(X)):
        votes, live = stack.predict(X[t])
        each = [driver.predict(X[t]) for driver in alone]
        assert np.array_equal(votes, np.concatenate([votes for votes, _ in each]))
        assert np.array_equal(live, np.concatenate([live for _, live in each]))
        stack.update(X[t], y[t], weights[t])
        for b, driver in enumerate(alone):
            driver.update(X[t], y[t], weights[t, starts[b] : starts[b + 1]])
    assert all(
        states_equal(driver.state, member) for driver, member in zip(alone, stack.state.members, strict=True)
    )


def test_equal_banks_in_a_stack_differ_by_their_seeds():
    """Two Perceptron banks with the same parameters start from different weights."""
    stack = alone_and_stacked((Perceptrons(2), Perceptrons(2)))[1]
    assert not states_equal(*stack.state.members)


def test_a_stack_with_outside_estimators_keeps_the_promises_of_banks():
    """A stack that runs as plain Python passes the conformance suite; binary River models cannot widen."""
    check_bank(
        Stack((Perceptrons(2), OutsideBank((linear_model.LogisticRegression(),)))), classes=(2,), widens=False
    )


def test_an_empty_stack_is_refused():
    """There must be a bank to stack."""
    with pytest.raises(InputError, match="at least one bank"):
        Stack(()).init(Space.of_size(1), task_of(2), 0)
