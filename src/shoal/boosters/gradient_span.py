"""Online gradient boosting over the span of the learners (Beygelzimer, Hazan, Kale and Luo 2015, Algorithm 1).

    y_0 = 0,    y_i = project((1 - eta * sigma_i) * y_{i-1} + eta * a_i)    on the ball of radius B; y_N answers

Learner i suffers the linear loss <gradient at y_{i-1}, answer> / L_B, and the shrinkage sigma_i in [0, 1]
goes down the gradient <gradient at y_{i-1}, y_{i-1}> in steps 1 / (L_B B sqrt(t)) (specification C.2). Against
every f in the span, of length |f|,

    regret <= (1 - eta/|f|)^N Delta_0 + 3 eta beta_B B^2 |f| T + L_B |f| R(T) + 2 L_B B |f| sqrt(T).

Losses that are not smooth take all gradients at y_N (C.5); `fit="actual"` teaches the loss itself (C.6);
`scale` multiplies the learners' answers (C.7). With d targets these lie in the unit ball, as do answers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from shoal.boosters.gradient_lessons import at_the_end, check_fit, teach_actual, teach_linear
from shoal.boosters.regression_losses import RegressionLoss, gradient_at
from shoal.errors import InputError
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import bank_update, booster_read, booster_teach
from shoal.types import Flags, Floats, Room, Row, Scores, Task


class GradientSpanState(NamedTuple):
    """Shrinkages, and what never changes."""

    n_members: int
    kind: int
    parameter: float
    actual: bool
    final: bool
    eta: float
    scale: float  # of one learner's answer
    radius: float  # B
    lipschitz: float  # L_B
    sigma: Floats  # (N,)
    rounds: Floats  # (1,) t
    gradient: Floats  # (C,) scratch


@dataclass(frozen=True)
class GradientSpan:
    """Boost over the span.

    loss: what is minimised, of labels in [-1, 1].
    eta: step, in [1 / N, 1]; None for log(N) / N.
    scale: factor on every learner's answer; best near the sum of coefficients that is expected.
    fit: "linear" teaches linear losses, "actual" the loss itself.
    gradient_at: "partial", "final", or "auto": final for losses that are not smooth.
    radius: "paper" or "exact"; they differ for the logistic loss of labels -1 and +1.
    """

    loss: RegressionLoss = field(default_factory=RegressionLoss)
    eta: float | None = None
    scale: float = 1.0
    fit: str = "linear"
    gradient_at: str = "auto"
    radius: str = "paper"

    def step(self, n_learners: int) -> float:
        """Eta, checked; the usual one where none is given."""
        if self.eta is None:
            return min(1.0, max(math.log(n_learners), 1.0) / n_learners)
        if not (1.0 - 1e-12) / n_learners <= self.eta <= 1.0:
            raise InputError(
                f"eta is {self.eta!r}; expected a number in [1 / n_learners, 1], here [{1.0 / n_learners:g}, 1]."
            )
        return float(self.eta)

    def init(self, n_learners: int, task: Task, seed: int) -> GradientSpanState:
        """No shrinkage yet."""
        check_fit(self.loss, self.fit, self.gradient_at, self.scale, task)
        eta, final = self.step(n_learners), at_the_end(self.loss, self.gradient_at)
        bound = float(self.scale)
        radius = eta * n_learners * bound
        if not final:
            radius = self.loss.radius(n_learners, eta, bound, self.radius, task.n_outputs)
        return GradientSpanState(
            n_learners,
            int(self.loss.kind),
            self.loss.value_of_parameter,
            self.fit == "actual",
            final,
            eta,
            self.scale / math.sqrt(task.n_outputs),
            radius,
            self.loss.lipschitz(radius, task.n_outputs),
            np.zeros(n_learners),
            np.zeros(1),
            np.zeros(task.n_outputs),
        )

    def widen(self, state: GradientSpanState, task: Task) -> GradientSpanState:
        """Targets do not grow in number."""
        return state


@inlined
def project(y: Floats, radius: float) -> None:
    """The nearest point of the ball."""
    if len(y) == 1:
        y[0] = min(max(y[0], -radius), radius)
        return
    square = 0.0
    for c in range(len(y)):
        square += y[c] * y[c]
    if square > radius * radius:
        factor = radius / math.sqrt(square)
        for c in range(len(y)):
            y[c] *= factor


@body(booster_read, GradientSpanState)
def read(
    booster: GradientSpanState, heard: Scores, live: Flags, members: Scores, present: Flags, parts: Scores
) -> None:
    """The partial predictions; a learner that abstains answers 0."""
    for i in range(heard.shape[0]):
        present[i] = live[i]
        kept = 1.0 - booster.sigma[i] * booster.eta
        for c in range(heard.shape[1]):
            members[i, c] = heard[i, c]
            before = parts[i - 1, c] if i > 0 else 0.0
            parts[i, c] = kept * before + (booster.eta * booster.scale * heard[i, c] if live[i] else 0.0)
        project(parts[i], booster.radius)


@body(booster_teach, GradientSpanState)
def teach(booster: GradientSpanState, bank: Any, row: Row, room: Room, y: float, weight: float) -> None:
    """Every learner's lesson and shrinkage, all from the partial predictions there were; then all learn."""
    n, d = room.parts.shape
    booster.rounds[0] += 1.0
    step = 1.0 / (booster.lipschitz * booster.radius * math.sqrt(booster.rounds[0]))
    zero = np.zeros(d)
    for i in range(n):
        before = room.parts[i - 1] if i > 0 else zero
        at = room.parts[n - 1] if booster.final else before
        gradient_at(booster.kind, booster.parameter, room.target, at, booster.gradient)
        along = 0.0
        for c in range(d):
            booster.gradient[c] *= weight
            along += booster.gradient[c] * before[c]
        if booster.actual:
            kept = 1.0 - booster.sigma[i] * booster.eta
            teach_actual(
                room.lesson, i, booster.kind, booster.parameter, room.target, weight, before, kept,
                booster.eta * booster.scale,
            )  # fmt: skip
        else:
            teach_linear(room.lesson, i, booster.gradient, booster.lipschitz)
        booster.sigma[i] = min(max(booster.sigma[i] + step * along, 0.0), 1.0)
    bank_update(bank, row, room.votes, room.lesson)
