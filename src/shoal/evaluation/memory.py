"""What a running measurement remembers, as arrays that a checkpoint can keep, and how much memory is in use."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Remembering:
    """An object whose attributes are numbers and arrays, so that it can be put away and taken up again."""

    def state(self) -> dict[str, NDArray[Any]]:
        """All that is remembered, by name."""
        return {name: np.array(value) for name, value in vars(self).items()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `state` gave."""
        for name in vars(self):
            value = state[name]
            setattr(self, name, value.copy() if value.ndim else value.item())


class Counts(Remembering):
    """Rows, seconds, and how often each class came."""

    def __init__(self) -> None:
        self.n_rows = 0
        self.seconds = 0.0
        self.total_seconds = 0.0
        self.of_class = np.zeros(0, dtype=np.int64)

    def update(self, truth: NDArray[np.int64], seconds: float) -> None:
        self.n_rows += len(truth)
        self.seconds += seconds
        seen = np.bincount(truth[truth >= 0], minlength=len(self.of_class))
        seen[: len(self.of_class)] += self.of_class
        self.of_class = seen


def peak_memory() -> int | None:
    """The most bytes that this process has held since it began; None where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
