"""Votes by script."""

import numpy as np
import pytest

from shoal.banks.scripted import ScriptedBank
from shoal.errors import InputError
from shoal.testing import BankDriver, task_of
from shoal.types import Space


def test_votes_follow_the_script_and_lessons_are_recorded():
    """Example t, known by its only feature, gets row t; once taught, the votes given for then."""
    votes = np.array([[0.5, -0.25], [1.0, -1.0]])
    live = np.array([[True, True], [True, False]])
    driver = BankDriver(ScriptedBank(votes, after=-votes, live=live), Space.of_size(1), task_of(2), seed=0)
    for t in range(2):
        said, alive = driver.predict(np.array([float(t)]))
        assert np.array_equal(said[:, 0], votes[t])
        assert np.array_equal(alive, live[t])
    driver.update(np.array([1.0]), 0, np.array([0.5, 2.0]))
    assert np.array_equal(driver.predict(np.array([1.0]))[0][:, 0], -votes[1])
    assert driver.state.target[1, :, 0].tolist() == [-1.0, -1.0]
    assert driver.state.weight[1, :, 0].tolist() == [0.5, 2.0]
    assert driver.state.lessons.tolist() == [[0, 0], [1, 1]]
    driver.replace(0, seed=1)
    assert driver.state.lessons.tolist() == [[0, 0], [0, 1]]


def test_a_script_for_another_number_of_classes_is_refused():
    """Votes of one output do not fit three classes."""
    with pytest.raises(InputError, match="expected 3"):
        ScriptedBank(np.zeros((2, 2))).init(Space.of_size(1), task_of(3), 0)
