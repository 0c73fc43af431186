"""Which method is better, and whether that can be told: means, ranks, and paired tests.

Tests follow Demsar (2006): over the mean errors of data sets where there are enough of them. With fewer,
trials are paired instead; trials on one data set share its rows, so such p-values are optimistic.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.stats import binomtest, rankdata, wilcoxon

from shoal.evaluation.compare import Comparison
from shoal.types import Floats

FEWEST_DATASETS = 5  # below, a signed-rank test over data sets cannot reach p < 0.1


@dataclass(frozen=True)
class Cell:
    """One method on one data set.

    error: mean over trials. spread: its standard error (NaN for one trial). rank: 1 is best, ties shared.
    best: whether no method has lower error. tied: whether the error, taken trial by trial, is within one
    standard error of the best.
    """

    error: float
    spread: float
    rank: float
    best: bool
    tied: bool
    examples_per_second: float
    metrics: dict[str, float]


@dataclass(frozen=True)
class Standing:
    """One method over all data sets.

    wins, ties, losses: of the leading method against this one, a tie being within one standard error.
    sign_p, wilcoxon_p: two-sided tests of this method against the leader; holm_p: the latter, corrected
    for the number of methods. All NaN for the leader itself.
    """

    mean_rank: float
    mean_error: float
    examples_per_second: float
    wins: int
    ties: int
    losses: int
    sign_p: float
    wilcoxon_p: float
    holm_p: float


@dataclass(frozen=True, eq=False)
class Ranking:
    """The comparison summed up.

    complete: the data sets on which every method has finished at least one trial; only they are ranked.
    order: methods, the best mean rank first. leader: the first of them. paired_over: what the tests pair.
    """

    complete: tuple[str, ...]
    order: tuple[str, ...]
    leader: str
    paired_over: str
    cells: dict[tuple[str, str], Cell]  # by data set and method
    standings: dict[str, Standing]

    def to_dict(self) -> dict[str, Any]:
        """As nested plain values."""
        cells = [{"dataset": d, "method": m} | asdict(cell) for (d, m), cell in self.cells.items()]
        standings = {method: asdict(s) for method, s in self.standings.items()}
        return {"leader": self.leader, "paired_over": self.paired_over} | {
            "methods": standings,
            "cells": cells,
        }


def rank(comparison: Comparison) -> Ranking:
    """Sum up a comparison."""
    methods = comparison.methods
    complete = tuple(d for d in comparison.datasets if all(comparison.of(d, m) for m in methods))
    ranked = complete or comparison.datasets[:1]
    present = tuple(m for m in methods if all(comparison.of(d, m) for d in ranked))
    errors = {d: _paired_errors(comparison, d, present) for d in ranked}
    cells = {
        (d, m): cell
        for d in ranked
        for m, cell in zip(present, _cells(comparison, d, present, errors[d]), strict=True)
    }
    by_rank = {
        m: (np.mean([cells[d, m].rank for d in ranked]), np.mean([cells[d, m].error for d in ranked]))
        for m in present
    }
    order = tuple(sorted(present, key=lambda m: by_rank[m]))
    over_datasets = len(ranked) >= FEWEST_DATASETS
    standings = _standings(cells, ranked, present, order[0], errors, over_datasets)
    return Ranking(ranked, order, order[0], "data sets" if over_datasets else "trials", cells, standings)


def _paired_errors(comparison: Comparison, dataset: str, methods: tuple[str, ...]) -> Floats:
    """(n_trials, n_methods): the errors of the trials that every method has finished."""
    by_method = [{t.trial: t.result.error for t in comparison.of(dataset, m)} for m in methods]
    shared = sorted(set.intersection(*(set(trials) for trials in by_method)))
    return np.array([[trials[t] for trials in by_method] for t in shared])


def _cells(comparison: Comparison, dataset: str, methods: tuple[str, ...], errors: Floats) -> list[Cell]:
    means = errors.mean(axis=0)
    best = int(np.argmin(means))
    ranks = rankdata(means)
    cells = []
    for j, method in enumerate(methods):
        results = [t.result for t in comparison.of(dataset, method)]
        cells.append(
            Cell(
                error=float(means[j]),
                spread=standard_error(errors[:, j]),
                rank=float(ranks[j]),
                best=bool(means[j] == means[best]),
                tied=is_tie(errors[:, j] - errors[:, best]),
                examples_per_second=float(np.median([r.examples_per_second for r in results])),
                metrics={k: float(np.mean([r.metrics[k] for r in results])) for k in results[0].metrics},
            )
        )
    return cells


def _standings(
    cells: dict[tuple[str, str], Cell],
    datasets: tuple[str, ...],
    methods: tuple[str, ...],
    leader: str,
    errors: dict[str, Floats],
    over_datasets: bool,
) -> dict[str, Standing]:
    lead = methods.index(leader)
    signs, p_values = {}, {}
    found = {}
    for j, method in enumerate(methods):
        differences = [errors[d][:, j] - errors[d][:, lead] for d in datasets]
        pairs = np.array([d.mean() for d in differences]) if over_datasets else np.concatenate(differences)
        signs[method] = sign_test(pairs)
        p_values[method] = signed_rank_test(pairs)
        ties = [is_tie(d) for d in differences]
        wins = sum(not tie and d.mean() > 0.0 for tie, d in zip(ties, differences, strict=True))
        found[method] = (wins, sum(ties), len(ties) - sum(ties) - wins)
    corrected = holm({m: p for m, p in p_values.items() if m != leader})
    return {
        m: Standing(
            float(np.mean([cells[d, m].rank for d in datasets])),
            float(np.mean([cells[d, m].error for d in datasets])),
            float(np.median([cells[d, m].examples_per_second for d in datasets])),
            *found[m],
            sign_p=signs[m] if m != leader else np.nan,
            wilcoxon_p=p_values[m] if m != leader else np.nan,
            holm_p=corrected.get(m, np.nan),
        )
        for m in methods
    }


def standard_error(values: Floats) -> float:
    """Of the mean; NaN for a single value."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan


def is_tie(differences: Floats) -> bool:
    """Whether the mean of paired differences is within one standard error of zero."""
    spread = standard_error(differences)
    return bool(abs(differences.mean()) <= (0.0 if np.isnan(spread) else spread))


def sign_test(differences: Floats) -> float:
    """Two-sided p-value of as many differences of one sign, those of zero left out."""
    positive, negative = int((differences > 0.0).sum()), int((differences < 0.0).sum())
    return float(binomtest(positive, positive + negative).pvalue) if positive + negative else 1.0


def signed_rank_test(differences: Floats) -> float:
    """Two-sided p-value of Wilcoxon's signed-rank test, differences of zero left out."""
    nonzero = differences[differences != 0.0]
    return float(wilcoxon(nonzero).pvalue) if len(nonzero) else 1.0


def holm(p_values: dict[str, float]) -> dict[str, float]:
    """Holm's step-down correction (Holm 1979)."""
    corrected: dict[str, float] = {}
    highest = 0.0
    for step, (name, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        highest = max(highest, min(1.0, (len(p_values) - step) * p))
        corrected[name] = highest
    return corrected
