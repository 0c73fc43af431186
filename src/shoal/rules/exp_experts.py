"""Hedge over the booster's prefix answers: OSBoost.EXP (Chen, Lin and Lu 2012), AdaBoost.OL's experts.

Expert j answers with the class of the booster's first j members and has made M_j (weighted) mistakes; its
weight is v_j, proportional to exp(-eta_t * M_j). The answer is that of one expert drawn with
probability v_j, or of the weighted vote, or of the expert with the fewest mistakes. The draw is a function of
the seed and the number of examples learned, so all rows answered in between share one.

eta_t = sqrt(8 log(M) / (t + 1)) for M experts holds for any length of stream: the expected number of mistakes
of the drawn expert exceeds the best one's by at most 2 sqrt(T log(M) / 2) + sqrt(log(M) / 8). A fixed eta
is log 2 in the weighted majority vote and 1 in AdaBoost.OL. When the stream drifts (specification F.2), another
expert may take over: with a fixed share s no expert's weight falls below s / M; with forgetting rho the
M_j and t are multiplied by rho at each example, before it is counted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from shoal.errors import InputError
from shoal.kernels.compiler import body, compiled, inlined
from shoal.kernels.random import mix, uniform
from shoal.kernels.sums import add
from shoal.kernels.verbs import rule_combine, rule_update
from shoal.rules.weighted_losses import check_choice, check_forgetting, is_positive
from shoal.types import Flags, Floats, Keys, Scores, Task

ANSWERS = ("sampled", "vote", "best")
SAMPLED, VOTE, BEST = range(len(ANSWERS))
EXPERT = np.uint64(0x4578706572740001)  # keeps these numbers apart from others made with the same seed
LEAST_CHARGE = 1e-290  # a factor under which shared weights still have a sum above 0


class ExpExpertsState(NamedTuple):
    """How the experts fared, and their present weights."""

    answer: int
    eta: float  # 0: the one for any length of stream
    share: float
    forgetting: float
    key: Keys  # (1,)
    rounds: Floats  # (1,) examples
    kept: Floats  # (1,) t: those not forgotten
    mistakes: Floats  # (M,)
    lost: Floats  # (M,) what rounding dropped of them
    v: Floats  # (M,) sum to one


@dataclass(frozen=True)
class ExpExperts:
    """Trust the prefix of the members that has erred least.

    answer: "sampled", the paper's; "vote", the weighted vote of all; or "best".
    eta: a fixed learning rate, or None for the one that fits any length of stream.
    share: part of the weight that is dealt out anew at each example, in [0, 1), such as one over the time
        between changes; needs a fixed eta. 0 never forgets.
    forgetting: factor in (0, 1] on the mistakes at each example, and on a label that comes late; 1 never forgets.
    """

    over_parts: ClassVar[bool] = True  # it weighs prefix answers, in which the booster's own weights are

    answer: str = "sampled"
    eta: float | None = None
    share: float = 0.0
    forgetting: float = 1.0

    def check(self) -> None:
        """Refuse parameters for which the formulas have no value."""
        check_choice("answer", self.answer, ANSWERS)
        check_forgetting(self.forgetting)
        if self.eta is not None and not is_positive(self.eta):
            raise InputError(f"eta is {self.eta!r}; expected a learning rate above 0, or None to have it fall.")
        if not (self.share == 0.0 or (is_positive(self.share) and self.share < 1.0)):
            raise InputError(f"share is {self.share!r}; expected a part of the weight in [0, 1), 0 for none.")
        if self.share > 0.0 and self.eta is None:
            raise InputError(f"share is {self.share!r}, which needs a fixed learning rate: give eta, such as 1.")

    def init(self, n_members: int, task: Task, seed: int) -> ExpExpertsState:
        """Equal weights."""
        self.check()
        return ExpExpertsState(
            ANSWERS.index(self.answer),
            0.0 if self.eta is None else float(self.eta),
            float(self.share),
            float(self.forgetting),
            np.array([seed], dtype=np.uint64),
            np.zeros(1),
            np.zeros(1),
            np.zeros(n_members),
            np.zeros(n_members),
            np.full(n_members, 1.0 / n_members),
        )

    def widen(self, state: ExpExpertsState, task: Task) -> ExpExpertsState:
        """Nothing depends on the number of classes."""
        return state

    def weights(self, state: ExpExpertsState) -> Floats:
        """A member counts for every expert that it is part of: itself, and the longer prefixes."""
        return np.cumsum(state.v[::-1])[::-1]


@compiled
def number(key: Keys, t: int) -> float:
    """The number in (0, 1) that is drawn after t examples."""
    return uniform(mix(mix(key[0], EXPERT), np.uint64(t)))


@inlined
def winner(parts: Scores, j: int) -> int:
    """Expert j's class; a tie goes to class 1 of two, to the first of many."""
    if parts.shape[1] == 1:
        return 1 if parts[j, 0] >= 0.0 else 0
    best = 0
    for c in range(1, parts.shape[1]):
        if parts[j, c] > parts[j, best]:
            best = c
    return best


