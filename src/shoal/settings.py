"""What every setting may be, checked in one place for estimators and command line alike.

A check asks no more than that a value makes sense by itself; what depends on several settings at once is
checked by the parts that they go to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from shoal.drift import DriftDetector
from shoal.errors import InputError


class Expected(NamedTuple):
    """A test of a value, and what it tests for in words."""

    accepts: Callable[[Any], bool]
    words: str


def is_number(value: Any) -> bool:
    """A finite number, no truth value."""
    return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)


def is_whole(value: Any, least: int) -> bool:
    """A whole number from `least` up."""
    return not isinstance(value, bool) and isinstance(value, Integral) and int(value) >= least


def is_factor(value: Any) -> bool:
    """A number in (0, 1]."""
    return is_number(value) and 0.0 < value <= 1.0


def is_forgetting(value: Any) -> bool:
    """A factor, several, or "auto"."""
    if isinstance(value, list | tuple):
        return len(value) > 0 and all(map(is_factor, value))
    return value == "auto" if isinstance(value, str) else is_factor(value)


def is_range(value: Any) -> bool:
    """None, two numbers, or a pair of numbers for each of several targets."""
    if value is None:
        return True
    if not isinstance(value, list | tuple | np.ndarray) or len(value) == 0:
        return False
    return all(map(is_number, value)) or all(
        isinstance(pair, list | tuple | np.ndarray) and len(pair) == 2 and all(map(is_number, pair))
        for pair in value
    )


def is_class_weight(value: Any) -> bool:
    """None, "balanced", or numbers from 0 up, not all 0."""
    if value is None or isinstance(value, str):
        return value in (None, "balanced")
    numbers = list(value.values()) if isinstance(value, Mapping) else value
    if not isinstance(numbers, list | tuple):
        return False
    return all(is_number(x) and x >= 0.0 for x in numbers) and any(x > 0.0 for x in numbers)


def is_part(value: Any) -> bool:
    """None, or what can begin a state."""
    return value is None or (callable(getattr(value, "init", None)) and not isinstance(value, type))


def is_learner(value: Any) -> bool:
    """A name, a bank or an estimator; or several of these."""
    if isinstance(value, list | tuple):
        return len(value) > 0 and all(map(is_learner, value))
    return isinstance(value, str) or hasattr(value, "init") or hasattr(value, "predict_one") or _predicts(value)


def _predicts(value: Any) -> bool:
    return hasattr(value, "predict") and not isinstance(value, type)


def is_ensemble_loss(value: Any) -> bool:
    """A name, a function, or an object that describes a loss."""
    if isinstance(value, str):
        return value in ENSEMBLE_LOSSES
    return value is not None and not isinstance(value, bool | int | float | list | tuple | dict | type)


def one_of(*choices: Any) -> Expected:
    """Any of a few words."""
    listed = ", ".join(repr(choice) for choice in choices)
    return Expected(
        lambda value: any(value is c or (isinstance(value, str) and value == c) for c in choices), listed
    )


ENSEMBLE_LOSSES = ("exponential", "gamma-shape", "gamma")
COUNT = Expected(lambda value: is_whole(value, 1), "a whole number, 1 or more")
SWITCH = Expected(lambda value: isinstance(value, bool), "True or False")
POSITIVE = Expected(lambda value: is_number(value) and value > 0.0, "a finite number above 0")

SETTINGS: dict[str, Expected] = {
    "bank": Expected(is_part, "a bank such as Perceptrons(100), or None"),
    "booster": Expected(is_part, "a booster such as Independent(), or None"),
    "rule": Expected(is_part, "a rule such as Uniform(), or None"),
    "learner": Expected(is_learner, "a learner's name, a bank, an estimator, or a list of these"),
    "learners": Expected(
        lambda value: isinstance(value, list | tuple) and is_learner(value),
        "a list of learners' names, or of learners",
    ),
    "n_learners": COUNT,
    "feature_fraction": Expected(is_factor, "a share in (0, 1]"),
    "vote": one_of("hard", "soft", "auto"),
    "frozen": Expected(
        lambda value: isinstance(value, bool) or is_whole(value, 0),
        "True, False or a number of examples to learn from first",
    ),
    "scaling": one_of("standard", "minmax", "unit", None),
    "bias": SWITCH,
    "class_weight": Expected(
        is_class_weight, "None, 'balanced', or a number per class, 0 or more and not all 0 (or a dict of these)"
    ),
    "threshold": Expected(lambda value: value == "tuned" or is_number(value), "a number of log-odds, or 'tuned'"),
    "drift": Expected(
        lambda value: value is None or value == "adwin" or isinstance(value, DriftDetector),
        "None, 'adwin' or a DriftDetector",
    ),
    "ensemble_loss": Expected(is_ensemble_loss, ", ".join(map(repr, ENSEMBLE_LOSSES)) + " or a loss of your own"),
    "base_loss": one_of("auto", "ramp", "zero-one", "hinge", "logistic", "exponential"),
    "alpha": POSITIVE,
    "beta": POSITIVE,
    "theta": POSITIVE,
    "gamma": POSITIVE,
    "step": Expected(
        lambda value: value in ("newton", "edge") if isinstance(value, str) else POSITIVE.accepts(value),
        "a finite number above 0, or for boosted stumps 'newton' or 'edge'",
    ),
    "forgetting": Expected(is_forgetting, "a factor in (0, 1], several of them, or 'auto'"),
    "predictive": SWITCH,
    "per_class": SWITCH,
    "cap": one_of("none", "naive", "rescale"),
    "smoothing": POSITIVE,
    "shrinkage": POSITIVE,
    "candidates": COUNT,
    "selectors": Expected(lambda value: value is None or is_whole(value, 1), "None, or a whole number, 1 or more"),
    "pool": SWITCH,
    "exchange": SWITCH,
    "allow_negative": SWITCH,
    "normalise": SWITCH,
    "share": Expected(lambda value: is_number(value) and 0.0 <= value < 1.0, "a part in [0, 1), 0 for none"),
    "eta": Expected(
        lambda value: value is None or (is_number(value) and value > 0.0), "None, or a number above 0"
    ),
    "rates": Expected(
        lambda value: (
            isinstance(value, list | tuple | np.ndarray)
            and len(value) > 0
            and all(is_number(rate) and rate > 0.0 for rate in value)
        ),
        "a list of finite numbers above 0",
    ),
    "loss_parameter": Expected(lambda value: value is None or is_number(value), "None, or a finite number"),
    "target_range": Expected(is_range, "None, (low, high) in finite numbers, or such a pair for each target"),
    "symmetric": SWITCH,
    "line_search": SWITCH,
    "averaging": one_of(None, "polyak", "sag"),
    "schedule": one_of("paper", "polyak"),
    "horizon": Expected(lambda value: value is None or is_whole(value, 1), "None, or the length of the stream"),
    "allow_missing": SWITCH,
    "max_pending": COUNT,
}


def check_settings(settings: Mapping[str, Any]) -> None:
    """Refuse the first value that makes no sense; settings that only some method knows are left to it."""
    for name, value in settings.items():
        expected = SETTINGS.get(name)
        value = value.item() if isinstance(value, np.generic) else value
        if expected is not None and not expected.accepts(value):
            raise InputError(f"{name} is {value!r}; expected {expected.words}.")
