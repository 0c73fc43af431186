"""OzaBoost (Oza and Russell 2001): section B.5. Several outputs: one against the rest, each with its sums.

An example's weight is where its importance starts (lam = weight instead of 1), and what it adds to n.
"""

from __future__ import annotations

import math

from tests.reference.cascade import Poisson, taught_with_importance
from tests.reference.interfaces import (
    Reading,
    ReferenceBank,
    ReferenceBooster,
    Room,
    Votes,
    running_sums,
    sign,
    targets,
)

LEAST, MOST = 1e-9, 1e6  # importance is clipped to these


class ReferenceOzaBoost(ReferenceBooster):
    """scale: "normalised" or "count". poisson: None for the weighted form; at_once: a draw is one update's weight.
    smoothing: s of the vote. vote: "hard", the sign as in B.5, or "soft" (section 0).
    """

    def __init__(
        self,
        n_learners: int,
        n_outputs: int = 1,
        scale: str = "normalised",
        poisson: Poisson | None = None,
        smoothing: float = 0.5,
        allow_negative: bool = False,
        forgetting: float = 1.0,
        judged: str = "after",
        vote: str = "hard",
        at_once: bool = False,
    ) -> None:
        self.judged, self.vote, self.at_once = judged, vote, at_once
        self.scale, self.poisson, self.smoothing = scale, poisson, smoothing
        self.allow_negative, self.forgetting = allow_negative, forgetting
        self.sc = [[0.0] * n_outputs for _ in range(n_learners)]
        self.sw = [[0.0] * n_outputs for _ in range(n_learners)]
        self.n = 0.0
        self.t = 0

    def vote_weight(self, m: int, c: int) -> float:
        s = self.smoothing
        e = (self.sw[m][c] + s) / (self.sc[m][c] + self.sw[m][c] + 2.0 * s)
        log_odds = math.log((1.0 - e) / e)
        return log_odds if self.allow_negative else max(0.0, log_odds)

    def read(self, heard: Votes, live: list[bool]) -> Reading:
        weighted = [
            [self.vote_weight(m, c) * (h if self.vote == "soft" else sign(h)) for c, h in enumerate(vote)]
            for m, vote in enumerate(heard)
        ]
        return Reading(heard, live, running_sums(weighted, live))

    def teach(self, bank: ReferenceBank, x: list[float], room: Room, y: float, weight: float) -> None:
        self.n = self.forgetting * self.n + weight
        lam = [weight] * bank.n_outputs
        before = [list(votes) for votes in room.heard]
        heard = before if self.judged == "before" else room.heard
        for m in range(bank.n_learners):
            taught_with_importance(bank, m, x, room, y, lam, self.poisson, self.t, self.at_once)
            for c, target in enumerate(targets(y, bank.n_outputs)):
                lam[c] = self.passed_on(m, c, lam[c], sign(heard[m][c]) == target)
        self.t += 1

    def passed_on(self, m: int, c: int, lam: float, right: bool) -> float:
        """Count the example and return the importance that the next learner gets."""
        self.sc[m][c] *= self.forgetting
        self.sw[m][c] *= self.forgetting
        side = self.sc if right else self.sw
        side[m][c] += lam
        total = self.n if self.scale == "count" else self.sc[m][c] + self.sw[m][c]
        return min(max(lam * total / (2.0 * side[m][c]), LEAST), MOST)
