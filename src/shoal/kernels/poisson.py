"""Counter-based Poisson numbers: how often to repeat an update whose importance is the mean."""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.compiler import compiled, inlined
from shoal.kernels.random import mix, uniform
from shoal.kernels.special import log_gamma

POISSON = np.uint64(0x506F6973736F6E01)  # keeps these numbers apart from others made with the same seed
LARGE = 30.0  # specification B.5: above, the search through the probabilities gives way to rejection


@inlined
def by_search(mean: float, number: float) -> int:
    """The first count whose cumulated probability exceeds a uniform number."""
    k = 0
    probability = math.exp(-mean)
    total = probability
    while number > total and probability > 0.0:
        k += 1
        probability *= mean / k
        total += probability
    return k


@inlined
def by_rejection(mean: float, key: np.uint64) -> int:
    """Transformed rejection with squeeze for large means: Hörmann 1993, algorithm PTRS and its constants."""
    b = 0.931 + 2.53 * math.sqrt(mean)
    a = -0.059 + 0.02483 * b
    height = 1.1239 + 1.1328 / (b - 3.4)
    inside = 0.9277 - 3.6224 / (b - 2.0)
    while True:
        u = uniform(key) - 0.5
        key = mix(key, POISSON)
        v = uniform(key)
        key = mix(key, POISSON)
        room = 0.5 - abs(u)
        k = math.floor((2.0 * a / room + b) * u + mean + 0.43)
        if room >= 0.07 and v <= inside:
            return int(k)
        if k < 0.0 or (room < 0.013 and v > room):
            continue
        accepted = k * math.log(mean) - mean - log_gamma(k + 1.0)
        if math.log(v * height / (a / (room * room) + b)) <= accepted:
            return int(k)


@compiled
def poisson(seed: int, t: int, learner: int, output: int, mean: float) -> int:
    """A Poisson number for one learner and output at example t; 0 for mean 0."""
    if mean <= 0.0:
        return 0
    key = mix(mix(np.uint64(seed), POISSON), np.uint64(t))
    key = mix(mix(key, np.uint64(learner)), np.uint64(output))
    return by_search(mean, uniform(key)) if mean <= LARGE else by_rejection(mean, key)
