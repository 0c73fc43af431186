"""Teaching one learner at a time and hearing it again: what the cascades share.

importance "weight": one update at that weight. "poisson": as many updates of weight 1 as a Poisson number
with that mean, drawn by whoever uses the booster, as a function of (examples seen, learner, output, mean).
"""

from __future__ import annotations

from collections.abc import Callable

from reference.interfaces import Lesson, ReferenceBank, Vote, Votes, targets

Poisson = Callable[[int, int, int, float], int]
MOST_UPDATES = 1000  # B.5


def taught(
    bank: ReferenceBank, i: int, x: list[float], votes: Votes, y: float, weight: list[float], lesson: Lesson
) -> None:
    """Teach learner i once, one weight per output, and put its new vote in its place."""
    lesson.target[i] = targets(y, bank.n_outputs)
    lesson.weight[i] = list(weight)
    bank.update_at(i, x, votes, lesson)
    votes[i] = bank.predict_at(i, x)


def taught_times(
    bank: ReferenceBank, i: int, x: list[float], votes: Votes, y: float, times: list[int], lesson: Lesson
) -> None:
    """Teach learner i `times[c]` times at weight 1 where output c is concerned."""
    for repeat in range(max(times)):
        weight = [1.0 if repeat < k else 0.0 for k in times]
        taught(bank, i, x, votes, y, weight, lesson)


def taught_with_importance(
    bank: ReferenceBank,
    i: int,
    x: list[float],
    votes: Votes,
    y: float,
    importance: Vote,
    lesson: Lesson,
    poisson: Poisson | None,
    t: int,
) -> None:
    """One update of that weight; or, given draws, a Poisson number of updates of weight 1."""
    if poisson is None:
        taught(bank, i, x, votes, y, importance, lesson)
        return
    times = [min(MOST_UPDATES, poisson(t, i, c, lam)) for c, lam in enumerate(importance)]
    taught_times(bank, i, x, votes, y, times, lesson)
