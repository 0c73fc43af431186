"""The sections of a comparison's report, most important first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.evaluation import formats
from shoal.evaluation.charts import Dots, Line, colour_class, dot_chart, line_chart
from shoal.evaluation.compare import Comparison, Trial
from shoal.evaluation.markup import Markup, join, tag
from shoal.evaluation.ranking import Cell, Ranking, standard_error
from shoal.evaluation.result import Words
from shoal.evaluation.svg import COLOURS

Colours = Mapping[str, int]


def table(head: Sequence[object], rows: Sequence[Sequence[object]], narrow: bool = False) -> Markup:
    """A table that scrolls sideways where the screen is narrow; a cell may be a whole `td` already.

    narrow: its head may take several lines and its cells stand close, for many columns.
    """
    top = tag("thead", tag("tr", *(_whole(cell, "th") for cell in head)))
    body = tag("tbody", *(_table_row(row) for row in rows))
    return tag("div", tag("table", top, body, class_="narrow" if narrow else None), class_="scroll")


def figure(chart: Markup) -> Markup:
    """A chart that scrolls sideways where the screen is narrow."""
    return tag("figure", tag("div", chart, class_="scroll"))


def early_note(words: str) -> Markup:
    """That something ended before its time."""
    return tag("p", words, class_="early")


def finding(comparison: Comparison, ranking: Ranking) -> Markup:
    """The outcome in a sentence or two."""
    early = early_note("The comparison was interrupted; these are the trials that were finished.")
    n_trials = max(t.trial for t in comparison.trials) + 1
    facts = [
        _counted(len(ranking.order), "method"),
        _counted(len(ranking.complete), "data set"),
        _counted(n_trials, "trial"),
        f"{sum(t.result.n for t in comparison.trials):,} examples predicted and learned",
    ]
    return join(
        tag("p", _verdict(ranking, comparison.words), class_="finding"),
        tag("p", " · ".join(facts), class_="facts"),
        early if comparison.interrupted else None,
    )


def standings(comparison: Comparison, ranking: Ranking, colours: Colours) -> Markup:
    """Methods in order, with what can be said of their difference from the first."""
    several = len(ranking.complete) > 1
    head = [
        "method",
        "mean rank" if several else comparison.words.axis,
        f"{ranking.leader}: won, tied, lost",
        "p",
        "examples/s",
    ]
    rows = []
    for method in ranking.order:
        standing, lead = ranking.standings[method], method == ranking.leader
        measured = f"{standing.mean_rank:.2f}" if several else _cell(ranking.cells[ranking.complete[0], method])
        rows.append(
            [
                _named(method, colours),
                measured,
                "" if lead else f"{standing.wins} – {standing.ties} – {standing.losses}",
                "" if lead else formats.p_value(standing.holm_p),
                formats.rounded(standing.examples_per_second),
            ]
        )
    note = (
        f"Won, tied and lost count data sets; a tie is a difference within one standard error, trial by trial. p: "
        f"Wilcoxon's signed-rank test against {ranking.leader}, paired over {ranking.paired_over}, corrected for "
        "the number of methods (Holm)."
    )
    if ranking.paired_over == "trials":
        note += " Trials on one data set share its examples, so p is optimistic."
    chart = _rank_chart(ranking, colours) if several else _error_chart(comparison, ranking, colours)
    return tag("section", tag("h2", "Standing"), chart, table(head, rows), tag("p", note, class_="note"))


def errors(ranking: Ranking, words: Words, colours: Colours) -> Markup | None:
    """Every method on every data set."""
    if len(ranking.complete) < 2:
        return None
    rows = [[_named(m, colours), *(_cell(ranking.cells[d, m]) for d in ranking.complete)] for m in ranking.order]
    note = (
        f"{words.axis} ± standard error over trials. Bold: lowest. *: within one standard error of it, trial by "
        "trial."
    )
    return tag(
        "section",
        tag("h2", "Error on each data set"),
        table(["method", *ranking.complete], rows),
        tag("p", note, class_="note"),
    )


def curves(comparison: Comparison, ranking: Ranking, colours: Colours) -> Markup:
    """One chart for each data set, all methods in it."""
    charts = [_curve_chart(comparison, dataset, ranking, colours) for dataset in ranking.complete]
    note = (
        f"{comparison.words.meaning}, mean over trials; the band is one standard error. On streams with an "
        "order of their own, that of the latest examples. "
    )
    if len(ranking.order) > COLOURS:
        note += f"The first {COLOURS} methods of the standing are in colour, the others in grey."
    return tag("section", tag("h2", "Error along the stream"), tag("p", note, class_="note"), *charts)


def compared(comparison: Comparison, ranking: Ranking) -> Markup:
    """Data sets and methods."""
    head = ["data set", "examples", "features", "classes", "most frequent class, %", "order"]
    sets = [_dataset_row(comparison, dataset) for dataset in comparison.datasets]
    methods = [[m, tag("td", _settings(comparison, m), class_="wrap")] for m in ranking.order]
    return tag(
        "section",
        tag("h2", "What was compared"),
        table(head, sets),
        table(["method", tag("th", "settings", class_="wrap")], methods),
    )


def all_metrics(comparison: Comparison, ranking: Ranking) -> Markup:
    """Every metric, folded away."""
    names = list(comparison.trials[0].result.metrics)
    parts = []
    for dataset in ranking.complete:
        rows = [
            [m, *(formats.metric(k, ranking.cells[dataset, m].metrics[k]) for k in names),
             formats.rounded(ranking.cells[dataset, m].examples_per_second)]
            for m in ranking.order
        ]  # fmt: skip
        body = table(["method", *(formats.metric_name(name) for name in names), "examples/s"], rows)
        parts.append(tag("details", tag("summary", dataset), body))
    return tag("section", tag("h2", "All metrics"), *parts)


def _table_row(row: Sequence[object]) -> Markup:
    first, *others = row
    return tag("tr", tag("th", first, scope="row"), *(_whole(cell, "td") for cell in others))


def _whole(cell: object, kind: str) -> Markup:
    return cell if isinstance(cell, Markup) and cell.startswith(f"<{kind}") else tag(kind, cell)


def _verdict(ranking: Ranking, words: Words) -> Markup:
    leader = tag("strong", ranking.leader)
    standing = ranking.standings[ranking.leader]
    if len(ranking.order) == 1:
        return join(leader, f" {words.verdict.format(formats.percent(standing.mean_error))}.")
    second = ranking.standings[ranking.order[1]]
    if len(ranking.complete) == 1:
        found = (
            f" has the lowest error, {formats.percent(standing.mean_error)} %, ahead of {ranking.order[1]} with "
            f"{formats.percent(second.mean_error)} %."
        )
    else:
        found = (
            f" has the best mean rank, {standing.mean_rank:.2f}, ahead of {ranking.order[1]} with "
            f"{second.mean_rank:.2f}."
        )
        if second.mean_rank == standing.mean_rank:
            found = f" and {ranking.order[1]} share the best mean rank, {standing.mean_rank:.2f}."
    if second.ties == len(ranking.complete):
        found += " The difference is within one standard error."
    return join(leader, found)


def _rank_chart(ranking: Ranking, colours: Colours) -> Markup:
    rows = []
    for method in ranking.order:
        ranks = np.array([ranking.cells[d, method].rank for d in ranking.complete])
        mean, spread = float(ranks.mean()), np.nan_to_num(standard_error(ranks))
        rows.append(
            Dots(
                method, mean, mean - spread, mean + spread, f"{mean:.2f}", _colour(method, colours), ranks.tolist()
            )
        )
    return figure(
        dot_chart(
            rows,
            label="Mean rank of each method",
            x_name="rank by error, 1 is best: mean ± standard error, and each data set",
            form=lambda v: f"{v:g}",
            limits=(0.7, len(rows) + 0.3),
        )
    )


def _error_chart(comparison: Comparison, ranking: Ranking, colours: Colours) -> Markup:
    dataset = ranking.complete[0]
    rows = []
    for method in ranking.order:
        cell = ranking.cells[dataset, method]
        spread = float(np.nan_to_num(cell.spread))
        values = [t.result.error for t in comparison.of(dataset, method)]
        rows.append(
            Dots(
                method, cell.error, cell.error - spread, cell.error + spread,
                f"{formats.percent(cell.error)} %", _colour(method, colours), values,
            )
        )  # fmt: skip
    return figure(
        dot_chart(
            rows,
            label=f"Error of each method on {dataset}",
            x_name=f"{comparison.words.axis}: mean ± standard error, and each trial",
            form=lambda v: f"{100.0 * v:g}",
        )
    )


def curve_drawing(comparison: Comparison, dataset: str, ranking: Ranking, colours: Colours) -> Markup:
    """The curves of all methods along one data set."""
    recent = dataset in comparison.ordered
    lines = [
        _mean_line(comparison.of(dataset, method), _colour(method, colours), recent) for method in ranking.order
    ]
    axis = comparison.words.axis
    return line_chart(lines, label=f"Error along {dataset}", x_name="examples", y_name=axis)


def _curve_chart(comparison: Comparison, dataset: str, ranking: Ranking, colours: Colours) -> Markup:
    recent = dataset in comparison.ordered
    n = comparison.of(dataset, ranking.leader)[0].result.n
    window = comparison.of(dataset, ranking.leader)[0].result.curve.window
    told = f"{n:,} examples, " + (f"error over the latest {window:,}" if recent else "error since the start")
    chart = curve_drawing(comparison, dataset, ranking, colours)
    return join(tag("h3", dataset, tag("small", told)), figure(chart))


def _mean_line(trials: Sequence[Trial], colour: int | None, recent: bool) -> Line:
    curves = [t.result.curve for t in trials]
    x = curves[0].examples.astype(np.float64)
    y = np.array([np.interp(x, c.examples, c.window_error if recent else c.error) for c in curves])
    mean = y.mean(axis=0)
    if len(curves) == 1:
        return Line(trials[0].method, x, mean, colour)
    spread = y.std(axis=0, ddof=1) / np.sqrt(len(curves))
    return Line(trials[0].method, x, mean, colour, mean - spread, mean + spread)


def _dataset_row(comparison: Comparison, dataset: str) -> list[object]:
    result = next(t.result for t in comparison.trials if t.dataset == dataset)
    present = [count for count in result.class_counts.values() if count]
    features = comparison.facts.get(dataset, {}).get("features")
    return [
        dataset,
        f"{result.n:,}",
        formats.NO_VALUE if features is None else f"{features:,}",
        len(present) or formats.NO_VALUE,
        formats.percent(max(present) / sum(present), 1) if present else formats.NO_VALUE,
        "its own" if dataset in comparison.ordered else "shuffled for each trial",
    ]


def _settings(comparison: Comparison, method: str) -> str:
    params = next(t.result.params for t in comparison.trials if t.method == method)
    hidden = {"seed", "random_state"}  # these change from trial to trial
    return ", ".join(f"{k} = {v}" for k, v in params.items() if k not in hidden) or "as they come"


def _cell(cell: Cell) -> Markup:
    spread = f" ± {formats.percent(cell.spread)}" if np.isfinite(cell.spread) else None
    kind = "best" if cell.best else ("tie" if cell.tied else None)
    return tag("td", formats.percent(cell.error), spread and tag("span", spread, class_="spread"), class_=kind)


def _named(method: str, colours: Colours) -> Markup:
    return join(tag("span", class_=f"swatch {colour_class(_colour(method, colours))}"), method)


def _colour(method: str, colours: Colours) -> int | None:
    return colours[method] if colours[method] < COLOURS else None


def _counted(n: int, thing: str) -> str:
    return f"{n} {thing}" + ("" if n == 1 else "s")
