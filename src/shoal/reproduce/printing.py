"""A table as a terminal shows it: measured above published, and what became of the claims."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table as Shown
from rich.text import Text

from shoal.reproduce.comparing import CLOSE, Cell, Comparison, Verdict
from shoal.reproduce.improvement import Gain, gain_notes, gains
from shoal.reproduce.running import Measured
from shoal.reproduce.tables import load_sources

ANY_WIDTH = 10_000  # of a terminal that nothing is too wide for


def print_table(measured: Measured, comparison: Comparison, console: Console) -> None:
    """The table, then notes in lines of their own."""
    if measured.table.figure == "improvement":
        console.print(gain_table(measured))
    console.print(widest_that_fits(measured, comparison, console))
    for note in (*notes(measured, comparison), *map(verdict_line, comparison.verdicts)):
        console.print(note, markup=False, highlight=False, soft_wrap=True)


def widest_that_fits(measured: Measured, comparison: Comparison, console: Console) -> Shown:
    """The table in a form that no number has to be cut off in."""
    for stacked in (False, True):
        shown = shown_table(measured, comparison, stacked)
        if Measurement.get(console, console.options.update_width(ANY_WIDTH), shown).maximum <= console.width:
            return shown
    return long_table(measured, comparison)


def shown_table(measured: Measured, comparison: Comparison, stacked: bool = False) -> Shown:
    """A row for each data set: measured errors; below, the published ones and the differences from them.

    stacked: spreads in a line of their own, for narrow terminals.
    """
    columns = [column.name for column in measured.table.columns]
    shown = empty_table(measured, "below: published, difference" if measured.table.printed else "")
    shown.add_column("data set", no_wrap=True)
    for column in columns:
        shown.add_column(column, justify="right", no_wrap=True)
    if measured.table.printed:
        shown.add_column("rank\ncorr.", justify="right")
    for dataset, agreement in comparison.agreement.items():
        cells = [comparison.cells.get((dataset, column)) for column in columns]
        least = min(cell.error for cell in cells if cell)
        told = "" if np.isnan(agreement) else f"{agreement:.2f}"
        ranked = (told,) if measured.table.printed else ()
        shown.add_row(dataset, *(_cell_text(cell, least, stacked) for cell in cells), *ranked)
    return shown


def long_table(measured: Measured, comparison: Comparison) -> Shown:
    """The same with a row for each cell, for tables of many columns."""
    shown = empty_table(measured)
    for name in ("data set", "method", "measured", "published", "diff.", "trials", "s"):
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
            shown.add_row(dataset, "rank corr.", f"{agreement:.2f}")
    return shown


def number(value: float, spread: float, digits: int = 4) -> str:
    """A number and how far it may be off, if that is known."""
    return f"{value:.{digits}f}" + ("" if np.isnan(spread) else f" ±{spread:.{digits}f}")


def empty_table(measured: Measured, below: str = "") -> Shown:
    """Title and caption. below: what the second line of a cell tells."""
    what = "Mean squared loss" if measured.table.figure == "improvement" else "Measured error"
    caption = f"{what} ± {measured.table.spread} over orders (bold: lowest)"
    return Shown(
        title=measured.table.title,
        title_justify="left",
        caption=f"{caption}; {below}." if below else f"{caption}.",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )


def _cell_text(cell: Cell | None, least: float, stacked: bool) -> Text:
    if cell is None:
        return Text("")
    before = "\n" if stacked else " "
    spread = "" if np.isnan(cell.spread) else f"{before}±{cell.spread:.4f}"
    text = Text(f"{cell.error:.4f}", style="bold" if cell.error == least else "")
    text.append(spread, style="dim")
    if np.isfinite(cell.published):
        style = "" if cell.close else "yellow"
        theirs = number(cell.published, cell.published_deviation).replace(" ", before)
        text.append(f"\n{theirs}{before}{cell.difference:+.4f}", style=style)
    return text


def notes(measured: Measured, comparison: Comparison) -> Iterable[str]:
    """What else there is to say, a line each; of the claims, see `verdict_line`."""
    if measured.interrupted:
        yield "Interrupted: only the orders that every method had finished count."
    if measured.table.figure == "improvement":
        yield from gain_notes(gains(measured))
    yield from closeness(comparison)
    yield from rank_lines(measured, comparison)
    yield from reason_lines(measured, comparison)
    yield from beyond_lines(measured, comparison)
    yield from prefix_lines(measured)
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


def rank_lines(measured: Measured, comparison: Comparison) -> Iterable[str]:
    """How well the methods' ranks agree with the printed ones, over the data sets."""
    known = [value for value in comparison.agreement.values() if not np.isnan(value)]
    if known:
        above = sum(value > 0.0 for value in known)
        yield (
            f"Rank correlation of the methods, measured and published: {np.mean(known):.2f} on average over "
            f"{len(known)} data sets, above 0 on {above}."
        )


def reason_lines(measured: Measured, comparison: Comparison) -> Iterable[str]:
    """Why columns differ of which fewer than half of the cells agree."""
    for column, (close, of) in comparison.close.items():
        if 2 * close < of:
            known = measured.table.reasons.get(column, "no reason has been found by experiment.")
            yield f"Fewer than half of {column} agree: {known}"


def beyond_lines(measured: Measured, comparison: Comparison) -> Iterable[str]:
    """On which data sets a method that is not the paper's is below the best that was printed."""
    where = "in the row" if measured.table.protocol == "static" else "for the data set in all tables"
    for column, (below, above) in comparison.beyond.items():
        n = len(below) + len(above)
        line = f"{column} is below the best error printed {where} on {len(below)} of {n}"
        if n:
            yield f"{line}; not on {', '.join(above)}." if above else f"{line}."


def prefix_lines(measured: Measured) -> Iterable[str]:
    """Which cells were run on a part of the rows."""
    for dataset, n in measured.shortened.items():
        yield f"{dataset}: the first {n:,} rows of each random order only; --full runs them all."
    for column in measured.table.columns:
        used = {
            run.dataset: run.n_rows
            for run in measured.runs
            if run.column == column.name and run.n_rows != measured.shortened.get(run.dataset) and run.n_rows
        }
        if used:
            told = ", ".join(f"{n:,} of {dataset}" for dataset, n in used.items())
            yield f"{column.name}: the first rows of each random order only, {told}; --full runs them all."


def gain_table(measured: Measured) -> Shown:
    """What boosting gains over its base learner, in per cent of its loss."""
    shown = empty_table(measured)
    shown.caption = f"Improvement in per cent ± {measured.table.spread} over orders; published."
    for name in ("base learner", "over the", "data sets"):
        shown.add_column(name)
    for name in ("average", "published average", "median", "published median"):
        shown.add_column(name, justify="right")
    for gain in gains(measured):
        shown.add_row(gain.learner, gain.algorithm, str(gain.n_datasets), *gain_cells(gain))
    return shown


def gain_cells(gain: Gain) -> tuple[str, str, str, str]:
    """Average and median, each measured and published."""
    return (
        number(gain.average, gain.average_spread, 2),
        f"{gain.printed_average:.2f}",
        number(gain.median, gain.median_spread, 2),
        f"{gain.printed_median:.2f}",
    )


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
