"""OnlineBBM: online boost-by-majority (Beygelzimer, Kale and Luo 2015; specification F.1).

Learner i of N is taught an example with weight

    C(N - i, k) p**k (1 - p)**(N - i - k),    k = floor((N - i - s + 1) / 2)

s the margin of the votes before it: the probability that its vote decides the majority if each later
learner were right with probability p. Divided by the largest such probability it is in [0, 1]. The answer is
the sign of the sum of the votes (the uniform rule); the paper's votes are hard. K > 2 classes: every output
is a two-class problem of its own.

With log m! = sum of log j, and u(m), d(m) the sums over j <= m of log(j / (N p)) + 1, log(j / (N (1 - p))) + 1,
the logarithm of a weight is a constant of N - i, less u(k), less d(N - i - k). The three tables are small
numbers, so their rounding stays far below 1e-12 for thousands of learners, and nothing overflows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from shoal.boosters.lessons import teach_truth
from shoal.boosters.passing import FORMS, is_passed
from shoal.errors import InputError
from shoal.kernels.compiler import body, compiled, inlined
from shoal.kernels.sums import add
from shoal.kernels.verbs import booster_assign
from shoal.rules.weighted_losses import check_choice
from shoal.types import Flags, Floats, Keys, Lesson, Scores, Task


class OnlineBBMState(NamedTuple):
    """Tables of logarithms by how many learners are left, or are right, or are wrong; (N,) each."""

    n_members: int
    sampling: bool
    left: Floats
    right: Floats
    wrong: Floats
    key: Keys  # (1,)
    rounds: Floats  # (1,) t


@dataclass(frozen=True)
class OnlineBBM:
    """Boost by majority.

    gamma: the learners' assumed advantage over chance, in (0, 1/2): errors of at most 1/2 - gamma.
    form: "importance" gives weighted lessons, p = 1/2 + gamma; "sampling" passes examples on with
        probability equal to the weight, which proves half of that only, p = 1/2 + gamma / 2.
    normalise: divide by the largest weight of each learner; without it, weights of the later of many
        learners are the larger ones.
    """

    gamma: float = 0.1
    form: str = "importance"
    normalise: bool = True

    per_output: ClassVar[bool] = True

    def check(self) -> None:
        """Refuse parameters for which the formulas have no value."""
        if not 0.0 < self.gamma < 0.5:
            raise InputError(
                f"gamma is {self.gamma!r}; expected an advantage over chance in (0, 0.5), such as 0.1."
            )
        check_choice("form", self.form, FORMS)

    @property
    def p(self) -> float:
        """The probability that a learner is right, under the weights."""
        return 0.5 + (self.gamma if self.form == "importance" else 0.5 * self.gamma)

    def init(self, n_learners: int, task: Task, seed: int) -> OnlineBBMState:
        """Tables, and no example."""
        self.check()
        right, wrong = centred(n_learners, self.p), centred(n_learners, 1.0 - self.p)
        left = least_pairs(right, wrong, self.p) if self.normalise else centred(n_learners, 1.0)
        key = np.array([seed], dtype=np.uint64)
        return OnlineBBMState(n_learners, self.form == "sampling", left, right, wrong, key, np.zeros(1))

    def widen(self, state: OnlineBBMState, task: Task) -> OnlineBBMState:
        """Nothing depends on the number of classes."""
        return state


@compiled
def centred(n: int, p: float) -> Floats:
    """The logarithm of m! / (n p / e)**m for m = 0..n - 1."""
    logs = np.zeros(n)
    total, lost = np.zeros(1), np.zeros(1)
    for m in range(1, n):
        add(total, lost, 0, math.log(m / (n * p)) + 1.0)
        logs[m] = total[0] + lost[0]
    return logs


@compiled
def least_pairs(right: Floats, wrong: Floats, p: float) -> Floats:
    """The least of right[k] + wrong[m - k] over k, for every m: it is next to k = (m + 1) p."""
    least = np.empty(len(right))
    for m in range(len(right)):
        mode = int((m + 1) * p)
        least[m] = math.inf
        for k in range(max(mode - 1, 0), min(mode + 1, m) + 1):
            least[m] = min(least[m], right[k] + wrong[m - k])
    return least


@inlined
def majority_weight(booster: OnlineBBMState, n_left: int, s: float) -> float:
    """The weight of a learner with that many behind it, and margin s before it."""
    k = math.floor((n_left - s + 1.0) / 2.0)
    if k < 0 or k > n_left:
        return 0.0
    return math.exp(booster.left[n_left] - (booster.right[k] + booster.wrong[n_left - k]))


@body(booster_assign, OnlineBBMState)
def assign(
    booster: OnlineBBMState,
    heard: Scores,
    members: Scores,
    parts: Scores,
    live: Flags,
    y: float,
    weight: float,
    lesson: Lesson,
) -> None:
    """The truth, as far as it is not decided yet."""
    teach_truth(lesson, y)
    n_learners, n_outputs = heard.shape
    booster.rounds[0] += 1.0
    for c in range(n_outputs):
        s = 0.0
        for i in range(n_learners):
            w = majority_weight(booster, n_learners - 1 - i, s)
            if booster.sampling:
                w = 1.0 if is_passed(booster.key, int(booster.rounds[0]), i * n_outputs + c, w) else 0.0
            lesson.weight[i, c] = weight * w
            if live[i]:
                s += lesson.target[i, c] * heard[i, c]
