"""Running moments with weights and forgetting, by the incremental rule of section B.7."""

from __future__ import annotations


class RunningMoments:
    def __init__(self) -> None:
        self.n = 0.0
        self.mean = 0.0
        self.M2 = 0.0

    def forget(self, rho: float) -> None:
        self.n *= rho
        self.M2 *= rho

    def add(self, g: float, weight: float) -> None:
        self.n += weight
        d = g - self.mean
        self.mean += d * weight / self.n
        self.M2 += weight * d * (g - self.mean)

    def variance(self) -> float:
        return self.M2 / self.n
