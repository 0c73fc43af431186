"""Online boosting for feature selection (Grabner and Bischof 2006; specification B.9).

N selectors choose among M candidates: each among its own (candidate m of selector n is learner n M + m),
or all among one pool of M, where a candidate is taken by one selector only. An example passes the
selectors in turn. The candidates learn it with the importance that reaches them (a pool learns it once,
with the example's own) and are counted right or wrong: by their answer after that, as published, or by the one
before, `judged="before"`. A learner that puts right what it got wrong, as the Perceptron does, is right after
nearly every lesson whatever its features, so that only the answer before tells good candidates from bad. The
selector takes its candidate with the least share of wrong e, whose sign counts alpha = log((1 - e) / e) / 2,
and passes on

    importance / (2 (1 - e)) if the candidate was right,    importance / (2 e) if it was wrong.

`importance="sqrt"` multiplies by sqrt(e / (1 - e)) or its inverse instead, as a widely used port does: the
importance then fades from selector to selector, and late ones hardly learn. It is there to be compared.

Several outputs: one class against the rest, each with its own counts and choices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from shoal.boosters.cascade import (
    MODES,
    Draws,
    draws_of,
    more_rows,
    more_sums,
    on_side,
    spread_over,
    teach_learner,
    teach_with_importance,
)
from shoal.boosters.lessons import teach_truth
from shoal.errors import InputError
from shoal.kernels.compiler import body, compiled, inlined
from shoal.kernels.random import mix
from shoal.kernels.verbs import bank_replace, booster_read, booster_reset, booster_teach
from shoal.rules.statistics import Sums, gather, no_sums, value_at
from shoal.rules.weighted_losses import check_choice, check_forgetting
from shoal.types import Flags, Floats, Ints, Room, Row, Scores, Task

LEAST_ERROR = 1e-6  # specification B.9
FIRST_COUNT = 1.0  # of right and of wrong answers, of every candidate: specification B.9
FRESH = np.uint64(0x4672657368000001)  # keeps the seeds of fresh candidates apart from others
SEED_BITS = np.uint64(63)  # seeds are signed 64-bit numbers
IMPORTANCES = ("oza", "sqrt")
EXITS = ("clip", "stop")
JUDGED = ("after", "before")


CHOICES = {"importance": IMPORTANCES, "exit": EXITS, "mode": MODES, "judged": JUDGED}


class FeatureBoostState(NamedTuple):
    """Counts by output and (selector, candidate); choices by output and selector."""

    n_members: int
    candidates: int
    pool: bool
    exchange: bool
    by_root: bool
    stops: bool
    beforehand: bool
    forgetting: float
    draws: Draws
    right: Sums  # (C, N * M)
    wrong: Sums
    alpha: Floats  # (C, N)
    selected: Ints  # (C, N) candidates
    examples: Ints  # (1,)


@dataclass(frozen=True)
class FeatureBoost:
    """Selectors, each of which answers with its best candidate.

    selectors: how many; without a pool, a divisor of the number of learners. None: half of a pool, or else
        the largest divisor up to the square root.
    pool: all selectors choose among the same learners, no two the same.
    exchange: at each example put a fresh candidate in place of every selector's (the pool's) worst.
    importance: "oza" keeps the mean importance, "sqrt" lets it fade.
    exit: where e is 0 or above 1/2, "clip" it to [1e-6, 1/2]; or "stop" there, as the paper does: this
        selector does not count, and those behind it are not taught.
    mode: "weighted" gives importance as a weight, "poisson" repeats an update a random number of times,
        "poisson-weight" gives one update that number as weight.
    judged: whether a candidate is right is asked "after" it learned the example, or "before".
    forgetting: factor in (0, 1] on the counts at each example; 1 never forgets.
    """

    per_output: ClassVar[bool] = True
    evens_out: ClassVar[bool] = True  # what examples weigh: class weights must count elsewhere

    selectors: int | None = None
    pool: bool = False
    exchange: bool = False
    importance: str = "oza"
    exit: str = "clip"
    mode: str = "weighted"
    forgetting: float = 1.0
    judged: str = "after"

    def check(self, n_learners: int) -> None:
        """Refuse parameters that have no meaning."""
        n = self.n_selectors(n_learners)
        if not 1 <= n <= n_learners or (not self.pool and n_learners % n):
            what = "is at most" if self.pool else "divides"
            raise InputError(f"selectors is {n!r}; expected a whole number that {what} the {n_learners} learners.")
        for name, known in CHOICES.items():
            check_choice(name, getattr(self, name), known)
        check_forgetting(self.forgetting)

    def n_selectors(self, n_learners: int) -> int:
        """How many selectors there are over so many learners."""
        if self.selectors is not None:
            return self.selectors
        if self.pool:
            return (n_learners + 1) // 2
        return max(n for n in range(1, math.isqrt(n_learners) + 1) if n_learners % n == 0)

    def init(self, n_learners: int, task: Task, seed: int) -> FeatureBoostState:
        """No candidate has answered yet."""
        self.check(n_learners)
        n = self.n_selectors(n_learners)
        candidates = n_learners if self.pool else n_learners // n
        return FeatureBoostState(
            n,
            candidates,
            self.pool,
            self.exchange,
            self.importance == "sqrt",
            self.exit == "stop",
            self.judged == "before",
            float(self.forgetting),
            draws_of(self.mode, seed),
            first_counts(task.n_outputs, n * candidates),
            first_counts(task.n_outputs, n * candidates),
            np.zeros((task.n_outputs, n)),
            np.repeat(first_choice(n, self.pool)[None], task.n_outputs, axis=0),
            np.zeros(1, dtype=np.int64),
        )

    def widen(self, state: FeatureBoostState, task: Task) -> FeatureBoostState:
        """Room for more classes, of which nothing is known yet."""
        n, n_outputs = state.n_members, task.n_outputs
        return state._replace(
            right=more_sums(state.right, n_outputs, FIRST_COUNT),
            wrong=more_sums(state.wrong, n_outputs, FIRST_COUNT),
            alpha=more_rows(state.alpha, n_outputs, np.zeros(n)),
            selected=more_rows(state.selected, n_outputs, first_choice(n, self.pool)),
        )

    def weights(self, state: FeatureBoostState) -> Floats:
        """What each selector's sign counts, the mean over the outputs."""
        return np.asarray(np.mean(state.alpha, axis=0))

    def spread(self, state: FeatureBoostState, shares: Floats) -> Floats:
        """The selectors' shares, given to the learners that they chose."""
        first = 0 if state.pool else np.arange(state.n_members) * state.candidates
        n_learners = state.candidates * (1 if state.pool else state.n_members)
        return spread_over(state.selected + first, shares, n_learners)


