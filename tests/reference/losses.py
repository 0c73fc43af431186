"""Base losses of a vote if the truth were k: section A.2, for K classes F.1.

Two classes: k is -1 or +1 and the margin is k * vote. K classes: k is 0..K-1 and the margin is
vote[k] minus the largest other; logistic is -log softmax_k.
"""

from __future__ import annotations

import math

from tests.reference.interfaces import Vote, answers

POSITIVE = ("logistic", "exponential")  # only these may meet (19) and (22), where log g appears


def margin_loss(name: str, z: float, s: float = 0.0) -> float:
    """g(z); `s` is the ramp's parameter, which caps it at 1 - s."""
    if name == "hinge":
        return max(0.0, 1.0 - z)
    if name == "ramp":
        return min(1.0 - s, max(0.0, 1.0 - z))
    if name == "logistic":
        return max(-z, 0.0) + math.log1p(math.exp(-abs(z)))
    if name == "exponential":
        return math.exp(-z)
    raise ValueError(f"no loss of a margin is called {name!r}")


def margin(vote: Vote, k: float) -> float:
    if len(vote) == 1:
        return k * vote[0]
    return vote[int(k)] - max(v for j, v in enumerate(vote) if j != int(k))


def base_loss(name: str, vote: Vote, k: float, s: float = 0.0) -> float:
    """g_i(x, k) of a learner's vote."""
    if name == "zero-one":
        return 0.0 if answers(vote, k) else 1.0
    if name == "logistic" and len(vote) > 1:
        top = max(vote)
        return math.log(sum(math.exp(v - top) for v in vote)) + top - vote[int(k)]
    return margin_loss(name, margin(vote, k), s)


def log_base_loss(name: str, vote: Vote, k: float) -> float:
    """log g_i(x, k), for the losses that are never 0."""
    if name not in POSITIVE:
        raise ValueError(f"{name!r} reaches 0, where its logarithm has no value: take {POSITIVE}")
    if name == "exponential":
        return -margin(vote, k)
    if len(vote) == 1 and k * vote[0] > 36.0:
        z = k * vote[0]
        return -z - math.exp(-z) / 2.0
    return math.log(base_loss(name, vote, k))


def labels(n_outputs: int) -> list[float]:
    """The candidate labels in their declared order, in which ties are broken: +1 first (F.1)."""
    return [1.0, -1.0] if n_outputs == 1 else [float(k) for k in range(n_outputs)]


def score_of_costs(costs: list[float]) -> Vote:
    """Costs per candidate label, in the order of `labels`, as a score whose answer is the least cost."""
    if len(costs) == 2:
        return [costs[1] - costs[0]]
    return [-cost for cost in costs]
