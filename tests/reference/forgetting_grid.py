"""The forgetting factor chosen online: Hedge over a grid of factors, section F.2."""

from __future__ import annotations

from collections.abc import Callable

from tests.reference.exp_experts import Hedge, hedged_answer
from tests.reference.interfaces import Draw, ReferenceRule, Vote, Votes, answers

GRID = (0.99, 0.999, 0.9999, 1.0)


class ReferenceForgettingGrid(ReferenceRule):
    """make: the rule with a given forgetting factor. Every one of them learns every example."""

    def __init__(
        self,
        make: Callable[[float], ReferenceRule],
        grid: tuple[float, ...] = GRID,
        eta: float | None = None,
        share: float = 0.0,
        draw: Draw | None = None,
    ) -> None:
        self.rules = [make(rho) for rho in grid]
        self.hedge = Hedge(len(grid), eta, share)
        self.draw = draw

    def experts(self, members: Votes, parts: Votes, present: list[bool]) -> Votes:
        return [rule.combine(members, parts, present) for rule in self.rules]

    def combine(self, members: Votes, parts: Votes, present: list[bool]) -> Vote:
        return hedged_answer(self.hedge, self.experts(members, parts, present), self.draw)

    def update(self, members: Votes, parts: Votes, present: list[bool], y: float, weight: float, age: int) -> None:
        experts = self.experts(members, parts, present)
        self.hedge.update([0.0 if answers(expert, y) else weight for expert in experts])
        for rule in self.rules:
            rule.update(members, parts, present, y, weight, age)
