"""OzaBoost, the online form of AdaBoost.M1 (Oza and Russell 2001; specification B.5).

An example comes to learner 1 with its own importance and goes down the row of learners. Each is updated
with the importance that reaches it - a Poisson number of times, or once with such a number or with the
importance itself as weight - and, by its answer after the update, adds it to its sum of right or of wrong;
eps is the share of wrong. The next learner gets

    importance / (2 (1 - eps)) after a right answer,    importance / (2 eps) after a wrong one,

so that right and wrong examples end up with half of the total importance each. An answer after the update
flatters learners that put right what they got wrong: `judged="before"` counts the one before it. The paper
of 2001 has importance * n / (2 * sum of that side) with n the number of examples (`scale="count"`). Learner
i's sign counts log((1 - eps) / eps), with a few examples added to either side; `vote="soft"` counts its vote
instead, so that one in doubt says less.

Several outputs: one class against the rest, each with its own importance and sums.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from shoal.boosters.cascade import MODES, Draws, draws_of, more_sums, on_side, teach_with_importance
from shoal.boosters.lessons import teach_truth
from shoal.errors import InputError
from shoal.kernels.compiler import body, inlined
from shoal.kernels.sums import add
from shoal.kernels.verbs import booster_read, booster_reset, booster_teach
from shoal.rules.statistics import Sums, decay, forget, gather, no_sums, value_at
from shoal.rules.weighted_losses import check_choice
from shoal.types import Flags, Floats, Ints, Room, Row, Scores, Task

LEAST, MOST = 1e-9, 1e6  # importance is clipped to these: specification B.5
SCALES = ("normalised", "count")
JUDGED = ("after", "before")
VOTES = ("hard", "soft")


class OzaBoostState(NamedTuple):
    """Sums by output and learner."""

    n_members: int
    draws: Draws
    by_count: bool
    smoothing: float
    allow_negative: bool
    forgetting: float
    beforehand: bool
    soft: bool
    right: Sums  # (C, N) importance of the examples answered right
    wrong: Sums
    weight: Floats  # (2,) of the examples so far, and what rounding dropped
    examples: Ints  # (1,) how many


@dataclass(frozen=True)
class OzaBoost:
    """Importance flows from learner to learner by their answers.

    mode: "poisson" repeats an update a random number of times; "poisson-weight" gives one update that number
        as weight, which suits learners that heed weights; "weighted" gives it the importance, without chance.
    scale: "normalised", or "count" for the literal form of 2001.
    smoothing: examples added to right and to wrong before votes are weighed, above 0.
    allow_negative: let learners that are mostly wrong count against; otherwise they do not count.
    forgetting: factor in (0, 1] on the sums at each example; 1 never forgets.
    judged: whether a learner is right is asked "after" it learned the example, as published, or "before".
    vote: what is weighed of a learner: its sign, "hard", as published; or its vote, "soft".
    """

    per_output: ClassVar[bool] = True
    evens_out: ClassVar[bool] = True  # what examples weigh: class weights must count elsewhere

    mode: str = "poisson"
    scale: str = "normalised"
    smoothing: float = 0.5
    allow_negative: bool = False
    forgetting: float = 1.0
    judged: str = "after"
    vote: str = "hard"

    def check(self) -> None:
        """Refuse parameters that have no meaning."""
        check_choice("mode", self.mode, MODES)
        if self.scale not in SCALES:
            raise InputError(f"scale is {self.scale!r}; expected 'normalised' or 'count'.")
        check_choice("judged", self.judged, JUDGED)
        check_choice("vote", self.vote, VOTES)
        if not self.smoothing > 0.0:
            raise InputError(f"smoothing is {self.smoothing!r}; expected a number of examples above 0.")
        if not 0.0 < self.forgetting <= 1.0:
            raise InputError(
                f"forgetting is {self.forgetting!r}; expected a factor in (0, 1], 1 to keep everything."
            )

    def init(self, n_learners: int, task: Task, seed: int) -> OzaBoostState:
        """No learner has answered yet."""
        self.check()
        return OzaBoostState(
            n_learners,
            draws_of(self.mode, seed),
            self.scale == "count",
            float(self.smoothing),
            self.allow_negative,
            float(self.forgetting),
            self.judged == "before",
            self.vote == "soft",
            no_sums(task.n_outputs, n_learners),
            no_sums(task.n_outputs, n_learners),
            np.zeros(2),
            np.zeros(1, dtype=np.int64),
        )

    def widen(self, state: OzaBoostState, task: Task) -> OzaBoostState:
        """Room for more classes, of which nothing is known yet."""
        right, wrong = (more_sums(sums, task.n_outputs) for sums in (state.right, state.wrong))
        return state._replace(right=right, wrong=wrong)

    def weights(self, state: OzaBoostState) -> Floats:
        """What each learner's sign counts, the mean over the outputs."""
        s = self.smoothing
        log_odds = np.log((state.right.value() + s) / (state.wrong.value() + s))
        return np.asarray(np.mean(log_odds if self.allow_negative else np.maximum(log_odds, 0.0), axis=0))


