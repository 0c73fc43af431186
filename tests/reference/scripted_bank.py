"""Learners that vote as they were told to and remember what they were taught: partners for tests."""

from __future__ import annotations

from tests.reference.interfaces import Lesson, ReferenceBank, Vote, Votes


class ScriptedBank(ReferenceBank):
    """script[t][i] is learner i's vote on example t; `update_at` moves learner i on to `after[t][i]`.

    after: how a learner votes on the same example once it was taught; by default as before.
    live: live[t][i], whether learner i votes on example t; by default always.
    The example's number t is its only feature.
    """

    def __init__(
        self, script: list[Votes], after: list[Votes] | None = None, live: list[list[bool]] | None = None
    ) -> None:
        self.script = script
        self.after = after if after is not None else script
        self.live = live if live is not None else [[True] * len(votes) for votes in script]
        self.n_learners = len(script[0])
        self.n_outputs = len(script[0][0])
        self.taught: list[set[int]] = [set() for _ in script]
        self.lessons: list[tuple[int, int, Vote, Vote]] = []  # example, learner, target, weight
        self.replaced: list[int] = []

    def predict(self, x: list[float]) -> tuple[Votes, list[bool]]:
        return super().predict(x)[0], list(self.live[int(x[0])])

    def predict_at(self, i: int, x: list[float]) -> Vote:
        t = int(x[0])
        return list(self.after[t][i] if i in self.taught[t] else self.script[t][i])

    def update_at(self, i: int, x: list[float], votes: Votes, lesson: Lesson) -> None:
        t = int(x[0])
        self.taught[t].add(i)
        self.lessons.append((t, i, list(lesson.target[i]), list(lesson.weight[i])))

    def replace(self, i: int) -> None:
        self.replaced.append(i)

    def weights(self, t: int, output: int = 0) -> list[float]:
        """The weights of the lessons of example t, in the order given."""
        return [weight[output] for s, _, _, weight in self.lessons if s == t]
