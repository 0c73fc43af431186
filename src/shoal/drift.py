"""Notice that the stream has changed, and put a fresh learner in place of the worst.

ADWIN (Bifet and Gavalda 2007) keeps a window of numbers - here 1 for a mistake, else 0 - in buckets of 1,
2, 4, ... numbers, at most five of a size before the two oldest are merged. Every 32 numbers it compares
all older parts of the window with what came after them: means that differ by more than

    sqrt(2 m v log(2 log(n) / delta)) + 2/3 m log(2 log(n) / delta),    m = 1/(n0 - 4) + 1/(n1 - 4)

(v the variance, n the length of the window, n0 and n1 of its parts) are a change, and the window starts
again, as in River, whose detections these are. Only a rise of the error matters here. It may be watched
in the ensemble's answers or in every learner's own; each rise replaces the learner with the most
mistakes lately (ADWIN bagging: Bifet et al. 2009), and what booster and rule knew of it is forgotten.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from shoal.errors import InputError
from shoal.kernels.compiler import body, compiled, in_place, inlined
from shoal.kernels.random import mix
from shoal.kernels.verbs import bank_replace, booster_reset, drift_react, drift_watch, rule_reset
from shoal.losses import ZERO_ONE, Loss, loss_if
from shoal.types import Flags, Floats, Ints, Room, Scores

LEVELS = 40  # sizes of buckets; 5 * 2**39 numbers are more than any stream has
BUCKETS = 5  # of one size; this and the next three are River's defaults
CLOCK = 32  # numbers between two looks at the window
LEAST_WIDTH = 10  # a window of no more numbers is not looked at
LEAST_PART = 5  # the least part of a window that is compared

WATCHES = ("ensemble", "learners")
DRIFT = np.uint64(0x4472696674000001)  # keeps the seeds of fresh learners apart from others
SEED_BITS = np.uint64(63)  # seeds are signed 64-bit numbers


class Windows(NamedTuple):
    """The windows of D detectors; buckets of a size lie side by side, the oldest first."""

    totals: Floats  # (D, LEVELS, BUCKETS + 1)
    spreads: Floats  # the same shape: sums of squared distances from a bucket's mean
    held: Ints  # (D, LEVELS) how many buckets of each size
    whole: Floats  # (D, 2) total and spread of the window
    width: Ints  # (D,) numbers in the window


class NoDrift(NamedTuple):
    """Nothing is watched."""

    off: bool


class DriftState(NamedTuple):
    """Windows, and how often each learner was wrong lately."""

    delta: float
    memory: float
    seed: int
    windows: Windows
    mistakes: Floats  # (N,) fading sum
    answers: Floats  # (N,) fading sum
    rises: Ints  # (1,) noticed, not yet acted upon
    replaced: Ints  # (N,) how often each learner was


@dataclass(frozen=True)
class DriftDetector:
    """Watch for a rising error; at each rise put a fresh learner in place of the worst.

    kind: "adwin".
    delta: chance of a false alarm that is put up with, in (0, 1).
    watch: "ensemble" watches its answers, "learners" each learner's: more changes are noticed, and a
        change that hits many learners replaces many.
    memory: factor in (0, 1) on past mistakes when the worst learner is looked for.
    """

    kind: str = "adwin"
    delta: float = 0.002
    watch: str = "learners"
    memory: float = 0.99

    def check(self) -> None:
        """Refuse parameters that have no meaning."""
        if self.kind != "adwin":
            raise InputError(f"kind is {self.kind!r}; expected 'adwin', the only drift detector there is.")
        if self.watch not in WATCHES:
            raise InputError(f"watch is {self.watch!r}; expected 'ensemble' or 'learners'.")
        for name in ("delta", "memory"):
            if not 0.0 < getattr(self, name) < 1.0:
                raise InputError(f"{name} is {getattr(self, name)!r}; expected a number between 0 and 1.")

    def init(self, n_learners: int, seed: int) -> DriftState:
        """Nothing has been watched yet."""
        self.check()
        return DriftState(
            float(self.delta),
            float(self.memory),
            seed,
            no_windows(n_learners if self.watch == "learners" else 1),
            np.zeros(n_learners),
            np.zeros(n_learners),
            np.zeros(1, dtype=np.int64),
            np.zeros(n_learners, dtype=np.int64),
        )


def no_windows(n: int) -> Windows:
    """Windows of nothing."""
    shape = (n, LEVELS, BUCKETS + 1)
    held = np.zeros((n, LEVELS), dtype=np.int64)
    return Windows(np.zeros(shape), np.zeros(shape), held, np.zeros((n, 2)), np.zeros(n, dtype=np.int64))


@inlined
def forget_window(windows: Windows, d: int) -> None:
    """Detector d starts again."""
    windows.held[d] = 0
    windows.whole[d] = 0.0
    windows.width[d] = 0


@inlined
def apart(n0: float, total0: float, n1: float, total1: float) -> float:
    """What two parts' spreads lack of the spread of both together."""
    gap = total0 / n0 - total1 / n1
    return n0 * n1 * gap * gap / (n0 + n1)


