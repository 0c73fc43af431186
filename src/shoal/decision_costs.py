"""Class weights that count where answers are given, not where learners are taught.

OzaBoost and online boosting for feature selection pass examples on so that right and wrong ones count the same.
Class weights given to examples are evened out as well: after the first learner nothing is left of them. With such
boosters learners see examples as they are, and of the probabilities p_k that come out

    the class of the largest w_k p_k is answered, and these, over their sum, are the probabilities given,

as costs ask for (Elkan 2001). Nikolaou et al. 2016, "Cost-sensitive boosting algorithms: do we really need them?",
compare it with ways to weigh the examples of AdaBoost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from shoal.decision import Decision, DecisionState, decision_update, importance, put_first, sigmoid, threshold_now
from shoal.kernels.compiler import body, in_place, inlined
from shoal.kernels.verbs import decision_answer, decision_count, decision_hear, decision_learn
from shoal.types import Floats, Ints, Room, Task


class CostsState(DecisionState):
    """What turns scores into answers; a type of its own, by which bodies are chosen."""

    __slots__ = ()


@dataclass(frozen=True)
class Costs(Decision):
    """How scores become answers, weighed by class.

    class_weight, threshold: as in `Decision`; the threshold is that of the probabilities before they are weighed.
    """

    def init(self, task: Task) -> CostsState:
        """Before any example."""
        return CostsState(*super().init(task))


@inlined
def log_weight(state: CostsState, k: int) -> float:
    """The logarithm of w_k."""
    weight = importance(state, k)
    return math.log(weight) if weight > 0.0 else -math.inf


@in_place
def decide(state: CostsState, score: Floats, proba: Floats) -> int:
    """Write the weighed probabilities; answers the class. A tie goes to class 1 of two, to the first of many."""
    if len(score) == 1:
        natural = state.slope[0] * score[0] - threshold_now(state)
        logit = natural + log_weight(state, 1) - log_weight(state, 0)
        proba[1] = sigmoid(logit)
        proba[0] = sigmoid(-logit)
        if logit < 0.0:
            return 0
        put_first(proba, 1)
        return 1
    best = 0
    for k in range(len(score)):
        proba[k] = state.slope[0] * score[k] + log_weight(state, k)
        if proba[k] > proba[best]:
            best = k
    top, total = proba[best], 0.0
    for k in range(len(score)):
        proba[k] = math.exp(proba[k] - top)
        total += proba[k]
    for k in range(len(score)):
        proba[k] /= total
    put_first(proba, best)
    return best


@body(decision_answer, CostsState, allocates=False)
def answer(decision: CostsState, score: Floats, predicted: Ints, proba: Floats, t: int) -> None:
    """The class and the probabilities of row t."""
    predicted[t] = decide(decision, score, proba[t])


@body(decision_hear, CostsState, allocates=False)
def hear(decision: CostsState, room: Room, labels: Floats, t: int) -> float:
    """The position of the class of row t."""
    return labels[t]


@body(decision_count, CostsState, allocates=False)
def count(decision: CostsState, y: float, weight: float) -> float:
    """The example's own weight."""
    return weight


@body(decision_learn, CostsState, allocates=False)
def learn(decision: CostsState, room: Room, y: float, weight: float, counted: float) -> None:
    """Learn from the label of the score in the room."""
    decision_update(decision, room.score, int(y), weight, counted)
