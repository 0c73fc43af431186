"""OnlineBBM, online boost-by-majority: section F.1. The score is the sum of the votes (rule: last prefix).

Learner i's weight is C(N-i, k) p^k (1-p)^(N-i-k), k = floor((N - i - s + 1) / 2), s the margin of the
learners before it and p = 1/2 + gamma / 2, gamma the advantage *under the weights*.
"""

from __future__ import annotations

import math

from tests.reference.interfaces import (
    ReferenceBooster,
    Room,
    targets,
)


def binomial(n: int, k: int, p: float) -> float:
    if k < 0 or k > n:
        return 0.0
    return math.comb(n, k) * p**k * (1.0 - p) ** (n - k)


class ReferenceOnlineBBM(ReferenceBooster):
    """normalise: divide by the largest weight that the learner could get. The paper's votes are hard."""

    def __init__(self, gamma: float = 0.1, normalise: bool = True) -> None:
        self.p = 0.5 + gamma / 2.0
        self.normalise = normalise

    def assign(self, room: Room, y: float, weight: float) -> None:
        lesson, votes, live = room.lesson, room.heard, room.live
        N = len(votes)
        label = targets(y, len(votes[0]))
        s = [0.0] * len(label)
        for i in range(1, N + 1):
            lesson.target[i - 1] = list(label)
            lesson.weight[i - 1] = [weight * self.importance(N, i, s_c) for s_c in s]
            if live[i - 1]:
                s = [s_c + y_c * h for s_c, y_c, h in zip(s, label, votes[i - 1], strict=True)]

    def importance(self, N: int, i: int, s: float) -> float:
        k = math.floor((N - i - s + 1.0) / 2.0)
        w = binomial(N - i, k, self.p)
        if self.normalise:
            return w / max(binomial(N - i, j, self.p) for j in range(N - i + 1))
        return w
