"""What several banks refuse in the same words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.errors import InputError
from shoal.types import Floats

Turns = float | Sequence[float]  # one number for all learners, or numbers that learners take in turn


def check_size(n_learners: int, feature_fraction: float) -> None:
    """Refuse a number of learners, or a share of the columns, that has no meaning."""
    if not n_learners >= 1:
        raise InputError(f"n_learners is {n_learners!r}; expected a whole number from 1 on.")
    if not 0.0 < feature_fraction <= 1.0:
        raise InputError(f"feature_fraction is {feature_fraction!r}; expected a share in (0, 1].")


def in_turn(name: str, given: Turns, n_learners: int, most: float = np.inf) -> Floats:
    """A number above 0, at most `most`, for each learner: the one given, or those given in turn."""
    try:
        numbers = np.atleast_1d(np.asarray(given, dtype=np.float64))
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.ndim != 1 or not len(numbers) or not np.all((numbers > 0.0) & (numbers <= most)):
        limit = "a finite number above 0" if most == np.inf else f"a number in (0, {most:g}]"
        raise InputError(f"{name} is {given!r}; expected {limit}, or a tuple of such numbers.")
    if not np.all(np.isfinite(numbers)):
        raise InputError(f"{name} is {given!r}; expected finite numbers.")
    return np.resize(numbers, n_learners)


def check_least(name: str, given: float, least: float) -> None:
    """Refuse a number below the least that has a meaning, or not finite."""
    if not least <= given < np.inf:
        raise InputError(f"{name} is {given!r}; expected a finite number, {least:g} or more.")