def first_choice(n_selectors: int, pool: bool) -> Ints:
    """The candidate of each selector before any example."""
    return np.arange(n_selectors, dtype=np.int64) * int(pool)


def first_counts(n_outputs: int, width: int) -> Sums:
    """Counts of candidates that have not answered yet."""
    counts = no_sums(n_outputs, width)
    return counts._replace(total=counts.total + FIRST_COUNT)


@compiled
def fresh_seed(seed: int, t: int) -> int:
    """The seed of the candidates put in at example t."""
    return int(mix(mix(np.uint64(seed), FRESH), np.uint64(t)) >> (np.uint64(64) - SEED_BITS))


@inlined
def learner_of(booster: FeatureBoostState, n: int, m: int) -> int:
    """The bank's number of candidate m of selector n."""
    return m if booster.pool else n * booster.candidates + m


@inlined
def error_of(booster: FeatureBoostState, c: int, n: int, m: int) -> float:
    """The share of wrong answers of candidate m, as selector n counts them."""
    k = n * booster.candidates + m
    wrong = value_at(booster.wrong, c, k)
    return wrong / (value_at(booster.right, c, k) + wrong)


@body(booster_read, FeatureBoostState)
def read(
    booster: FeatureBoostState, heard: Scores, live: Flags, members: Scores, present: Flags, parts: Scores
) -> None:
    """Members are the candidates chosen, present where they vote on every output; their weighted signs."""
    n_outputs = members.shape[1]
    total = 0.0
    for n in range(booster.n_members):
        present[n] = True
        for c in range(n_outputs):
            i = learner_of(booster, n, booster.selected[c, n])
            present[n] = present[n] and live[i]
            members[n, c] = heard[i, c]
        for c in range(n_outputs):
            alpha = booster.alpha[c, n] if present[n] else 0.0
            total += alpha
            before = parts[n - 1, c] if n > 0 else 0.0
            parts[n, c] = before + (alpha if members[n, c] >= 0.0 else -alpha)
    if total > 0.0:
        parts *= n_outputs / total


@inlined
def count_answers(
    booster: FeatureBoostState, heard: Scores, target: Scores, c: int, n: int, importance: float
) -> None:
    """Add the importance to the right or to the wrong of each candidate of selector n."""
    for m in range(booster.candidates):
        k = n * booster.candidates + m
        right = on_side(heard, target, learner_of(booster, n, m), c)
        for sums in (booster.right, booster.wrong):
            sums.total[c, k] *= booster.forgetting
            sums.lost[c, k] *= booster.forgetting
        gather(booster.right if right else booster.wrong, c, k, importance)


