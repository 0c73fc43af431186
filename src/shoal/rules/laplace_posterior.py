"""A posterior as a normal law of u = log weight, moved by one Newton step per example (specification A.1).

With l the loss of one example, D the diagonal matrix of the weights,

    H <- H + D l'' D,    u <- u - clip(H**-1 D l', -1, 1)

which has the asymptotic covariance of the exact posterior mean. D l'' D is the second derivative in u less a
term whose expectation is 0 at the optimum. Steps in u and not in the weight: there, curvature gathered far
from the optimum would never be outweighed. What the loss does not give is taken by differences.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from shoal.errors import InputError
from shoal.kernels.compiler import python_body
from shoal.kernels.verbs import rule_combine, rule_update
from shoal.losses import Loss
from shoal.rules.algorithm1 import gather_squares, losses_of, score_by_own_loss
from shoal.rules.log_densities import first_windows, located
from shoal.rules.own_losses import OwnLoss, SmoothLoss
from shoal.rules.own_slopes import prior_slopes, slopes
from shoal.types import Flags, Floats, Scores

LONGEST_STEP = 1.0  # in log weight
NEWTON_STEPS = 20  # from the prior's mean to its mode


class LaplaceState(NamedTuple):
    """curvature: (N, N), or (N,) where the loss is separable."""

    own: OwnLoss
    loss: Loss
    forgetting: float
    rounds: Floats  # (N,)
    position: Floats  # (N,) u
    curvature: Floats
    prior_position: Floats  # (N,)
    prior_curvature: Floats  # (N,)
    squares: Floats  # (N,) of the gradients, for intervals
    means: Floats  # (N,)


def prior_mode(own: OwnLoss, n_members: int) -> tuple[Floats, Floats]:
    """Where the prior of u is highest, and its curvature there."""
    with np.errstate(over="ignore", invalid="ignore"):
        _, moments = located(lambda u: u - own.prior(np.exp(u)), first_windows(n_members))
    u = moments.mean
    for _ in range(NEWTON_STEPS):
        slope, curvature = prior_slopes(own, u)
        step = slope / np.where(curvature > 0.0, curvature, 1.0 / moments.deviation**2)
        u = u - np.clip(step, -LONGEST_STEP, LONGEST_STEP)
    curvature = prior_slopes(own, u)[1]
    return u, np.where(curvature > 0.0, curvature, 1.0 / moments.deviation**2)


def new_laplace(own: OwnLoss, loss: Loss, forgetting: float, n_members: int) -> LaplaceState:
    """The prior."""
    position, curvature = prior_mode(own, n_members)
    together = isinstance(own, SmoothLoss) and np.ndim(own.curvature(np.ones(2), np.ones(2))) == 2
    return LaplaceState(
        own,
        loss,
        forgetting,
        np.zeros(n_members),
        position.copy(),
        np.diag(curvature) if together else curvature.copy(),
        position.copy(),
        curvature.copy(),
        np.zeros(n_members),
        np.exp(position),
    )


def without_negative(curvature: Floats) -> Floats:
    """The nearest matrix, or diagonal, that is positive semidefinite."""
    if curvature.ndim == 1:
        return np.maximum(curvature, 0.0)
    values, vectors = np.linalg.eigh(0.5 * (curvature + curvature.T))
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)


def newton_step(
    own: OwnLoss,
    position: Floats,
    curvature: Floats,
    prior: Floats,
    g: Floats,
    whose: Flags,
    share: float,
    forgetting: float,
) -> None:
    """Move position and curvature by an example on which `whose` voted; the past is forgotten, not the prior."""
    first, second = slopes(own, position[whose], g[whose])
    gradient = np.zeros_like(position)
    gradient[whose] = share * first
    if forgetting < 1.0:
        gradient += (1.0 - forgetting) * prior_slopes(own, position)[0]
        curvature *= forgetting
        curvature += (1.0 - forgetting) * (np.diag(prior) if curvature.ndim == 2 else prior)
    gain = share * without_negative(second)
    if curvature.ndim == 2:
        curvature[np.ix_(whose, whose)] += gain
        step = np.linalg.solve(curvature, gradient)
    else:
        curvature[whose] += gain
        step = gradient / curvature
    position -= np.clip(step, -LONGEST_STEP, LONGEST_STEP)


def merged_laplaces(one: LaplaceState, other: LaplaceState) -> LaplaceState:
    """The product of two normal laws over one prior."""
    if one.curvature.shape != other.curvature.shape:
        raise InputError(
            "cannot merge posteriors of different numbers of members; train all with the same learners."
        )
    position, curvature = product(one, other)
    return one._replace(
        rounds=one.rounds + other.rounds,
        position=position,
        curvature=curvature,
        squares=one.squares + other.squares,
        means=np.exp(position),
    )


def product(one: Any, other: Any) -> tuple[Floats, Floats]:
    """Position and curvature of the product of two normal laws over one prior."""
    together = one.curvature.ndim == 2
    prior = np.diag(one.prior_curvature) if together else one.prior_curvature
    curvature = one.curvature + other.curvature - prior
    if together:
        pull = one.curvature @ one.position + other.curvature @ other.position - prior @ one.prior_position
        return np.linalg.solve(curvature, pull), curvature
    pull = one.curvature * one.position + other.curvature * other.position - prior * one.prior_position
    return pull / curvature, curvature


@python_body(rule_combine, LaplaceState)
def combine(rule: LaplaceState, members: Scores, parts: Scores, present: Flags, out: Floats) -> None:
    """The class with the least ensemble loss."""
    score_by_own_loss(rule.own, rule.loss, rule.means, members, present, out)


@python_body(rule_update, LaplaceState)
def update(
    rule: LaplaceState, members: Scores, parts: Scores, present: Flags, y: float, weight: float, age: float
) -> None:
    """One Newton step."""
    share = weight * rule.forgetting**age
    rule.rounds[:] *= rule.forgetting
    rule.rounds[present] += share
    if np.any(present):
        g = losses_of(rule.loss, members, int(y))
        gather_squares(rule, rule.means, g, present, share)
        prior = rule.prior_curvature
        newton_step(rule.own, rule.position, rule.curvature, prior, g, present, share, rule.forgetting)
        rule.means[:] = np.exp(rule.position)
