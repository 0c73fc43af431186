"""The papers' figures: errors along a stream, and the error against a setting."""

from __future__ import annotations

import numpy as np

from shoal.evaluation import sections
from shoal.evaluation.charts import Dots, Line, dot_chart
from shoal.evaluation.formats import percent
from shoal.evaluation.markup import Markup, join, tag
from shoal.evaluation.ranking import standard_error
from shoal.reproduce.running import Measured
from shoal.reproduce.runs import places
from shoal.types import Floats


def curve_lines(measured: Measured, dataset: str) -> list[Line]:
    """The share of mistakes so far, mean over orders, a line for each method."""
    lines = []
    for colour, column in enumerate(measured.table.columns):
        runs = measured.of(dataset, column.name)
        if not runs:
            continue
        at = places(runs[0].n)
        errors = np.array([run.marks for run in runs]) / at
        mean, spread = errors.mean(axis=0), _spread(errors)
        lines.append(Line(column.name, at.astype(np.float64), mean, colour, mean - spread, mean + spread))
    return lines


def _spread(errors: Floats) -> Floats:
    if len(errors) < 2:
        return np.zeros(errors.shape[1])
    return np.asarray(errors.std(axis=0, ddof=1) / np.sqrt(len(errors)))


def sweep_chart(measured: Measured) -> Markup:
    """The error at each value of a setting, a chart for each data set, since their errors differ much."""
    names = [column.name for column in measured.table.columns]
    charts = []
    for dataset in measured.datasets:
        errors = measured.errors(dataset, names)
        rows = [_dots(name, errors[:, j]) for j, name in enumerate(names)]
        chart = dot_chart(
            rows,
            label=f"Error on {dataset} at each value",
            x_name="error, %: mean ± standard error, and each order",
            form=lambda v: f"{100.0 * v:g}",
        )
        charts.append(join(tag("h3", dataset), sections.figure(chart)))
    return join(*charts)


def _dots(name: str, errors: Floats) -> Dots:
    mean, spread = float(errors.mean()), float(np.nan_to_num(standard_error(errors)))
    return Dots(name, mean, mean - spread, mean + spread, f"{percent(mean)} %", 0, errors.tolist())
