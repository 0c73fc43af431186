"""Sums that run for the whole stream, compensated so that a billion terms lose nothing (Neumaier 1974)."""

from __future__ import annotations

from shoal.kernels.compiler import inlined
from shoal.types import Floats


@inlined
def add(total: Floats, lost: Floats, i: int, term: float) -> None:
    """Add a term to `total[i]`, keeping in `lost[i]` what rounding dropped; their sum is the value."""
    old = total[i]
    new = old + term
    lost[i] += (old - new) + term if abs(old) >= abs(term) else (term - new) + old
    total[i] = new
