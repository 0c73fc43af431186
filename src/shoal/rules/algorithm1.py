"""Algorithm 1 of Bai, Lam and Sclaroff: posterior-mean weights for an ensemble loss of the user's own.

The posterior of the weights after T examples is proportional to exp(-l0(weight) - sum of l(weight; g)).
Its mean is plugged into l, and the answer is the class under which l is least; a tie goes to class 1 of
two, to the first of many. The posterior is held as one of

    "exponential-family"  sums of the statistics; the mean is an integral
    "grid"                the log density at points of log weight (`grid_posterior`)
    "laplace"             a normal law of log weight, moved by Newton steps (`laplace_posterior`)

which "auto" chooses by what the loss is. The loops run in Python, each step in NumPy over all learners.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from shoal.errors import InputError
from shoal.kernels.compiler import python_body
from shoal.kernels.verbs import rule_combine, rule_update
from shoal.losses import Loss, base_loss
from shoal.rules.log_densities import Windows, first_windows, located
from shoal.rules.own_losses import (
    ExponentialFamilyLoss,
    Function,
    OwnLoss,
    SeparableLoss,
    SmoothLoss,
    as_own_loss,
)
from shoal.rules.own_slopes import slopes
from shoal.rules.weighted_losses import check_choice, check_forgetting, losses_if
from shoal.types import Flags, Floats, Scores, Task

if TYPE_CHECKING:
    from shoal.rules.posterior import Posterior

REPRESENTATIONS = ("auto", "exponential-family", "grid", "laplace")
WIDER = 0.1  # by how much of their width windows are widened before they are looked for again


class FamilyState(NamedTuple):
    """Posteriors in an exponential family."""

    own: OwnLoss
    loss: Loss
    forgetting: float
    rounds: Floats  # (N,)
    statistics: Floats  # (J, N)
    low: Floats  # (N,) windows of log weight that hold the posteriors
    high: Floats
    squares: Floats  # (N,) of the gradients, for intervals
    means: Floats  # (N,)


@dataclass(frozen=True)
class Algorithm1:
    """Weights for a loss of the user's own.

    loss: a function loss(weight, g), taken as separable; or a `SeparableLoss`, `ExponentialFamilyLoss` or
        `SmoothLoss`.
    representation: "auto", "exponential-family", "grid" or "laplace".
    prior: l0(weight), in place of the loss's own.
    base_loss: g, the loss of one learner; "logistic" and "exponential" are never 0.
    forgetting: factor in (0, 1] on the past at each example; the prior is kept.
    """

    loss: Any
    representation: str = "auto"
    prior: Function | None = None
    base_loss: str = "logistic"
    ramp: float = 0.0
    forgetting: float = 1.0

    def check(self) -> None:
        """Refuse losses and representations that do not go together."""
        check_forgetting(self.forgetting)
        base_loss(self.base_loss, self.ramp)
        self.chosen(as_own_loss(self.loss, self.prior))

    def chosen(self, own: OwnLoss) -> str:
        """The representation that is used."""
        check_choice("representation", self.representation, REPRESENTATIONS)
        if isinstance(own, SmoothLoss):
            fitting: tuple[str, ...] = ("laplace",)
        elif isinstance(own, SeparableLoss):
            fitting = ("grid", "laplace")
        else:
            fitting = ("exponential-family", "grid", "laplace")
        if self.representation == "auto":
            return fitting[0]
        if self.representation not in fitting:
            raise InputError(
                f"representation {self.representation!r} does not fit a {type(own).__name__}; "
                f"expected 'auto' or {' or '.join(repr(name) for name in fitting)}."
            )
        return self.representation

    def init(self, n_members: int, task: Task, seed: int) -> Any:
        """The prior."""
        self.check()
        own = as_own_loss(self.loss, self.prior)
        loss = base_loss(self.base_loss, self.ramp)
        representation = self.chosen(own)
        if representation == "exponential-family":
            return new_family(own, loss, self.forgetting, n_members)
        if representation == "grid":
            from shoal.rules.grid_posterior import new_grid

            return new_grid(own, loss, self.forgetting, n_members)
        from shoal.rules.laplace_posterior import new_laplace

        return new_laplace(own, loss, self.forgetting, n_members)

    def widen(self, state: Any, task: Task) -> Any:
        """Nothing depends on the number of classes."""
        return state

    def merge(self, one: Any, other: Any) -> Any:
        """The posterior of both streams: that of either, less one prior. Exact in an exponential family."""
        if isinstance(one, FamilyState):
            return merged_families(one, other)
        from shoal.rules.grid_posterior import GridState, merged_grids
        from shoal.rules.laplace_posterior import merged_laplaces

        return merged_grids(one, other) if isinstance(one, GridState) else merged_laplaces(one, other)

    def weights(self, state: Any) -> Floats:
        """The posterior means."""
        return np.asarray(self.posterior(state).mean)

    def posterior(self, state: Any, names: tuple[str, ...] | None = None) -> Posterior:
        """What is believed about every member."""
        from shoal.rules.own_posterior import of_own_loss

        return of_own_loss(self, state, names)


def score_by_own_loss(
    own: OwnLoss, loss: Loss, weights: Floats, members: Scores, present: Flags, out: Floats
) -> None:
    """Less ensemble loss is a higher score, on the scale of one learner's."""
    out[:] = 0.0
    n_present = np.count_nonzero(present)
    if n_present == 0:
        return
    costs = np.zeros(max(2, len(out)))
    for k in range(len(costs)):
        g = losses_of(loss, members, k)[present]
        costs[k] = own.value(weights[present], g) / n_present
    if len(out) == 1:
        out[0] = costs[0] - costs[1]
    else:
        out[:] = np.mean(costs) - costs


