"""The booster's own combination: the last prefix answer."""

from __future__ import annotations

from tests.reference.interfaces import ReferenceRule, Vote, Votes


class ReferenceLast(ReferenceRule):
    def combine(self, members: Votes, parts: Votes, present: list[bool]) -> Vote:
        return parts[-1]

    def update(self, members: Votes, parts: Votes, present: list[bool], y: float, weight: float, age: int) -> None:
        """Nothing to learn."""
