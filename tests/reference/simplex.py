"""The projection on the probability simplex: section B.3 (Duchi et al. 2008)."""

from __future__ import annotations


def projected(v: list[float]) -> list[float]:
    u = sorted(v, reverse=True)
    total, tau = 0.0, 0.0
    for k in range(1, len(u) + 1):
        total += u[k - 1]
        c_k = total - 1.0
        if u[k - 1] - c_k / k > 0.0:
            tau = c_k / k
    return [max(value - tau, 0.0) for value in v]
