"""Decreasing losses of a margin z, by what gradient boosting needs of them: the slope -l'(z), a weight.

logit         log(1 + exp(-z))
exponential   exp(-z)
hinge         max(0, 1 - z)
savage        1 / (1 + exp(2 z))**2        Masnadi-Shirazi and Vasconcelos 2008
doom          1 - tanh(z)                  Mason, Baxter, Bartlett and Frean 1999, DOOM II

The last two are bounded, hence robust: an example that is hopelessly wrong weighs nothing.
"""

from __future__ import annotations

import math
from enum import IntEnum

from shoal.decision import sigmoid
from shoal.errors import InputError
from shoal.kernels.compiler import inlined


class MarginLoss(IntEnum):
    """The losses by name; compiled code compares members."""

    LOGIT = 0
    EXPONENTIAL = 1
    HINGE = 2
    SAVAGE = 3
    DOOM = 4


LOGIT, EXPONENTIAL, HINGE, SAVAGE, DOOM = (int(loss) for loss in MarginLoss)
STEEPEST = 700.0  # the exponential loss rises no further beyond this margin, where its slope is still a number


def margin_loss(name: str) -> int:
    """The loss of that name, or an error that lists the names."""
    names = [loss.name.lower() for loss in MarginLoss]
    if name not in names:
        raise InputError(f"loss is {name!r}; expected one of {', '.join(names)}.")
    return names.index(name)


@inlined
def slope(loss: int, z: float) -> float:
    """-l'(z), never negative."""
    if loss == EXPONENTIAL:
        return math.exp(-max(z, -STEEPEST))
    if loss == HINGE:
        return 1.0 if z < 1.0 else 0.0
    if loss == SAVAGE:
        wrong = sigmoid(-2.0 * z)
        return 4.0 * wrong * wrong * sigmoid(2.0 * z)
    if loss == DOOM:
        return 4.0 * sigmoid(-2.0 * z) * sigmoid(2.0 * z)
    return sigmoid(-z)
