"""What cascades share: teaching one learner and hearing it again, and rows of numbers, one per output.

In a cascade learner i + 1 is taught by what learner i answers after its update. Several outputs are as
many two-class problems, one class against the rest, each with its own row.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.hearing import hear
from shoal.kernels.compiler import inlined
from shoal.kernels.poisson import poisson
from shoal.kernels.verbs import bank_predict_at, bank_update_at
from shoal.rules.statistics import Sums
from shoal.types import Floats, Ints, Room, Row, Scores

T = TypeVar("T", bound=np.generic)

MOST_UPDATES = 1000  # of one learner by one example, however important: specification B.5


class Draws(NamedTuple):
    """Whether importance is given as a Poisson number, and what the numbers are made from."""

    wanted: bool
    at_once: bool  # as the weight of one update, not as so many updates
    seed: int


MODES = ("poisson", "poisson-weight", "weighted")


def draws_of(mode: str, seed: int) -> Draws:
    """How importance is given in a mode."""
    return Draws(mode != "weighted", mode == "poisson-weight", seed)


def more_rows(rows: NDArray[T], n_outputs: int, fresh: NDArray[T]) -> NDArray[T]:
    """One row per output: those known, then fresh ones. The single row of two classes serves both, since
    either side of it is right and wrong together.
    """
    known = np.repeat(rows, min(2, n_outputs), axis=0) if len(rows) == 1 else rows
    more = np.repeat(fresh[None], n_outputs - len(known), axis=0)
    return np.concatenate([known, more]).astype(rows.dtype)


def more_sums(sums: Sums, n_outputs: int, fresh: float = 0.0) -> Sums:
    """The same for sums; a fresh one starts at the given value."""
    width = sums.total.shape[1]
    total = more_rows(sums.total, n_outputs, np.full(width, fresh))
    return Sums(total, more_rows(sums.lost, n_outputs, np.zeros(width)))


def spread_over(learners: Ints, shares: Floats, n_learners: int) -> Floats:
    """The share of each learner, from those of the members that stand for it: one per output, (C, n_members)."""
    every = np.tile(shares / len(learners), len(learners))
    return np.asarray(np.bincount(learners.ravel(), weights=every, minlength=n_learners), dtype=np.float64)


@inlined
def on_side(heard: Scores, target: Scores, i: int, c: int) -> bool:
    """Whether learner i is right on output c; a vote of 0 is for the class."""
    return (heard[i, c] >= 0.0) == (target[i, c] > 0.0)


@inlined
def is_right(room: Room, i: int, c: int) -> bool:
    """Whether learner i, as last heard, is right on output c."""
    return on_side(room.heard, room.lesson.target, i, c)


@inlined
def teach_learner(bank: Any, i: int, row: Row, room: Room) -> None:
    """Give learner i its lesson and hear it again."""
    bank_update_at(bank, i, row, room.votes, room.lesson)
    bank_predict_at(bank, i, row, room.votes)
    hear(room.votes[i : i + 1], room.hard, room.heard[i : i + 1])


@inlined
def teach_with_importance(
    bank: Any, i: int, row: Row, room: Room, importance: Floats, draws: Draws, t: int
) -> None:
    """One update at that importance, a number per output; or a draw of it, as so many updates of weight 1 or
    as one of that weight.
    """
    n_outputs = len(importance)
    if not draws.wanted:
        room.lesson.weight[i, :] = importance
        teach_learner(bank, i, row, room)
        return
    times = np.zeros(n_outputs, dtype=np.int64)
    most = 0
    for c in range(n_outputs):
        times[c] = min(MOST_UPDATES, poisson(draws.seed, t, i, c, importance[c]))
        most = max(most, times[c])
    for repeat in range(min(most, 1) if draws.at_once else most):
        for c in range(n_outputs):
            one = 1.0 if repeat < times[c] else 0.0
            room.lesson.weight[i, c] = times[c] if draws.at_once else one
        teach_learner(bank, i, row, room)
