"""All or nothing: a model whose evaluation is refused half-way is as it was before."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

NOT_KEPT = ("ensemble", "lock")  # frozen settings, which a copy would only repeat; what others may wait for


@contextmanager
def unharmed(given: Any) -> Iterator[None]:
    """Put the model, or the estimator that holds it, back as it was if what follows fails.

    A bad line is often met after many good ones. Were these kept, evaluating the mended file would learn
    them twice. What a user has made to be evaluated, and is none of shoal's models, is left to its maker.
    """
    from shoal.model import Taught

    begun = hasattr(given, "model_")
    model = getattr(given, "model_", given)
    kept: dict[str, Any] = {}
    if isinstance(model, Taught):
        changing = {name: value for name, value in vars(model).items() if name not in NOT_KEPT}
        kept = copy.deepcopy(changing)  # at once: parts of it share arrays
    try:
        yield
    except Exception:
        if kept:
            vars(model).update(kept)
        if not begun and hasattr(given, "evaluated_model"):
            vars(given).pop("model_", None)
        raise
