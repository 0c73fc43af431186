"""The Bayesian rule with loss (8): sections A.3, F.1 (K classes), F.2, F.4, F.5, F.6.

Per learner: the sum G of its losses and the weight N of the examples it voted on, both forgotten at rate
`forgetting` per example of the stream (the prior is not). The law of lambda_i is Gamma(alpha + N_i, rate
beta + theta G_i). With `per_class` every true class has a law of its own.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from scipy.special import betainc, gammaincinv
from tests.reference.interfaces import ReferenceRule, Vote, Votes
from tests.reference.losses import base_loss, labels, score_of_costs
from tests.reference.running import RunningMoments


class ReferenceBayesExponential(ReferenceRule):
    """decision: "plug-in" (12) or "predictive" (F.4). per_class: separate laws per true class (F.6)."""

    def __init__(
        self,
        n_members: int,
        n_outputs: int = 1,
        alpha: float = 1.0,
        beta: float = 1.0,
        theta: float = 0.1,
        loss: str = "ramp",
        ramp: float = 0.0,
        forgetting: float = 1.0,
        decision: str = "plug-in",
        per_class: bool = False,
    ) -> None:
        if beta <= 0.0 or alpha <= 0.0 or theta <= 0.0:
            raise ValueError(f"alpha, beta, theta must be positive, not {alpha}, {beta}, {theta}")
        self.alpha, self.beta, self.theta = alpha, beta, theta
        self.loss, self.ramp = loss, ramp
        self.forgetting, self.decision, self.per_class = forgetting, decision, per_class
        self.labels = labels(n_outputs)
        laws = len(self.labels) if per_class else 1
        self.N = [[0.0] * n_members for _ in range(laws)]
        self.G = [[0.0] * n_members for _ in range(laws)]
        self.spread = [[RunningMoments() for _ in range(n_members)] for _ in range(laws)]
        self.class_weight = [0.0] * len(self.labels)

    def law_of(self, y: float) -> int:
        return self.labels.index(y) if self.per_class else 0

    def losses(self, members: Votes, i: int, k: float) -> float:
        return base_loss(self.loss, members[i], k, self.ramp)

    def shape(self, i: int, law: int = 0) -> float:
        return self.alpha + self.N[law][i]

    def rate(self, i: int, law: int = 0) -> float:
        return self.beta + self.theta * self.G[law][i]

    def mean(self, i: int, law: int = 0) -> float:
        """(11)."""
        return self.shape(i, law) / self.rate(i, law)

    def mode(self, i: int, law: int = 0) -> float:
        return (self.shape(i, law) - 1.0) / self.rate(i, law)

    def variance(self, i: int, law: int = 0) -> float:
        return self.shape(i, law) / self.rate(i, law) ** 2

    def combine(self, members: Votes, parts: Votes, present: list[bool]) -> Vote:
        here = [i for i in range(len(members)) if present[i]]
        costs = []
        for k in self.labels:
            cost = 0.0
            for i in here:
                cost += self.cost(i, self.losses(members, i, k), self.law_of(k))
            if self.per_class:
                cost -= math.log(self.class_probability(k))
            costs.append(cost)
        return score_of_costs(costs)

    def cost(self, i: int, g: float, law: int) -> float:
        """What learner i adds to the ensemble loss of a label under which its loss is g.

        With one law for all labels the terms without g cancel and, as in (12), theta is left out.
        """
        A, B = self.shape(i, law), self.rate(i, law)
        if self.decision == "predictive":  # - log of the Lomax density of g, but for log theta
            cost = (A + 1.0) * math.log(1.0 + self.theta * g / B)
            return cost - math.log(A / B) if self.per_class else cost
        if self.per_class:
            return self.theta * (A / B) * g - math.log(A / B)
        return (A / B) * g

    def class_probability(self, k: float) -> float:
        """pi_k, the share of class k so far, with Laplace smoothing."""
        return (self.class_weight[self.labels.index(k)] + 1.0) / (sum(self.class_weight) + len(self.labels))

    def update(self, members: Votes, parts: Votes, present: list[bool], y: float, weight: float, age: int) -> None:
        c = weight * self.forgetting**age
        for law in range(len(self.N)):
            for i in range(len(members)):
                self.N[law][i] *= self.forgetting
                self.G[law][i] *= self.forgetting
                self.spread[law][i].forget(self.forgetting)
        law = self.law_of(y)
        for i in range(len(members)):
            if present[i]:
                g = self.losses(members, i, y)
                self.N[law][i] += c
                self.G[law][i] += c * g
                self.spread[law][i].add(g, c)
        self.class_weight[self.labels.index(y)] += weight

    def credible_interval(self, i: int, level: float, law: int = 0) -> tuple[float, float]:
        """Quantiles of the Gamma law; too wide or too narrow, for the likelihood is artificial (F.4)."""
        tail = (1.0 - level) / 2.0
        A, B = self.shape(i, law), self.rate(i, law)
        return float(gammaincinv(A, tail)) / B, float(gammaincinv(A, 1.0 - tail)) / B

    def sandwich_interval(self, i: int, level: float, law: int = 0) -> tuple[float, float]:
        """lambda (1 -+ z CV / sqrt t), CV the losses' standard deviation over their mean (F.4)."""
        z = NormalDist().inv_cdf((1.0 + level) / 2.0)
        moments = self.spread[law][i]
        half = z * math.sqrt(moments.variance()) / moments.mean / math.sqrt(moments.n)
        return self.mean(i, law) * (1.0 - half), self.mean(i, law) * (1.0 + half)

    def probability_above(self, i: int, j: int) -> float:
        """P(lambda_i > lambda_j), F.4."""
        x = self.rate(j) / (self.rate(i) + self.rate(j))
        return float(betainc(self.shape(j), self.shape(i), x))

    def merge(self, other: ReferenceBayesExponential) -> None:
        """Add what another shard has seen: F.3, for static learners without forgetting."""
        for mine, theirs in ((self.N, other.N), (self.G, other.G)):
            for law in range(len(mine)):
                for i in range(len(mine[law])):
                    mine[law][i] += theirs[law][i]