@inlined
def drawn(rule: ExpExpertsState) -> int:
    """The expert in whose share of (0, 1) the number falls."""
    u = number(rule.key, int(rule.rounds[0]))
    total = 0.0
    for j in range(len(rule.v)):
        total += rule.v[j]
        if u < total:
            return j
    return len(rule.v) - 1


@inlined
def speak(parts: Scores, j: int, volume: float, out: Floats) -> None:
    """Add expert j's class to the score."""
    k = winner(parts, j)
    if len(out) == 1:
        out[0] += volume * (2.0 * k - 1.0)
    else:
        for c in range(len(out)):
            out[c] += volume if c == k else -volume


@inlined
def reweigh(rule: ExpExpertsState) -> None:
    """The weights that the mistakes deserve, for the example to come."""
    n = len(rule.v)
    eta = rule.eta if rule.eta > 0.0 else math.sqrt(8.0 * math.log(n) / (rule.forgetting * rule.kept[0] + 1.0))
    least = np.min(rule.mistakes)
    for j in range(n):
        rule.v[j] = math.exp(-eta * (rule.mistakes[j] - least + rule.lost[j]))
    rule.v[:] /= np.sum(rule.v)


@inlined
def deal_out(rule: ExpExpertsState) -> None:
    """Of all weight, deal out the share anew."""
    total = np.sum(rule.v)
    for j in range(len(rule.v)):
        rule.v[j] = (1.0 - rule.share) * rule.v[j] / total + rule.share / len(rule.v)


@inlined
def forget(rule: ExpExpertsState) -> None:
    """Let mistakes and examples fade, and count this one."""
    rule.kept[0] = rule.forgetting * rule.kept[0] + 1.0
    if rule.forgetting < 1.0:
        for j in range(len(rule.v)):
            rule.mistakes[j] *= rule.forgetting
            rule.lost[j] *= rule.forgetting
            rule.v[j] = rule.v[j] ** rule.forgetting


@body(rule_combine, ExpExpertsState)
def combine(rule: ExpExpertsState, members: Scores, parts: Scores, present: Flags, out: Floats) -> None:
    """The class of one expert, or of all."""
    out[:] = 0.0
    if rule.answer == SAMPLED:
        speak(parts, drawn(rule), 1.0, out)
    elif rule.answer == BEST:
        speak(parts, int(np.argmax(rule.v)), 1.0, out)
    else:
        for j in range(len(rule.v)):
            speak(parts, j, rule.v[j], out)


@body(rule_update, ExpExpertsState)
def update(
    rule: ExpExpertsState, members: Scores, parts: Scores, present: Flags, y: float, weight: float, age: float
) -> None:
    """Whoever was wrong is charged for it."""
    rule.rounds[0] += 1.0
    forget(rule)
    weight *= rule.forgetting**age
    charge = max(math.exp(-rule.eta * weight), LEAST_CHARGE)
    for j in range(len(rule.v)):
        if winner(parts, j) != int(y):
            add(rule.mistakes, rule.lost, j, weight)
            if rule.share > 0.0:
                rule.v[j] *= charge
    if rule.share > 0.0:
        deal_out(rule)
    else:
        reweigh(rule)
