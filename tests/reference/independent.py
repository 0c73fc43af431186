"""No boosting: every learner is taught every example at its own weight, as in Bai et al. (A.3, A.9)."""

from __future__ import annotations

from tests.reference.interfaces import ReferenceBooster, Room, targets


class ReferenceIndependent(ReferenceBooster):
    def assign(self, room: Room, y: float, weight: float) -> None:
        for i, vote in enumerate(room.votes):
            room.lesson.target[i] = targets(y, len(vote))
            room.lesson.weight[i] = [weight] * len(vote)
