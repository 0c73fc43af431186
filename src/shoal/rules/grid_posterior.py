"""A posterior as the sum of past losses at points of u = log weight, one window of points per learner.

The prior is added when the density is wanted, so that sums of two streams add up. A window that the density
has outgrown, or left, or shrunk in, is replaced by one of 16 standard deviations either way: inside the old
one the sum is interpolated (polynomials of degree 5), outside it continues as a parabola. Once the standard
deviation is below 0.02, after some 2500 examples, the learner's posterior goes on as a normal law
(`laplace_posterior`), for which a thousandth of the work is enough.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from shoal.kernels.compiler import python_body
from shoal.kernels.verbs import rule_combine, rule_update
from shoal.losses import Loss
from shoal.rules.algorithm1 import gather_squares, losses_of, score_by_own_loss
from shoal.rules.laplace_posterior import newton_step, prior_mode, product
from shoal.rules.log_densities import FIRST_WINDOW, Moments, Windows, moments_on, points_of
from shoal.rules.own_losses import OwnLoss
from shoal.types import Flags, Floats, Ints, Scores

N_POINTS = 512
REACH = 16.0  # standard deviations from the middle of a new window to its edge
NEAREST = 6.0  # standard deviations from the mean to an edge, less than which calls for a new window
COARSEST = 3.0  # points per standard deviation, fewer than which call for a new window
NORMAL_BELOW = 0.02  # standard deviation of log weight from which the posterior goes on as a normal law
STENCIL = 6
MAX_MOVES = 20  # each makes a window 16 times finer, or moves it by half its width
ARM = 32  # points between those through which the parabola outside is drawn


class GridState(NamedTuple):
    """Of learners that are `normal`, position and curvature; of the others, the sums of losses."""

    own: OwnLoss
    loss: Loss
    forgetting: float
    rounds: Floats  # (N,)
    low: Floats  # (N,) the windows
    high: Floats
    total: Floats  # (N, N_POINTS) the sum of the losses at each point
    normal: Flags  # (N,)
    position: Floats  # (N,) mean of log weight
    curvature: Floats  # (N,) 1 / variance of log weight
    prior_position: Floats
    prior_curvature: Floats
    squares: Floats  # (N,) of the gradients, for intervals
    means: Floats  # (N,) of the weight


def new_grid(own: OwnLoss, loss: Loss, forgetting: float, n_members: int) -> GridState:
    """The prior."""
    position, curvature = prior_mode(own, n_members)
    reach = np.maximum(REACH / np.sqrt(curvature), 0.5 * (FIRST_WINDOW[1] - FIRST_WINDOW[0]))
    state = GridState(
        own,
        loss,
        forgetting,
        np.zeros(n_members),
        position - reach,
        position + reach,
        np.zeros((n_members, N_POINTS)),
        np.zeros(n_members, dtype=np.bool_),
        position.copy(),
        curvature.copy(),
        position.copy(),
        curvature.copy(),
        np.zeros(n_members),
        np.zeros(n_members),
    )
    settle(state, np.arange(n_members))
    return state


def log_density(rule: GridState, who: Ints) -> tuple[Floats, Floats]:
    """Points of log weight and the log density there, of these learners."""
    u = points_of(Windows(rule.low[who], rule.high[who]), N_POINTS)
    heights = u - rule.own.prior(np.exp(u)) - rule.total[who]
    return u, np.where(np.isfinite(heights), heights, -np.inf)


def settle(rule: GridState, who: Ints) -> None:
    """Compute the moments of these learners' posteriors, on new windows where the old ones do not do."""
    if len(who) == 0:
        return
    for _ in range(MAX_MOVES):
        moments = moments_on(*log_density(rule, who))
        unfit, reach = _unfit(rule, who, moments)
        if not np.any(unfit):
            break
        _move(rule, who[unfit], moments.mean[unfit], reach[unfit])
    rule.position[who] = moments.mean
    rule.curvature[who] = 1.0 / moments.deviation**2
    rule.means[who] = moments.weight
    _turn_normal(rule, who[moments.deviation < NORMAL_BELOW])


def _unfit(rule: GridState, who: Ints, moments: Moments) -> tuple[Any, Floats]:
    """Which windows do not do, and how far new ones should reach: as far as before, if the edge is too near."""
    low, high = rule.low[who], rule.high[who]
    step = (high - low) / (N_POINTS - 1)
    deviation = np.maximum(moments.deviation, step)
    near = np.minimum(moments.mean - low, high - moments.mean) < NEAREST * deviation
    coarse = moments.deviation < COARSEST * step
    return near | coarse, np.where(near, np.maximum(0.5 * (high - low), REACH * deviation), REACH * deviation)


