"""What a run says about a published table: cell by cell, column by column, and claim by claim."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from shoal.evaluation.ranking import is_tie, standard_error
from shoal.evaluation.result import jsonable
from shoal.reproduce.running import Measured
from shoal.reproduce.tables import DEVIATION, Claim
from shoal.types import Floats

CLOSE = 0.02  # the measure of agreement with a published error
FEWEST_RANKED = 3  # a rank correlation of two methods is always 1 or -1


@dataclass(frozen=True)
class Cell:
    """One method on one data set. error: mean over trials; spread: its standard error, or the trials' deviation
    where the paper prints that; published, and its deviation: NaN for none.
    """

    error: float
    spread: float
    published: float
    published_deviation: float = float("nan")

    @property
    def difference(self) -> float:
        """Measured less published."""
        return self.error - self.published

    @property
    def close(self) -> bool:
        """Whether the two differ by no more than `CLOSE`."""
        return bool(abs(self.difference) <= CLOSE)


@dataclass(frozen=True)
class Verdict:
    """What became of a claim: on which data sets it holds here, and how many it holds on as printed."""

    claim: Claim
    holds: tuple[str, ...]
    fails: tuple[str, ...]
    printed_holds: int
    printed_of: int

    @property
    def reproduced(self) -> bool:
        """Whether it fails on no more data sets than is allowed."""
        return bool(self.holds) and len(self.fails) <= self.claim.exceptions


@dataclass(frozen=True)
class Comparison:
    """All that is told of a table.

    close: for each column, (cells within `CLOSE` of the published ones, cells published and measured).
    agreement: for each data set, Spearman's correlation of the columns' errors, measured and published.
    beyond: for each column that is not the paper's, (data sets where it is below the best printed, where not).
    """

    cells: dict[tuple[str, str], Cell]
    close: dict[str, tuple[int, int]]
    agreement: dict[str, float]
    verdicts: tuple[Verdict, ...]
    beyond: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        cells = [
            {"dataset": d, "method": c, "error": cell.error, "spread": cell.spread}
            | {"published": cell.published, "difference": cell.difference}
            for (d, c), cell in self.cells.items()
        ]
        verdicts = [
            {"claim": v.claim.text, "reproduced": v.reproduced, "holds": v.holds, "fails": v.fails}
            | {"as_printed": [v.printed_holds, v.printed_of]}
            for v in self.verdicts
        ]
        found: dict[str, Any] = jsonable(
            {"cells": cells, "close": self.close, "agreement": self.agreement, "claims": verdicts}
            | {"below_the_best_printed": self.beyond}
        )
        return found


def compare_with_published(measured: Measured) -> Comparison:
    """Hold a run against the published numbers."""
    table = measured.table
    columns = [column.name for column in table.paper_columns]
    finished = [d for d in measured.datasets if len(measured.errors(d, columns))]
    spread = deviation if table.spread == DEVIATION else standard_error
    cells: dict[tuple[str, str], Cell] = {}
    for dataset in finished:
        errors = measured.errors(dataset, columns)
        for j, column in enumerate(columns):
            published = table.printed.get((dataset, column), np.nan)
            theirs = table.printed_deviations.get((dataset, column), np.nan)
            cells[dataset, column] = Cell(float(errors[:, j].mean()), spread(errors[:, j]), published, theirs)
    for dataset, name in ((d, c.name) for d in finished for c in table.columns if c.beyond):
        own = measured.errors(dataset, [name])[:, 0]
        if len(own):
            cells[dataset, name] = Cell(float(own.mean()), spread(own), table.best.get(dataset, np.nan))
    return Comparison(
        cells,
        {column: _close(cells, column) for column in columns},
        {dataset: _agreement(cells, dataset, columns) for dataset in finished},
        tuple(_verdict(measured, finished, claim) for claim in table.claims),
        {column.name: _below(cells, column.name) for column in table.columns if column.beyond},
    )


def _below(cells: dict[tuple[str, str], Cell], column: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    compared = {d: cell for (d, c), cell in cells.items() if c == column and np.isfinite(cell.published)}
    return (
        tuple(d for d, cell in compared.items() if cell.difference < 0.0),
        tuple(d for d, cell in compared.items() if not cell.difference < 0.0),
    )


def _close(cells: dict[tuple[str, str], Cell], column: str) -> tuple[int, int]:
    compared = [cell for (_, c), cell in cells.items() if c == column and np.isfinite(cell.published)]
    return sum(cell.close for cell in compared), len(compared)


def _agreement(cells: dict[tuple[str, str], Cell], dataset: str, columns: list[str]) -> float:
    pairs = [(cells[dataset, c].error, cells[dataset, c].published) for c in columns]
    both = np.array([pair for pair in pairs if np.isfinite(pair[1])]).reshape(-1, 2)
    if len(both) < FEWEST_RANKED or (both.min(axis=0) == both.max(axis=0)).any():
        return float("nan")
    return float(spearmanr(both[:, 0], both[:, 1]).statistic)


def _verdict(measured: Measured, datasets: list[str], claim: Claim) -> Verdict:
    table = measured.table
    columns = claimed_columns(claim, [column.name for column in table.paper_columns])
    held = {dataset: holds(claim, measured.errors(dataset, columns), columns) for dataset in datasets}
    printed = {d: [table.printed.get((d, c), np.nan) for c in columns] for d in table.datasets}
    printed_held = [
        holds(
            claim, np.array([row]), columns, np.array([table.printed_deviations.get((d, c), 0.0) for c in columns])
        )
        for d, row in printed.items()
        if np.isfinite(row).all()
    ]
    return Verdict(
        claim,
        tuple(dataset for dataset in datasets if held[dataset]),
        tuple(dataset for dataset in datasets if not held[dataset]),
        sum(printed_held),
        len(printed_held),
    )


def claimed_columns(claim: Claim, columns: list[str]) -> list[str]:
    """The columns that a claim is about, the claimed one first."""
    if claim.best is not None:
        return [claim.best, *(c for c in claim.among or columns if c != claim.best)]
    assert claim.better is not None
    assert claim.than is not None
    return [claim.better, claim.than]


def holds(claim: Claim, errors: Floats, columns: list[str], deviations: Floats | None = None) -> bool:
    """Whether a claim holds of (n_trials, n_columns) errors, the claimed column first.

    deviations: of every column, where they are known otherwise than from the trials.
    """
    means = errors.mean(axis=0)
    if claim.better is not None:
        return bool(means[0] < means[1])
    if claim.margin != "tied":
        spreads = np.array([deviation(column) for column in errors.T]) if deviations is None else deviations
        lead = means[1:] - means[0]
        room = np.maximum(spreads[0], spreads[1:])
        return bool(
            (lead > room).all() if claim.margin == "ahead" else lead[lead.argmin()] >= -room[lead.argmin()]
        )
    best = int(means.argmin())
    return bool(means[0] <= means[best]) or is_tie(errors[:, 0] - errors[:, best])


def deviation(values: Floats) -> float:
    """The trials' standard deviation; of one trial not known."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")
