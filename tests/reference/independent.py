"""No boosting: every learner is taught every example at its own weight, as in Bai et al. (A.3, A.9)."""

from __future__ import annotations

from reference.interfaces import Lesson, ReferenceBooster, Votes, targets


class ReferenceIndependent(ReferenceBooster):
    def assign(
        self,
        votes: Votes,
        members: Votes,
        parts: Votes,
        live: list[bool],
        y: float,
        weight: float,
        lesson: Lesson,
    ) -> None:
        for i in range(len(votes)):
            lesson.target[i] = targets(y, len(votes[i]))
            lesson.weight[i] = [weight] * len(votes[i])
