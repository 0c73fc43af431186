"""Weights from a Gamma likelihood of unknown shape and rate (Bai, Lam and Sclaroff, loss (22)).

If learner i's losses were Gamma with shape alpha_i and rate beta_i, under the paper's prior, the posterior
after t losses that add up to G_i, and their logarithms to S_i, would be (24)

    exp(P alpha - Q beta + s' alpha log beta - R logGamma(alpha)),
    P = log p + S_i,  Q = q + G_i,  R = r + t,  s' = s + t

Given alpha the rate is Gamma(s' alpha + 1, Q), so only alpha is integrated over (`posterior_means`), and
the mean of the rate is (s' E[alpha] + 1) / Q. The answer is the class under which

    sum_i (1 - alpha_i) log g_i + beta_i g_i

is least, with the posterior means. The paper stopped r and s at 200.5 and 200: `cap="naive"` does that
to the letter, and its means drift to 0; "rescale" shrinks P and Q alike, which bounds the memory instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.errors import InputError
from shoal.kernels.compiler import body, in_place, inlined
from shoal.kernels.posterior_means import gamma_mean, gamma_rate_mean
from shoal.kernels.verbs import rule_combine, rule_reset, rule_update
from shoal.losses import Loss, base_loss, log_loss_if, loss_if
from shoal.rules.gamma_laws import CAPS, NAIVE, RESCALE, Refresh, check_never_zero, new_refresh, refresh_due
from shoal.rules.statistics import Sums, decay, forget, gather, merged, no_sums, value_at
from shoal.rules.weighted_losses import check_choice, check_forgetting, check_positive
from shoal.types import Flags, Floats, Scores, Task

MOST_R, MOST_S = 200.5, 200.0  # where the paper's r and s stop, section 6

if TYPE_CHECKING:
    from shoal.rules.posterior import Posterior


class GammaSums(NamedTuple):
    """Sums over the stream, each (1, N); the last three are for intervals."""

    rounds: Sums  # t
    logs: Sums  # S, of the log losses
    losses: Sums  # G
    log_squares: Sums
    squares: Sums
    products: Sums  # of a loss and its logarithm


class GammaState(NamedTuple):
    """The sums, and what follows from them: means, and modes from which the next are sought."""

    loss: Loss
    log_p: float
    q: float
    r: float
    s: float
    forgetting: float
    cap: int
    refresh: Refresh
    sums: GammaSums
    shapes: Floats  # (N,) means of alpha
    rates: Floats  # (N,) means of beta
    modes: Floats  # (N,) of alpha, the rate integrated out


@dataclass(frozen=True)
class BayesGamma:
    """Posterior means of Gamma shapes and rates.

    p, q, r, s: of the prior, positive, r > s; `r` and `s` count as that many examples.
    base_loss: "logistic" or "exponential"; losses that reach 0 have no logarithm.
    forgetting: factor in (0, 1] on the past at each example; 1 never forgets.
    cap: "none"; "naive", the paper's; or "rescale", at most 200 examples' worth of memory.
    refresh_every: compute the means anew after that many examples, or share of those seen ("1%").
    """

    p: float = 1.0
    q: float = 1.0
    r: float = 1.5
    s: float = 1.0
    base_loss: str = "logistic"
    forgetting: float = 1.0
    cap: str = "none"
    refresh_every: int | str = 1

    def check(self) -> None:
        """Refuse parameters for which the formulas have no value."""
        check_positive(self, "p", "q", "r", "s")
        if not self.r > self.s:
            raise InputError(
                f"r is {self.r!r} and s is {self.s!r}; expected r > s, or the prior is not a probability. "
                "The paper's are 1.5 and 1."
            )
        check_forgetting(self.forgetting)
        check_choice("cap", self.cap, CAPS)
        check_never_zero(self.base_loss)
        new_refresh(self.refresh_every)

    def init(self, n_members: int, task: Task, seed: int) -> GammaState:
        """The prior."""
        self.check()
        state = GammaState(
            base_loss(self.base_loss),
            math.log(self.p),
            float(self.q),
            float(self.r),
            float(self.s),
            float(self.forgetting),
            CAPS.index(self.cap),
            new_refresh(self.refresh_every),
            GammaSums(*(no_sums(1, n_members) for _ in GammaSums._fields)),
            np.zeros(n_members),
            np.zeros(n_members),
            np.zeros(n_members),
        )
        renew(state, np.ones(n_members, dtype=np.bool_))
        return state

    def widen(self, state: GammaState, task: Task) -> GammaState:
        """Nothing depends on the number of classes."""
        return state

    def merge(self, one: GammaState, other: GammaState) -> GammaState:
        """The posterior of both streams: the prior, and the sums of both."""
        clock = one.refresh.clock + other.refresh.clock
        state = one._replace(
            refresh=one.refresh._replace(clock=clock),
            sums=GammaSums(*(merged(mine, theirs) for mine, theirs in zip(one.sums, other.sums, strict=True))),
            shapes=one.shapes.copy(),
            rates=one.rates.copy(),
            modes=one.modes.copy(),
        )
        renew(state, np.ones(len(state.modes), dtype=np.bool_))
        return state

    def weights(self, state: GammaState) -> Floats:
        """The sizes of a member's two coefficients in the answer: of log g, and of g."""
        return np.asarray(np.abs(1.0 - state.shapes) + state.rates)

    def posterior(self, state: GammaState, names: tuple[str, ...] | None = None) -> Posterior:
        """What is believed about every member."""
        from shoal.rules.posterior import of_gamma

        return of_gamma(self, state, names)


