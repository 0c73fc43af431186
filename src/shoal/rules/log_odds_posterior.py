"""Mix members by a belief about the weights of their log-odds.

A vote v in [-1, 1] is 2 P - 1; its log-odds are z = 2 artanh(v), cut at `FAR`. The mixture answers with the
log-odds <w, z> + b, and believes (w, b) ~ N(mean, Sigma): at first every weight is 1 / n_members, so that the
mixture begins as the (geometric) mean of the members' odds, with a prior variance. A label moves the belief
as in Bayesian logistic regression (`shoal.banks.bayes_logistic`, its "logistic" update), so weights may grow
beyond a mean's where members know different things, and members that only repeat each other share.

The prior variance, how soon the mean is left, is itself believed: one mixture is kept for each of a few, and
each is heard by its posterior, prior times the probability that it gave the labels. K > 2 classes: each
against the rest.

With `forgetting` below 1 the variance grows by 1 / forgetting at every example, up to the prior's in sum,
and the posterior of the prior variances is raised to that power, so that the mixture follows a change.
A member that abstains says log-odds 0. An example costs (members + 1)**2 * classes * prior variances.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.banks.bayes_logistic import most_probable, sigmoid_below
from shoal.errors import InputError
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import rule_combine, rule_reset, rule_update
from shoal.rules.weighted_losses import check_forgetting
from shoal.types import Flags, Floats, Scores, Task

FAR = 10.0  # log-odds beyond which members are not heard louder
BIAS_VARIANCE = 0.1  # of the mixture's own log-odds before any example


class LogOddsPosteriorState(NamedTuple):
    """A belief for every prior variance (V) and output (C); the bias is the last weight."""

    forgetting: float
    variances: Floats  # (V,)
    mean: Floats  # (V, C, M + 1)
    covariance: Floats  # (V, C, M + 1, M + 1)
    log_likelihood: Floats  # (V,) of the labels so far, forgotten where the belief is


@dataclass(frozen=True)
class LogOddsPosterior:
    """Weigh members' log-odds by Bayesian logistic regression.

    prior_variances: of a weight before any example, one mixture for each.
    forgetting: factor in (0, 1] on what is known at each example; 1 never forgets.
    """

    prior_variances: tuple[float, ...] = (0.003, 0.03, 0.3)
    forgetting: float = 1.0

    def check(self) -> None:
        """Refuse parameters that have no meaning."""
        check_forgetting(self.forgetting)
        if not self.prior_variances or not all(0.0 < v < math.inf for v in self.prior_variances):
            raise InputError(
                f"prior_variances is {self.prior_variances!r}; expected numbers above 0, such as (0.1,)."
            )

    def init(self, n_members: int, task: Task, seed: int) -> LogOddsPosteriorState:
        """The prior."""
        self.check()
        variances = np.array(self.prior_variances, dtype=np.float64)
        shape = (len(variances), task.n_outputs, n_members + 1)
        mean = np.zeros(shape)
        covariance = np.zeros((*shape, n_members + 1))
        for v in range(shape[0]):
            for c in range(shape[1]):
                start(variances[v], mean[v, c], covariance[v, c])
        return LogOddsPosteriorState(float(self.forgetting), variances, mean, covariance, np.zeros(len(variances)))

    def widen(self, state: LogOddsPosteriorState, task: Task) -> LogOddsPosteriorState:
        """Room for more classes. Of two, both take the weights, class 0 with the opposite bias."""
        before, n = state.mean.shape[1], state.mean.shape[2]
        wide = self.init(n - 1, task, 0)
        for c in range(2 if before == 1 else before):
            wide.mean[:, c] = state.mean[:, min(c, before - 1)]
            wide.covariance[:, c] = state.covariance[:, min(c, before - 1)]
        if before == 1:
            bias_with = state.covariance[:, 0, -1, :-1]
            wide.mean[:, 0, -1] = 0.0 - state.mean[:, 0, -1]  # and no zero with a sign
            wide.covariance[:, 0, -1, :-1] = wide.covariance[:, 0, :-1, -1] = 0.0 - bias_with
        return wide._replace(log_likelihood=state.log_likelihood)

    def weights(self, state: LogOddsPosteriorState) -> Floats:
        """The mean weights, of all outputs, where positive: how much each member is listened to."""
        heard = posterior(state.log_likelihood)
        means = np.einsum("v,vcm->m", heard, state.mean)[:-1] / state.mean.shape[1]
        return np.maximum(means, 0.0) if np.any(means > 0.0) else np.ones(len(means))


@inlined
def start(variance: float, mean: Floats, covariance: Floats) -> None:
    """The belief of one mixture before any example."""
    n = len(mean) - 1
    covariance[:, :] = 0.0
    for i in range(n):
        mean[i] = 1.0 / n
        covariance[i, i] = variance
    mean[n] = 0.0
    covariance[n, n] = BIAS_VARIANCE


@inlined
def posterior(log_likelihood: Floats) -> Floats:
    """The probability of every prior variance."""
    odds = np.exp(log_likelihood - np.max(log_likelihood))
    return odds / np.sum(odds)


@inlined
def log_odds(members: Scores, present: Flags, c: int, out: Floats) -> None:
    """What the members say of output c, and the bias' 1."""
    for i in range(members.shape[0]):
        vote = members[i, c]
        most = math.tanh(0.5 * FAR)
        out[i] = 2.0 * math.atanh(min(most, max(-most, vote))) if present[i] else 0.0
    out[members.shape[0]] = 1.0


