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
from shoal.registry import METHODS, find
from shoal.settings import check_settings

__all__ = ["Learner", "build"]


def build(method: str, settings: Mapping[str, Any]) -> Ensemble:
    """The ensemble that a method makes of these settings; those left out keep their defaults."""
    builder = find("method", METHODS, method)
    known = inspect.signature(builder).parameters
    for name in settings:
        if name not in known:
            raise InputError(f"method {method} has no setting {name!r}; it has {', '.join(known)}.")
    check_settings(settings)
    plain = {k: v.item() if isinstance(v, np.generic) else v for k, v in settings.items()}
    return builder(**plain)
