"""Methods by name: which bank, booster and rule each is made of, and what its settings are.

The estimators and the command line both build ensembles here, from the same settings with the same
defaults; nothing here needs scikit-learn.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from shoal.ensemble import Ensemble
from shoal.errors import InputError
from shoal.methods.parts import Learner
from shoal.registry import METHODS, REGRESSION_METHODS, find
from shoal.settings import check_settings

__all__ = ["Learner", "build", "build_regressor"]


def build(method: str, settings: Mapping[str, Any]) -> Ensemble:
    """The ensemble that a method makes of these settings; those left out keep their defaults."""
    return _build(method, METHODS, settings)


def build_regressor(method: str, settings: Mapping[str, Any]) -> Ensemble:
    """The same of a method for regression."""
    return _build(method, REGRESSION_METHODS, settings)


def _build(method: str, methods: Mapping[str, str], settings: Mapping[str, Any]) -> Ensemble:
    builder = find("method", methods, method)
    known = inspect.signature(builder).parameters
    for name in settings:
        if name not in known:
            raise InputError(f"method {method} has no setting {name!r}; it has {', '.join(known)}.")
    check_settings(settings)
    plain = {k: v.item() if isinstance(v, np.generic) else v for k, v in settings.items()}
    return builder(**plain)
