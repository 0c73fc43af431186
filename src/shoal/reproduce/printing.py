"""A table as a terminal shows it: measured above published, and what became of the claims."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table as Shown
from rich.text import Text

from shoal.reproduce.comparing import CLOSE, Cell, Comparison, Verdict
from shoal.reproduce.running import Measured
from shoal.reproduce.tables import load_sources

MOST_COLUMNS = 9  # that fit side by side


def print_table(measured: Measured, comparison: Comparison, console: Console) -> None:
    """The table, then notes in lines of their own."""
    wide = len(measured.table.columns) > MOST_COLUMNS
    console.print((long_table if wide else shown_table)(measured, comparison))
    for note in notes(measured, comparison):
        console.print(note, markup=False, highlight=False, soft_wrap=True)


def shown_table(measured: Measured, comparison: Comparison) -> Shown:
    """A row for each data set: measured errors; below, the published ones and the differences from them."""
    columns = [column.name for column in measured.table.columns]
    shown = empty_table(measured)
    shown.add_column("data set", no_wrap=True)
    for column in columns:
        shown.add_column(column, justify="right", no_wrap=True)
    shown.add_column("rank corr.", justify="right")
    for dataset, agreement in comparison.agreement.items():
        cells = [comparison.cells[dataset, column] for column in columns]
        least = min(cell.error for cell in cells)
        told = "" if np.isnan(agreement) else f"{agreement:.2f}"
        shown.add_row(dataset, *(_cell_text(cell, cell.error == least) for cell in cells), told)
    return shown


def long_table(measured: Measured, comparison: Comparison) -> Shown:
    """The same with a row for each cell, for tables of many columns."""
    shown = empty_table(measured)
    for name in ("data set", "method", "measured", "published", "difference", "trials", "seconds a trial"):
        shown.add_column(name, justify="left" if name in ("data set", "method") else "right", no_wrap=True)
    for (dataset, column), cell in comparison.cells.items():
        least = min(other.error for (d, _), other in comparison.cells.items() if d == dataset)
        runs = measured.of(dataset, column)
        theirs = (number(cell.published, cell.published_deviation), f"{cell.difference:+.4f}")
        shown.add_row(
            dataset,
            column,
            Text(number(cell.error, cell.spread), style="bold" if cell.error == least else ""),
            *(theirs if np.isfinite(cell.published) else ("", "")),
            str(len(runs)),
            f"{np.mean([run.seconds for run in runs]):.0f}",
        )
    for dataset, agreement in comparison.agreement.items():
        if np.isfinite(agreement):
            shown.add_row(dataset, "rank correlation", f"{agreement:.2f}")
    return shown


def number(value: float, spread: float) -> str:
    """An error and how far it may be off."""
    return f"{value:.4f}" if np.isnan(spread) else f"{value:.4f} ±{spread:.4f}"


def empty_table(measured: Measured) -> Shown:
    """Title and caption."""
    caption = f"Measured error ± {measured.table.spread} over orders (bold: lowest)"
    wide = len(measured.table.columns) > MOST_COLUMNS
    return Shown(
        title=measured.table.title,
        title_justify="left",
        caption=f"{caption}." if wide else f"{caption}; below: published, difference.",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )


def _cell_text(cell: Cell, lowest: bool) -> Text:
    spread = "" if np.isnan(cell.spread) else f" ±{cell.spread:.4f}"
    text = Text(f"{cell.error:.4f}", style="bold" if lowest else "")
    text.append(spread, style="dim")
    if np.isfinite(cell.published):
        text.append(f"\n{cell.published:.4f} {cell.difference:+.4f}", style="" if cell.close else "yellow")
    return text


def notes(measured: Measured, comparison: Comparison) -> Iterable[str]:
    """What else there is to say, a line each."""
    if measured.interrupted:
        yield "Interrupted: only the orders that every method had finished count."
    yield from closeness(comparison)
    for verdict in comparison.verdicts:
        yield verdict_line(verdict)
    for dataset, n in measured.shortened.items():
        yield f"{dataset}: the first {n:,} rows of each random order only; --full runs them all."
    sources = load_sources()
    for dataset in measured.datasets:
        if dataset in sources and sources[dataset].note:
            yield f"{dataset}: {sources[dataset].note}."
    for dataset, reason in measured.missing.items():
        yield f"{dataset}: not run, {reason}."
    tuned = [column.name for column in measured.table.columns if column.tune is not None]
    for column in tuned:
        yield tuning_line(measured, column)


def closeness(comparison: Comparison) -> Iterable[str]:
    """How many cells of each column agree with the published ones."""
    told = [f"{column} {close} of {of}" for column, (close, of) in comparison.close.items() if of]
    if told:
        yield f"Within {CLOSE:g} of the published error: {', '.join(told)}."


def verdict_line(verdict: Verdict) -> str:
    """What became of a claim."""
    n = len(verdict.holds) + len(verdict.fails)
    word = "holds" if verdict.reproduced else "does NOT hold"
    line = f"Claim {word}: {verdict.claim.text}: on {len(verdict.holds)} of {n} data sets here"
    if verdict.fails:
        line += f", not on {', '.join(verdict.fails)}"
    if verdict.printed_of:
        line += f" (as printed: on {verdict.printed_holds} of {verdict.printed_of})"
    return line + "."


def tuning_line(measured: Measured, column: str) -> str:
    """Which values were chosen on the order apart."""
    tune = measured.table.column(column).tune
    assert tune is not None
    chosen = {d: runs[0].params[tune[0]] for d in measured.datasets if (runs := measured.of(d, column))}
    told = ", ".join(f"{dataset} {value:g}" for dataset, value in chosen.items())
    return f"{tune[0]} of {column}, tuned on an order of its own: {told}."
