"""Reservoir boosting by name: what the registry of methods points to."""

from __future__ import annotations

from dataclasses import replace as altered
from functools import partial
from typing import Any

from shoal.decision import Decision
from shoal.reservoir.baselines import SampledBoost
from shoal.reservoir.model import ReservoirBoost
from shoal.reservoir.strategies import GEEM, RIDGE, Strategy, WSam, strategy_named


def reservoir(
    strategy: str | Strategy = "geem",
    size: int = 250,
    batch: int | None = None,
    n_learners: int = 250,
    shared: bool = False,
    shrinkage: float = 0.1,
    forgetting: float = 1.0,
    replace: str = "oldest",
    warm_up: bool = True,
    step: str = "newton",
    ridge: float = RIDGE,
    ties: str = "dense",
    covariance_features: int | None = None,
    edges: str = "ones",
    n_draws: int = 100,
    swaps: int = 0,
    wsam_uniform: bool = False,
    class_weight: Any = None,
    threshold: float | str = 0.0,
) -> ReservoirBoost:
    """Stumps boosted on a reservoir of chosen examples (Lefakis and Fleuret)."""
    chosen = strategy_named(strategy) if isinstance(strategy, str) else strategy
    if isinstance(chosen, GEEM) and isinstance(strategy, str):
        chosen = GEEM(ridge, ties, covariance_features, edges, n_draws, swaps)
    if isinstance(chosen, WSam) and wsam_uniform:
        chosen = altered(chosen, uniform=True)
    made = ReservoirBoost(
        strategy=chosen,
        size=size,
        batch=batch,
        n_learners=n_learners,
        shared=shared,
        shrinkage=shrinkage,
        forgetting=forgetting,
        replace=replace,
        warm_up=warm_up,
        step=step,
        decision=Decision(tuple(class_weight) if isinstance(class_weight, list) else class_weight, threshold),
    )
    made.check()
    return made


geem = partial(reservoir, strategy="geem")
reservoir_max = partial(reservoir, strategy="max")
reservoir_rand = partial(reservoir, strategy="rand")
reservoir_wsam = partial(reservoir, strategy="wsam")


# Boosting on samples of all the data: there is nothing to learn row by row.


def weighted_sampling(
    size: int = 250, n_learners: int = 250, shrinkage: float = 1.0, step: str = "edge"
) -> SampledBoost:
    """WSS: each stump is trained on examples drawn by weight; needs all the data."""
    return SampledBoost("weighted", size, n_learners, shrinkage=shrinkage, step=step)


def mada_boost(
    size: int = 250, n_learners: int = 250, adjust: bool = True, shrinkage: float = 1.0, step: str = "edge"
) -> SampledBoost:
    """MadaBoost: examples are drawn by weights that are at most 1; needs all the data."""
    return SampledBoost("mada", size, n_learners, adjust, shrinkage=shrinkage, step=step)


def fixed_sample(
    size: int = 2500, n_learners: int = 250, loss: str = "exponential", shrinkage: float = 1.0
) -> SampledBoost:
    """Boosting on one random subset; needs all the data."""
    return SampledBoost("fixed", size, n_learners, loss=loss, shrinkage=shrinkage)
