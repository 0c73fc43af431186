"""OGBoost, online gradient boosting for classification with selectors: section B.6.

Learner k of selector m is learner m K + k of the bank; the members are the M chosen ones. A learner is
judged, and the chosen one added, after its update. Several outputs: one against the rest, each output with
its own errors and its own choice.
"""

from __future__ import annotations

from tests.reference.cascade import taught
from tests.reference.interfaces import (
    Reading,
    ReferenceBank,
    ReferenceBooster,
    Room,
    Vote,
    Votes,
    running_sums,
    sign,
    targets,
)
from tests.reference.margin_losses import MarginLoss


class ReferenceOGBoost(ReferenceBooster):
    """M selectors of K learners each. shrinkage multiplies every chosen vote."""

    def __init__(
        self,
        M: int,
        K: int = 1,
        n_outputs: int = 1,
        loss: MarginLoss | None = None,
        shrinkage: float = 1.0,
    ) -> None:
        self.M, self.K, self.shrinkage = M, K, shrinkage
        self.loss = loss if loss is not None else MarginLoss("logit")
        self.e = [[[0.0] * K for _ in range(M)] for _ in range(n_outputs)]

    def chosen(self, m: int, c: int) -> int:
        """The bank's number of selector m's best learner for output c; of equal ones the first."""
        e = self.e[c][m]
        return m * self.K + e.index(min(e))

    def read(self, heard: Votes, live: list[bool]) -> Reading:
        """A selector is present when all of its choices vote."""
        members: Votes = []
        present: list[bool] = []
        for m in range(self.M):
            choices = [self.chosen(m, c) for c in range(len(self.e))]
            members.append([heard[j][c] for c, j in enumerate(choices)])
            present.append(all(live[j] for j in choices))
        added = [[self.shrinkage * h for h in vote] for vote in members]
        return Reading(members, present, running_sums(added, present))

    def teach(self, bank: ReferenceBank, x: list[float], room: Room, y: float, weight: float) -> None:
        label = targets(y, bank.n_outputs)
        F = [0.0] * bank.n_outputs
        for m in range(self.M):
            w = [weight * self.loss.slope(t * f) for t, f in zip(label, F, strict=True)]
            for k in range(self.K):
                taught(bank, m * self.K + k, x, room, y, w)
                self.count_errors(m, k, room.heard[m * self.K + k], label, w)
            F = [f + self.shrinkage * room.heard[self.chosen(m, c)][c] for c, f in enumerate(F)]

    def count_errors(self, m: int, k: int, vote: Vote, label: Vote, w: list[float]) -> None:
        for c, h in enumerate(vote):
            if sign(h) != label[c]:
                self.e[c][m][k] += w[c]
