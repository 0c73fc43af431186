"""What rules of the kind "the class with the least weighted losses" share: equation (12) of Bai et al.

A rule of this kind keeps one weight per learner and answers with the class under which the sum of
weight * loss is least; a tie goes to class 1 of two, to the first of many. Scores are over the sum of
the weights, so that they are on the scale of one learner's loss.
"""

from __future__ import annotations

import math
from numbers import Real

from shoal.errors import InputError
from shoal.kernels.compiler import in_place, inlined
from shoal.losses import Loss, loss_if
from shoal.types import Flags, Floats, Scores


@inlined
def weighted_loss(loss: Loss, weights: Floats, members: Scores, present: Flags, k: int) -> float:
    """The mean loss of those present if class k were the truth."""
    total = 0.0
    mass = 0.0
    for i in range(members.shape[0]):
        if present[i]:
            mass += weights[i]
            total += weights[i] * loss_if(loss, members, i, k)
    return total / mass if mass > 0.0 else 0.0


@inlined
def score_by_losses(loss: Loss, weights: Floats, members: Scores, present: Flags, out: Floats) -> None:
    """Less loss is a higher score."""
    if len(out) == 1:
        against = weighted_loss(loss, weights, members, present, 0)
        out[0] = against - weighted_loss(loss, weights, members, present, 1)
    else:
        for k in range(len(out)):
            out[k] = -weighted_loss(loss, weights, members, present, k)


@in_place
def losses_if(loss: Loss, members: Scores, k: int, out: Floats) -> None:
    """Every member's loss if class k were the truth."""
    for i in range(members.shape[0]):
        out[i] = loss_if(loss, members, i, k)


def is_positive(value: object) -> bool:
    """A finite number above 0."""
    return isinstance(value, Real) and math.isfinite(value) and float(value) > 0.0


def check_positive(spec: object, *names: str) -> None:
    """Refuse a parameter that is not above 0."""
    for name in names:
        if not is_positive(getattr(spec, name)):
            raise InputError(f"{name} is {getattr(spec, name)!r}; expected a number above 0.")


def check_forgetting(forgetting: float) -> None:
    """Refuse a factor that would not forget, or would forget everything."""
    if not (is_positive(forgetting) and forgetting <= 1.0):
        raise InputError(f"forgetting is {forgetting!r}; expected a factor in (0, 1], 1 to keep everything.")


def check_choice(name: str, value: str | None, choices: tuple[str | None, ...]) -> None:
    """Refuse a name that is not one of the choices."""
    if value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise InputError(f"{name} is {value!r}; expected one of {listed}.")