def _turn_normal(rule: GridState, who: Ints) -> None:
    """From now on these learners' posteriors are normal laws of log weight that keep the mean weight."""
    rule.normal[who] = True
    rule.position[who] = np.log(rule.means[who])


def _move(rule: GridState, who: Ints, middle: Floats, reach: Floats) -> None:
    """Give these learners new windows."""
    old = Windows(rule.low[who], rule.high[who])
    new = Windows(middle - reach, middle + reach)
    rule.total[who] = at_points(rule.total[who], old, points_of(new, N_POINTS))
    rule.low[who], rule.high[who] = new


def at_points(total: Floats, windows: Windows, u: Floats) -> Floats:
    """What functions known on windows are elsewhere, row by row."""
    n = total.shape[1]
    place = (u - windows.low[:, None]) * ((n - 1) / (windows.high - windows.low))[:, None]
    start = np.clip(np.floor(place).astype(np.int64) - (STENCIL // 2 - 1), 0, n - STENCIL)
    answer = _polynomial(total, start, 1, STENCIL, place)
    outside = np.where(place < 0.0, 0, n - 1 - 2 * ARM)
    beyond = (place < 0.0) | (place > n - 1)
    return np.where(beyond, _polynomial(total, outside, ARM, 3, place), answer)


def _polynomial(total: Floats, start: Any, spacing: int, size: int, place: Floats) -> Floats:
    """The polynomial through `size` points from `start` on, in Lagrange's form."""
    s = (place - start) / spacing
    answer = np.zeros_like(place)
    for j in range(size):
        weight = np.ones_like(place)
        for k in range(size):
            if k != j:
                weight = weight * (s - k) / (j - k)
        answer += weight * np.take_along_axis(total, start + j * spacing, axis=1)
    return answer


def merged_grids(one: GridState, other: GridState) -> GridState:
    """Sums of both, on windows about where their product is; normal laws where either is one."""
    position, curvature = product(one, other)
    reach = REACH / np.sqrt(curvature)
    windows = Windows(position - reach, position + reach)
    u = points_of(windows, N_POINTS)
    total = at_points(one.total, Windows(one.low, one.high), u)
    total += at_points(other.total, Windows(other.low, other.high), u)
    normal = one.normal | other.normal
    state = one._replace(
        rounds=one.rounds + other.rounds,
        low=windows.low,
        high=windows.high,
        total=total,
        normal=normal,
        position=position,
        curvature=curvature,
        squares=one.squares + other.squares,
        means=np.exp(position),
    )
    settle(state, np.flatnonzero(~normal))
    return state


@python_body(rule_combine, GridState)
def combine(rule: GridState, members: Scores, parts: Scores, present: Flags, out: Floats) -> None:
    """The class with the least ensemble loss."""
    score_by_own_loss(rule.own, rule.loss, rule.means, members, present, out)


@python_body(rule_update, GridState)
def update(
    rule: GridState, members: Scores, parts: Scores, present: Flags, y: float, weight: float, age: float
) -> None:
    """Each learner's loss, as a function of its weight, enters its posterior."""
    g = losses_of(rule.loss, members, int(y))
    share = weight * rule.forgetting**age
    rule.rounds[:] *= rule.forgetting
    rule.rounds[present] += share
    gather_squares(rule, rule.means, g, present, share)
    _move_normal(rule, g, present, share)
    who = np.flatnonzero(present & ~rule.normal)
    if rule.forgetting < 1.0:
        rule.total[~rule.normal] *= rule.forgetting
    with np.errstate(over="ignore"):
        u = points_of(Windows(rule.low[who], rule.high[who]), N_POINTS)
        rule.total[who] += share * own_losses(rule.own, np.exp(u), g[who])
    settle(rule, np.flatnonzero(~rule.normal) if rule.forgetting < 1.0 else who)


def own_losses(own: Any, weights: Floats, g: Floats) -> Floats:
    """The loss at every point of every learner."""
    return np.asarray(own.loss(weights, g[:, None]))


def _move_normal(rule: GridState, g: Floats, present: Flags, share: float) -> None:
    """One Newton step of the posteriors that are normal laws."""
    who = np.flatnonzero(rule.normal)
    if not np.any(present[who]):
        return
    position, curvature = rule.position[who], rule.curvature[who]
    prior = rule.prior_curvature[who]
    newton_step(rule.own, position, curvature, prior, g[who], present[who], share, rule.forgetting)
    rule.position[who], rule.curvature[who] = position, curvature
    rule.means[who] = np.exp(position)
