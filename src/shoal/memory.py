"""How much memory there is, so that what cannot fit is refused instead of ending the process."""

from __future__ import annotations

import os

from shoal.errors import InputError

BYTES = 8  # of a number


def memory_of_machine() -> int | None:
    """Bytes of memory; None where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # Windows, or a system that does not know these names
        return None


def check_room(n_features: int, numbers: int) -> None:
    """Refuse so many features, each with so many numbers to remember, if the machine has no room for them."""
    needed, there_is = BYTES * n_features * numbers, memory_of_machine()
    if there_is is not None and needed > there_is:
        raise InputError(
            f"{n_features:,} features, each with {numbers:,} numbers to remember, take {needed / 2**30:,.0f} GB; "
            f"this machine has {there_is / 2**30:,.0f}: check the largest index, or take fewer learners."
        )
