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
from shoal.reproduce.comparing import CLOSE, Cell, Comparison
from shoal.reproduce.figures import curve_lines, sweep_chart
from shoal.reproduce.improvement import gains
from shoal.reproduce.printing import gain_cells, notes, verdict_line
from shoal.reproduce.running import Measured

LEVEL = 0.95


def page_of(done: Sequence[tuple[Measured, Comparison]], command: str) -> str:
    """The report of all tables that were run."""
    several = len(done) > 1
    title = f"{len(done)} published tables, run again" if several else done[0][0].table.title
    seed = {"seed": done[0][0].seed, "orders": done[0][0].trials}
    return page(
        title,
        tag("h1", title),
        overview(done) if several else None,
        *(section(*one) for one in done),
        reproduction(command, seed),
    )


def overview(done: Sequence[tuple[Measured, Comparison]]) -> Markup:
    """A line for each table: how much of it agrees, and which of its claims hold."""
    rows = []
    for measured, comparison in done:
        close = [sum(counts) for counts in zip(*comparison.close.values(), strict=True)] or [0, 0]
        claims = [verdict.reproduced for verdict in comparison.verdicts]
        below = [
            f"{len(low)} of {len(low) + len(high)}" for low, high in comparison.beyond.values() if low or high
        ]
        rows.append(
            [
                tag("a", measured.table.title, href=f"#{measured.table.name}"),
                len(comparison.agreement),
                f"{close[0]} of {close[1]}" if close[1] else formats.NO_VALUE,
                f"{sum(claims)} of {len(claims)}" if claims else formats.NO_VALUE,
                ", ".join(below) or formats.NO_VALUE,
            ]
        )
    head = [
        "table",
        "data sets",
        f"cells within {100 * CLOSE:g} %",
        "claims that hold",
        "shoal below the best printed",
    ]
    return sections.table(head, rows, narrow=True)


def section(measured: Measured, comparison: Comparison) -> Markup:
    """Everything about one table."""
    swept = measured.table.figure == "sweep"
    return tag(
        "section",
        tag("h2", measured.table.title, id=measured.table.name),
        claims(comparison),
        improvements(measured),
        sweep_chart(measured) if swept else numbers(measured, comparison),
        tag("ul", *(tag("li", note) for note in notes(measured, comparison))),
        None if swept else ranks(measured, comparison),
        curves(measured),
        None if swept else differences(measured, comparison),
        column_settings(measured),
    )


def claims(comparison: Comparison) -> Markup | None:
    """What the paper says of its table, and whether it is so here."""
    if not comparison.verdicts:
        return None
    told = [
        tag("li", verdict_line(verdict), class_="holds" if verdict.reproduced else "fails")
        for verdict in comparison.verdicts
    ]
    return tag("ul", *told, class_="claims")


def column_settings(measured: Measured) -> Markup:
    """What each column is, folded away."""
    rows = []
    for column in measured.table.columns:
        told = ", ".join(f"{name} = {value}" for name, value in column.settings.items())
        tuned = f", {column.tune[0]} tuned" if column.tune else ""
        rows.append([column.name, column.method, tag("td", told + tuned or "as it comes", class_="wrap")])
    head = ["column", "method", tag("th", "settings", class_="wrap")]
    return tag("details", tag("summary", "What each column is"), sections.table(head, rows))


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
    columns = [name for name in columns if any((d, name) in comparison.cells for d in comparison.agreement)]
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
    head = ["data set", *(name.replace("_", " ") for name in columns), "rank correlation"]
    return join(sections.table(head, rows, narrow=True), tag("p", note, class_="note"))


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
        f"Mean ranks over {test.n_datasets} data sets. That all methods are equal has {formats.p_told(test.p)} "
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
        sections.table(["data set", *(name.replace("_", " ") for name in others)], rows, narrow=True),
        tag("p", paired_note, class_="note"),
        tag(
            "details",
            tag("summary", "Differences along one order"),
            tag("p", sequence_note, class_="note"),
            *charts,
        )
        if charts
        else None,
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
