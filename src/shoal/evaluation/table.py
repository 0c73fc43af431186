"""Comparisons as tables for a terminal."""

from __future__ import annotations

import numpy as np
from rich import box
from rich.table import Table
from rich.text import Text

from shoal.evaluation.compare import Comparison
from shoal.evaluation.ranking import Cell, Ranking, rank

CELL_WIDTH = len("99.99±0.99*")


def error_table(comparison: Comparison) -> Table:
    """Errors in per cent with standard errors: the best in bold, those that tie with it starred."""
    ranking = rank(comparison)
    several = len(ranking.complete) > 1
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        caption=_caption(comparison, ranking),
        caption_justify="left",
        title_justify="left",
    )
    table.add_column("method", no_wrap=True)
    for dataset in ranking.complete:
        table.add_column(Text(dataset, overflow="fold"), justify="right", min_width=CELL_WIDTH)
    if several:
        table.add_column("rank", justify="right", no_wrap=True)
    table.add_column("w-t-l", justify="right", no_wrap=True)
    table.add_column("p", justify="right", no_wrap=True)
    table.add_column("rows/s", justify="right", no_wrap=True)
    for method in ranking.order:
        standing = ranking.standings[method]
        lead = method == ranking.leader
        table.add_row(
            Text(method, style="bold" if lead else ""),
            *(cell_text(ranking.cells[dataset, method]) for dataset in ranking.complete),
            *([f"{standing.mean_rank:.2f}"] if several else []),
            "" if lead else f"{standing.wins}-{standing.ties}-{standing.losses}",
            "" if lead else f"{standing.holm_p:.3f}",
            f"{standing.examples_per_second:,.0f}",
        )
    return table


def cell_text(cell: Cell) -> Text:
    """One error, marked when it is the best or ties with it."""
    spread = "" if np.isnan(cell.spread) else f"±{100 * cell.spread:.2f}"
    mark = "*" if cell.tied and not cell.best else " "
    return Text(f"{100 * cell.error:.2f}{spread}{mark}", style="bold" if cell.best else "")


def _caption(comparison: Comparison, ranking: Ranking) -> str:
    name = comparison.words.name
    early = "Interrupted; these are the trials that were finished. " if comparison.interrupted else ""
    ranks = " rank: the mean over the data sets, 1 is best." if len(ranking.complete) > 1 else ""
    return (
        f"{early}{name[0].upper()}{name[1:]} in per cent ± standard error over trials. Bold: best. *: within one "
        f"standard error of it, trial by trial. w-t-l: wins, ties and losses of {ranking.leader} against the "
        "method. p: Wilcoxon's signed-rank test of the two, paired over "
        f"{ranking.paired_over}, Holm-corrected.{ranks}"
    )