@inlined
def law_of(rule: GammaState, i: int) -> tuple[float, float, float, float]:
    """(P, Q, R, s') of learner i's posterior (24)."""
    t = value_at(rule.sums.rounds, 0, i)
    P = rule.log_p + value_at(rule.sums.logs, 0, i)
    Q = rule.q + value_at(rule.sums.losses, 0, i)
    R, s = rule.r + t, rule.s + t
    if rule.cap == NAIVE:
        return P, Q, min(R, MOST_R), min(s, MOST_S)
    if rule.cap == RESCALE and s > MOST_S:
        factor = MOST_S / s
        return factor * P, factor * Q, MOST_S + (rule.r - rule.s), MOST_S
    return P, Q, R, s


@in_place
def renew(rule: GammaState, whose: Flags) -> None:
    """Compute means and modes from the sums."""
    for i in range(len(whose)):
        if whose[i]:
            P, Q, R, s = law_of(rule, i)
            rule.shapes[i], rule.modes[i] = gamma_mean(P, Q, R, s, rule.modes[i])
            rule.rates[i] = gamma_rate_mean(rule.shapes[i], Q, s)


@inlined
def gamma_losses(rule: GammaState, members: Scores, present: Flags, k: int) -> float:
    """The ensemble's loss if class k were the truth, on the scale of one learner's."""
    total = 0.0
    mass = 0.0
    for i in range(members.shape[0]):
        if present[i]:
            g = loss_if(rule.loss, members, i, k)
            total += (1.0 - rule.shapes[i]) * log_loss_if(rule.loss, members, i, k, g) + rule.rates[i] * g
            mass += abs(1.0 - rule.shapes[i]) + rule.rates[i]
    return total / mass if mass > 0.0 else 0.0


@body(rule_combine, GammaState)
def combine(rule: GammaState, members: Scores, parts: Scores, present: Flags, out: Floats) -> None:
    """Less loss is a higher score."""
    if len(out) == 1:
        against = gamma_losses(rule, members, present, 0)
        out[0] = against - gamma_losses(rule, members, present, 1)
    else:
        for k in range(len(out)):
            out[k] = -gamma_losses(rule, members, present, k)


@body(rule_update, GammaState)
def update(
    rule: GammaState,
    members: Scores,
    parts: Scores,
    present: Flags,
    y: float,
    weight: float,
    age: float,
) -> None:
    """Each learner's loss and its logarithm enter its posterior."""
    k = int(y)
    sums = rule.sums
    for part in sums:
        decay(part, rule.forgetting)
    share = weight * rule.forgetting**age
    for i in range(members.shape[0]):
        if present[i]:
            g = loss_if(rule.loss, members, i, k)
            log_g = log_loss_if(rule.loss, members, i, k, g)
            gather(sums.rounds, 0, i, share)
            gather(sums.logs, 0, i, share * log_g)
            gather(sums.losses, 0, i, share * g)
            gather(sums.log_squares, 0, i, share * log_g * log_g)
            gather(sums.squares, 0, i, share * g * g)
            gather(sums.products, 0, i, share * g * log_g)
    if refresh_due(rule.refresh):
        everyone = rule.forgetting < 1.0 or rule.refresh.every > 1.0 or rule.refresh.share > 0.0
        renew(rule, present | everyone)


@body(rule_reset, GammaState)
def reset(rule: GammaState, i: int) -> None:
    """A new member i: back to its prior."""
    for sums in rule.sums:
        forget(sums, i)
    renew(rule, np.arange(len(rule.shapes)) == i)
