"""The three parts of an ensemble and the one place where they meet, in plain Python.

The compiled library has the same parts with the same verbs (`shoal.kernels.verbs`); here a verb that
answers returns its answer instead of filling an array. Labels: -1 or +1 for two classes (one output), the
position 0..K-1 for K > 2 classes (K outputs), a number for regression (one output).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

Vote = list[float]  # one number per output
Votes = list[Vote]  # one vote per learner
Draw = Callable[[int], float]  # a number in [0, 1) from the number of examples seen


def sign(value: float) -> float:
    """Section 0: sign(0) = +1."""
    return 1.0 if value >= 0.0 else -1.0


def winner(vote: Vote) -> int:
    """The largest of several numbers; of equal ones the first (F.1)."""
    return vote.index(max(vote))


def hard(vote: Vote) -> Vote:
    """The vote reduced to its class: a sign, or +1 for the winner and -1 for the others."""
    if len(vote) == 1:
        return [sign(vote[0])]
    return [1.0 if k == winner(vote) else -1.0 for k in range(len(vote))]


def answers(vote: Vote, y: float) -> bool:
    """Whether a vote is right."""
    if len(vote) == 1:
        return sign(vote[0]) == y
    return winner(vote) == int(y)


def targets(y: float, n_outputs: int) -> Vote:
    """The label as -1 or +1 for every output: itself, or one class against the rest (F.1, i)."""
    if n_outputs == 1:
        return [y]
    return [1.0 if k == int(y) else -1.0 for k in range(n_outputs)]


@dataclass
class Lesson:
    """What the booster tells each learner of the present example, per output.

    target, weight: a two-class problem of that importance; a linear loss k * prediction is target
        -sign(k) with weight |k|.
    offset, step: only where learners fit an actual loss (C.6): the learner's answer a suffers
        weight * loss(target, offset + step * a).
    """

    target: Votes
    weight: Votes
    offset: Votes
    step: Votes

    @staticmethod
    def blank(n_learners: int, n_outputs: int) -> Lesson:
        def filled(value: float) -> Votes:
            return [[value] * n_outputs for _ in range(n_learners)]

        return Lesson(filled(0.0), filled(0.0), filled(0.0), filled(1.0))


class Reading(NamedTuple):
    """What a booster makes of the votes.

    members: the votes that the rule weighs. present: which of them there are. parts: what the booster's
    own combination says after its first, second, ... member.
    """

    members: Votes
    present: list[bool]
    parts: Votes


class Room(NamedTuple):
    """One example on its way: what was said of it, and the lesson to be written.

    votes: as cast. heard: as booster and rule hear them, hard or soft (section 0).
    """

    hard: bool
    votes: Votes
    heard: Votes
    live: list[bool]
    reading: Reading
    lesson: Lesson

    def hear(self, i: int, vote: Vote) -> None:
        """Put a learner's new vote in the place of its old one."""
        self.votes[i] = vote
        self.heard[i] = hard(vote) if self.hard else vote


class ReferenceBank:
    """N weak learners."""

    n_learners: int
    n_outputs: int

    def predict_at(self, i: int, x: list[float]) -> Vote:
        """Learner i's vote."""
        raise NotImplementedError

    def update_at(self, i: int, x: list[float], votes: Votes, lesson: Lesson) -> None:
        """Teach learner i."""
        raise NotImplementedError

    def replace(self, i: int) -> None:
        """Put a fresh learner in place of learner i."""
        raise NotImplementedError

    def predict(self, x: list[float]) -> tuple[Votes, list[bool]]:
        """Every learner's vote, and whether it votes at all."""
        return [self.predict_at(i, x) for i in range(self.n_learners)], [True] * self.n_learners

    def update(self, x: list[float], votes: Votes, lesson: Lesson) -> None:
        """Teach every learner."""
        for i in range(self.n_learners):
            self.update_at(i, x, votes, lesson)


class ReferenceBooster:
    """What each learner is taught, and how votes add up."""

    def read(self, heard: Votes, live: list[bool]) -> Reading:
        """Every learner is a member; the prefix answers are the sums of the votes."""
        return Reading(heard, live, running_sums(heard, live))

    def assign(self, room: Room, y: float, weight: float) -> None:
        """Write every learner's lesson; the booster learns too."""
        raise NotImplementedError

    def teach(self, bank: ReferenceBank, x: list[float], room: Room, y: float, weight: float) -> None:
        """All lessons first, then all learners; a cascade replaces this step as a whole."""
        self.assign(room, y, weight)
        bank.update(x, room.votes, room.lesson)


class ReferenceRule:
    """How the members' votes, or the prefix answers, become one score."""

    def combine(self, members: Votes, parts: Votes, present: list[bool]) -> Vote:
        """The score, one number per output; its sign or its largest number is the answer."""
        raise NotImplementedError

    def update(self, members: Votes, parts: Votes, present: list[bool], y: float, weight: float, age: int) -> None:
        """Learn how good each member, or each prefix, was."""
        raise NotImplementedError


def running_sums(votes: Votes, live: list[bool]) -> Votes:
    """The sum of the votes up to each learner; one that abstains adds nothing."""
    total = [0.0] * len(votes[0])
    sums = []
    for vote, votes_now in zip(votes, live, strict=True):
        if votes_now:
            total = [s + v for s, v in zip(total, vote, strict=True)]
        sums.append(total)
    return sums


class ReferenceEnsemble:
    """Predict, then learn: the rule first, from the votes cast; then the learners.

    vote: "soft" or "hard", how booster and rule hear the votes. frozen: whether learners learn no more.
    """

    def __init__(
        self,
        bank: ReferenceBank,
        booster: ReferenceBooster,
        rule: ReferenceRule,
        vote: str = "soft",
        frozen: bool = False,
    ) -> None:
        self.bank = bank
        self.booster = booster
        self.rule = rule
        self.vote = vote
        self.frozen = frozen

    def listen(self, x: list[float]) -> Room:
        """All votes on an example and what the booster makes of them."""
        votes, live = self.bank.predict(x)
        heard = [hard(vote) if self.vote == "hard" else list(vote) for vote in votes]
        lesson = Lesson.blank(self.bank.n_learners, self.bank.n_outputs)
        return Room(self.vote == "hard", votes, heard, live, self.booster.read(list(heard), live), lesson)

    def score(self, x: list[float]) -> Vote:
        """The answer, changing nothing."""
        members, present, parts = self.listen(x).reading
        return self.rule.combine(members, parts, present)

    def step(self, x: list[float], y: float, weight: float = 1.0) -> Vote:
        """The score given before learning; an example of weight 0 is not learned."""
        score = self.score(x)
        if weight > 0.0:
            self.learn(x, y, weight)
        return score

    def learn(self, x: list[float], y: float, weight: float) -> None:
        room = self.listen(x)
        members, present, parts = room.reading
        self.rule.update(members, parts, present, y, weight, 0)
        if not self.frozen:
            self.booster.teach(self.bank, x, room, y, weight)
