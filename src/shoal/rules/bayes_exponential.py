"""Posterior-mean weights under an Exponential likelihood (Bai, Lam and Sclaroff, loss (8), Algorithm 2).

If learner i's losses were Exponential with rate theta * lambda_i, and lambda_i had a Gamma(alpha, beta)
prior, its posterior after t examples would be Gamma(alpha + t, beta + theta * G_i), G_i the sum of its
losses. The weights are the posterior means

    lambda_i = (alpha + t) / (beta + theta * G_i)                                   (11)

and the answer is the class under which the weighted losses are least (12); a tie goes to class 1 of
two, to the first of many. Only beta / theta matters to the answer: alpha and t are common to all.

Beyond the paper (specification F): several classes; forgetting, which multiplies t and G by a factor at
each example and keeps the prior; example weights, as powers of the likelihood; learners that abstain,
each with its own t; the posterior predictive (Lomax) instead of the plug-in rule; a posterior per true
class.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import rule_combine, rule_reset, rule_update
from shoal.losses import Loss, base_loss, loss_among_many, loss_if, loss_of_vote
from shoal.rules.statistics import Sums, decay, forget, gather, merged, no_sums, value_at
from shoal.rules.weighted_losses import check_forgetting, check_positive
from shoal.types import Flags, Floats, Scores, Task

if TYPE_CHECKING:
    from shoal.rules.posterior import Posterior


class ExponentialState(NamedTuple):
    """Rows of the sums: one, or one per true class."""

    loss: Loss
    alpha: float
    beta: float
    theta: float
    forgetting: float
    predictive: bool
    rounds: Sums  # t, the (weighted) number of examples in which the learner voted
    losses: Sums  # G
    squares: Sums  # of the losses, for intervals
    examples: Floats  # (K,) of each class, for the prior of the classes


@dataclass(frozen=True)
class BayesExponential:
    """Weights that are the posterior means of the learners' reliabilities.

    alpha, beta: shape and rate of the Gamma prior, positive.
    theta: scale of the likelihood, positive. Only beta / theta changes the answers: it is the number of
        mistakes that every learner is charged beforehand.
    base_loss: "ramp" (with hard votes the same as "zero-one"), "hinge", "logistic", "exponential".
    ramp: s of the ramp loss, which stops at 1 - s.
    forgetting: factor in (0, 1] on the past at each example; 1 never forgets.
    predictive: average the loss over the posterior, instead of plugging in the mean.
    per_class: a separate posterior for the examples of each class.
    """

    alpha: float = 1.0
    beta: float = 1.0
    theta: float = 0.1
    base_loss: str = "ramp"
    ramp: float = 0.0
    forgetting: float = 1.0
    predictive: bool = False
    per_class: bool = False

    def check(self) -> None:
        """Refuse parameters for which the formulas have no value."""
        check_positive(self, "alpha", "beta", "theta")
        check_forgetting(self.forgetting)
        base_loss(self.base_loss, self.ramp)

    def init(self, n_members: int, task: Task, seed: int) -> ExponentialState:
        """The prior."""
        self.check()
        rows = task.n_classes if self.per_class else 1
        return ExponentialState(
            base_loss(self.base_loss, self.ramp),
            float(self.alpha),
            float(self.beta),
            float(self.theta),
            float(self.forgetting),
            self.predictive,
            no_sums(rows, n_members),
            no_sums(rows, n_members),
            no_sums(rows, n_members),
            np.zeros(task.n_classes),
        )

    def widen(self, state: ExponentialState, task: Task) -> ExponentialState:
        """Room for more classes; a new class starts at the prior."""
        grow = task.n_classes - len(state.examples)
        more = grow if self.per_class else 0
        rounds, losses, squares = (
            Sums(*(np.concatenate([part, np.zeros((more, part.shape[1]))]) for part in sums))
            for sums in (state.rounds, state.losses, state.squares)
        )
        examples = np.concatenate([state.examples, np.zeros(grow)])
        return state._replace(rounds=rounds, losses=losses, squares=squares, examples=examples)

    def merge(self, one: ExponentialState, other: ExponentialState) -> ExponentialState:
        """The posterior of both streams: the prior, and the sums of both (exact for fixed learners)."""
        return one._replace(
            rounds=merged(one.rounds, other.rounds),
            losses=merged(one.losses, other.losses),
            squares=merged(one.squares, other.squares),
            examples=one.examples + other.examples,
        )

    def weights(self, state: ExponentialState) -> Floats:
        """The posterior means, over the classes where each has its own."""
        means = (self.alpha + state.rounds.value()) / (self.beta + self.theta * state.losses.value())
        return np.asarray(means.mean(axis=0))

    def posterior(self, state: ExponentialState, names: tuple[str, ...] | None = None) -> Posterior:
        """What is believed about every member."""
        from shoal.rules.posterior import of_exponential

        return of_exponential(self, state, names)


@inlined
def weight_of(rule: ExponentialState, row: int, i: int) -> float:
    """lambda_i, equation (11)."""
    return (rule.alpha + value_at(rule.rounds, row, i)) / (rule.beta + rule.theta * value_at(rule.losses, row, i))


@inlined
def charge(rule: ExponentialState, row: int, i: int, g: float) -> float:
    """What a loss g of learner i adds to the ensemble's loss, over theta."""
    if not rule.predictive:
        return weight_of(rule, row, i) * g
    rate = rule.beta + rule.theta * value_at(rule.losses, row, i)
    shape = rule.alpha + value_at(rule.rounds, row, i)
    return (shape + 1.0) * math.log1p(rule.theta * g / rate) / rule.theta


