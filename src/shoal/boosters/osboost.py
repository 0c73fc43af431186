"""OSBoost's smooth weights (Chen, Lin and Lu 2012; specification B.2).

Learner i is taught an example with weight min((1 - gamma)**(z / 2), 1), z the sum over the learners before
it of (margin - theta), theta = gamma / (2 + gamma): the more of them are right, the less it counts, and no
example ever counts for more than 1. An example's own weight multiplies this.

The margin is y * h for two classes. For K classes there are three choices:

    "margin"       half of (the vote for the truth - the largest of the others): with two columns of opposite
                   votes the same as y * h, with hard votes the same as "direct"
    "direct"       +1 where the learner's class is right, -1 where it is wrong (specification F.1)
    "one-vs-rest"  every output is a two-class problem of its own

A learner that abstains is taught with the weight of its place and leaves the margin as it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from shoal.boosters.lessons import teach_truth
from shoal.errors import InputError
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import booster_assign
from shoal.rules.weighted_losses import check_choice
from shoal.types import Flags, Lesson, Scores, Task

MULTICLASS = ("margin", "direct", "one-vs-rest")
MARGIN, DIRECT, ONE_VS_REST = range(len(MULTICLASS))


class OSBoostState(NamedTuple):
    """Only constants: the weights depend on the present votes alone."""

    n_members: int
    multiclass: int
    theta: float
    slope: float  # of the logarithm of the weight, against z


@dataclass(frozen=True)
class OSBoost:
    """Smooth boosting.

    gamma: the learners' assumed advantage over chance, in [0, 1/2); 0 teaches all alike.
    multiclass: "margin", "direct" or "one-vs-rest".
    """

    gamma: float = 0.1
    multiclass: str = "margin"

    @property
    def per_output(self) -> bool:
        """Whether lessons differ between the outputs of one learner."""
        return self.multiclass == "one-vs-rest"

    def check(self) -> None:
        """Refuse parameters for which the formulas have no value."""
        check_gamma(self.gamma)
        check_choice("multiclass", self.multiclass, MULTICLASS)

    def init(self, n_learners: int, task: Task, seed: int) -> OSBoostState:
        """Nothing is remembered."""
        self.check()
        multiclass = MULTICLASS.index(self.multiclass)
        return OSBoostState(n_learners, multiclass, theta_of(self.gamma), 0.5 * math.log1p(-self.gamma))

    def widen(self, state: OSBoostState, task: Task) -> OSBoostState:
        """Nothing depends on the number of classes."""
        return state


def check_gamma(gamma: float) -> None:
    """Refuse an advantage that is none, or that no learner can have."""
    if not 0.0 <= gamma < 0.5:
        raise InputError(f"gamma is {gamma!r}; expected an advantage over chance in [0, 0.5), such as 0.1.")


def theta_of(gamma: float) -> float:
    """The mean margin that smooth boosting reaches for."""
    return gamma / (2.0 + gamma)


@inlined
def smooth(booster: OSBoostState, z: float) -> float:
    """Equation (4); no exponential where it would be above 1."""
    return math.exp(booster.slope * z) if z > 0.0 else 1.0


@inlined
def margin_of(booster: OSBoostState, votes: Scores, i: int, k: int) -> float:
    """How right learner i is if class k of several is the truth; of equal votes the first counts."""
    first = k
    best = -math.inf  # of the other classes
    for c in range(votes.shape[1]):
        if c != k and votes[i, c] > best:
            first, best = c, votes[i, c]
    if booster.multiclass == MARGIN:
        return 0.5 * (votes[i, k] - best)
    return 1.0 if votes[i, k] > best or (votes[i, k] == best and k < first) else -1.0


@inlined
def weigh_outputs(booster: OSBoostState, heard: Scores, live: Flags, weight: float, lesson: Lesson) -> None:
    """Every output by its own margins."""
    for c in range(heard.shape[1]):
        z = 0.0
        for i in range(heard.shape[0]):
            lesson.weight[i, c] = weight * smooth(booster, z)
            if live[i]:
                z += lesson.target[i, c] * heard[i, c] - booster.theta


@inlined
def weigh_classes(
    booster: OSBoostState, heard: Scores, live: Flags, y: float, weight: float, lesson: Lesson
) -> None:
    """All outputs alike, by one margin."""
    z = 0.0
    for i in range(heard.shape[0]):
        w = weight * smooth(booster, z)
        for c in range(heard.shape[1]):
            lesson.weight[i, c] = w
        if live[i]:
            z += margin_of(booster, heard, i, int(y)) - booster.theta


@body(booster_assign, OSBoostState, allocates=False)
def assign(
    booster: OSBoostState,
    heard: Scores,
    members: Scores,
    parts: Scores,
    live: Flags,
    y: float,
    weight: float,
    lesson: Lesson,
) -> None:
    """The truth, at the smooth weight of each learner."""
    teach_truth(lesson, y)
    if booster.multiclass != ONE_VS_REST and heard.shape[1] > 1:
        weigh_classes(booster, heard, live, y, weight, lesson)
    else:
        weigh_outputs(booster, heard, live, weight, lesson)
