"""Weights by stochastic gradient descent on loss (8) of Bai, Lam and Sclaroff, with or without averaging.

At example t the weight of a learner with loss g moves with step e = gamma / (t + t0)**kappa:

    form "paper"      lambda - e * (theta * g - 1 / lambda), kept above a floor            (14)
    form "implicit"   the minimum of theta * g * x - log x + (x - lambda)**2 / (2 e) over x > 0

The implicit form is positive and stable by itself. The best `gamma` is lambda**2 at the optimum, typically
1e2 to 1e4: with the default of 1 the weights stay nearly equal. Averaging (Polyak and Juditsky) answers
with the mean of the iterates, the first included, and wants steps that fall slower, kappa = 2/3.
An example's weight multiplies its loss; a learner that abstains stays where it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.errors import InputError
from shoal.kernels.compiler import body, inlined
from shoal.kernels.sums import add
from shoal.kernels.verbs import rule_combine, rule_reset, rule_update
from shoal.losses import Loss, base_loss, loss_if
from shoal.rules.weighted_losses import check_choice, check_positive, score_by_losses
from shoal.types import Flags, Floats, Scores, Task

KAPPA = {"paper": 1.0, "polyak": 2.0 / 3.0}

FORMS = ("paper", "implicit")


class SGDState(NamedTuple):
    """The iterates, their sums, and the weights that answer: the iterates or their means."""

    loss: Loss
    theta: float
    gamma: float
    implicit: bool
    averaging: bool
    kappa: float
    offset: float
    floor: float
    first: float
    rounds: Floats  # (1,) t
    iterates: Floats  # (N,)
    total: Floats  # (N,) of the iterates, the first included
    lost: Floats  # (N,) what rounding dropped of it
    weights: Floats  # (N,)


@dataclass(frozen=True)
class SGDWeights:
    """Weights that follow the gradient of loss (8).

    gamma: size of the steps, positive.
    form: "paper" (14) or "implicit".
    averaging: None, or "polyak" to answer with the mean of the iterates.
    schedule: "paper", steps that fall like 1/t, or "polyak", like t**(-2/3).
    offset: examples by which the steps are ahead, 0 or more.
    theta: scale of the likelihood; base_loss: as for `BayesExponential`.
    first, floor: the first weight, and the least one where the form is "paper".
    """

    gamma: float = 1.0
    form: str = "paper"
    averaging: str | None = None
    schedule: str = "paper"
    offset: float = 0.0
    theta: float = 0.1
    base_loss: str = "ramp"
    ramp: float = 0.0
    first: float = 1.0
    floor: float = 1e-3

    def check(self) -> None:
        """Refuse parameters for which the formulas have no value."""
        check_positive(self, "gamma", "theta", "first", "floor")
        check_choice("form", self.form, FORMS)
        check_choice("averaging", self.averaging, (None, "polyak"))
        check_choice("schedule", self.schedule, tuple(KAPPA))
        if not self.offset >= 0.0:
            raise InputError(f"offset is {self.offset!r}; expected a number of examples, 0 or more.")
        base_loss(self.base_loss, self.ramp)

    def init(self, n_members: int, task: Task, seed: int) -> SGDState:
        """Equal weights."""
        self.check()
        return SGDState(
            base_loss(self.base_loss, self.ramp),
            float(self.theta),
            float(self.gamma),
            self.form == "implicit",
            self.averaging == "polyak",
            KAPPA[self.schedule],
            float(self.offset),
            float(self.floor),
            float(self.first),
            np.zeros(1),
            np.full(n_members, float(self.first)),
            np.full(n_members, float(self.first)),
            np.zeros(n_members),
            np.full(n_members, float(self.first)),
        )

    def widen(self, state: SGDState, task: Task) -> SGDState:
        """Nothing depends on the number of classes."""
        return state

    def weights(self, state: SGDState) -> Floats:
        """Those that answer."""
        return state.weights.copy()


@inlined
def proximal(weight: float, step: float, slope: float) -> float:
    """The minimum of slope * x - log x + (x - weight)**2 / (2 * step), without cancellation."""
    b = weight - step * slope
    root = math.sqrt(b * b + 4.0 * step)
    return 0.5 * (b + root) if b >= 0.0 else 2.0 * step / (root - b)


@inlined
def moved(rule: SGDState, weight: float, step: float, g: float) -> float:
    """One step of one weight."""
    if rule.implicit:
        return proximal(weight, step, rule.theta * g)
    return max(rule.floor, weight - step * (rule.theta * g - 1.0 / weight))


@body(rule_combine, SGDState, allocates=False)
def combine(rule: SGDState, members: Scores, parts: Scores, present: Flags, out: Floats) -> None:
    """The class with the least weighted losses, equation (12)."""
    score_by_losses(rule.loss, rule.weights, members, present, out)


@body(rule_update, SGDState, allocates=False)
def update(
    rule: SGDState, members: Scores, parts: Scores, present: Flags, y: float, weight: float, age: float
) -> None:
    """Every weight takes its step."""
    rule.rounds[0] += 1.0
    t = rule.rounds[0]
    step = weight * rule.gamma / (t + rule.offset) ** rule.kappa
    for i in range(members.shape[0]):
        if present[i]:
            rule.iterates[i] = moved(rule, rule.iterates[i], step, loss_if(rule.loss, members, i, int(y)))
        add(rule.total, rule.lost, i, rule.iterates[i])
        mean = (rule.total[i] + rule.lost[i]) / (t + 1.0)
        rule.weights[i] = mean if rule.averaging else rule.iterates[i]


@body(rule_reset, SGDState, allocates=False)
def reset(rule: SGDState, i: int) -> None:
    """A new member i starts with the first weight, and a mean as if it had always had it."""
    rule.iterates[i] = rule.first
    rule.weights[i] = rule.first
    rule.total[i] = rule.first * (rule.rounds[0] + 1.0)
    rule.lost[i] = 0.0
