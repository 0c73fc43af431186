"""What a running measurement remembers, as arrays that a checkpoint can keep."""

from __future__ import annotations

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
