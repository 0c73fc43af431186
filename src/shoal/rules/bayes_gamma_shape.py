"""Weights from a Gamma likelihood of known rate and unknown shape (Bai, Lam and Sclaroff, loss (19)).

If learner i's losses were Gamma with rate theta and shape lambda_i, the posterior of lambda_i after t
losses whose logarithms add up to S_i would be, with n = b + t (21),

    exp(n * (k * lambda - logGamma(lambda))),    k = (log a + S_i + (c + t) log theta) / n

and its mean, exact at every t, is plugged into the loss: the answer is the class under which

    sum_i (1 - lambda_i) log g_i + theta g_i

is least. A learner that errs more has the larger lambda_i; beyond 1 its coefficient is negative: the rule
asks under which class the losses are more typical, not under which they are smaller.

The paper stopped b and c at 1000, having no integral beyond: `cap="naive"` does that to the letter, and
its means drift to 0; "rescale" shrinks the sums alike, which bounds the memory instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiler import body, in_place, inlined
from shoal.kernels.posterior_means import gamma_shape_mean
from shoal.kernels.verbs import rule_combine, rule_reset, rule_update
from shoal.losses import Loss, base_loss, log_loss_if, loss_if
from shoal.rules.gamma_laws import CAPS, NAIVE, RESCALE, Refresh, check_never_zero, new_refresh, refresh_due
from shoal.rules.statistics import Sums, decay, forget, gather, merged, no_sums, value_at
from shoal.rules.weighted_losses import check_choice, check_forgetting, check_positive
from shoal.types import Flags, Floats, Scores, Task

MOST_ROUNDS = 1000.0  # where the paper's b and c stop, section 6

if TYPE_CHECKING:
    from shoal.rules.posterior import Posterior


class GammaShapeState(NamedTuple):
    """The sums, and what follows from them: means, and modes from which the next are sought."""

    loss: Loss
    log_a: float
    b: float
    c: float
    theta: float
    forgetting: float
    cap: int
    refresh: Refresh
    rounds: Sums  # (1, N) t
    logs: Sums  # (1, N) S, of the log losses
    log_squares: Sums  # (1, N) of their squares, for intervals
    means: Floats  # (N,)
    modes: Floats  # (N,)


@dataclass(frozen=True)
class BayesGammaShape:
    """Posterior means of Gamma shapes.

    a, b, c: of the prior, positive; `b` and `c` count as that many examples.
    theta: rate of the likelihood, positive. Well below 1 the coefficients of usual learners are positive.
    base_loss: "logistic" or "exponential"; losses that reach 0 have no logarithm.
    forgetting: factor in (0, 1] on the past at each example; 1 never forgets.
    cap: "none"; "naive", the paper's; or "rescale", at most 1000 examples' worth of memory.
    refresh_every: compute the means anew after that many examples, or share of those seen ("1%").
    """

    a: float = 1.0
    b: float = 1.0
    c: float = 1.0
    theta: float = 0.1
    base_loss: str = "logistic"
    forgetting: float = 1.0
    cap: str = "none"
    refresh_every: int | str = 1

    def check(self) -> None:
        """Refuse parameters for which the formulas have no value."""
        check_positive(self, "a", "b", "c", "theta")
        check_forgetting(self.forgetting)
        check_choice("cap", self.cap, CAPS)
        check_never_zero(self.base_loss)
        new_refresh(self.refresh_every)

    def init(self, n_members: int, task: Task, seed: int) -> GammaShapeState:
        """The prior."""
        self.check()
        state = GammaShapeState(
            base_loss(self.base_loss),
            math.log(self.a),
            float(self.b),
            float(self.c),
            float(self.theta),
            float(self.forgetting),
            CAPS.index(self.cap),
            new_refresh(self.refresh_every),
            no_sums(1, n_members),
            no_sums(1, n_members),
            no_sums(1, n_members),
            np.zeros(n_members),
            np.zeros(n_members),
        )
        renew(state, np.ones(n_members, dtype=np.bool_))
        return state

    def widen(self, state: GammaShapeState, task: Task) -> GammaShapeState:
        """Nothing depends on the number of classes."""
        return state

    def merge(self, one: GammaShapeState, other: GammaShapeState) -> GammaShapeState:
        """The posterior of both streams: the prior, and the sums of both."""
        clock = one.refresh.clock + other.refresh.clock
        state = one._replace(
            refresh=one.refresh._replace(clock=clock),
            rounds=merged(one.rounds, other.rounds),
            logs=merged(one.logs, other.logs),
            log_squares=merged(one.log_squares, other.log_squares),
            means=one.means.copy(),
            modes=one.modes.copy(),
        )
        renew(state, np.ones(len(state.means), dtype=np.bool_))
        return state

    def weights(self, state: GammaShapeState) -> Floats:
        """The sizes of a member's two coefficients in the answer: of log g, and of g."""
        return np.asarray(np.abs(1.0 - state.means) + self.theta)

    def posterior(self, state: GammaShapeState, names: tuple[str, ...] | None = None) -> Posterior:
        """What is believed about every member."""
        from shoal.rules.posterior import of_gamma_shape

        return of_gamma_shape(self, state, names)


