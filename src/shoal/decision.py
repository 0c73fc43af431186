"""From a score to an answer: probabilities, the threshold, and how much an example counts.

Probabilities are sigmoid(slope * score - threshold), or softmax(slope * scores): the slope is learned
online from the log-loss, the order of the scores is never changed. A tuned threshold is the weighted
majority of a grid of thresholds, each charged for its own mistakes (Hedge). Balanced classes: an example
of class y counts 1 / (K * share of y so far), at most 20 times (specification F.4, F.6).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.errors import InputError
from shoal.kernels.compiler import body, in_place, inlined
from shoal.kernels.verbs import decision_answer, decision_count, decision_hear, decision_learn
from shoal.types import Floats, Ints, Lesson, Room, Task

FIRST_SLOPE = 2.0  # tanh(s) = 2 sigmoid(2 s) - 1: a mean vote read as tanh of half the log-odds
LEAST_SLOPE = 1e-3
FIRST_CURVATURE = 1.0  # how firmly the first slope is held, in units of the log-loss' second derivative
CLASS_WEIGHT_MAX = 20.0  # specification F.6
THRESHOLDS = np.linspace(-5.0, 5.0, 41)  # log-odds; the middle one is 0, the untuned rule


class DecisionState(NamedTuple):
    """What turns scores into answers."""

    balanced: bool
    tuned: bool
    threshold: float  # log-odds that class 1 must exceed, where it is not tuned
    fixed: Floats  # (K,) class weights given by the user; all 1 otherwise
    slope: Floats  # (2,) the slope and the curvature gathered so far
    examples: Floats  # (K,) weight seen of each class
    charges: Floats  # (len(THRESHOLDS),) weighted mistakes of each threshold
    rounds: Floats  # (1,) weight over which they were made


@dataclass(frozen=True)
class Decision:
    """How scores become answers.

    class_weight: None, "balanced", or one number per class in the order of the classes.
    threshold: log-odds that class 1 must reach to be answered (two classes), or "tuned" to learn it.
    """

    class_weight: str | tuple[float, ...] | None = None
    threshold: float | str = 0.0

    def check(self, task: Task) -> None:
        """Refuse settings that do not fit the task."""
        if isinstance(self.class_weight, str) and self.class_weight != "balanced":
            raise InputError(
                f"class_weight is {self.class_weight!r}; expected None, 'balanced' or a number per class."
            )
        if isinstance(self.class_weight, tuple) and len(self.class_weight) != task.n_classes:
            raise InputError(
                f"class_weight has {len(self.class_weight)} numbers; expected {task.n_classes}, one per class."
            )
        if isinstance(self.threshold, str) and self.threshold != "tuned":
            raise InputError(f"threshold is {self.threshold!r}; expected a number of log-odds, or 'tuned'.")
        if self.threshold != 0.0 and task.n_classes > 2:
            raise InputError("threshold applies to two classes; leave it at 0 for more.")

    def init(self, task: Task) -> DecisionState:
        """Before any example."""
        self.check(task)
        fixed = np.ones(task.n_classes)
        if isinstance(self.class_weight, tuple):
            fixed[:] = self.class_weight
        tuned = isinstance(self.threshold, str)
        return DecisionState(
            self.class_weight == "balanced",
            tuned,
            0.0 if isinstance(self.threshold, str) else float(self.threshold),
            fixed,
            np.array([FIRST_SLOPE, FIRST_CURVATURE]),
            np.zeros(task.n_classes),
            np.zeros(len(THRESHOLDS)),
            np.zeros(1),
        )

    def n_outputs(self, state: DecisionState) -> int:
        """How many numbers a score has."""
        return 1 if len(state.fixed) == 2 else len(state.fixed)

    def blank_answers(self, n_rows: int, width: int) -> tuple[Ints, Floats]:
        """Room for classes answered and their probabilities."""
        return np.zeros(n_rows, dtype=np.int64), np.zeros((n_rows, width))

    def blank_lesson(self, n_learners: int, n_outputs: int) -> Lesson:
        """Room for a lesson."""
        return Lesson(np.zeros((n_learners, n_outputs)), np.zeros((n_learners, n_outputs)))

    def widen(self, state: DecisionState, task: Task) -> DecisionState:
        """Room for more classes."""
        self.check(task)
        more = task.n_classes - len(state.fixed)
        examples = np.concatenate([state.examples, np.zeros(more)])
        return state._replace(fixed=np.concatenate([state.fixed, np.ones(more)]), examples=examples)


@inlined
def sigmoid(a: float) -> float:
    """1 / (1 + exp(-a)) without overflow."""
    if a >= 0.0:
        return 1.0 / (1.0 + math.exp(-a))
    e = math.exp(a)
    return e / (1.0 + e)


@inlined
def threshold_now(state: DecisionState) -> float:
    """The threshold in force: given, or the grid's mean under Hedge weights exp(-eta * mistakes)."""
    if not state.tuned:
        return state.threshold
    n = len(state.charges)
    eta = math.sqrt(8.0 * math.log(n) / max(state.rounds[0], 1.0))
    least = state.charges[0]
    for g in range(1, n):
        least = min(least, state.charges[g])
    total = 0.0
    mean = 0.0
    for g in range(n):
        weight = math.exp(-eta * (state.charges[g] - least))
        total += weight
        mean += weight * THRESHOLDS[g]
    return mean / total


