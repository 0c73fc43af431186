"""What online gradient boosting gains over its base learner (Beygelzimer et al. 2015; specification C.9).

Parameters are chosen by the mean squared loss of the first half of an order, each row answered before it is
learned; what counts is the loss of the second half, the same model learning on. The improvement is
100 (base - boosted) / base, in per cent, of the same learner alone with a rate of its own.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from time import process_time
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from shoal import datasets
from shoal.evaluation.ranking import standard_error
from shoal.methods import build_regressor
from shoal.reproduce.protocols import Outcome
from shoal.reproduce.running import Measured
from shoal.reproduce.tables import Column, Table, load_sources
from shoal.streams.rows import to_rows
from shoal.types import Floats, Rows, Space, Task

ALGORITHMS = {"span": "alg1", "hull": "alg2"}  # and what the published file calls them
SPAN = "ogb-span"


@lru_cache(maxsize=2)
def numbers_of(dataset: str) -> tuple[Floats, Floats]:
    """(X, y) of a data set, y in [-1, 1] by its range."""
    X, labels = datasets.load(load_sources()[dataset].load).arrays(dense=True)
    y = np.asarray(labels, dtype=np.float64)
    return np.asarray(X), 2.0 * (y - y.min()) / (y.max() - y.min()) - 1.0


def improvement(
    table: Table, column: Column, settings: Mapping[str, Any], dataset: str, seed: int, n_rows: int | None
) -> Outcome:
    """The squared losses of the second half of an order, by the settings that were best on the first."""
    X, y = numbers_of(dataset)
    order = np.random.default_rng(seed).permutation(len(y))[:n_rows]
    rows, y = to_rows(X[order]), y[order]
    began, half = process_time(), len(order) // 2
    runs = [
        (losses(column.method, tried, rows, X.shape[1], y, seed), tried) for tried in grid(table, column, settings)
    ]
    best, chosen = min(runs, key=lambda run: float(run[0][:half].mean()))
    return Outcome(best[half:], process_time() - began, chosen)


def grid(table: Table, column: Column, settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The settings that are tried."""
    learner = settings["learner"]
    for rate in table.options["rates"][learner]:
        if column.method == "single-regressor":
            yield {**settings, "rate": rate}
            continue
        for n in table.options["sizes"][learner]:
            for eta in sorted({1.0 / n, math.log(n) / n, 1.0}) if column.method == SPAN else [None]:
                own = {} if eta is None else {"eta": eta}
                yield {**settings, "rate": rate, "n_learners": n, **own}


def losses(method: str, settings: Mapping[str, Any], rows: Rows, n_features: int, y: Floats, seed: int) -> Floats:
    """The squared loss of every row, each answered before it is learned."""
    ensemble = build_regressor(method, {**settings, "target_range": (-1.0, 1.0)})
    state = ensemble.init(Space.of_size(n_features), Task("regression", 1), seed)
    answers, _ = ensemble.run(state, n_features, rows, y[:, None], np.ones(len(y)))
    return np.asarray((answers[:, 0] - y) ** 2)


@dataclass(frozen=True)
class Gain:
    """What boosting of one kind gains over one kind of learner: average and median over data sets, in per cent,
    the mean over orders with its standard error, and what the paper prints.
    """

    learner: str
    algorithm: str
    n_datasets: int
    average: float
    average_spread: float
    median: float
    median_spread: float
    printed_average: float
    printed_median: float


def gains(measured: Measured) -> list[Gain]:
    """Every learner under every algorithm, as far as both were run."""
    table, found = measured.table, []
    printed = published()
    for learner, name in table.options["learners"].items():
        for algorithm, theirs in ALGORITHMS.items():
            each = improvements(measured, learner, algorithm)
            if not each.size:
                continue
            averages, medians = each.mean(axis=0), np.median(each, axis=0)
            found.append(
                Gain(
                    name, algorithm, len(each),
                    float(averages.mean()), standard_error(averages),
                    float(medians.mean()), standard_error(medians),
                    float(printed[name][f"avg_rel_improvement_pct_{theirs}"]),
                    float(printed[name][f"median_rel_improvement_pct_{theirs}"]),
                )
            )  # fmt: skip
    return found


def improvements(measured: Measured, learner: str, algorithm: str) -> Floats:
    """(n_datasets, n_orders) over the orders that both have finished on all data sets that were begun."""
    pairs = [measured.errors(d, [learner, f"{learner}_{algorithm}"]) for d in measured.datasets]
    pairs = [pair for pair in pairs if len(pair)]
    n = min((len(pair) for pair in pairs), default=0)
    return np.array([100.0 * (p[:n, 0] - p[:n, 1]) / p[:n, 0] for p in pairs]).reshape(len(pairs), n)


def published() -> dict[str, dict[str, str]]:
    """The paper's rows, by learner."""
    text = files("shoal.reproduce").joinpath("published", "beygelzimer_table.csv").read_text(encoding="utf-8")
    return {row["base_learner"]: row for row in csv.DictReader(text.splitlines())}


def gain_notes(found: list[Gain]) -> Iterator[str]:
    """What becomes of what the paper shows."""
    for algorithm in ALGORITHMS:
        own = [gain for gain in found if gain.algorithm == algorithm]
        better = [gain.learner for gain in own if gain.average > 0.0]
        word = "holds" if own and len(better) == len(own) else "does NOT hold"
        told = ", ".join(better) or "none"
        yield f"Claim {word}: over the {algorithm}, boosting lowers the loss on average: of {told}."
    pairs = list(zip(found[::2], found[1::2], strict=False))
    ahead = [span.learner for span, hull in pairs if span.average > hull.average]
    word = "holds" if pairs and len(ahead) == len(pairs) else "does NOT hold"
    yield f"Claim {word}: the span gains more than the hull on average: of {', '.join(ahead) or 'none'}."
    if len(found) > 2:
        rank = spearmanr([g.average for g in found], [g.printed_average for g in found]).statistic
        yield f"Rank correlation of the {len(found)} averages, measured and published: {rank:.2f}."
    yield "The paper's data sets are not known; its figures are beside those of other sets."
