"""Hedge over experts with 0/1 losses, and OSBoost.EXP, whose experts are the prefix answers: section B.3.

v_j = exp(-eta_t * mistakes_j) with eta_t = sqrt(8 log N / t) or a fixed eta (AdaBoost.OL: 1; weighted
majority: log 2). With a fixed share s (F.2, for drifting streams; needs a fixed eta) every expert keeps
at least s / N of the weight. The answer is that of one expert, sampled, or the weighted vote of all.
"""

from __future__ import annotations

import math

from tests.reference.interfaces import Draw, ReferenceRule, Vote, Votes, answers, hard


class Hedge:
    """Weights of N experts. eta None: anytime. forgetting: factor on mistakes and on the examples counted."""

    def __init__(
        self, n_experts: int, eta: float | None = None, share: float = 0.0, forgetting: float = 1.0
    ) -> None:
        if share > 0.0 and eta is None:
            raise ValueError("a fixed share needs a fixed eta")
        self.eta = eta
        self.share = share
        self.rho = forgetting
        self.mistakes = [0.0] * n_experts
        self.shared = [1.0 / n_experts] * n_experts  # the weights themselves, where they are shared
        self.t = 0
        self.kept = 0.0  # of t

    def weights(self) -> list[float]:
        """Normalised."""
        if self.share > 0.0:
            return list(self.shared)
        N = len(self.mistakes)
        eta = self.eta
        if eta is None:  # of the example to be predicted now
            eta = math.sqrt(8.0 * math.log(N) / (self.rho * self.kept + 1))
        least = min(self.mistakes)
        v = [math.exp(-eta * (m - least)) for m in self.mistakes]
        return [v_j / sum(v) for v_j in v]

    def sampled(self, u: float) -> int:
        """The expert in whose share of [0, 1) the number u falls."""
        total = 0.0
        for j, v in enumerate(self.weights()):
            total += v
            if u < total:
                return j
        return len(self.mistakes) - 1

    def update(self, losses: list[float]) -> None:
        self.t += 1
        self.kept = self.rho * self.kept + 1.0
        self.mistakes = [self.rho * m + loss for m, loss in zip(self.mistakes, losses, strict=True)]
        if self.share > 0.0 and self.eta is not None:
            v = [v_j**self.rho * math.exp(-self.eta * loss) for v_j, loss in zip(self.shared, losses, strict=True)]
            N = len(v)
            self.shared = [(1.0 - self.share) * v_j / sum(v) + self.share / N for v_j in v]


def hedged_answer(hedge: Hedge, experts: Votes, draw: Draw | None) -> Vote:
    """One expert's class, drawn for this state of the stream; without draws, the weighted vote of all."""
    if draw is not None:
        return hard(experts[hedge.sampled(draw(hedge.t))])
    total = [0.0] * len(experts[0])
    for v, expert in zip(hedge.weights(), experts, strict=True):
        total = [s + v * h for s, h in zip(total, hard(expert), strict=True)]
    return total


class ReferenceExpExperts(ReferenceRule):
    """Expert j answers with prefix j. draw: None for the deterministic form."""

    def __init__(
        self,
        n_members: int,
        eta: float | None = None,
        share: float = 0.0,
        draw: Draw | None = None,
        forgetting: float = 1.0,
    ) -> None:
        self.hedge = Hedge(n_members, eta, share, forgetting)
        self.draw = draw

    def combine(self, members: Votes, parts: Votes, present: list[bool]) -> Vote:
        return hedged_answer(self.hedge, parts, self.draw)

    def update(self, members: Votes, parts: Votes, present: list[bool], y: float, weight: float, age: int) -> None:
        charge = weight * self.hedge.rho**age
        self.hedge.update([0.0 if answers(part, y) else charge for part in parts])
