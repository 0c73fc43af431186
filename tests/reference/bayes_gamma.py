"""The Bayesian rule with loss (22), Gamma likelihood of unknown shape and rate: section A.4.

Per learner: N, the weight of the examples it voted on, S, the sum of its log losses, and G, the sum of its
losses. Who uses the rule brings the function that gives E[alpha] from (P, Q, R, s'); E[beta] follows.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from tests.reference.interfaces import ReferenceRule, Vote, Votes
from tests.reference.losses import POSITIVE, base_loss, labels, log_base_loss, score_of_costs

R_CAP, S_CAP = 200.5, 200.0  # section 6 of the paper: r and s stop there (A.5)


class ReferenceBayesGamma(ReferenceRule):
    """mean: E[alpha] from (P, Q, R, s'). cap: "none", "naive" or "rescale" (A.5)."""

    def __init__(
        self,
        n_members: int,
        mean: Callable[[float, float, float, float], float],
        n_outputs: int = 1,
        p: float = 1.0,
        q: float = 1.0,
        r: float = 1.5,
        s: float = 1.0,
        loss: str = "logistic",
        forgetting: float = 1.0,
        cap: str = "none",
    ) -> None:
        if loss not in POSITIVE:
            raise ValueError(f"loss is {loss!r}; log g needs one that is never 0: {POSITIVE}")
        self.mean_of = mean
        self.p, self.q, self.r, self.s = p, q, r, s
        self.loss, self.forgetting, self.cap = loss, forgetting, cap
        self.labels = labels(n_outputs)
        self.N = [0.0] * n_members
        self.S = [0.0] * n_members
        self.G = [0.0] * n_members

    def statistics(self, i: int) -> tuple[float, float, float, float]:
        """(P, Q, R, s') of learner i's law (24)."""
        P, Q = math.log(self.p) + self.S[i], self.q + self.G[i]
        R, s = self.r + self.N[i], self.s + self.N[i]
        if self.cap == "naive":
            return P, Q, min(R, R_CAP), min(s, S_CAP)
        if self.cap == "rescale" and s > S_CAP:
            factor = S_CAP / s
            return factor * P, factor * Q, S_CAP + (self.r - self.s), S_CAP
        return P, Q, R, s

    def means(self, i: int) -> tuple[float, float]:
        """E[alpha] and E[beta] = (s' E[alpha] + 1) / Q."""
        P, Q, R, s = self.statistics(i)
        alpha = self.mean_of(P, Q, R, s)
        return alpha, (s * alpha + 1.0) / Q

    def combine(self, members: Votes, parts: Votes, present: list[bool]) -> Vote:
        means = [self.means(i) if present[i] else (0.0, 0.0) for i in range(len(members))]
        costs = []
        for k in self.labels:
            cost = 0.0
            for i, (alpha, beta) in enumerate(means):
                if present[i]:
                    vote = members[i]
                    cost += (1.0 - alpha) * log_base_loss(self.loss, vote, k)
                    cost += beta * base_loss(self.loss, vote, k)
            costs.append(cost)
        return score_of_costs(costs)

    def update(self, members: Votes, parts: Votes, present: list[bool], y: float, weight: float, age: int) -> None:
        c = weight * self.forgetting**age
        for i in range(len(members)):
            self.N[i] *= self.forgetting
            self.S[i] *= self.forgetting
            self.G[i] *= self.forgetting
            if present[i]:
                vote = members[i]
                self.N[i] += c
                self.S[i] += c * log_base_loss(self.loss, vote, y)
                self.G[i] += c * base_loss(self.loss, vote, y)