@inlined
def put_first(proba: Floats, answer: int) -> None:
    """Where rounding made an earlier class as probable as the answer, take the least that there is off it: the
    first of the most probable classes is to be the answer.
    """
    for k in range(answer):
        if proba[k] >= proba[answer]:
            proba[k] = np.nextafter(proba[answer], 0.0)


@in_place
def decide(state: DecisionState, score: Floats, proba: Floats) -> int:
    """Write the probabilities; answers the class. A tie goes to class 1 of two, to the first of many."""
    if len(score) == 1:
        logit = state.slope[0] * score[0] - threshold_now(state)
        proba[1] = sigmoid(logit)
        proba[0] = sigmoid(-logit)
        if logit < 0.0:
            return 0
        put_first(proba, 1)
        return 1
    best = 0
    for k in range(1, len(score)):
        if score[k] > score[best]:
            best = k
    total = 0.0
    for k in range(len(score)):
        proba[k] = math.exp(state.slope[0] * (score[k] - score[best]))
        total += proba[k]
    for k in range(len(score)):
        proba[k] /= total
    put_first(proba, best)
    return best


@in_place
def importance(state: DecisionState, y: int) -> float:
    """How many times an example of class y counts."""
    if not state.balanced:
        return state.fixed[y]
    n_classes = len(state.examples)
    share = (state.examples[y] + 1.0) / (np.sum(state.examples) + n_classes)
    return min(CLASS_WEIGHT_MAX, 1.0 / (n_classes * share))


@in_place
def decision_update(state: DecisionState, score: Floats, y: int, weight: float, counted: float) -> None:
    """Learn from the label of the score. weight: the example's own; counted: with its class's importance."""
    state.examples[y] += weight
    if state.tuned:
        logit = state.slope[0] * score[0]
        state.rounds[0] += counted
        for g in range(len(state.charges)):
            if (logit >= THRESHOLDS[g]) != (y == 1):
                state.charges[g] += counted
    steepen(state, score, y, counted)


@body(decision_answer, DecisionState, allocates=False, thin=True)
def answer(decision: DecisionState, score: Floats, predicted: Ints, proba: Floats, t: int) -> None:
    """The class and the probabilities of row t."""
    predicted[t] = decide(decision, score, proba[t])


@body(decision_hear, DecisionState, allocates=False, thin=True)
def hear(decision: DecisionState, room: Room, labels: Floats, t: int) -> float:
    """The position of the class of row t."""
    return labels[t]


@body(decision_count, DecisionState, allocates=False, thin=True)
def count(decision: DecisionState, y: float, weight: float) -> float:
    """The example's weight, times its class's importance."""
    return weight * importance(decision, int(y))


@body(decision_learn, DecisionState, allocates=False, thin=True)
def learn(decision: DecisionState, room: Room, y: float, weight: float, counted: float) -> None:
    """Learn from the label of the score in the room."""
    decision_update(decision, room.score, int(y), weight, counted)


@inlined
def steepen(state: DecisionState, score: Floats, y: int, weight: float) -> None:
    """One Newton step of the slope on the log-loss, with the curvature gathered so far."""
    slope = state.slope[0]
    if len(score) == 1:
        p = sigmoid(slope * score[0])
        gradient = (p - y) * score[0]
        curvature = p * (1.0 - p) * score[0] ** 2
    else:
        top = score[0]
        for k in range(1, len(score)):
            top = max(top, score[k])
        total = 0.0
        first = 0.0
        second = 0.0
        for k in range(len(score)):
            e = math.exp(slope * (score[k] - top))
            total += e
            first += e * score[k]
            second += e * score[k] ** 2
        mean = first / total
        gradient = mean - score[y]
        curvature = max(second / total - mean * mean, 0.0)
    state.slope[1] += weight * curvature
    state.slope[0] = max(LEAST_SLOPE, slope - weight * gradient / state.slope[1])
