"""OGBoost, online gradient boosting for classification (Leistner et al. 2009; specification B.6).

The learners stand in M selectors of K. An example passes the selectors in turn: the learners of selector
m are taught it with the weight -l'(y F), F the sum of the selectors' votes so far, and each that still
answers wrong is charged that weight. The selector votes with its learner of the least charges, and its
vote, times `shrinkage`, is added to F. Votes are best soft: hard ones bring F to M and weights to
nothing after some ten selectors.

Several outputs: one class against the rest, each with its own charges and choices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from shoal.boosters.cascade import is_right, more_rows, more_sums, spread_over, teach_learner
from shoal.boosters.lessons import teach_truth
from shoal.boosters.margin_losses import margin_loss, slope
from shoal.errors import InputError
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import booster_read, booster_reset, booster_teach
from shoal.rules.statistics import Sums, decay, forget, gather, no_sums, value_at
from shoal.rules.weighted_losses import check_forgetting, check_positive
from shoal.types import Flags, Floats, Ints, Room, Row, Scores, Task


class OGBoostState(NamedTuple):
    """Charges by output and learner; the learners chosen, by output and selector."""

    n_members: int
    candidates: int
    loss: int
    shrinkage: float
    forgetting: float
    errors: Sums  # (C, M * K)
    chosen: Ints  # (C, M)


@dataclass(frozen=True)
class OGBoost:
    """Weights are the slope of a loss at the margin so far.

    candidates: learners per selector, a divisor of the number of learners.
    loss: "logit", "exponential", "hinge", or robust: "savage", "doom".
    shrinkage: factor on every vote that is added, above 0.
    forgetting: factor in (0, 1] on the charges at each example; 1 never forgets.
    """

    per_output: ClassVar[bool] = True

    candidates: int = 1
    loss: str = "logit"
    shrinkage: float = 1.0
    forgetting: float = 1.0

    def check(self, n_learners: int) -> None:
        """Refuse parameters that have no meaning."""
        if self.candidates < 1 or n_learners % self.candidates:
            raise InputError(
                f"candidates is {self.candidates!r}; expected a whole number that divides the "
                f"{n_learners} learners into selectors of equal size."
            )
        check_positive(self, "shrinkage")
        check_forgetting(self.forgetting)

    def init(self, n_learners: int, task: Task, seed: int) -> OGBoostState:
        """Every selector votes with its first learner."""
        self.check(n_learners)
        first = np.arange(0, n_learners, self.candidates, dtype=np.int64)
        return OGBoostState(
            len(first),
            self.candidates,
            margin_loss(self.loss),
            float(self.shrinkage),
            float(self.forgetting),
            no_sums(task.n_outputs, n_learners),
            np.repeat(first[None], task.n_outputs, axis=0),
        )

    def widen(self, state: OGBoostState, task: Task) -> OGBoostState:
        """Room for more classes, of which nothing is known yet."""
        first = np.arange(state.n_members, dtype=np.int64) * state.candidates
        return state._replace(
            errors=more_sums(state.errors, task.n_outputs),
            chosen=more_rows(state.chosen, task.n_outputs, first),
        )

    def spread(self, state: OGBoostState, shares: Floats) -> Floats:
        """The selectors' shares, given to the learners that they chose."""
        return spread_over(state.chosen, shares, state.n_members * state.candidates)


@inlined
def choose(booster: OGBoostState, c: int, m: int) -> None:
    """Selector m's learner of the least charges; of equal ones the first."""
    first = m * booster.candidates
    best = first
    for i in range(first + 1, first + booster.candidates):
        if value_at(booster.errors, c, i) < value_at(booster.errors, c, best):
            best = i
    booster.chosen[c, m] = best


@body(booster_read, OGBoostState)
def read(
    booster: OGBoostState, heard: Scores, live: Flags, members: Scores, present: Flags, parts: Scores
) -> None:
    """Members are the learners chosen, present where they vote on every output; their sums, over M."""
    n, n_outputs = members.shape
    for m in range(n):
        present[m] = True
        for c in range(n_outputs):
            present[m] = present[m] and live[booster.chosen[c, m]]
        for c in range(n_outputs):
            members[m, c] = heard[booster.chosen[c, m], c]
            before = parts[m - 1, c] if m > 0 else 0.0
            parts[m, c] = before + (members[m, c] / n if present[m] else 0.0)


@body(booster_teach, OGBoostState)
def teach(booster: OGBoostState, bank: Any, row: Row, room: Room, y: float, weight: float) -> None:
    """Selector after selector is taught, charged and added."""
    teach_truth(room.lesson, y)
    decay(booster.errors, booster.forgetting)
    n_outputs = room.votes.shape[1]
    margins = np.zeros(n_outputs)
    for m in range(booster.n_members):
        for i in range(m * booster.candidates, (m + 1) * booster.candidates):
            for c in range(n_outputs):
                room.lesson.weight[i, c] = weight * slope(booster.loss, margins[c])
            teach_learner(bank, i, row, room)
            for c in range(n_outputs):
                if not is_right(room, i, c):
                    gather(booster.errors, c, i, room.lesson.weight[i, c])
        for c in range(n_outputs):
            choose(booster, c, m)
            i = booster.chosen[c, m]
            margins[c] += booster.shrinkage * room.lesson.target[i, c] * room.heard[i, c]


@inlined
def least_charge(booster: OGBoostState, c: int, i: int) -> float:
    """The least charges of the other learners of learner i's selector; 0 if it stands alone."""
    first = i - i % booster.candidates
    least = math.inf
    for k in range(first, first + booster.candidates):
        if k != i:
            least = min(least, value_at(booster.errors, c, k))
    return least if booster.candidates > 1 else 0.0


@body(booster_reset, OGBoostState)
def reset(booster: OGBoostState, i: int) -> None:
    """A new learner i: it starts level with the best of its selector, not ahead for want of mistakes."""
    forget(booster.errors, i)
    for c in range(len(booster.errors.total)):
        booster.errors.total[c, i] = least_charge(booster, c, i)
