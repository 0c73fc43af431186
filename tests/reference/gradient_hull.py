"""Online gradient boosting over the convex hull of the learners, algorithm C2: sections C.3, C.5, C.6."""

from __future__ import annotations

from tests.reference.gradient_span import teach_actual, teach_linear, teach_residual
from tests.reference.interfaces import Reading, ReferenceBooster, Room, Votes
from tests.reference.regression_losses import RegressionLoss


class ReferenceGradientHull(ReferenceBooster):
    """The options are those of `gradient_span`."""

    def __init__(
        self,
        N: int,
        loss: RegressionLoss,
        D: float = 1.0,
        scale: float = 1.0,
        fit: str = "linear",
        gradient_at: str = "partial",
    ) -> None:
        self.loss, self.scale, self.fit, self.gradient_at = loss, scale, fit, gradient_at
        self.L_D = loss.L(scale * D)
        self.eta = [2.0 / (i + 1.0) for i in range(1, N + 1)]

    def read(self, heard: Votes, live: list[bool]) -> Reading:
        """A learner that abstains answers 0."""
        parts: Votes = []
        y = 0.0
        for i, vote in enumerate(heard):
            a = self.scale * vote[0] if live[i] else 0.0
            y = (1.0 - self.eta[i]) * y + self.eta[i] * a
            parts.append([y])
        return Reading(heard, live, parts)

    def assign(self, room: Room, y: float, weight: float) -> None:
        partials = [0.0] + [part[0] for part in room.reading.parts]
        for i, eta in enumerate(self.eta):
            before = partials[i]
            at = partials[-1] if self.gradient_at == "final" else before
            if self.fit == "linear":
                teach_linear(room.lesson, i, weight * self.loss.slope(y, at) / self.L_D)
            else:
                teach = teach_actual if self.fit == "actual" else teach_residual
                teach(room.lesson, i, y, weight, (1.0 - eta) * before, eta * self.scale)
