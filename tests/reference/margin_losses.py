"""Decreasing losses of a margin with their derivatives, for OGBoost: section B.6."""

from __future__ import annotations

import math
from typing import NamedTuple


class MarginLoss(NamedTuple):
    """A pair (l, l')."""

    name: str

    def value(self, z: float) -> float:
        if self.name == "exponential":
            return math.exp(-z)
        if self.name == "hinge":
            return max(0.0, 1.0 - z)
        if self.name == "savage":  # Masnadi-Shirazi and Vasconcelos 2008: bounded, hence robust
            return 1.0 / (1.0 + math.exp(2.0 * z)) ** 2
        return max(-z, 0.0) + math.log1p(math.exp(-abs(z)))  # logit

    def slope(self, z: float) -> float:
        """-l'(z), the weight."""
        if self.name == "exponential":
            return math.exp(-z)
        if self.name == "hinge":
            return 1.0 if z < 1.0 else 0.0
        if self.name == "savage":
            return 4.0 * math.exp(2.0 * z) / (1.0 + math.exp(2.0 * z)) ** 3
        return 1.0 / (1.0 + math.exp(z))
