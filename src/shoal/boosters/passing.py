"""How a booster hands on importance: as the weight of a lesson, or as the chance that there is one."""

from __future__ import annotations

import numpy as np

from shoal.kernels.compiler import in_place
from shoal.kernels.random import mix, uniform
from shoal.types import Keys

FORMS = ("importance", "sampling")
LESSON = np.uint64(0x4C6573736F6E0001)  # keeps these numbers apart from others made with the same seed


@in_place
def is_passed(key: Keys, t: int, place: int, chance: float) -> bool:
    """Whether example t is passed on to the learner (and output) of that place."""
    return uniform(mix(mix(mix(key[0], LESSON), np.uint64(t)), np.uint64(place))) < chance
