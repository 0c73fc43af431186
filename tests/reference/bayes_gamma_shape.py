"""The Bayesian rule with loss (19), Gamma likelihood of known rate and unknown shape: section A.4.

Per learner: N, the weight of the examples it voted on, and S, the sum of its log losses. The law of its
shape lambda is exp(n (k lambda - logGamma(lambda))). Who uses the rule brings the function that gives its
mean from (n, k): the mpmath twin or the kernel.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from tests.reference.interfaces import ReferenceRule, Vote, Votes
from tests.reference.losses import POSITIVE, base_loss, labels, log_base_loss, score_of_costs

CAP = 1000.0  # section 6 of the paper: b and c stop there (A.5)


class ReferenceBayesGammaShape(ReferenceRule):
    """mean: E[lambda] from (n, k). cap: "none", "naive" or "rescale" (A.5)."""

    def __init__(
        self,
        n_members: int,
        mean: Callable[[float, float], float],
        n_outputs: int = 1,
        a: float = 1.0,
        b: float = 1.0,
        c: float = 1.0,
        theta: float = 0.1,
        loss: str = "logistic",
        forgetting: float = 1.0,
        cap: str = "none",
    ) -> None:
        if loss not in POSITIVE:
            raise ValueError(f"loss is {loss!r}; log g needs one that is never 0: {POSITIVE}")
        self.mean_of = mean
        self.a, self.b, self.c, self.theta = a, b, c, theta
        self.loss, self.forgetting, self.cap = loss, forgetting, cap
        self.labels = labels(n_outputs)
        self.N = [0.0] * n_members
        self.S = [0.0] * n_members

    def statistics(self, i: int) -> tuple[float, float]:
        """(n, k) of learner i's law (21)."""
        n, rates = self.b + self.N[i], self.c + self.N[i]
        log_products = math.log(self.a) + self.S[i]
        if self.cap == "naive":
            n, rates = min(n, CAP), min(rates, CAP)
        k = (log_products + rates * math.log(self.theta)) / n
        if self.cap == "rescale":
            n = min(n, CAP)  # every term of k shrinks alike
        return n, k

    def mean(self, i: int) -> float:
        n, k = self.statistics(i)
        return self.mean_of(n, k)

    def combine(self, members: Votes, parts: Votes, present: list[bool]) -> Vote:
        means = [self.mean(i) if present[i] else 0.0 for i in range(len(members))]
        costs = []
        for k in self.labels:
            cost = 0.0
            for i, lambda_i in enumerate(means):
                if present[i]:
                    vote = members[i]
                    cost += (1.0 - lambda_i) * log_base_loss(self.loss, vote, k)
                    cost += self.theta * base_loss(self.loss, vote, k)
            costs.append(cost)
        return score_of_costs(costs)

    def update(self, members: Votes, parts: Votes, present: list[bool], y: float, weight: float, age: int) -> None:
        c = weight * self.forgetting**age
        for i in range(len(members)):
            self.N[i] *= self.forgetting
            self.S[i] *= self.forgetting
            if present[i]:
                self.N[i] += c
                self.S[i] += c * log_base_loss(self.loss, members[i], y)
