"""Base losses: how wrong a learner's vote is if the truth were class k (Bai, Lam and Sclaroff, section 5).

Two classes: of the margin z = (+1 or -1) * vote. Several classes: of the margin
vote[k] - max of the others, but for the logistic loss, which is -log softmax_k.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import NamedTuple

from shoal.errors import InputError
from shoal.kernels.compiler import inlined
from shoal.types import Scores


class BaseLoss(IntEnum):
    """The losses by name; compiled code compares members, never bare numbers."""

    ZERO_ONE = 0
    HINGE = 1
    RAMP = 2
    LOGISTIC = 3
    EXPONENTIAL = 4


BY_NAME = {
    "zero-one": BaseLoss.ZERO_ONE,
    "hinge": BaseLoss.HINGE,
    "ramp": BaseLoss.RAMP,
    "logistic": BaseLoss.LOGISTIC,
    "exponential": BaseLoss.EXPONENTIAL,
}
ALWAYS_POSITIVE = frozenset({"logistic", "exponential"})  # the others reach 0, where log g has no value


class Loss(NamedTuple):
    """A base loss inside compiled code. cap: where the ramp stops, 1 - s of the papers."""

    kind: int
    cap: float


def base_loss(name: str, ramp: float = 0.0) -> Loss:
    """The loss of that name, or an error that lists the names; `ramp` is s of the ramp loss."""
    if name not in BY_NAME:
        raise InputError(f"base_loss is {name!r}; expected one of {', '.join(sorted(BY_NAME))}, or 'auto'.")
    return Loss(int(BY_NAME[name]), 1.0 - ramp)


ZERO_ONE, HINGE, RAMP = int(BaseLoss.ZERO_ONE), int(BaseLoss.HINGE), int(BaseLoss.RAMP)
LOGISTIC = int(BaseLoss.LOGISTIC)
LINEAR_FROM = 36.0  # beyond this margin log(log(1 + exp(-z))) equals -z - exp(-z) / 2 in double precision


@inlined
def loss_of_margin(loss: Loss, z: float) -> float:
    """g(z) for every loss but zero-one, which is not a function of the margin alone (0 counts as +1)."""
    if loss.kind == HINGE:
        return max(0.0, 1.0 - z)
    if loss.kind == RAMP:
        return min(loss.cap, max(0.0, 1.0 - z))
    if loss.kind == LOGISTIC:
        return max(-z, 0.0) + math.log1p(math.exp(-abs(z)))
    return math.exp(-z)


@inlined
def loss_of_vote(loss: Loss, vote: float, k: int) -> float:
    """The loss of a vote between two classes if class k were the truth."""
    if loss.kind == ZERO_ONE:
        return 0.0 if (vote >= 0.0) == (k == 1) else 1.0
    return loss_of_margin(loss, vote if k == 1 else -vote)


@inlined
def loss_if(loss: Loss, votes: Scores, i: int, k: int) -> float:
    """Learner i's loss if class k were the truth."""
    if votes.shape[1] == 1:
        return loss_of_vote(loss, votes[i, 0], k)
    return loss_among_many(loss, votes, i, k)


@inlined
def loss_among_many(loss: Loss, votes: Scores, i: int, k: int) -> float:
    """Learner i's loss if class k of several were the truth."""
    n_outputs = votes.shape[1]
    best = -math.inf  # of the other classes
    first_best = 0
    for c in range(n_outputs):
        if c != k and votes[i, c] > best:
            best = votes[i, c]
            first_best = c
    if loss.kind == ZERO_ONE:
        wins = votes[i, k] > best or (votes[i, k] == best and k < first_best)
        return 0.0 if wins else 1.0
    if loss.kind == LOGISTIC:
        top = max(best, votes[i, k])
        total = 0.0
        for c in range(n_outputs):
            total += math.exp(votes[i, c] - top)
        return math.log(total) - (votes[i, k] - top)
    return loss_of_margin(loss, votes[i, k] - best)


@inlined
def log_loss_if(loss: Loss, votes: Scores, i: int, k: int, g: float) -> float:
    """The logarithm of that loss g, which the Gamma likelihoods need."""
    if votes.shape[1] == 1:
        z = votes[i, 0] if k == 1 else -votes[i, 0]
        if loss.kind != LOGISTIC:
            return -z  # exponential
        if z > LINEAR_FROM:
            return -z - 0.5 * math.exp(-z)
    return math.log(g)
