"""No boosting, for regression: every learner is taught the target itself, with the loss of its own answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from shoal.boosters.gradient_lessons import check_fit, teach_actual
from shoal.boosters.regression_losses import RegressionLoss
from shoal.kernels.compiler import body
from shoal.kernels.verbs import bank_update, booster_read, booster_teach
from shoal.types import Flags, Room, Row, Scores, Task


class RegressingState(NamedTuple):
    """The loss."""

    n_members: int
    kind: int
    parameter: float


@dataclass(frozen=True)
class Regressing:
    """Teach every learner alike. loss: of labels in [-1, 1]."""

    loss: RegressionLoss = field(default_factory=RegressionLoss)

    def init(self, n_learners: int, task: Task, seed: int) -> RegressingState:
        """Nothing is remembered."""
        check_fit(self.loss, "actual", "auto", 1.0, task)
        return RegressingState(n_learners, int(self.loss.kind), self.loss.value_of_parameter)

    def widen(self, state: RegressingState, task: Task) -> RegressingState:
        """Targets do not grow in number."""
        return state


@body(booster_read, RegressingState)
def read(
    booster: RegressingState, heard: Scores, live: Flags, members: Scores, present: Flags, parts: Scores
) -> None:
    """Every learner is a member; several targets lie in the unit ball. Prefix answers are means."""
    size = 1.0 / np.sqrt(float(heard.shape[1]))
    for c in range(heard.shape[1]):
        total, n = 0.0, 0
        for i in range(heard.shape[0]):
            present[i] = live[i]
            members[i, c] = size * heard[i, c]
            if live[i]:
                total += members[i, c]
                n += 1
            parts[i, c] = total / max(n, 1)


@body(booster_teach, RegressingState)
def teach(booster: RegressingState, bank: Any, row: Row, room: Room, y: float, weight: float) -> None:
    """The target, at the example's own weight."""
    n, d = room.parts.shape
    size, zero = 1.0 / np.sqrt(float(d)), np.zeros(d)
    for i in range(n):
        teach_actual(room.lesson, i, booster.kind, booster.parameter, room.target, weight, zero, 0.0, size)
    bank_update(bank, row, room.votes, room.lesson)
