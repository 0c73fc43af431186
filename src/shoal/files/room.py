"""How much room a fresh model takes, roughly, before any is given to it.

A file may claim to be of a billion learners. What it holds must be of the size of what it claims: a fresh
state of the same parts may not need many times the numbers in the file.
"""

from __future__ import annotations

from typing import Any

from shoal.errors import DataFileError
from shoal.types import Space, Task

SLACK = 1 << 20  # numbers that any model may take
TIMES = 64  # what the estimates below may be too large by
DRIFT = 512  # numbers per learner


def check_room(ensemble: Any, space: Space, task: Task, held: int) -> None:
    """Refuse parts that take far more room than the numbers in the file. held: how many these are."""
    needed = room_of(ensemble, space.capacity + 1, task.n_outputs + 1)
    if needed > SLACK + TIMES * held:
        raise DataFileError(f"it claims to be a model of some {needed:,} numbers, and holds {held:,}")


def room_of(part: Any, d: int, k: int) -> int:
    """About how many numbers a part remembers, for d features and k outputs."""
    if hasattr(part, "strategy"):
        return d * (2 * part.size + part.n_new) * (k + 1) + part.n_learners * k
    if hasattr(part, "booster"):
        n = part.bank.n_learners
        drift = DRIFT * n if part.drift is not None else 0
        return room_of(part.bank, d, k) + drift + 8 * d + n * k * _factors(part.rule, n)
    if hasattr(part, "banks"):
        return sum(room_of(bank, d, k) for bank in part.banks)
    if hasattr(part, "bank"):
        return k * room_of(part.bank, d, k)
    if hasattr(part, "n_units"):
        size = part.n_units + 1 + min(d, part.direct)
        return int(part.n_learners) * (k * size * size + d * part.n_units)
    wide = d if d <= getattr(part, "full_up_to", 0) + 1 else 1
    inner = getattr(part, "bins", 1) * getattr(part, "n_hidden", 1)
    return int(part.n_learners) * d * k * inner * wide


def _factors(rule: Any, n: int) -> int:
    """How many times a number per learner and output a rule holds."""
    if hasattr(rule, "prior_variances"):
        return n * len(rule.prior_variances)
    return 8 * len(getattr(rule, "factors", (1,)))