@inlined
def choose(booster: FeatureBoostState, c: int, n: int, taken: Flags) -> int:
    """Selector n's candidate of the least error that is not taken; of equal ones the first."""
    best = -1
    for m in range(booster.candidates):
        better = best < 0 or error_of(booster, c, n, m) < error_of(booster, c, n, best)
        if better and not taken[m]:
            best = m
    booster.selected[c, n] = best
    return best


@inlined
def passed_on(booster: FeatureBoostState, c: int, n: int, importance: float, right: bool) -> float:
    """Weigh selector n's choice; the importance for the next selector, or -1 to stop here."""
    e = error_of(booster, c, n, booster.selected[c, n])
    if booster.stops and (e == 0.0 or e > 0.5):
        booster.alpha[c, n] = 0.0
        return -1.0
    e = min(max(e, LEAST_ERROR), 0.5)
    booster.alpha[c, n] = 0.5 * math.log((1.0 - e) / e)
    if booster.by_root:
        return importance * math.sqrt(e / (1.0 - e) if right else (1.0 - e) / e)
    return importance / (2.0 * (1.0 - e)) if right else importance / (2.0 * e)


@inlined
def begin_anew(booster: FeatureBoostState, n: int, m: int) -> None:
    """Selector n's counts of candidate m are those of a fresh one."""
    k = n * booster.candidates + m
    for sums in (booster.right, booster.wrong):
        sums.total[:, k] = FIRST_COUNT
        sums.lost[:, k] = 0.0


@inlined
def replace_worst(booster: FeatureBoostState, bank: Any, first: int, last: int) -> None:
    """A fresh candidate in place of the one that selectors [first, last) find worst; none of those in use."""
    worst, worst_error = -1, -1.0
    for m in range(booster.candidates):
        error = 0.0
        idle = True
        for c in range(booster.selected.shape[0]):
            for n in range(first, last):
                error += error_of(booster, c, n, m)
                idle = idle and booster.selected[c, n] != m
        if idle and error > worst_error:
            worst, worst_error = m, error
    if worst < 0:
        return
    bank_replace(bank, learner_of(booster, first, worst), fresh_seed(booster.draws.seed, booster.examples[0]))
    for n in range(first, last):
        begin_anew(booster, n, worst)


@inlined
def teach_pool(bank: Any, row: Row, room: Room, weight: float) -> None:
    """Every candidate of the pool learns the example once."""
    for i in range(room.votes.shape[0]):
        room.lesson.weight[i, :] = weight
        teach_learner(bank, i, row, room)


@inlined
def teach_own(booster: FeatureBoostState, bank: Any, n: int, row: Row, room: Room, importance: Floats) -> None:
    """Every candidate of selector n learns the example with the importance that reaches it."""
    active = np.maximum(importance, 0.0)
    for i in range(n * booster.candidates, (n + 1) * booster.candidates):
        teach_with_importance(bank, i, row, room, active, booster.draws, booster.examples[0])


@body(booster_teach, FeatureBoostState)
def teach(booster: FeatureBoostState, bank: Any, row: Row, room: Room, y: float, weight: float) -> None:
    """Selector after selector is taught, counted and chosen for."""
    teach_truth(room.lesson, y)
    n_outputs = room.votes.shape[1]
    importance = np.full(n_outputs, weight)  # -1 where an output has stopped
    taken = np.zeros((n_outputs, booster.candidates), dtype=np.bool_)
    heard = room.heard.copy() if booster.beforehand else room.heard
    if booster.pool:
        teach_pool(bank, row, room, weight)
    for n in range(booster.n_members):
        if np.max(importance) < 0.0:
            break
        if not booster.pool:
            teach_own(booster, bank, n, row, room, importance)
        for c in range(n_outputs):
            if importance[c] >= 0.0:
                count_answers(booster, heard, room.lesson.target, c, n, importance[c])
                best = choose(booster, c, n, taken[c])
                taken[c, best] = booster.pool
                right = on_side(heard, room.lesson.target, learner_of(booster, n, best), c)
                importance[c] = passed_on(booster, c, n, importance[c], right)
        if booster.exchange and not booster.pool:
            replace_worst(booster, bank, n, n + 1)
    if booster.exchange and booster.pool:
        replace_worst(booster, bank, 0, booster.n_members)
    booster.examples[0] += 1


@body(booster_reset, FeatureBoostState)
def reset(booster: FeatureBoostState, i: int) -> None:
    """A new learner i: its counts begin anew, with every selector of a pool."""
    if booster.pool:
        for n in range(booster.n_members):
            begin_anew(booster, n, i)
    else:
        begin_anew(booster, i // booster.candidates, i % booster.candidates)
