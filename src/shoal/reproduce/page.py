"""The report of reproduced tables: one HTML file with the numbers, the claims, the figures and the tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.evaluation import formats, sections
from shoal.evaluation.charts import line_chart
from shoal.evaluation.critical_difference import critical_difference_diagram
from shoal.evaluation.markup import Markup, join, tag
from shoal.evaluation.report import page, reproduction
from shoal.evaluation.statistics import difference_sequence, friedman, paired_test
from shoal.evaluation.svg import COLOURS
from shoal.reproduce.comparing import Cell, Comparison
from shoal.reproduce.figures import curve_lines, sweep_chart
from shoal.reproduce.improvement import gains
from shoal.reproduce.printing import gain_cells, notes
from shoal.reproduce.running import Measured

LEVEL = 0.95


def page_of(done: Sequence[tuple[Measured, Comparison]], command: str) -> str:
    """The report of all tables that were run."""
    title = done[0][0].table.title if len(done) == 1 else f"{len(done)} published tables, run again"
    seed = {"seed": done[0][0].seed, "orders": done[0][0].trials}
    return page(title, tag("h1", title), *(section(*one) for one in done), reproduction(command, seed))


def section(measured: Measured, comparison: Comparison) -> Markup:
    """Everything about one table."""
    return tag(
        "section",
        tag("h2", measured.table.title),
        tag("ul", *(tag("li", note) for note in notes(measured, comparison))),
        improvements(measured),
        sweep_chart(measured) if measured.table.figure == "sweep" else numbers(measured, comparison),
        ranks(measured, comparison) if measured.table.figure != "sweep" else None,
        curves(measured),
        differences(measured, comparison) if measured.table.figure != "sweep" else None,
    )


def improvements(measured: Measured) -> Markup | None:
    """What boosting gains over its base learner, where that is what the paper tells."""
    if measured.table.figure != "improvement":
        return None
    head = ["base learner", "over the", "data sets", "average", "published", "median", "published"]
    rows = [[gain.learner, gain.algorithm, gain.n_datasets, *gain_cells(gain)] for gain in gains(measured)]
    note = f"Improvement in per cent of the base learner's loss ± {measured.table.spread} over orders."
    return join(sections.table(head, rows), tag("p", note, class_="note"))


def numbers(measured: Measured, comparison: Comparison) -> Markup:
    """Measured and published, cell by cell."""
    columns = [column.name for column in measured.table.columns]
    rows = []
    for dataset, agreement in comparison.agreement.items():
        cells = [comparison.cells.get((dataset, column)) for column in columns]
        least = min(cell.error for cell in cells if cell)
        told = formats.NO_VALUE if np.isnan(agreement) else f"{agreement:.2f}"
        rows.append([dataset, *(_cell(cell, least) for cell in cells), told])
    what = (
        "A hundred times the mean squared loss" if measured.table.figure == "improvement" else "Error in per cent"
    )
    note = (
        f"{what} ± {measured.table.spread} over orders; then the published error and measured less "
        "published. Bold: the lowest. A column that is not the paper's has the best published error beside it. "
        "Rank correlation: Spearman's, of the methods' errors here and as published."
    )
    return join(sections.table(["data set", *columns, "rank correlation"], rows), tag("p", note, class_="note"))


def _cell(cell: Cell | None, least: float) -> Markup:
    if cell is None:
        return tag("td", formats.NO_VALUE)
    spread = f" ± {formats.percent(cell.spread)}" if np.isfinite(cell.spread) else None
    published = None
    if np.isfinite(cell.published):
        theirs = f" ± {formats.percent(cell.published_deviation)}" if np.isfinite(cell.published_deviation) else ""
        told = f"{formats.percent(cell.published)}{theirs} ({100.0 * cell.difference:+.2f})"
        published = join(tag("br"), tag("span", told, class_="spread"))
    inside = (formats.percent(cell.error), spread and tag("span", spread, class_="spread"), published)
    return tag("td", *inside, class_="best" if cell.error == least else None)


def ranks(measured: Measured, comparison: Comparison) -> Markup | None:
    """Friedman's test over the data sets."""
    datasets = list(comparison.agreement)
    columns = [c.name for c in measured.table.columns if all((d, c.name) in comparison.cells for d in datasets)]
    if len(datasets) < 2 or len(columns) < 2:
        return None
    test = friedman([[comparison.cells[d, c].error for c in columns] for d in datasets], LEVEL)
    words = (
        f"Mean ranks over {test.n_datasets} data sets. All methods being equal has p = {formats.p_value(test.p)} "
        f"(Friedman); a bar joins methods less than {test.critical:.2f} ranks apart, the critical difference at "
        f"{LEVEL:.0%} (Nemenyi)."
    )
    return join(
        tag("h3", "Ranks"),
        sections.figure(critical_difference_diagram(columns, test)),
        tag("p", words, class_="note"),
    )