@inlined
def take(windows: Windows, d: int, value: float) -> None:
    """Put a number into detector d's window, merging buckets where there are too many of a size."""
    totals, spreads, held, whole = windows.totals, windows.spreads, windows.held, windows.whole
    if windows.width[d] > 0:
        whole[d, 1] += apart(float(windows.width[d]), whole[d, 0], 1.0, value)
    whole[d, 0] += value
    windows.width[d] += 1
    total, spread, size = value, 0.0, 1.0
    for level in range(LEVELS):
        n = held[d, level]
        totals[d, level, n], spreads[d, level, n] = total, spread
        held[d, level] = n + 1
        if n < BUCKETS:
            return
        total = totals[d, level, 0] + totals[d, level, 1]
        spread = spreads[d, level, 0] + spreads[d, level, 1]
        spread += apart(size, totals[d, level, 0], size, totals[d, level, 1])
        for k in range(2, n + 1):
            totals[d, level, k - 2], spreads[d, level, k - 2] = totals[d, level, k], spreads[d, level, k]
        held[d, level] = n - 1
        size *= 2.0


@in_place
def change(windows: Windows, d: int, delta: float) -> float:
    """By how much the mean of the newer part exceeds the older one's, at the first cut that shows a change;
    0 if none does.
    """
    n = float(windows.width[d])
    confidence = math.log(2.0 * math.log(n) / delta)
    variance = windows.whole[d, 1] / n
    n0, total0 = 0.0, 0.0
    for level in range(LEVELS - 1, -1, -1):
        size = 2.0**level
        for k in range(windows.held[d, level]):
            n0 += size
            total0 += windows.totals[d, level, k]
            n1 = n - n0
            if n0 < LEAST_PART or n1 < LEAST_PART:
                continue
            rise = (windows.whole[d, 0] - total0) / n1 - total0 / n0
            m = 1.0 / (n0 - LEAST_PART + 1.0) + 1.0 / (n1 - LEAST_PART + 1.0)
            if abs(rise) > math.sqrt(2.0 * m * variance * confidence) + 2.0 / 3.0 * confidence * m:
                return rise
    return 0.0


@in_place
def adwin(windows: Windows, d: int, value: float, delta: float) -> float:
    """Take one number; by how much the mean rose, if this shows a change (the window then starts again), or 0."""
    take(windows, d, value)
    if windows.width[d] % CLOCK != 0 or windows.width[d] <= LEAST_WIDTH:
        return 0.0
    rise = change(windows, d, delta)
    if rise != 0.0:
        forget_window(windows, d)
    return rise


@in_place
def notice(drift: DriftState, votes: Scores, live: Flags, score: Scores, k: int) -> None:
    """Enter who was wrong about an example of class k, and what that shows."""
    loss = Loss(ZERO_ONE, 1.0)
    by_learner = len(drift.windows.width) > 1 or votes.shape[0] == 1
    for i in range(votes.shape[0]):
        if live[i]:
            wrong = loss_if(loss, votes, i, k)
            drift.mistakes[i] = drift.memory * drift.mistakes[i] + wrong
            drift.answers[i] = drift.memory * drift.answers[i] + 1.0
            if by_learner and adwin(drift.windows, i, wrong, drift.delta) > 0.0:
                drift.rises[0] += 1
    if not by_learner and adwin(drift.windows, 0, loss_if(loss, score, 0, k), drift.delta) > 0.0:
        drift.rises[0] += 1


@compiled
def worst(drift: DriftState) -> int:
    """The learner most often wrong lately; one that has hardly answered yet is given the benefit of the doubt."""
    return int(np.argmax(drift.mistakes / (drift.answers + 1.0)))


@compiled
def retire(drift: DriftState, i: int) -> int:
    """Forget learner i; the seed of the one in its place."""
    drift.mistakes[i] = 0.0
    drift.answers[i] = 0.0
    drift.replaced[i] += 1
    if len(drift.windows.width) > 1:
        forget_window(drift.windows, i)
    key = mix(mix(mix(np.uint64(drift.seed), DRIFT), np.uint64(i)), np.uint64(drift.replaced[i]))
    return int(key >> (np.uint64(64) - SEED_BITS))


@body(drift_watch, DriftState)
def watch(drift: DriftState, room: Room, y: float) -> None:
    """Enter the mistakes of an example."""
    notice(drift, room.votes, room.live, room.score.reshape(1, len(room.score)), int(y))


@body(drift_react, DriftState)
def react(drift: DriftState, bank: Any, booster: Any, rule: Any) -> None:
    """For every rise that was noticed, a fresh learner in place of the worst."""
    while drift.rises[0] > 0:
        drift.rises[0] -= 1
        i = worst(drift)
        bank_replace(bank, i, retire(drift, i))
        booster_reset(booster, i)
        if booster.n_members == len(drift.mistakes):
            rule_reset(rule, i)


@body(drift_watch, NoDrift, allocates=False, thin=True)
def watch_nothing(drift: NoDrift, room: Room, y: float) -> None:
    """Nothing is watched."""


@body(drift_react, NoDrift, allocates=False, thin=True)
def let_be(drift: NoDrift, bank: Any, booster: Any, rule: Any) -> None:
    """No one is replaced."""
