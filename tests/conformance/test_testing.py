"""The conformance suite itself: it must catch parts that break their promises."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from shoal.kernels.compiler import python_body
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.testing import check_bank, states_equal


class FaultyState(NamedTuple):
    fault: str
    totals: np.ndarray
    log: list


@dataclass(frozen=True)
class FaultyBank:
    """Learners that vote the weighted share of the classes, but for one fault."""

    fault: str
    n_learners: int = 2

    def init(self, space, task, seed):
        noise = np.random.default_rng().random() if self.fault == "unseeded" else 0.0
        return FaultyState(self.fault, np.full((self.n_learners, task.n_classes), 1.0 + noise), [])

    def grow(self, state, space):
        return state._replace(totals=state.totals * [1.0, 9.0]) if self.fault == "grows" else state

    def widen(self, state, task):
        totals = np.ones((self.n_learners, task.n_classes))
        totals[:, :2] = state.totals[:, ::-1] if self.fault == "widens" else state.totals
        return state._replace(totals=totals)


@python_body(bank_predict, FaultyState)
def predict(bank, row, votes, live):
    live[:] = True
    for i in range(len(votes)):
        predict_at(bank, i, row, votes)
        if bank.fault == "single":
            votes[i] *= 0.5
    if bank.fault == "impure":
        bank.log.append(0)


@python_body(bank_predict_at, FaultyState)
def predict_at(bank, i, row, votes):
    shares = 2.0 * bank.totals[i] / bank.totals[i].sum() - 1.0
    votes[i] = shares if votes.shape[1] > 1 else shares[1:]
    if bank.fault == "unbounded":
        votes[i] *= 3.0
    if bank.fault == "nan" and np.isnan(row.values).any():
        votes[i] = np.nan


@python_body(bank_update, FaultyState)
def update(bank, row, votes, lesson):
    for i in range(len(votes)):
        update_at(bank, i, row, votes, lesson)
    if bank.fault == "update":
        bank.totals[:] += 0.1


@python_body(bank_update_at, FaultyState)
def update_at(bank, i, row, votes, lesson):
    one = lesson.target.shape[1] == 1
    k = int(lesson.target[i, 0] > 0.0) if one else int(np.argmax(lesson.target[i]))
    bank.totals[i, k] += 1.0 if bank.fault == "weightless" else lesson.weight[i, 0 if one else k]


@python_body(bank_replace, FaultyState)
def replace(bank, i, seed):
    bank.totals[slice(None) if bank.fault == "replace" else i] = 1.0


def test_a_bank_without_fault_passes():
    """The suite accepts a bank that does nothing wrong."""
    check_bank(FaultyBank("none"))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("unseeded", "same seed"),
        ("impure", "change nothing"),
        ("single", "bank_predict_at must agree"),
        ("unbounded", r"in \[-1, 1\]"),
        ("nan", "numbers"),
        ("update", "bank_update_at for every learner"),
        ("weightless", "weight 0"),
        ("replace", "leave the other learners alone"),
        ("grows", "growing must not change"),
        ("widens", "a third class"),
    ],
)
def test_each_fault_is_caught(fault, message):
    """A bank that breaks a promise fails with the promise it broke."""
    with pytest.raises(AssertionError, match=message):
        check_bank(FaultyBank(fault))


def test_states_are_equal_when_all_they_hold_is():
    """Equality is to the bit, NaN equals NaN, and one changed number anywhere is a difference."""
    one, other = (FaultyState("none", np.array([[1.0, np.nan]]), [{"a": {3: np.zeros(2)}}]) for _ in range(2))
    assert states_equal(one, other)
    other.log[0]["a"][3][1] = -0.0
    assert not states_equal(one, other)
    assert not states_equal(one, one._replace(totals=one.totals.astype(np.float32)))
    assert not states_equal(one, one._replace(log=[]))
