"""OnlineBBM, online boost-by-majority: section F.1. The score is the sum of the votes (rule: last prefix).

Learner i's weight is C(N-i, k) p^k (1-p)^(N-i-k), k = floor((N - i - s + 1) / 2), s the margin of the
learners before it and p = 1/2 + gamma / 2, gamma the advantage *under the weights*.
"""

from __future__ import annotations

import math

from reference.interfaces import (
    Lesson,
    Reading,
    ReferenceBooster,
    Vote,
    Votes,
    running_sums,
    signs,
    targets,
)


def binomial(n: int, k: int, p: float) -> float:
    if k < 0 or k > n:
        return 0.0
    return math.comb(n, k) * p**k * (1.0 - p) ** (n - k)


class ReferenceOnlineBBM(ReferenceBooster):
    """normalise: divide by the largest weight that the learner could get. vote: "hard" or "soft" (VW)."""

    def __init__(self, gamma: float = 0.1, vote: str = "hard", normalise: bool = True) -> None:
        self.p = 0.5 + gamma / 2.0
        self.vote = vote
        self.normalise = normalise

    def cast(self, vote: Vote) -> Vote:
        return signs(vote) if self.vote == "hard" else vote

    def read(self, votes: Votes, live: list[bool]) -> Reading:
        return Reading(votes, live, running_sums([self.cast(vote) for vote in votes], live))

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
        N = len(votes)
        label = targets(y, len(votes[0]))
        s = [0.0] * len(label)
        for i in range(1, N + 1):
            lesson.target[i - 1] = list(label)
            lesson.weight[i - 1] = [weight * self.importance(N, i, s_c) for s_c in s]
            if live[i - 1]:
                cast = self.cast(votes[i - 1])
                s = [s_c + y_c * h for s_c, y_c, h in zip(s, label, cast, strict=True)]

    def importance(self, N: int, i: int, s: float) -> float:
        k = math.floor((N - i - s + 1.0) / 2.0)
        w = binomial(N - i, k, self.p)
        if self.normalise:
            return w / max(binomial(N - i, j, self.p) for j in range(N - i + 1))
        return w
