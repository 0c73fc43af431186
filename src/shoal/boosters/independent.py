"""No boosting: every learner gets every example with the weight it came with (Bai et al., section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from shoal.boosters.lessons import teach_truth
from shoal.kernels.compiler import body
from shoal.kernels.verbs import booster_assign
from shoal.types import Flags, Lesson, Scores, Task


class IndependentState(NamedTuple):
    """n_members: every learner is a member."""

    n_members: int


@dataclass(frozen=True)
class Independent:
    """Teach every learner alike."""

    def init(self, n_learners: int, task: Task, seed: int) -> IndependentState:
        """Nothing is remembered."""
        return IndependentState(n_learners)

    def widen(self, state: IndependentState, task: Task) -> IndependentState:
        """Nothing depends on the number of classes."""
        return state


@body(booster_assign, IndependentState, allocates=False)
def assign(
    booster: IndependentState,
    heard: Scores,
    members: Scores,
    parts: Scores,
    live: Flags,
    y: float,
    weight: float,
    lesson: Lesson,
) -> None:
    """The truth, at the example's own weight."""
    teach_truth(lesson, y)
    lesson.weight[:] = weight