@inlined
def ensemble_loss(rule: ExponentialState, members: Scores, present: Flags, k: int) -> float:
    """The weighted losses if class k were the truth, on the scale of one learner's loss."""
    per_class = len(rule.rounds.total) > 1
    row = k if per_class else 0
    total = 0.0
    weights = 0.0
    logs = 0.0
    for i in range(members.shape[0]):
        if present[i]:
            weight = weight_of(rule, row, i)
            weights += weight
            total += charge(rule, row, i, loss_if(rule.loss, members, i, k))
            if per_class:
                logs += math.log(weight)
    if weights == 0.0:
        return 0.0
    if not per_class:
        return total / weights
    share = (rule.examples[k] + 1.0) / (np.sum(rule.examples) + len(rule.examples))
    return (rule.theta * total - logs - math.log(share)) / members.shape[0]


@inlined
def lead_of_class_1(rule: ExponentialState, members: Scores, present: Flags) -> float:
    """By how much the weighted losses are less if class 1 of two were the truth, in one pass."""
    weights, against, in_favour = 0.0, 0.0, 0.0
    for i in range(members.shape[0]):
        if present[i]:
            weight = weight_of(rule, 0, i)
            weights += weight
            against += weight * loss_of_vote(rule.loss, members[i, 0], 0)
            in_favour += weight * loss_of_vote(rule.loss, members[i, 0], 1)
    return against / weights - in_favour / weights if weights > 0.0 else 0.0


@body(rule_combine, ExponentialState, allocates=False)
def combine(rule: ExponentialState, members: Scores, parts: Scores, present: Flags, out: Floats) -> None:
    """Less loss is a higher score, equation (12)."""
    if len(out) == 1 and len(rule.rounds.total) == 1 and not rule.predictive:
        out[0] = lead_of_class_1(rule, members, present)
    elif len(out) == 1:
        against = ensemble_loss(rule, members, present, 0)
        out[0] = against - ensemble_loss(rule, members, present, 1)
    else:
        for k in range(len(out)):
            out[k] = -ensemble_loss(rule, members, present, k)


@body(rule_update, ExponentialState, allocates=False)
def update(
    rule: ExponentialState,
    members: Scores,
    parts: Scores,
    present: Flags,
    y: float,
    weight: float,
    age: float,
) -> None:
    """Each learner's loss enters its posterior."""
    k = int(y)
    row = k if len(rule.rounds.total) > 1 else 0
    decay(rule.rounds, rule.forgetting)
    decay(rule.losses, rule.forgetting)
    decay(rule.squares, rule.forgetting)
    share = weight * rule.forgetting**age
    two = members.shape[1] == 1
    for i in range(members.shape[0]):
        if present[i]:
            g = loss_of_vote(rule.loss, members[i, 0], k) if two else loss_among_many(rule.loss, members, i, k)
            gather(rule.rounds, row, i, share)
            gather(rule.losses, row, i, share * g)
            gather(rule.squares, row, i, share * g * g)
    rule.examples[k] += weight


@body(rule_reset, ExponentialState, allocates=False)
def reset(rule: ExponentialState, i: int) -> None:
    """A new member i: back to its prior."""
    forget(rule.rounds, i)
    forget(rule.losses, i)
    forget(rule.squares, i)
