"""Uniform voting: sections A.7 (2) and B.3. The score is the mean vote of those present."""

from __future__ import annotations

from tests.reference.interfaces import ReferenceRule, Vote, Votes


class ReferenceUniform(ReferenceRule):
    def combine(self, members: Votes, parts: Votes, present: list[bool]) -> Vote:
        total = [0.0] * len(members[0])
        for vote, here in zip(members, present, strict=True):
            if here:
                total = [s + v for s, v in zip(total, vote, strict=True)]
        return [s / max(1, sum(present)) for s in total]

    def update(self, members: Votes, parts: Votes, present: list[bool], y: float, weight: float, age: int) -> None:
        """Nothing to learn."""
