"""Moments of unimodal densities of u = log weight, many at once, from functions that give their logarithm.

A density is looked at on a window of equally spaced points, which is moved and cut until it holds all that
is not negligible; the trapezoidal sum over it is then exact to rounding, for smooth densities.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shoal.types import Floats

N_POINTS = 257
NEGLIGIBLE = 40.0  # fall of the log density beyond which a tail is left out
FIRST_WINDOW = (-24.0, 24.0)  # weights from 4e-11 to 3e10
MAX_MOVES = 40
SNUG = 0.6  # a window is kept once its density fills that much of it
LEAST_WIDTH = 1e-12


class Windows(NamedTuple):
    """Where each density is."""

    low: Floats
    high: Floats


class Moments(NamedTuple):
    """Of each density: the mean of the weight e**u, the mean and the standard deviation of u."""

    weight: Floats
    mean: Floats
    deviation: Floats


def first_windows(n: int) -> Windows:
    """Windows wide enough to find any usual weight from."""
    return Windows(np.full(n, FIRST_WINDOW[0]), np.full(n, FIRST_WINDOW[1]))


def points_of(windows: Windows, n_points: int = N_POINTS) -> Floats:
    """(n, n_points) equally spaced points."""
    share = np.linspace(0.0, 1.0, n_points)
    return np.asarray(windows.low[:, None] + (windows.high - windows.low)[:, None] * share)


def moments_on(u: Floats, log_density: Floats) -> Moments:
    """From log densities at equally spaced points."""
    masses = np.exp(log_density - np.max(log_density, axis=1, keepdims=True))
    masses /= np.sum(masses, axis=1, keepdims=True)
    mean = np.sum(masses * u, axis=1)
    weight = np.exp(mean) * np.sum(masses * np.exp(u - mean[:, None]), axis=1)
    deviation = np.sqrt(np.sum(masses * (u - mean[:, None]) ** 2, axis=1))
    return Moments(weight, mean, deviation)


def located(log_density: Callable[[Floats], Floats], windows: Windows) -> tuple[Windows, Moments]:
    """Windows that fit the densities, found from some that need not, and the moments there.

    log_density: from (n, points) values of u to as many logarithms.
    """
    for _ in range(MAX_MOVES):
        u = points_of(windows)
        heights = log_density(u)
        heights = np.where(np.isfinite(heights), heights, -np.inf)
        held = heights > np.max(heights, axis=1, keepdims=True) - NEGLIGIBLE
        fitting = _fitting(windows, held)
        moved = np.abs(fitting.high - fitting.low) < SNUG * np.abs(windows.high - windows.low)
        moved |= (fitting.low < windows.low) | (fitting.high > windows.high)
        if not np.any(moved):
            return windows, moments_on(u, heights)
        windows = Windows(np.where(moved, fitting.low, windows.low), np.where(moved, fitting.high, windows.high))
    return windows, moments_on(u, heights)


def _fitting(windows: Windows, held: Floats) -> Windows:
    """The part of each window that its density fills, a step more on either side, or beyond it."""
    step = (windows.high - windows.low) / (held.shape[1] - 1)
    first = np.argmax(held, axis=1)
    last = held.shape[1] - 1 - np.argmax(held[:, ::-1], axis=1)
    reach = 0.5 * (windows.high - windows.low)
    low = windows.low + step * (first - 1)
    high = windows.low + step * (last + 1)
    low = np.where(first == 0, windows.low - reach, low)
    high = np.where(last == held.shape[1] - 1, windows.high + reach, high)
    return Windows(low, np.maximum(high, low + LEAST_WIDTH))