@inlined
def law_of(rule: GammaShapeState, i: int) -> tuple[float, float]:
    """(n, k) of learner i's posterior (21)."""
    t = value_at(rule.rounds, 0, i)
    n, rates = rule.b + t, rule.c + t
    if rule.cap == NAIVE:
        n, rates = min(n, MOST_ROUNDS), min(rates, MOST_ROUNDS)
    k = (rule.log_a + value_at(rule.logs, 0, i) + rates * math.log(rule.theta)) / n
    if rule.cap == RESCALE:
        n = min(n, MOST_ROUNDS)
    return n, k


@in_place
def renew(rule: GammaShapeState, whose: Flags) -> None:
    """Compute means and modes from the sums."""
    for i in range(len(whose)):
        if whose[i]:
            n, k = law_of(rule, i)
            rule.means[i], rule.modes[i] = gamma_shape_mean(n, k, rule.modes[i])


@inlined
def shape_losses(rule: GammaShapeState, members: Scores, present: Flags, k: int) -> float:
    """The ensemble's loss if class k were the truth, on the scale of one learner's."""
    total = 0.0
    mass = 0.0
    for i in range(members.shape[0]):
        if present[i]:
            g = loss_if(rule.loss, members, i, k)
            total += (1.0 - rule.means[i]) * log_loss_if(rule.loss, members, i, k, g) + rule.theta * g
            mass += abs(1.0 - rule.means[i]) + rule.theta
    return total / mass if mass > 0.0 else 0.0


@body(rule_combine, GammaShapeState)
def combine(rule: GammaShapeState, members: Scores, parts: Scores, present: Flags, out: Floats) -> None:
    """Less loss is a higher score."""
    if len(out) == 1:
        against = shape_losses(rule, members, present, 0)
        out[0] = against - shape_losses(rule, members, present, 1)
    else:
        for k in range(len(out)):
            out[k] = -shape_losses(rule, members, present, k)


@body(rule_update, GammaShapeState)
def update(
    rule: GammaShapeState,
    members: Scores,
    parts: Scores,
    present: Flags,
    y: float,
    weight: float,
    age: float,
) -> None:
    """The logarithm of each learner's loss enters its posterior."""
    k = int(y)
    decay(rule.rounds, rule.forgetting)
    decay(rule.logs, rule.forgetting)
    decay(rule.log_squares, rule.forgetting)
    share = weight * rule.forgetting**age
    for i in range(members.shape[0]):
        if present[i]:
            log_g = log_loss_if(rule.loss, members, i, k, loss_if(rule.loss, members, i, k))
            gather(rule.rounds, 0, i, share)
            gather(rule.logs, 0, i, share * log_g)
            gather(rule.log_squares, 0, i, share * log_g * log_g)
    if refresh_due(rule.refresh):
        everyone = rule.forgetting < 1.0 or rule.refresh.every > 1.0 or rule.refresh.share > 0.0
        renew(rule, present | everyone)


@body(rule_reset, GammaShapeState)
def reset(rule: GammaShapeState, i: int) -> None:
    """A new member i: back to its prior."""
    forget(rule.rounds, i)
    forget(rule.logs, i)
    forget(rule.log_squares, i)
    renew(rule, np.arange(len(rule.means)) == i)
