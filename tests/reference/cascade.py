"""Teaching one learner at a time and hearing it again: what the cascades share."""

from __future__ import annotations

from collections.abc import Callable

from tests.reference.interfaces import ReferenceBank, Room, targets

Poisson = Callable[[int, int, int, float], int]  # of (examples seen, learner, output, mean)
MOST_UPDATES = 1000  # B.5


def taught(bank: ReferenceBank, i: int, x: list[float], room: Room, y: float, weight: list[float]) -> None:
    """Teach learner i once, one weight per output, and hear it again."""
    room.lesson.target[i] = targets(y, bank.n_outputs)
    room.lesson.weight[i] = list(weight)
    bank.update_at(i, x, room.votes, room.lesson)
    room.hear(i, bank.predict_at(i, x))


def taught_with_importance(
    bank: ReferenceBank,
    i: int,
    x: list[float],
    room: Room,
    y: float,
    importance: list[float],
    poisson: Poisson | None,
    t: int,
    at_once: bool = False,
) -> None:
    """One update of that weight; or, given draws, a Poisson number of updates of weight 1 per output, or one
    update of that number as weight.
    """
    if poisson is None:
        taught(bank, i, x, room, y, importance)
        return
    times = [min(MOST_UPDATES, poisson(t, i, c, lam)) for c, lam in enumerate(importance)]
    if at_once:
        if max(times) > 0:
            taught(bank, i, x, room, y, [float(k) for k in times])
        return
    for repeat in range(max(times)):
        taught(bank, i, x, room, y, [1.0 if repeat < k else 0.0 for k in times])
