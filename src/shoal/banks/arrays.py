"""Tables that get longer as features appear. While there is room they stay where they are: nothing is copied."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)


def longer(table: NDArray[T], length: int) -> NDArray[T]:
    """The table with rows of zeros behind it, up to that length."""
    if len(table) >= length:
        return table
    return np.concatenate([table, np.zeros((length - len(table), *table.shape[1:]), dtype=table.dtype)])


def with_room(table: NDArray[T], n_features: int) -> NDArray[T]:
    """The table (N, d, ...) with zeros for features up to that number."""
    if table.shape[1] >= n_features:
        return table
    more = np.zeros((len(table), n_features - table.shape[1], *table.shape[2:]), dtype=table.dtype)
    return np.concatenate([table, more], axis=1)
