"""Reports as one HTML file each, which opens anywhere and asks nothing of a network."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from datetime import date
from importlib.resources import files
from string import Template

import numpy as np

import shoal
from shoal.evaluation import formats, sections
from shoal.evaluation.charts import Line, line_chart
from shoal.evaluation.compare import Comparison
from shoal.evaluation.markup import Markup, join, tag
from shoal.evaluation.pictures import picture
from shoal.evaluation.ranking import rank
from shoal.evaluation.result import Result


def comparison_page(comparison: Comparison, title: str, command: str | None = None) -> str:
    """The report of a comparison."""
    ranking = rank(comparison)
    colours = {method: i for i, method in enumerate(ranking.order)}
    return page(
        title,
        tag("h1", title),
        sections.finding(comparison, ranking),
        sections.standings(comparison, ranking, colours),
        sections.errors(ranking, comparison.words, colours),
        sections.curves(comparison, ranking, colours),
        sections.compared(comparison, ranking),
        sections.all_metrics(comparison, ranking),
        reproduction(command, {"seed": comparison.seed}),
    )


def result_page(result: Result, title: str, command: str | None = None) -> str:
    """The report of one run."""
    return page(title, tag("h1", title), _result_body(result), _parameters(result), reproduction(command, {}))


def result_fragment(result: Result) -> str:
    """The run as part of another page, such as a notebook."""
    return join(
        tag("style", Markup(_template("report.css"))), tag("div", _result_body(result), class_="shoal-report")
    )


def result_picture(result: Result) -> str:
    """The error curve of one run, as SVG."""
    return picture(_result_drawing(result))


def comparison_picture(comparison: Comparison) -> str:
    """The error curves of a comparison, as SVG."""
    ranking = rank(comparison)
    colours = {method: i for i, method in enumerate(ranking.order)}
    return picture(*(sections.curve_drawing(comparison, d, ranking, colours) for d in ranking.complete))


def page(title: str, *body: object) -> str:
    """A whole HTML document around its body."""
    return Template(_template("page.html")).substitute(
        title=join(title), style=_template("report.css"), body=join(*body)
    )


def reproduction(command: str | None, settings: Mapping[str, object]) -> Markup:
    """How to make the report again, and with what it was made."""
    made = [
        ("shoal", shoal.__version__),
        ("Python", platform.python_version()),
        ("NumPy", np.__version__),
        ("on", f"{platform.system()} {platform.machine()}"),
        *settings.items(),
        ("made", date.today().isoformat()),
    ]
    facts = " · ".join(f"{name} {value}" for name, value in made)
    return tag(
        "section",
        tag("h2", "Make it again"),
        None if command is None else tag("pre", tag("code", command)),
        tag("p", facts, class_="facts"),
    )


def _result_body(result: Result) -> Markup:
    low, high = result.interval
    numbers: Sequence[tuple[str, str]] = [
        (result.words.name, f"{formats.percent(result.error)} %"),
        ("95 % interval", f"{formats.percent(low)} – {formats.percent(high)} %"),
        ("examples", f"{result.n:,}"),
        *(
            (formats.metric_name(name), formats.metric(name, v) + _interval(result, name))
            for name, v in result.metrics.items()
            if name != "error"
        ),
        ("examples/s", formats.rounded(result.examples_per_second)),
        ("time", formats.duration(result.seconds)),
        ("peak memory of the process", formats.memory(result.peak_memory)),
    ]
    return join(
        sections.early_note("The run was interrupted; these are its results so far.")
        if result.interrupted
        else None,
        tag("dl", *(tag("div", tag("dt", name), tag("dd", value)) for name, value in numbers), class_="numbers"),
        _result_chart(result),
    )


def _interval(result: Result, name: str) -> str:
    if name not in result.intervals:
        return ""
    low, high = result.intervals[name]
    return f" ({formats.metric(name, low)} – {formats.metric(name, high)})"


def _result_chart(result: Result) -> Markup:
    return sections.figure(_result_drawing(result))


def _result_drawing(result: Result) -> Markup:
    curve = result.curve
    examples = curve.examples.astype(np.float64)
    lines = [
        Line("since the start", examples, curve.error, 0),
        Line(f"last {curve.window:,}", examples, curve.window_error, 1, faint=True),
    ]
    label = f"Error along the stream, ending at {formats.percent(result.error)} per cent"
    return line_chart(lines, label=label, x_name="examples", y_name=result.words.axis)


def _parameters(result: Result) -> Markup | None:
    if not result.params:
        return None
    rows = [[name, tag("td", repr(value), class_="wrap")] for name, value in result.params.items()]
    return join(tag("h2", "Parameters"), sections.table(["name", tag("th", "value", class_="wrap")], rows))


def _template(name: str) -> str:
    return files("shoal.evaluation").joinpath("templates", name).read_text(encoding="utf-8")
