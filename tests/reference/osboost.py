"""OSBoost's weights: section B.2, equation (4); for K classes F.1.

multiclass "one-vs-rest": every output is a two-class problem of its own. "direct": one margin for all
outputs, 1 where the learner's class is right and -1 where it is wrong. A learner that abstains is taught
with the weight of its place and leaves the margin as it is.
"""

from __future__ import annotations

import math

from tests.reference.interfaces import ReferenceBooster, Room, Vote, answers, targets


class ReferenceOSBoost(ReferenceBooster):
    """gamma: in (0, 1/2); 0 weighs every example 1."""

    def __init__(self, gamma: float = 0.1, multiclass: str = "one-vs-rest") -> None:
        self.gamma = gamma
        self.theta = gamma / (2.0 + gamma)
        self.multiclass = multiclass

    def assign(self, room: Room, y: float, weight: float) -> None:
        lesson, votes, live = room.lesson, room.heard, room.live
        n_outputs = len(votes[0])
        z = [0.0] * n_outputs
        w = [1.0] * n_outputs
        for i in range(len(votes)):
            lesson.target[i] = targets(y, n_outputs)
            lesson.weight[i] = [weight * w_c for w_c in w]
            if live[i]:
                z = [z_c + m - self.theta for z_c, m in zip(z, self.margins(votes[i], y), strict=True)]
                w = [min(math.exp(0.5 * z_c * math.log1p(-self.gamma)), 1.0) for z_c in z]

    def margins(self, vote: Vote, y: float) -> list[float]:
        """y h for every output."""
        if self.multiclass == "direct" and len(vote) > 1:
            return [1.0 if answers(vote, y) else -1.0] * len(vote)
        return [t * h for t, h in zip(targets(y, len(vote)), vote, strict=True)]
