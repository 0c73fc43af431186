"""Online gradient boosting over the span of the learners, algorithm C1: sections C.2, C.5, C.6, C.7.

fit "linear": learner i suffers the linear loss grad_i / L_B times its answer, handed over as target
-sign and weight |.|. fit "actual": it suffers the loss itself at offset + step * answer, which the lesson
carries. fit "residual": the same for the squared loss, as least squares on the residual. One output.
"""

from __future__ import annotations

import math

from tests.reference.interfaces import Lesson, Reading, ReferenceBooster, Room, Votes
from tests.reference.regression_losses import RegressionLoss


def teach_linear(lesson: Lesson, i: int, k: float) -> None:
    """The linear loss k * answer."""
    lesson.target[i] = [-math.copysign(1.0, k)]
    lesson.weight[i] = [abs(k)]


def teach_actual(lesson: Lesson, i: int, y: float, weight: float, offset: float, step: float) -> None:
    """The loss weight * l(y, offset + step * answer)."""
    lesson.target[i], lesson.weight[i] = [y], [weight]
    lesson.offset[i], lesson.step[i] = [offset], [step]


def teach_residual(lesson: Lesson, i: int, y: float, weight: float, offset: float, step: float) -> None:
    """Least squares on what is left: weight * step^2 * ((y - offset) / step - answer)^2."""
    lesson.target[i] = [(y - offset) / step]
    lesson.weight[i] = [weight * step**2]


class ReferenceGradientSpan(ReferenceBooster):
    """scale: the learners' answers are multiplied by it (C.7). gradient_at: "partial" or "final" (C.5)."""

    def __init__(
        self,
        N: int,
        loss: RegressionLoss,
        eta: float,
        D: float = 1.0,
        scale: float = 1.0,
        fit: str = "linear",
        gradient_at: str = "partial",
        radius: str = "paper",
    ) -> None:
        self.loss, self.eta, self.scale, self.fit, self.gradient_at = loss, eta, scale, fit, gradient_at
        D = scale * D
        self.B = eta * N * D if gradient_at == "final" else loss.B(N, eta, D, radius)
        self.L_B = loss.L(self.B)
        self.sigma = [0.0] * N
        self.t = 0

    def offset(self, i: int, y_before: float) -> float:
        return (1.0 - self.sigma[i] * self.eta) * y_before

    def read(self, heard: Votes, live: list[bool]) -> Reading:
        """The members are the partial predictions' own learners; a learner that abstains answers 0."""
        parts: Votes = []
        y = 0.0
        for i, vote in enumerate(heard):
            a = self.scale * vote[0] if live[i] else 0.0
            y = min(max(self.offset(i, y) + self.eta * a, -self.B), self.B)
            parts.append([y])
        return Reading(heard, live, parts)

    def assign(self, room: Room, y: float, weight: float) -> None:
        self.t += 1
        partials = [0.0] + [part[0] for part in room.reading.parts]
        for i in range(len(self.sigma)):
            before = partials[i]
            at = partials[-1] if self.gradient_at == "final" else before
            grad = weight * self.loss.slope(y, at)
            if self.fit == "linear":
                teach_linear(room.lesson, i, grad / self.L_B)
            else:
                teach = teach_actual if self.fit == "actual" else teach_residual
                teach(room.lesson, i, y, weight, self.offset(i, before), self.eta * self.scale)
            step = 1.0 / (self.L_B * self.B * math.sqrt(self.t))
            self.sigma[i] = min(max(self.sigma[i] + step * grad * before, 0.0), 1.0)
