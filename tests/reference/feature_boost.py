"""Online boosting for feature selection (Grabner and Bischof 2006): section B.9.

N selectors of M candidates. Without a pool candidate m of selector n is learner n M + m of the bank; with a
pool all selectors choose among the same M learners, each taken by one selector only. A candidate counts as
right or wrong by its answer after its update, or before it (`judged`). Several outputs: one against the rest,
with counters of their own.

Where a replaced candidate serves more than the errors of one selector and output (the pool, several
outputs), the worst is the one with the largest sum of errors, and one that is in use stays.
"""

from __future__ import annotations

import math

from tests.reference.cascade import Poisson, taught, taught_with_importance
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

LEAST_ERROR = 1e-6


class ReferenceFeatureBoost(ReferenceBooster):
    """importance: "oza" or "sqrt". exit: "clip" the error, or "stop" where it is 0 or above 1/2 (literal)."""

    def __init__(
        self,
        N: int,
        M: int,
        n_outputs: int = 1,
        pool: bool = False,
        exchange: bool = False,
        importance: str = "oza",
        exit: str = "clip",
        poisson: Poisson | None = None,
        forgetting: float = 1.0,
        judged: str = "after",
        at_once: bool = False,
    ) -> None:
        self.N, self.M, self.pool, self.exchange = N, M, pool, exchange
        self.importance, self.exit, self.poisson, self.forgetting = importance, exit, poisson, forgetting
        self.judged, self.at_once = judged, at_once
        self.lc = [[[1.0] * M for _ in range(N)] for _ in range(n_outputs)]
        self.lw = [[[1.0] * M for _ in range(N)] for _ in range(n_outputs)]
        self.alpha = [[0.0] * N for _ in range(n_outputs)]
        self.selected = [[0 if not pool else n for n in range(N)] for _ in range(n_outputs)]
        self.t = 0

    def learner(self, n: int, m: int) -> int:
        return m if self.pool else n * self.M + m

    def error(self, c: int, n: int, m: int) -> float:
        return self.lw[c][n][m] / (self.lc[c][n][m] + self.lw[c][n][m])

    def read(self, heard: Votes, live: list[bool]) -> Reading:
        members: Votes = []
        present: list[bool] = []
        for n in range(self.N):
            chosen = [self.learner(n, m[n]) for m in self.selected]
            members.append([heard[i][c] for c, i in enumerate(chosen)])
            present.append(all(live[i] for i in chosen))
        weighted = [[self.alpha[c][n] * sign(h) for c, h in enumerate(vote)] for n, vote in enumerate(members)]
        return Reading(members, present, running_sums(weighted, present))

    def teach(self, bank: ReferenceBank, x: list[float], room: Room, y: float, weight: float) -> None:
        label = targets(y, bank.n_outputs)
        lam = [weight] * bank.n_outputs
        stopped = [False] * bank.n_outputs
        before = [list(votes) for votes in room.heard]
        heard = before if self.judged == "before" else room.heard
        if self.pool:
            for i in range(self.M):
                taught(bank, i, x, room, y, lam)
        for n in range(self.N):
            if all(stopped):
                break
            if not self.pool:
                active = [0.0 if stopped[c] else lam[c] for c in range(len(lam))]
                for i in range(n * self.M, (n + 1) * self.M):
                    taught_with_importance(bank, i, x, room, y, active, self.poisson, self.t, self.at_once)
            for c in range(bank.n_outputs):
                if not stopped[c]:
                    lam[c], stopped[c] = self.select(c, n, heard, label[c], lam[c])
            if self.exchange and not self.pool:
                self.replace_worst(bank, [n])
        if self.exchange and self.pool:
            self.replace_worst(bank, list(range(self.N)))
        self.t += 1

    def select(self, c: int, n: int, heard: Votes, y: float, lam: float) -> tuple[float, bool]:
        """Selector n's choice; the importance for the next selector, and whether to stop here."""
        right = [sign(heard[self.learner(n, m)][c]) == y for m in range(self.M)]
        for m in range(self.M):
            self.lc[c][n][m] = self.forgetting * self.lc[c][n][m] + (lam if right[m] else 0.0)
            self.lw[c][n][m] = self.forgetting * self.lw[c][n][m] + (0.0 if right[m] else lam)
        taken = self.selected[c][:n] if self.pool else []
        best = min((m for m in range(self.M) if m not in taken), key=lambda m: self.error(c, n, m))
        self.selected[c][n] = best
        e = self.error(c, n, best)
        if self.exit == "stop" and (e == 0.0 or e > 0.5):
            self.alpha[c][n] = 0.0
            return lam, True
        e = min(max(e, LEAST_ERROR), 0.5)
        self.alpha[c][n] = 0.5 * math.log((1.0 - e) / e)
        return lam * self.factor(e, right[best]), False

    def factor(self, e: float, right: bool) -> float:
        if self.importance == "sqrt":
            return math.sqrt(e / (1.0 - e)) if right else math.sqrt((1.0 - e) / e)
        return 1.0 / (2.0 * (1.0 - e)) if right else 1.0 / (2.0 * e)

    def replace_worst(self, bank: ReferenceBank, selectors: list[int]) -> None:
        """A fresh candidate in place of the worst of these selectors."""
        outputs = range(len(self.lc))
        in_use = {self.selected[c][n] for c in outputs for n in selectors}
        idle = [m for m in range(self.M) if m not in in_use]
        if not idle:
            return
        worst = max(idle, key=lambda m: sum(self.error(c, n, m) for c in outputs for n in selectors))
        bank.replace(self.learner(selectors[0], worst))
        for c in outputs:
            for n in selectors:
                self.lc[c][n][worst] = 1.0
                self.lw[c][n][worst] = 1.0