def curves(measured: Measured) -> Markup | None:
    """Cumulative errors, where they are the figure."""
    if measured.table.figure != "curves":
        return None
    charts = [
        join(
            tag("h3", dataset),
            sections.figure(
                line_chart(
                    curve_lines(measured, dataset), label=f"Cumulative error on {dataset}",
                    x_name="examples", y_name="error, %",
                )
            ),
        )
        for dataset in measured.datasets
    ]  # fmt: skip
    return join(*charts)


def differences(measured: Measured, comparison: Comparison) -> Markup | None:
    """The claimed column against each other one: paired over orders, and along the first order."""
    claimed = next((c.best or c.better for c in measured.table.claims if c.best or c.better), None)
    if claimed is None:
        return None
    columns = [column.name for column in measured.table.paper_columns]
    others = [column for column in columns if column != claimed]
    rows, charts = [], []
    for dataset in comparison.agreement:
        errors = measured.errors(dataset, columns)
        lead = errors[:, columns.index(claimed)]
        tests = [formats.p_value(paired_test(lead, errors[:, columns.index(c)])) for c in others]
        rows.append([dataset, *tests])
        if measured.tells_mistakes(dataset):
            charts.append(_sequence_chart(measured, dataset, claimed, others))
    paired_note = (
        f"p-values of Student's paired test, {claimed} against each other method over the same orders. Orders "
        "share the data set's examples: p speaks of further orders, not of further data."
    )
    sequence_note = (
        f"Mistakes of {claimed} less those of another method, per example, along the first order, with intervals "
        f"that hold at all lengths at once with {LEVEL:.0%} confidence, however often one looks "
        "(an empirical-Bernstein confidence sequence)."
    )
    return join(
        tag("h3", "Differences over orders"),
        sections.table(["data set", *others], rows),
        tag("p", paired_note, class_="note"),
        charts
        and tag(
            "details",
            tag("summary", "Differences along one order"),
            tag("p", sequence_note, class_="note"),
            *charts,
        ),
    )


def _sequence_chart(measured: Measured, dataset: str, claimed: str, others: Sequence[str]) -> Markup:
    first = measured.of(dataset, claimed)[0]
    rows = []
    for other in others[:COLOURS]:
        run = next(run for run in measured.of(dataset, other) if run.trial == first.trial)
        sequence = difference_sequence(first.wrong, run.wrong, LEVEL)
        decided = sequence.decided_at()
        rows.append(
            [
                f"{claimed} less {other}",
                f"{100.0 * sequence.mean[-1]:+.2f}",
                f"{100.0 * sequence.low[-1]:+.2f} to {100.0 * sequence.high[-1]:+.2f}",
                formats.NO_VALUE if decided is None else f"{decided:,}",
            ]
        )
    head = ["difference", "at the end, %", f"{LEVEL:.0%} interval", "told apart after"]
    return join(tag("h3", dataset), sections.table(head, rows))
