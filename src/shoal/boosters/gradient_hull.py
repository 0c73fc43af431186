"""Online gradient boosting over the learners' convex hull (Beygelzimer, Hazan, Kale and Luo 2015, Algorithm 2).

    y_0 = 0,    y_i = (1 - eta_i) * y_{i-1} + eta_i * a_i,    eta_i = 2 / (i + 1);    y_N answers

Learner i suffers the linear loss <gradient at y_{i-1}, answer> / L_D (specification C.3). Against every f in
the convex hull, regret <= 8 beta_D D^2 T / (N + 1) + L_D R(T). The options are those of the span.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from shoal.boosters.gradient_lessons import at_the_end, check_fit, teach_actual, teach_linear
from shoal.boosters.regression_losses import RegressionLoss, gradient_at
from shoal.kernels.compiler import body
from shoal.kernels.verbs import bank_update, booster_read, booster_teach
from shoal.types import Flags, Floats, Room, Row, Scores, Task


class GradientHullState(NamedTuple):
    """Nothing is learned but by the learners."""

    n_members: int
    kind: int
    parameter: float
    actual: bool
    final: bool
    scale: float  # of one learner's answer
    lipschitz: float  # L_D
    gradient: Floats  # (C,) scratch


@dataclass(frozen=True)
class GradientHull:
    """Boost over the convex hull.

    loss: what is minimised, of labels in [-1, 1].
    scale: factor on every learner's answer, so that the hull is that much larger.
    fit: "linear" teaches linear losses, "actual" the loss itself.
    gradient_at: "partial", "final", or "auto": final for losses that are not smooth.
    """

    loss: RegressionLoss = field(default_factory=RegressionLoss)
    scale: float = 1.0
    fit: str = "linear"
    gradient_at: str = "auto"

    def init(self, n_learners: int, task: Task, seed: int) -> GradientHullState:
        """Nothing to remember."""
        check_fit(self.loss, self.fit, self.gradient_at, self.scale, task)
        return GradientHullState(
            n_learners,
            int(self.loss.kind),
            self.loss.value_of_parameter,
            self.fit == "actual",
            at_the_end(self.loss, self.gradient_at),
            self.scale / math.sqrt(task.n_outputs),
            self.loss.lipschitz(float(self.scale), task.n_outputs),
            np.zeros(task.n_outputs),
        )

    def widen(self, state: GradientHullState, task: Task) -> GradientHullState:
        """Targets do not grow in number."""
        return state


@body(booster_read, GradientHullState)
def read(
    booster: GradientHullState, heard: Scores, live: Flags, members: Scores, present: Flags, parts: Scores
) -> None:
    """The partial predictions; a learner that abstains answers 0."""
    for i in range(heard.shape[0]):
        present[i] = live[i]
        eta = 2.0 / (i + 2.0)
        for c in range(heard.shape[1]):
            members[i, c] = heard[i, c]
            before = parts[i - 1, c] if i > 0 else 0.0
            answer = booster.scale * heard[i, c] if live[i] else 0.0
            parts[i, c] = (1.0 - eta) * before + eta * answer


@body(booster_teach, GradientHullState)
def teach(booster: GradientHullState, bank: Any, row: Row, room: Room, y: float, weight: float) -> None:
    """Every learner's lesson from the partial predictions there were; then all learn."""
    n, d = room.parts.shape
    zero = np.zeros(d)
    for i in range(n):
        before = room.parts[i - 1] if i > 0 else zero
        if booster.actual:
            eta = 2.0 / (i + 2.0)
            teach_actual(
                room.lesson, i, booster.kind, booster.parameter, room.target, weight, before, 1.0 - eta,
                eta * booster.scale,
            )  # fmt: skip
            continue
        at = room.parts[n - 1] if booster.final else before
        gradient_at(booster.kind, booster.parameter, room.target, at, booster.gradient)
        for c in range(d):
            booster.gradient[c] *= weight
        teach_linear(room.lesson, i, booster.gradient, booster.lipschitz)
    bank_update(bank, row, room.votes, room.lesson)
