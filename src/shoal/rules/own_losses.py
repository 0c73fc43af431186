"""Ensemble losses of a user's own, for Algorithm 1 of Bai, Lam and Sclaroff.

A loss l(weight; g) says how badly positive weights fit the learners' losses g. All functions take and
give NumPy arrays of any shape that broadcast, so that they serve many learners and many weights at once.
A prior is given as l0(weight), its negative log density in the weight; constants do not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.errors import InputError
from shoal.types import Floats

Function = Callable[..., Any]


def exponential_prior(weight: Any) -> Any:
    """The negative log density of the Exponential law of mean 1, Gamma(1, 1): the paper's default."""
    return weight


def _nothing(g: Any) -> Any:
    return np.zeros_like(g)


@dataclass(frozen=True)
class SeparableLoss:
    """A sum over the learners of loss(weight, g).

    loss: loss(weight, g) of one learner.
    prior: l0(weight) of one learner.
    derivative: of the loss in the weight, where it is at hand; else taken by differences.

    >>> import numpy as np
    >>> own = SeparableLoss(lambda weight, g: 0.1 * weight * g - np.log(weight))     # loss (8)
    """

    loss: Function
    prior: Function = exponential_prior
    derivative: Function | None = None

    def value(self, weights: Floats, g: Floats) -> float:
        """The ensemble's loss."""
        return float(np.sum(self.loss(weights, g)))


@dataclass(frozen=True)
class ExponentialFamilyLoss:
    """A sum over the learners of log_partition(weight) - eta(weight) . statistic(g) - carrier(g).

    statistic: tuple of functions of g. eta: tuple of as many functions of the weight.
    log_partition: A(weight). carrier: what does not depend on the weight; it decides between labels.
    prior: l0(weight).
    """

    statistic: Sequence[Function]
    eta: Sequence[Function]
    log_partition: Function
    carrier: Function = _nothing
    prior: Function = exponential_prior

    def loss(self, weight: Any, g: Any) -> Any:
        """Of one learner."""
        fit = sum(eta(weight) * tau(g) for eta, tau in zip(self.eta, self.statistic, strict=True))
        return self.log_partition(weight) - fit - self.carrier(g)

    def value(self, weights: Floats, g: Floats) -> float:
        """The ensemble's loss."""
        return float(np.sum(self.loss(weights, g)))


@dataclass(frozen=True)
class SmoothLoss:
    """Any smooth loss of all weights together; vectors of the learners that vote, however many.

    value: value(weights, g), a number.
    gradient: gradient(weights, g), in the weights, a vector.
    curvature: the second derivatives, a matrix, or a vector where they are diagonal; or what is expected
        of them. Negative directions are dropped.
    prior: l0(weight) of one learner.
    """

    value: Function
    gradient: Function
    curvature: Function
    prior: Function = exponential_prior


OwnLoss = SeparableLoss | ExponentialFamilyLoss | SmoothLoss


def as_own_loss(loss: Any, prior: Function | None) -> OwnLoss:
    """The loss object meant: a bare function is separable; `prior`, where given, takes the place of its own."""
    if isinstance(loss, SeparableLoss | ExponentialFamilyLoss | SmoothLoss):
        own = loss if prior is None else replace(loss, prior=prior)
    elif callable(loss):
        own = SeparableLoss(loss) if prior is None else SeparableLoss(loss, prior)
    else:
        raise InputError(
            f"loss is {loss!r}; expected a function loss(weight, g), a SeparableLoss, an ExponentialFamilyLoss "
            "or a SmoothLoss."
        )
    _try_out(own)
    return own


def _try_out(own: OwnLoss) -> None:
    """Refuse functions that do not broadcast, or have no value at weights about 1."""
    weights, g = np.array([[0.5, 1.0, 2.0]]), np.array([[0.3], [1.2]])
    if isinstance(own, SmoothLoss):
        _demand("gradient", own.gradient(weights[0], weights[0]), (3,))
        _demand("value", own.value(weights[0], weights[0]), ())
        return
    if isinstance(own, ExponentialFamilyLoss) and len(own.eta) != len(own.statistic):
        raise InputError(
            f"statistic has {len(own.statistic)} functions and eta {len(own.eta)}; "
            "expected as many of one as of the other."
        )
    _demand("loss", own.loss(weights, g), (2, 3))
    _demand("prior", own.prior(weights), (1, 3))


def _demand(name: str, answer: Any, shape: tuple[int, ...]) -> None:
    if np.shape(answer) != shape or not np.all(np.isfinite(answer)):
        raise InputError(
            f"{name} answered {answer!r} to arrays of positive numbers; expected finite numbers of shape {shape}. "
            "Write it with NumPy functions, such as np.log, so that it takes arrays."
        )
