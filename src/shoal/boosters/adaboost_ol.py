"""AdaBoost.OL (Beygelzimer, Kale and Luo 2015) and AdaBoost.OLM for K classes (Jung, Goetz and Tewari 2017).

Learner i speaks with coefficient alpha_i, s_i is the margin of the first i of them, and

    its lesson has weight 1 / (1 + exp(s_{i-1}))
    alpha_i moves by eta_t * z / (1 + exp(s_i)), z = y * h_i, and stays in [-2, 2]; eta_t = 4 / sqrt(t).

With K classes, "direct" keeps a score per class; a learner adds alpha_i to the class that it names, its
lesson costs what each wrong class gains on the right one, and the step is along the slope of the logistic
cost, eta_t = 2 sqrt(2) / ((K - 1) sqrt(t)). "one-vs-rest" is AdaBoost.OL on every output. The class that a
learner names is that of its largest vote, or by `decision="min_cost"`, as in the authors' own program, the one
that it expects to cost least: a class l costs 1 / (1 + exp(s_r - s_l)) where r is the truth, the truth itself less
than nothing, minus what all others cost; r is weighed by the learner's probabilities, (1 + vote) / 2.

The paper's votes are hard. Its answer is that of one of the prefix experts, by Hedge with learning rate 1
(rule `ExpExperts(eta=1.0)`); `Last` answers with all learners. An example's weight multiplies the lesson's and
the step, and the t in eta_t is then the sum of the squared weights, the rate at which gradients of these sizes
are followed safely: a factor on all weights leaves the steps as they are. With forgetting rho each of them counts
rho times as much at every later example, so that coefficients can follow drift. A learner that abstains leaves
score and coefficient as they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.boosters.lessons import teach_truth
from shoal.boosters.passing import FORMS, is_passed
from shoal.decision import sigmoid
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import booster_assign, booster_read, booster_reset
from shoal.rules.exp_experts import winner
from shoal.rules.weighted_losses import check_choice, check_forgetting
from shoal.types import Flags, Floats, Keys, Lesson, Scores, Task

MULTICLASS = ("direct", "one-vs-rest")
DECISIONS = ("argmax", "min_cost")
ALPHA_MAX = 2.0
ETA = 4.0
ETA_CLASSES = 2.0 * math.sqrt(2.0)


class AdaBoostOLState(NamedTuple):
    """Coefficients: one per learner, and per output but where several are direct."""

    n_members: int
    direct: bool
    by_cost: bool
    sampling: bool
    forgetting: float
    alpha: Floats  # (N, C) or (N, 1)
    key: Keys  # (1,)
    rounds: Floats  # (1,) examples
    kept: Floats  # (1,) t: their squared weights, those not forgotten


@dataclass(frozen=True)
class AdaBoostOL:
    """Boosting that adapts to the advantage of each learner.

    form: "importance" gives weighted lessons, "sampling" passes examples on with probability equal to the
        weight.
    multiclass: "direct" (AdaBoost.OLM) or "one-vs-rest".
    decision: of several classes, directly, a learner names the one of its largest vote, "argmax", or "min_cost",
        of the least cost expected under its probabilities.
    forgetting: factor in (0, 1] on the number of examples at each of them; 1 never forgets.
    """

    form: str = "importance"
    multiclass: str = "direct"
    decision: str = "argmax"
    forgetting: float = 1.0

    @property
    def per_output(self) -> bool:
        """Whether lessons differ between the outputs of one learner."""
        return self.multiclass == "one-vs-rest"

    def check(self) -> None:
        """Refuse names of forms that there are not."""
        check_choice("form", self.form, FORMS)
        check_choice("multiclass", self.multiclass, MULTICLASS)
        check_choice("decision", self.decision, DECISIONS)
        check_forgetting(self.forgetting)

    def init(self, n_learners: int, task: Task, seed: int) -> AdaBoostOLState:
        """Coefficients of 0."""
        self.check()
        direct = self.multiclass == "direct"
        return AdaBoostOLState(
            n_learners,
            direct,
            self.decision == "min_cost",
            self.form == "sampling",
            float(self.forgetting),
            np.zeros((n_learners, 1 if direct else task.n_outputs)),
            np.array([seed], dtype=np.uint64),
            np.zeros(1),
            np.zeros(1),
        )

    def widen(self, state: AdaBoostOLState, task: Task) -> AdaBoostOLState:
        """Room for more classes. A learner counts for class 0 as it does for class 1, and not yet for new ones."""
        if state.direct:
            return state
        alpha = np.zeros((state.n_members, task.n_outputs))
        alpha[:, : max(2, state.alpha.shape[1])] = state.alpha
        return state._replace(alpha=alpha)

    def weights(self, state: AdaBoostOLState) -> Floats:
        """The coefficients, the mean over the outputs; negative ones count against."""
        return np.asarray(np.mean(state.alpha, axis=1))


@inlined
def clipped(alpha: float) -> float:
    """A coefficient within its bounds."""
    return min(max(alpha, -ALPHA_MAX), ALPHA_MAX)


@inlined
def before(parts: Scores, i: int, c: int) -> float:
    """What the learners before i say of output c."""
    return parts[i - 1, c] if i > 0 else 0.0


@inlined
def expected_cost(heard: Scores, parts: Scores, i: int, said: int) -> float:
    """What it would cost if learner i named that class, as far as it knows itself."""
    total = 0.0
    for r in range(heard.shape[1]):
        if r != said:
            ahead = before(parts, i, r) - before(parts, i, said)
            total += max(0.0, 1.0 + heard[i, r]) * sigmoid(-ahead)
            total -= max(0.0, 1.0 + heard[i, said]) * sigmoid(ahead)
    return total


@inlined
def named(booster: AdaBoostOLState, heard: Scores, parts: Scores, i: int) -> int:
    """The class that learner i names; of equal ones the first."""
    if not booster.by_cost:
        return winner(heard, i)
    best, least = 0, math.inf
    for c in range(heard.shape[1]):
        cost = expected_cost(heard, parts, i, c)
        if cost < least:
            best, least = c, cost
    return best


@inlined
def say(booster: AdaBoostOLState, heard: Scores, i: int, parts: Scores) -> None:
    """Add what learner i says to its prefix answer."""
    if booster.direct and heard.shape[1] > 1:
        parts[i, named(booster, heard, parts, i)] += booster.alpha[i, 0]
    else:
        for c in range(heard.shape[1]):
            parts[i, c] += booster.alpha[i, c] * heard[i, c]


@body(booster_read, AdaBoostOLState)
def read(
    booster: AdaBoostOLState, heard: Scores, live: Flags, members: Scores, present: Flags, parts: Scores
) -> None:
    """Every learner is a member; prefix answers are sums weighed by the coefficients."""
    for i in range(heard.shape[0]):
        present[i] = live[i]
        for c in range(heard.shape[1]):
            members[i, c] = heard[i, c]
            parts[i, c] = parts[i - 1, c] if i > 0 else 0.0
        if live[i]:
            say(booster, heard, i, parts)


@inlined
def passed_on(booster: AdaBoostOLState, place: int, w: float) -> float:
    """The weight itself, or 1 with that probability."""
    if not booster.sampling:
        return w
    return 1.0 if is_passed(booster.key, int(booster.rounds[0]), place, w) else 0.0


@inlined
def learn_output(
    booster: AdaBoostOLState, heard: Scores, parts: Scores, live: Flags, c: int, weight: float, lesson: Lesson
) -> None:
    """Lessons and steps of one output, as a two-class problem."""
    step = weight * ETA / math.sqrt(booster.kept[0])
    for i in range(heard.shape[0]):
        target = lesson.target[i, c]
        w = sigmoid(-target * before(parts, i, c))
        lesson.weight[i, c] = weight * passed_on(booster, i * heard.shape[1] + c, w)
        if live[i]:
            z = target * heard[i, c]
            booster.alpha[i, c] = clipped(booster.alpha[i, c] + step * z * sigmoid(-target * parts[i, c]))


@inlined
def gains(parts: Scores, i: int, truth: int, alpha: float) -> float:
    """What the other classes gain on the truth, before learner i and if it got alpha more."""
    ahead = alpha + before(parts, i, truth)
    total = 0.0
    for c in range(parts.shape[1]):
        if c != truth:
            total += sigmoid(before(parts, i, c) - ahead)
    return total


@inlined
def slope(parts: Scores, i: int, truth: int, said: int, alpha: float) -> float:
    """The slope of the logistic cost in the coefficient of learner i, which names the class `said`."""
    if said == truth:
        return -gains(parts, i, truth, alpha)
    return sigmoid(before(parts, i, said) - before(parts, i, truth) + alpha)


@inlined
def learn_classes(
    booster: AdaBoostOLState, heard: Scores, parts: Scores, live: Flags, truth: int, weight: float, lesson: Lesson
) -> None:
    """Lessons and steps on all classes at once."""
    n_learners, n_outputs = heard.shape
    step = weight * ETA_CLASSES / ((n_outputs - 1) * math.sqrt(booster.kept[0]))
    for i in range(n_learners):
        w = weight * passed_on(booster, i, gains(parts, i, truth, 0.0) / (n_outputs - 1))
        for c in range(n_outputs):
            lesson.weight[i, c] = w
        if live[i]:
            said, alpha = named(booster, heard, parts, i), booster.alpha[i, 0]
            booster.alpha[i, 0] = clipped(alpha - step * slope(parts, i, truth, said, alpha))


@body(booster_assign, AdaBoostOLState)
def assign(
    booster: AdaBoostOLState,
    heard: Scores,
    members: Scores,
    parts: Scores,
    live: Flags,
    y: float,
    weight: float,
    lesson: Lesson,
) -> None:
    """The truth, at the weight of what is still wrong in the prefix answers; the coefficients take their steps."""
    teach_truth(lesson, y)
    booster.rounds[0] += 1.0
    booster.kept[0] = booster.forgetting * booster.kept[0] + weight * weight
    if booster.direct and heard.shape[1] > 1:
        learn_classes(booster, heard, parts, live, int(y), weight, lesson)
    else:
        for c in range(heard.shape[1]):
            learn_output(booster, heard, parts, live, c, weight, lesson)


@body(booster_reset, AdaBoostOLState)
def reset(booster: AdaBoostOLState, i: int) -> None:
    """A new learner i does not count as yet."""
    booster.alpha[i] = 0.0
