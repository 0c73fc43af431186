"""AdaBoost.OL and, for K > 2 classes, its cost-matrix form AdaBoost.OLM: section F.1.

Both give learners importance weights. The answers of the prefix experts are weighed by Hedge with learning
rate 1 (`exp_experts`). `multiclass` "one-vs-rest" runs AdaBoost.OL per output instead. The t of the steps counts
an example by its squared weight.
"""

from __future__ import annotations

import math

from tests.reference.interfaces import (
    Reading,
    ReferenceBooster,
    Room,
    Vote,
    Votes,
    running_sums,
    targets,
    winner,
)

ALPHA_MAX = 2.0
ETA = 4.0
ETA_MULTICLASS = 2.0 * math.sqrt(2.0)


def clipped(alpha: float) -> float:
    return min(max(alpha, -ALPHA_MAX), ALPHA_MAX)


class ReferenceAdaBoostOL(ReferenceBooster):
    """The paper's learners say +1 or -1: let the ensemble's votes be hard."""

    def __init__(self, n_learners: int, n_outputs: int = 1, forgetting: float = 1.0) -> None:
        self.alpha = [[0.0] * n_outputs for _ in range(n_learners)]
        self.rho = forgetting  # F.2
        self.t = 0.0

    def read(self, heard: Votes, live: list[bool]) -> Reading:
        weighted = [
            [alpha * h for alpha, h in zip(self.alpha[i], vote, strict=True)] for i, vote in enumerate(heard)
        ]
        return Reading(heard, live, running_sums(weighted, live))

    def assign(self, room: Room, y: float, weight: float) -> None:
        lesson, votes, live = room.lesson, room.heard, room.live
        self.t = self.rho * self.t + weight**2
        n_outputs = len(votes[0])
        for c, y_c in enumerate(targets(y, n_outputs)):
            s = 0.0
            for i in range(len(votes)):
                lesson.target[i][c] = y_c
                lesson.weight[i][c] = weight / (1.0 + math.exp(s))
                if live[i]:
                    z = y_c * votes[i][c]
                    s += self.alpha[i][c] * z
                    step = weight * ETA / math.sqrt(self.t)
                    self.alpha[i][c] = clipped(self.alpha[i][c] + step * z / (1.0 + math.exp(s)))


class ReferenceAdaBoostOLM(ReferenceBooster):
    """One alpha per learner. A learner's class is the largest of its K numbers ("argmax"), or the one of least
    expected cost under its probabilities, (1 + number) / 2 but for a factor ("min_cost").
    """

    def __init__(self, n_learners: int, decision: str = "argmax", forgetting: float = 1.0) -> None:
        self.alpha = [0.0] * n_learners
        self.decision = decision
        self.rho = forgetting
        self.t = 0.0

    def named(self, vote: Vote, s: Vote) -> int:
        if self.decision == "argmax":
            return winner(vote)
        K = len(s)
        C = [[1.0 / (1.0 + math.exp(s[r] - s[k])) for k in range(K)] for r in range(K)]
        for r in range(K):
            C[r][r] = -sum(C[r][k] for k in range(K) if k != r)
        costs = [sum(0.5 * (1.0 + vote[r]) * C[r][k] for r in range(K)) for k in range(K)]
        return costs.index(min(costs))

    def read(self, heard: Votes, live: list[bool]) -> Reading:
        s, sums = [0.0] * len(heard[0]), []
        for i, vote in enumerate(heard):
            if live[i]:
                s[self.named(vote, s)] += self.alpha[i]
            sums.append(list(s))
        return Reading(heard, live, sums)

    def assign(self, room: Room, y: float, weight: float) -> None:
        lesson, votes, live = room.lesson, room.heard, room.live
        self.t = self.rho * self.t + weight**2
        K, truth = len(votes[0]), int(y)
        s = [0.0] * K
        for i in range(len(votes)):
            others = [k for k in range(K) if k != truth]
            cost = -sum(1.0 / (1.0 + math.exp(s[truth] - s[k])) for k in others)
            lesson.target[i] = targets(y, K)
            lesson.weight[i] = [weight * -cost / (K - 1)] * K
            if live[i]:
                said, old = self.named(votes[i], s), self.alpha[i]
                eta = weight * ETA_MULTICLASS / ((K - 1) * math.sqrt(self.t))
                self.alpha[i] = clipped(old - eta * slope(old, s, said, truth))
                s[said] += old


def slope(alpha: float, s: list[float], said: int, truth: int) -> float:
    """f'(alpha)."""
    if said == truth:
        return -sum(1.0 / (1.0 + math.exp(alpha + s[truth] - s[k])) for k in range(len(s)) if k != truth)
    return 1.0 / (1.0 + math.exp(s[truth] - s[said] - alpha))
