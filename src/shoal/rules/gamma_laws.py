"""What the rules with a Gamma likelihood, losses (19) and (22) of Bai et al., share.

Both need log g, so only base losses that are never 0 will do; both may stop their counts growing, as the
paper did for want of an integral; both cache their posterior means, which cost more than the counts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from shoal.errors import InputError
from shoal.kernels.compiler import inlined
from shoal.losses import ALWAYS_POSITIVE, base_loss
from shoal.types import Floats

CAPS = ("none", "naive", "rescale")
UNCAPPED, NAIVE, RESCALE = range(len(CAPS))


class Refresh(NamedTuple):
    """When posterior means are computed anew: after `every` examples and `share` of all those seen."""

    every: float
    share: float
    clock: Floats  # (2,) examples learned, and how many there will be at the next refresh


def new_refresh(refresh_every: int | str) -> Refresh:
    """A number of examples, or a share of those seen such as "1%"."""
    every, share = 1.0, 0.0
    if isinstance(refresh_every, str):
        share = _percent(refresh_every)
    else:
        every = float(refresh_every)
    if not (every >= 1.0 and share >= 0.0):
        raise InputError(_message(refresh_every))
    return Refresh(every, share, np.zeros(2))


def _percent(text: str) -> float:
    try:
        if not text.endswith("%"):
            raise ValueError
        return float(text[:-1]) / 100.0
    except ValueError:
        raise InputError(_message(text)) from None


def _message(given: object) -> str:
    return f"refresh_every is {given!r}; expected a number of examples, 1 or more, or a share such as '1%'."


@inlined
def refresh_due(refresh: Refresh) -> bool:
    """Let one example pass; whether the means are to be computed now."""
    refresh.clock[0] += 1.0
    if refresh.clock[0] < refresh.clock[1]:
        return False
    wait = max(refresh.every, math.floor(refresh.share * refresh.clock[0]))
    refresh.clock[1] = refresh.clock[0] + wait
    return True


def check_never_zero(name: str) -> None:
    """Refuse base losses that reach 0."""
    base_loss(name)
    if name not in ALWAYS_POSITIVE:
        raise InputError(
            f"base_loss is {name!r}, which is 0 for a learner that is right, and this rule takes the logarithm "
            f"of losses; use {' or '.join(repr(n) for n in sorted(ALWAYS_POSITIVE, reverse=True))}."
        )
