"""The weights of a model's learners as a table with bars for a terminal, and as a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from rich.table import Table
from rich.text import Text

from shoal.evaluation import sections
from shoal.evaluation.charts import Dots, dot_chart
from shoal.evaluation.markup import Markup, join, tag
from shoal.evaluation.report import page, reproduction
from shoal.inspection.facts import Belief, Facts

WIDTH = 32  # characters of a bar
EIGHTHS = " ▏▎▍▌▋▊▉"


def facts_table(facts: Facts) -> Table:
    """What is known, a line each."""
    table = Table(show_header=False, title=str(facts.about["is"]))
    for name, value in lines_of(facts.about):
        if name != "is":
            table.add_row(name, Text(value))
    return table


def lines_of(about: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Facts as names and words."""
    found = []
    for name, value in about.items():
        if isinstance(value, Mapping):
            words = "\n".join(f"{key} = {part}" for key, part in value.items()) or "-"
        elif isinstance(value, list):
            words = ", ".join(map(str, value)) or "-"
        else:
            words = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
        found.append((name, words))
    return found


def weights_table(facts: Facts, top: int) -> Table | None:
    """The weightiest learners: their shares, and what the posterior says of them, with a bar."""
    if facts.weights is None or not facts.learners:
        return None
    shown = facts.order[:top]
    belief = facts.beliefs[0] if facts.of_learners else None
    title = "Learners, the weightiest first" if len(shown) == len(facts.learners) else (
        f"The {len(shown)} weightiest of {len(facts.learners):,} learners; --top or --json for all"
    )  # fmt: skip
    table = Table(title=title)
    table.add_column("learner", justify="right")
    table.add_column("kind")
    table.add_column("share", justify="right")
    for each in facts.beliefs if facts.of_learners else ():
        table.add_column(f"{each.name}  ({facts.level:.0%} interval)", justify="right")
    if facts.replaced is not None:
        table.add_column("replaced", justify="right")
    table.add_column(f"{belief.name}: ● in its interval" if belief else "share", no_wrap=True)
    for i in shown:
        cells = [str(i), facts.learners[i], f"{facts.weights[i]:.4f}"]
        cells += [interval_in_words(each, i) for each in facts.beliefs] if facts.of_learners else []
        cells += [] if facts.replaced is None else [str(facts.replaced[i])]
        picture = interval_bar(belief, i, shown) if belief else bar(facts.weights[i], np.abs(facts.weights).max())
        table.add_row(*cells, Text(picture))
    return table


def interval_in_words(belief: Belief, i: int) -> str:
    """A mean and the ends of its interval."""
    return f"{belief.mean[i]:.4g}  ({belief.low[i]:.4g} to {belief.high[i]:.4g})"


def bar(value: float, largest: float) -> str:
    """A bar as long as the value; a minus before one below zero."""
    if not largest > 0.0:
        return ""
    whole, eighths = divmod(round(8 * WIDTH * abs(value) / largest), 8)
    return ("-" if value < 0.0 else "") + "█" * whole + (EIGHTHS[eighths] if eighths else "")


def interval_bar(belief: Belief, i: int, shown: list[int]) -> str:
    """A line from the lower end to the upper, the mean on it; all on one scale."""
    low, high = limits(belief, shown)
    if not high > low:
        return "●"
    ends = np.clip([belief.low[i], belief.mean[i], belief.high[i]], low, high)
    a, m, b = (round((WIDTH - 1) * (float(end) - low) / (high - low)) for end in ends)
    line = [" "] * WIDTH
    line[a : b + 1] = "─" * (b + 1 - a)
    line[a], line[b] = "├", "┤"
    line[m] = "●"
    return "".join(line).rstrip()


def limits(belief: Belief, shown: list[int]) -> tuple[float, float]:
    """The least and the largest end that is a number."""
    ends = np.concatenate([belief.low[shown], belief.high[shown], belief.mean[shown]])
    ends = ends[np.isfinite(ends)]
    return (float(ends.min()), float(ends.max())) if len(ends) else (0.0, 0.0)


def facts_page(facts: Facts, top: int, command: str | None) -> str:
    """One HTML file: facts, a picture, a table."""
    title = f"{facts.about['is']}: {str(facts.about['file']).rpartition('/')[2]}"
    rows = [
        [name, tag("td", *with_breaks(value), class_="wrap")]
        for name, value in lines_of(facts.about)
        if name != "is"
    ]
    return page(
        title,
        tag("h1", title),
        *weights_section(facts, top),
        tag("h2", "What it is, and what it has seen"),
        sections.table(["fact", tag("th", "", class_="wrap")], rows),
        reproduction(command, {}),
    )


def with_breaks(words: str) -> list[Markup | str]:
    """Lines one below the other."""
    first, *others = words.split("\n")
    return [first, *(part for line in others for part in (tag("br"), line))]


def weights_section(facts: Facts, top: int) -> list[Markup]:
    """The picture and the table of the weightiest learners."""
    if facts.weights is None or not facts.learners:
        return [tag("p", "It has learned nothing yet.")]
    shown = facts.order[:top]
    beliefs = facts.beliefs if facts.of_learners else ()
    head = ["learner", "share", *(f"{b.name} ({facts.level:.0%} interval)" for b in beliefs)]
    rows = [
        [f"{i} {facts.learners[i]}", f"{facts.weights[i]:.4f}", *(interval_in_words(b, i) for b in beliefs)]
        for i in shown
    ]
    many = (
        f"The {len(shown)} weightiest of {len(facts.learners):,} learners. "
        if len(shown) < len(facts.learners)
        else ""
    )
    note = f"{many}A share is the learner's part in the answer; their sizes sum to 1."
    if beliefs:
        note += f" An interval holds its parameter with a probability of {facts.level:.0%}."
    return [
        tag("h2", "Learners"), sections.figure(drawing_of(facts, shown, beliefs)), tag("p", note, class_="note"),
        sections.table(head, rows),
    ]  # fmt: skip


def drawing_of(facts: Facts, shown: list[int], beliefs: tuple[Belief, ...]) -> Markup:
    """One row for each learner: its first parameter in its interval, or its weight."""
    assert facts.weights is not None
    if beliefs:
        belief = beliefs[0]
        least, most = limits(belief, shown)
        mean, low, high = (
            np.clip(np.nan_to_num(ends, nan=least), least, most) for ends in (belief.mean, belief.low, belief.high)
        )
        dots = [
            Dots(f"{i} {facts.learners[i]}", mean[i], low[i], high[i], f"{belief.mean[i]:.4g}", 0) for i in shown
        ]
        name = belief.name
    else:
        dots = [
            Dots(f"{i} {facts.learners[i]}", float(w), min(float(w), 0.0), max(float(w), 0.0), f"{w:.4f}", 0)
            for i, w in ((i, facts.weights[i]) for i in shown)
        ]
        name = "share"
    return join(dot_chart(dots, label=f"{name} of every learner", x_name=name, form=lambda v: f"{v:g}"))