def losses_of(loss: Loss, members: Scores, k: int) -> Floats:
    """Every member's loss if class k were the truth."""
    g = np.zeros(len(members))
    losses_if(loss, members, k, g)
    return g


def gather_squares(rule: Any, weights: Floats, g: Floats, present: Flags, share: float) -> None:
    """Add the squared gradients in log weight of those present."""
    rule.squares[:] *= rule.forgetting
    rule.squares[present] += share * slopes(rule.own, np.log(weights[present]), g[present])[0] ** 2


def new_family(own: OwnLoss, loss: Loss, forgetting: float, n_members: int) -> FamilyState:
    """The prior, in an exponential family."""
    assert isinstance(own, ExponentialFamilyLoss)
    statistics = np.zeros((len(own.statistic), n_members))
    windows = first_windows(n_members)
    nothing = np.zeros(n_members)
    state = FamilyState(own, loss, forgetting, nothing, statistics, *windows, nothing.copy(), nothing.copy())
    renew(state)
    return state


def merged_families(one: FamilyState, other: FamilyState) -> FamilyState:
    """The prior, and the sums of both."""
    state = one._replace(
        rounds=one.rounds + other.rounds,
        statistics=one.statistics + other.statistics,
        low=np.minimum(one.low, other.low),
        high=np.maximum(one.high, other.high),
        squares=one.squares + other.squares,
        means=one.means.copy(),
    )
    renew(state)
    return state


def family_log_density(rule: FamilyState, u: Floats) -> Floats:
    """Of log weight, at (N, points)."""
    own: Any = rule.own
    weight = np.exp(u)
    heights = u - own.prior(weight) - rule.rounds[:, None] * own.log_partition(weight)
    for eta, total in zip(own.eta, rule.statistics, strict=True):
        heights = heights + eta(weight) * total[:, None]
    return np.asarray(heights)


def renew(rule: FamilyState) -> None:
    """Compute the means from the sums, looking where they were."""
    margin = WIDER * (rule.high - rule.low)
    with np.errstate(over="ignore", invalid="ignore"):  # far out, where the density is 0
        windows, moments = located(
            lambda u: family_log_density(rule, u), Windows(rule.low - margin, rule.high + margin)
        )
    rule.low[:], rule.high[:], rule.means[:] = windows.low, windows.high, moments.weight


@python_body(rule_combine, FamilyState)
def combine(rule: FamilyState, members: Scores, parts: Scores, present: Flags, out: Floats) -> None:
    """The class with the least ensemble loss."""
    score_by_own_loss(rule.own, rule.loss, rule.means, members, present, out)


@python_body(rule_update, FamilyState)
def update(
    rule: FamilyState, members: Scores, parts: Scores, present: Flags, y: float, weight: float, age: float
) -> None:
    """The statistics of each learner's loss enter its posterior."""
    own: Any = rule.own
    losses = losses_of(rule.loss, members, int(y))
    share = weight * rule.forgetting**age
    gather_squares(rule, rule.means, losses, present, share)
    g = losses[present]
    rule.rounds[:] *= rule.forgetting
    rule.statistics[:] *= rule.forgetting
    rule.rounds[present] += share
    for total, tau in zip(rule.statistics, own.statistic, strict=True):
        total[present] += share * tau(g)
    renew(rule)
