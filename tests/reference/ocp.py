"""OSBoost.OCP's weights by online convex programming: section B.3. Each output has its own simplex."""

from __future__ import annotations

import math

from tests.reference.interfaces import ReferenceRule, Vote, Votes, targets
from tests.reference.simplex import projected


class ReferenceOCP(ReferenceRule):
    """eta0: first step, sqrt(2 / N) by default. constant: keep the step, for drifting streams (F.2).
    forgetting: factor on the number of examples that the step falls with."""

    def __init__(
        self,
        n_members: int,
        n_outputs: int = 1,
        gamma: float = 0.1,
        eta0: float | None = None,
        constant: bool = False,
        forgetting: float = 1.0,
    ) -> None:
        self.theta = gamma / (2.0 + gamma)
        self.eta0 = eta0 if eta0 is not None else math.sqrt(2.0 / n_members)
        self.constant = constant
        self.rho = forgetting
        self.alpha = [[1.0 / n_members] * n_members for _ in range(n_outputs)]
        self.t = 0.0

    def votes_of(self, members: Votes, present: list[bool], c: int) -> list[float]:
        """h(x) of output c; who abstains says 0."""
        return [vote[c] if here else 0.0 for vote, here in zip(members, present, strict=True)]

    def combine(self, members: Votes, parts: Votes, present: list[bool]) -> Vote:
        score = []
        for c, alpha in enumerate(self.alpha):
            h = self.votes_of(members, present, c)
            score.append(sum(a * h_i for a, h_i in zip(alpha, h, strict=True)))
        return score

    def update(self, members: Votes, parts: Votes, present: list[bool], y: float, weight: float, age: int) -> None:
        self.t = self.rho * self.t + 1
        eta = weight * self.rho**age * (self.eta0 if self.constant else self.eta0 / math.sqrt(self.t))
        score = self.combine(members, parts, present)
        for c, y_c in enumerate(targets(y, len(self.alpha))):
            if y_c * score[c] < self.theta:
                h = self.votes_of(members, present, c)
                moved = [a + eta * y_c * h_i for a, h_i in zip(self.alpha[c], h, strict=True)]
                self.alpha[c] = projected(moved)
