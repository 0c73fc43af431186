"""Rules that keep one number lambda per learner and answer by (12): what SGD and SAG share (A.7)."""

from __future__ import annotations

from tests.reference.interfaces import ReferenceRule, Vote, Votes
from tests.reference.losses import base_loss, labels, score_of_costs


class ReferencePointWeights(ReferenceRule):
    theta: float
    loss: str
    n_outputs: int

    def lambdas(self) -> list[float]:
        """The weights that predict now."""
        raise NotImplementedError

    def g(self, vote: Vote, k: float) -> float:
        return base_loss(self.loss, vote, k)

    def combine(self, members: Votes, parts: Votes, present: list[bool]) -> Vote:
        costs = []
        for k in labels(self.n_outputs):
            cost = 0.0
            for i, lambda_i in enumerate(self.lambdas()):
                if present[i]:
                    cost += lambda_i * self.g(members[i], k)
            costs.append(cost)
        return score_of_costs(costs)