@inlined
def vote_weight(booster: OzaBoostState, i: int, c: int) -> float:
    """log((1 - eps) / eps), smoothed."""
    right = value_at(booster.right, c, i) + booster.smoothing
    log_odds = math.log(right / (value_at(booster.wrong, c, i) + booster.smoothing))
    return log_odds if booster.allow_negative else max(0.0, log_odds)


@body(booster_read, OzaBoostState)
def read(
    booster: OzaBoostState, heard: Scores, live: Flags, members: Scores, present: Flags, parts: Scores
) -> None:
    """Every learner is a member; a prefix answer is the weighted sum of signs or votes, over all the weights."""
    n, n_outputs = heard.shape
    total = 0.0
    for i in range(n):
        present[i] = live[i]
        for c in range(n_outputs):
            members[i, c] = heard[i, c]
            weight = vote_weight(booster, i, c) if live[i] else 0.0
            total += abs(weight)
            before = parts[i - 1, c] if i > 0 else 0.0
            said = 1.0 if heard[i, c] >= 0.0 else -1.0
            parts[i, c] = before + weight * (heard[i, c] if booster.soft else said)
    if total > 0.0:
        parts *= n_outputs / total


@inlined
def passed_on(booster: OzaBoostState, i: int, c: int, importance: float, right: bool) -> float:
    """Count learner i's answer; the importance for the learner after it."""
    side = booster.right if right else booster.wrong
    gather(side, c, i, importance)
    total = value_at(booster.right, c, i) + value_at(booster.wrong, c, i)
    if booster.by_count:
        total = booster.weight[0] + booster.weight[1]
    return min(max(importance * total / (2.0 * value_at(side, c, i)), LEAST), MOST)


@body(booster_teach, OzaBoostState)
def teach(booster: OzaBoostState, bank: Any, row: Row, room: Room, y: float, weight: float) -> None:
    """Learner after learner is taught, heard again and counted."""
    teach_truth(room.lesson, y)
    decay(booster.right, booster.forgetting)
    decay(booster.wrong, booster.forgetting)
    booster.weight[:] *= booster.forgetting
    add(booster.weight[:1], booster.weight[1:], 0, weight)
    importance = np.full(room.votes.shape[1], weight)
    heard = room.heard.copy() if booster.beforehand else room.heard
    for i in range(room.votes.shape[0]):
        teach_with_importance(bank, i, row, room, importance, booster.draws, booster.examples[0])
        for c in range(len(importance)):
            right = on_side(heard, room.lesson.target, i, c)
            importance[c] = passed_on(booster, i, c, importance[c], right)
    booster.examples[0] += 1


@body(booster_reset, OzaBoostState)
def reset(booster: OzaBoostState, i: int) -> None:
    """A new learner i: its sums begin anew."""
    forget(booster.right, i)
    forget(booster.wrong, i)
