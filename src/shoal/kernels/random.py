"""Counter-based random numbers: a number is a function of a seed and of what it is for.

Nothing is drawn in sequence, so learner 7 gets the same numbers whether there are ten learners or a
hundred, and a saved model needs no generator state beyond its own counters.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.compiler import compiled, inlined
from shoal.types import Keys

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: Steele, Lea and Flood 2014 (SplitMix)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)  # the constants of its finaliser
MIX_2 = np.uint64(0x94D049BB133111EB)
S30, S27, S31, S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
UNIT = 2.0**-53


@inlined
def mix(key: np.uint64, value: np.uint64) -> np.uint64:
    """Fold one more number into a key."""
    z = (key ^ value) + GOLDEN
    z = (z ^ (z >> S30)) * MIX_1
    z = (z ^ (z >> S27)) * MIX_2
    return z ^ (z >> S31)


@inlined
def uniform(key: np.uint64) -> float:
    """A number in (0, 1) from a key."""
    return (float(key >> S11) + 0.5) * UNIT


@inlined
def normal(key: np.uint64) -> float:
    """A standard normal number from a key (Box and Muller)."""
    radius = math.sqrt(-2.0 * math.log(uniform(key)))
    return radius * math.cos(2.0 * math.pi * uniform(mix(key, GOLDEN)))


@compiled
def learner_keys(seed: int, n_learners: int) -> Keys:
    """One key per learner, whatever their number."""
    keys = np.empty(n_learners, dtype=np.uint64)
    for i in range(n_learners):
        keys[i] = mix(np.uint64(seed), np.uint64(i))
    return keys
