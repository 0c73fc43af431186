"""OSBoost's smooth weights (Chen, Lin and Lu 2012; specification B.2).

Learner i is taught an example with weight min((1 - gamma)**(z / 2), 1), z the sum over the learners before
it of (margin - theta), theta = gamma / (2 + gamma): the more of them are right, the less it counts, and no
example ever counts for more than 1. An example's own weight multiplies this.

The margin is y * h for two classes. For K classes, "direct" has one margin, +1 where the learner's class
is right and -1 where it is wrong; "one-vs-rest" takes every output as a two-class problem of its own. A
learner that abstains is taught with the weight of its place and leaves the margin as it is.
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

MULTICLASS = ("direct", "one-vs-rest")


class OSBoostState(NamedTuple):
    """Only constants: the weights depend on the present votes alone."""

    n_members: int
    direct: bool
    theta: float
    slope: float  # of the logarithm of the weight, against z


@dataclass(frozen=True)
class OSBoost:
    """Smooth boosting.

    gamma: the learners' assumed advantage over chance, in [0, 1/2); 0 teaches all alike.
    multiclass: "direct" or "one-vs-rest".
    """

    gamma: float = 0.1
    multiclass: str = "direct"

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
        direct = self.multiclass == "direct"
        return OSBoostState(n_learners, direct, theta_of(self.gamma), 0.5 * math.log1p(-self.gamma))

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
def names(votes: Scores, i: int, y: float) -> bool:
    """Whether y is the class that learner i votes for, the first of those with the largest number."""
    k = int(y)
    for c in range(votes.shape[1]):
        if votes[i, c] > votes[i, k] or (votes[i, c] == votes[i, k] and c < k):
            return False
    return True


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
    """All outputs alike, by who is right."""
    z = 0.0
    for i in range(heard.shape[0]):
        w = weight * smooth(booster, z)
        for c in range(heard.shape[1]):
            lesson.weight[i, c] = w
        if live[i]:
            z += (1.0 if names(heard, i, y) else -1.0) - booster.theta


@body(booster_assign, OSBoostState)
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
    if booster.direct and heard.shape[1] > 1:
        weigh_classes(booster, heard, live, y, weight, lesson)
    else:
        weigh_outputs(booster, heard, live, weight, lesson)