@inlined
def across_of(covariance: Floats, z: Floats, out: Floats) -> float:
    """Sigma z into `out`; the variance of the mixture's log-odds."""
    variance = 0.0
    for a in range(len(z)):
        total = 0.0
        for b in range(len(z)):
            total += covariance[a, b] * z[b]
        out[a] = total
        variance += z[a] * total
    return max(variance, 0.0)


@inlined
def inner(mean: Floats, z: Floats) -> float:
    """<mean, z>, summed in order."""
    total = 0.0
    for a in range(len(z)):
        total += mean[a] * z[a]
    return total


@inlined
def expected(m: float, v: float) -> float:
    """Log-odds of the mean of sigmoid(a), a ~ N(m, v) (MacKay 1992)."""
    return m / math.sqrt(1.0 + math.pi * v / 8.0)


@body(rule_combine, LogOddsPosteriorState)
def combine(rule: LogOddsPosteriorState, members: Scores, parts: Scores, present: Flags, out: Floats) -> None:
    """Half the log-odds of the mean probability: on the scale of a vote, tanh of it is one."""
    z, across = np.zeros(members.shape[0] + 1), np.zeros(members.shape[0] + 1)
    heard = posterior(rule.log_likelihood)
    for c in range(len(out)):
        log_odds(members, present, c, z)
        chance, against = 0.0, 0.0
        for v in range(len(heard)):
            variance = across_of(rule.covariance[v, c], z, across)
            a = expected(inner(rule.mean[v, c], z), variance)
            chance += heard[v] * sigmoid_below(-a)
            against += heard[v] * sigmoid_below(a)
        out[c] = 0.5 * (math.log(chance) - math.log(against))


@inlined
def forget(rule: LogOddsPosteriorState, v: int, c: int, weight: float) -> None:
    """Let the belief widen, as long as its variances add up to less than the prior's."""
    covariance = rule.covariance[v, c]
    n = len(covariance) - 1
    total = 0.0
    for a in range(n + 1):
        total += covariance[a, a]
    more = min(rule.forgetting**-weight, (n * rule.variances[v] + BIAS_VARIANCE) / total)
    if more > 1.0:
        for a in range(n + 1):
            for b in range(n + 1):
                covariance[a, b] *= more


@inlined
def learn(mean: Floats, covariance: Floats, z: Floats, across: Floats, y: float, weight: float) -> float:
    """Move a belief towards the truth y in {-1, 1}; the loss of what it said."""
    variance = across_of(covariance, z, across)
    m = inner(mean, z)
    said = y * expected(m, variance)
    s = sigmoid_below(most_probable(y * m, variance * weight)) if variance > 0.0 else 0.0
    curvature = weight * s * (1.0 - s)
    shrink = curvature / (1.0 + curvature * variance)
    for a in range(len(z)):
        mean[a] += weight * y * s * across[a]
        for b in range(len(z)):
            covariance[a, b] -= shrink * (across[a] * across[b])
    return max(-said, 0.0) + math.log1p(math.exp(-abs(said)))


@body(rule_update, LogOddsPosteriorState)
def update(
    rule: LogOddsPosteriorState,
    members: Scores,
    parts: Scores,
    present: Flags,
    y: float,
    weight: float,
    age: float,
) -> None:
    """Every mixture learns, and is judged by what it said."""
    z, across = np.zeros(members.shape[0] + 1), np.zeros(members.shape[0] + 1)
    n_outputs = members.shape[1]
    for v in range(len(rule.variances)):
        rule.log_likelihood[v] *= rule.forgetting**weight
        for c in range(n_outputs):
            log_odds(members, present, c, z)
            target = 1.0 if (y == 1.0 if n_outputs == 1 else int(y) == c) else -1.0
            if rule.forgetting < 1.0:
                forget(rule, v, c, weight)
            loss = learn(rule.mean[v, c], rule.covariance[v, c], z, across, target, weight)
            rule.log_likelihood[v] -= weight * loss


@body(rule_reset, LogOddsPosteriorState)
def reset(rule: LogOddsPosteriorState, i: int) -> None:
    """A new member i: its weight is believed as at first."""
    n = rule.mean.shape[2] - 1
    for v in range(rule.mean.shape[0]):
        for c in range(rule.mean.shape[1]):
            rule.mean[v, c, i] = 1.0 / n
            rule.covariance[v, c, i, :] = 0.0
            rule.covariance[v, c, :, i] = 0.0
            rule.covariance[v, c, i, i] = rule.variances[v]
