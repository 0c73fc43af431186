"""Targets in units of their range, and answers back in their own."""

from __future__ import annotations

import numpy as np
import pytest
from tests.regression.playing import WHOLE

from shoal.errors import InputError
from shoal.kernels.verbs import decision_answer, decision_hear
from shoal.regression import Targets, TargetState
from shoal.types import Floats, Room, Task


def room(d: int) -> Room:
    """Room for targets; the rest is empty."""
    none, table, flags = np.zeros(0), np.zeros((0, d)), np.zeros(0, dtype=bool)
    places, lesson = np.zeros(0, dtype=np.int32), WHOLE.blank_lesson(0, d)
    return Room(False, places, none, table, table, flags, table, table, flags, np.zeros(d), lesson, np.zeros(d))


def heard(state: TargetState, label: float) -> float:
    """The target as learners see it."""
    return decision_hear(state, room(1), np.array([[label]]), 0)


def answered(state: TargetState, score: Floats) -> Floats:
    """The numbers that a score stands for."""
    predicted, proba = WHOLE.blank_answers(1, len(score))
    decision_answer(state, score, predicted, proba, 0)
    return predicted[0]


def test_a_range_is_learned_and_helps_only_later_examples() -> None:
    """A target beyond the range is taught as its end, and widens it for those that follow."""
    state = Targets().init(Task("regression", 1))
    assert np.isnan(answered(state, np.array([0.7]))[0])
    labels, inner = (10.0, 10.0, 14.0, 12.0, 13.0, 8.0, 11.0), [0.0, 0.0, 1.0, 0.0, 0.5, -1.0, 0.0]
    assert [heard(state, y) for y in labels] == inner
    assert (state.low[0], state.high[0]) == (8.0, 14.0)
    assert [answered(state, np.array([s]))[0] for s in (-1.0, 0.5, 3.0)] == [8.0, 12.5, 14.0]


def test_a_given_range_widens_too() -> None:
    """A target beyond a range that was given is taught as its end, and widens it."""
    state = Targets((0.0, 10.0)).init(Task("regression", 1))
    assert [heard(state, y) for y in (7.5, 20.0, 10.0)] == [0.5, 1.0, 0.0]


def test_an_outlier_at_most_doubles_the_range() -> None:
    """However far off a target is, the range grows by its own width; where targets stay there, it follows."""
    state = Targets((0.0, 1.0)).init(Task("regression", 1))
    assert heard(state, 1e300) == 1.0
    assert (state.low[0], state.high[0]) == (0.0, 2.0)
    assert heard(state, -1e9) == -1.0
    assert (state.low[0], state.high[0]) == (-2.0, 2.0)
    for _ in range(20):
        heard(state, 1e6)
    assert (state.low[0], state.high[0]) == (-2.0, 1e6)


def test_ranges_longer_than_the_largest_number() -> None:
    """Targets at both ends of what a number can be are brought to [-1, 1] and back."""
    state = Targets((-1.5e308, 1.5e308)).init(Task("regression", 1))
    assert [heard(state, y) for y in (-1.5e308, 0.75e308)] == [-1.0, 0.5]
    assert heard(state, 1.7e308) == 1.0
    assert answered(state, np.array([1.0]))[0] == 1.7e308


def test_several_targets_lie_in_the_unit_ball() -> None:
    """With d targets each lies within 1 / sqrt(d), and comes back the same."""
    state = Targets([(0.0, 1.0), (-50.0, 50.0)]).init(Task("regression", 2))
    here = room(2)
    decision_hear(state, here, np.array([[1.0, -25.0]]), 0)
    np.testing.assert_allclose(here.target, np.array([1.0, -0.5]) / np.sqrt(2.0))
    np.testing.assert_allclose(answered(state, here.target), [1.0, -25.0])


@pytest.mark.parametrize("known", [(1.0, 1.0), (0.0, np.inf), (0.0, 1.0, 2.0), [(0.0, 1.0)] * 3])
def test_ranges_without_a_meaning_are_refused(known: object) -> None:
    """A range must be finite, of two ends, the low one first, one for all or one for each."""
    with pytest.raises(InputError, match="target_range"):
        Targets(known).init(Task("regression", 2))
