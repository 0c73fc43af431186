"""What the commands do, once their words are understood."""

from __future__ import annotations

import inspect
import json
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.table import Table

from shoal import datasets
from shoal.cli.consoles import error_console
from shoal.cli.keeping import save_model
from shoal.errors import InputError, did_you_mean
from shoal.methods import make_model
from shoal.registry import BATCH_METHODS, EVERY_METHOD, REGRESSION_METHODS, find
from shoal.streams import Stream, open_stream

if TYPE_CHECKING:
    from shoal.evaluation.compare import Comparison
    from shoal.evaluation.keeping import Keeping
    from shoal.evaluation.result import Result

HELD_OUT = 0.3  # of the rows, for the test, where a method needs all the data to learn from
DEFAULT_COMPARED = ("shoal", "single", "voting", "sgd", "sgd-avg", "sag", "bayes")
REGRESSORS_COMPARED = ("mixed-regressors", "single-regressor", "ogb-span", "ogb-hull")
FOR_NUMBERS = {"shoal": "mixed-regressors", "single": "single-regressor"}
REGRESSION = "regression"


def opened(
    data: str,
    label: str | None,
    weight: str | None,
    format: str | None,
    nominal: Sequence[str] = (),
    n_features: int | None = None,
) -> Stream:
    """The stream that DATA names."""
    return open_stream(data, label=label, weight=weight, format=format, nominal=nominal, n_features=n_features)


def is_regression(stream: Stream) -> bool:
    """Whether the labels are numbers to predict: of a known data set as it says, of a stream that can be read
    again if one of its first labels has a fraction. Whole numbers are taken for classes.
    """
    if (
        stream.classes is None
        and datasets.is_name(stream.name)
        and datasets.describe(stream.name).task == REGRESSION
    ):
        return True
    if stream.once or stream.classes is not None:
        return False
    labels = next((chunk.labels for chunk in stream), None)
    if labels is None or labels.dtype.kind != "f":
        return False
    return bool((labels[np.isfinite(labels)] % 1.0 != 0.0).any())


def meant(method: str, streams: Sequence[Stream]) -> str:
    """The method that a name means for these streams: where all are of numbers, the default and the single
    learner are those for regression.
    """
    return FOR_NUMBERS[method] if method in FOR_NUMBERS and all(map(is_regression, streams)) else method


def default_method(stream: Stream, settings: Mapping[str, Any]) -> str:
    """The default brings its own learners; where some are asked for, a method that takes them."""
    if "learner" in settings or "n_learners" in settings:
        return "ogb-span" if is_regression(stream) else "bayes"
    return meant("shoal", [stream])


def evaluate_once(
    stream: Stream,
    method: str,
    settings: Mapping[str, Any],
    seed: int,
    metrics: Sequence[str],
    max_rows: int | None,
    json_path: str | None,
    html_path: str | None,
    quiet: bool,
    holdout: float | None = None,
    save: str | None = None,
    keeping: Keeping | None = None,
) -> bool:
    """One pass over the stream in its own order; whether Ctrl-C ended it."""
    from shoal.evaluation.holdout import evaluate_held_out
    from shoal.evaluation.progress import ProgressBar
    from shoal.evaluation.progressive import DEFAULT_METRICS, evaluate

    check_outputs(json_path, html_path, save)
    holdout = share_held_out([method], holdout)
    if holdout is not None and keeping is not None:
        raise InputError("rows that are held out are learned from all at once: leave --checkpoint out.")
    model = make_model(method, settings, seed, stream.classes)
    title = f"{method} on {stream.name}{tested_on(holdout)}"
    with ProgressBar(f"{method} on {stream.name}", quiet=quiet) as bar:
        options: dict[str, Any] = {"max_rows": max_rows, "metrics": metrics or DEFAULT_METRICS, "on_progress": bar}
        if holdout is None:
            result = evaluate(model, stream, checkpoint=keeping, **options)
        else:
            result = evaluate_held_out(model, stream, holdout, **options)
    record = {
        "dataset": stream.name,
        "method": method,
        "learner": learner_of(method, settings),
        "trial": 0,
        "seed": seed,
        **result.to_dict(),
        "params": dict(settings),
    } | ({} if holdout is None else {"holdout": holdout})
    write_json([record], json_path)
    if html_path:
        result.plot(html_path, title=title, command=command_line())
    if not quiet:
        show(result_table(result, title), html_path)
    save_model(model, save, quiet)
    return result.interrupted


def evaluate_trials(
    stream: Stream,
    method: str,
    settings: Mapping[str, Any],
    trials: int,
    seed: int,
    metrics: Sequence[str],
    max_rows: int | None,
    json_path: str | None,
    html_path: str | None,
    quiet: bool,
    holdout: float | None = None,
    keeping: Keeping | None = None,
) -> bool:
    """The same method on several orders of the rows; whether Ctrl-C ended it."""
    return compare_methods(
        [stream], [method], settings, trials, seed, metrics, max_rows, json_path, html_path, quiet, False, holdout,
        keeping,
    )  # fmt: skip


def share_held_out(methods: Sequence[str], holdout: float | None) -> float | None:
    """The share of the rows that is kept for the test: as asked for, or as a method needs that learns at once."""
    if holdout is not None and not 0.0 < holdout < 1.0:
        raise InputError(f"--holdout is {holdout!r}; expected a share between 0 and 1, such as 0.3.")
    return HELD_OUT if holdout is None and any(method in BATCH_METHODS for method in methods) else holdout


def tested_on(holdout: float | None) -> str:
    """How a title says so."""
    return "" if holdout is None else f" (tested on the last {holdout:.0%} of the rows, taught the others)"


def compare_methods(
    streams: Sequence[Stream],
    methods: Sequence[str],
    settings: Mapping[str, Any],
    trials: int,
    seed: int,
    metrics: Sequence[str],
    max_rows: int | None,
    json_path: str | None,
    html_path: str | None,
    quiet: bool,
    keep_order: bool = False,
    holdout: float | None = None,
    keeping: Keeping | None = None,
) -> bool:
    """Every method on the same orders of every data set; whether Ctrl-C ended it."""
    from shoal.evaluation.compare import compare
    from shoal.evaluation.contestants import source_of
    from shoal.evaluation.progress import ProgressBar
    from shoal.evaluation.progressive import DEFAULT_METRICS
    from shoal.evaluation.table import error_table

    check_outputs(json_path, html_path)
    methods = [meant(method, streams) for method in methods] or default_compared(streams)
    if 0 < sum(method in REGRESSION_METHODS for method in methods) < len(methods):
        raise InputError(
            f"{', '.join(methods)}: some of these predict classes and some numbers; compare one kind."
        )
    holdout = share_held_out(methods, holdout)
    makers = {method: maker(method, own_settings(method, methods, settings)) for method in methods}
    sources = [source_of(stream, keep_order) for stream in streams]
    with ProgressBar(quiet=quiet) as bar:
        comparison = compare(
            makers,
            sources,
            trials=trials,
            seed=seed,
            metrics=metrics or DEFAULT_METRICS,
            max_rows=max_rows,
            on_progress=bar,
            holdout=holdout,
            checkpoint=keeping,
        )
    more = {} if holdout is None else {"holdout": holdout}
    write_json([row | more for row in records(comparison)], json_path)
    if html_path:
        title = title_of(comparison) + tested_on(holdout)
        comparison.plot(html_path, title=title, command=command_line())
    if not quiet:
        if holdout is not None:
            error_console().print(
                f"Every method is{tested_on(holdout).replace(' (', ' ').rstrip(')')}.",
                highlight=False,
                soft_wrap=True,
            )
        show(error_table(comparison), html_path)
    return comparison.interrupted


def default_compared(streams: Sequence[Stream]) -> Sequence[str]:
    """The methods that are compared where none are named."""
    numbers = [stream.name for stream in streams if is_regression(stream)]
    if 0 < len(numbers) < len(streams):
        raise InputError(f"{', '.join(numbers)} asks for numbers, the others for classes; compare one kind.")
    return REGRESSORS_COMPARED if numbers else DEFAULT_COMPARED


def own_settings(method: str, methods: Iterable[str], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that a method has; one that no method has is refused."""
    known = {m: inspect.signature(find("method", EVERY_METHOD, m)).parameters for m in methods}
    for name in settings:
        if not any(name in parameters for parameters in known.values()):
            every = sorted({p for parameters in known.values() for p in parameters})
            raise InputError(
                f"no method compared here has a setting {name!r}; there are {', '.join(every)}."
                f"{did_you_mean(name, every)}"
            )
    return {name: value for name, value in settings.items() if name in known[method]}


def maker(method: str, settings: Mapping[str, Any]) -> Any:
    """A function from a seed to a fresh model; wrong settings are refused here."""
    make_model(method, settings, seed=0)
    return ModelMaker(method, dict(settings))


class ModelMaker:
    """Makes a method's model from a seed; plain data, so that trials can be sent elsewhere."""

    def __init__(self, method: str, settings: dict[str, Any]) -> None:
        self.method = method
        self.settings = settings

    def __call__(self, seed: int) -> Any:
        return make_model(self.method, self.settings, seed)


def records(comparison: Comparison) -> list[dict[str, Any]]:
    """One flat object per data set, method and trial."""
    return [{**row, "learner": learner_of(row["method"], row["params"])} for row in comparison.rows()]


def learner_of(method: str, settings: Mapping[str, Any]) -> str | None:
    """The learner that was given, or the method's own; several are joined by +."""
    parameter = inspect.signature(find("method", EVERY_METHOD, method)).parameters.get("learner")
    learner = settings.get("learner", parameter.default if parameter else None)
    return "+".join(map(str, learner)) if isinstance(learner, list | tuple) else learner


def check_outputs(*paths: str | None) -> None:
    """Refuse files that cannot be written, before any time is spent on what would go there."""
    for path in paths:
        if path is None or path == "-":
            continue
        if not Path(path).parent.is_dir():
            raise InputError(f"cannot write {path}: there is no folder {Path(path).parent}; make it first.")
        if Path(path).is_dir():
            raise InputError(f"cannot write {path}: it is a folder; give a file's name.")


def write_json(rows: list[dict[str, Any]], path: str | None) -> None:
    """One object a line, to a file or to standard output."""
    if path is None:
        return
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    if path == "-":
        sys.stdout.write(lines)
    else:
        Path(path).write_text(lines, encoding="utf-8")


def show(table: Table, html_path: str | None) -> None:
    """For people: on standard error."""
    console = error_console()
    console.print(table)
    if html_path:
        console.print(f"report: {Path(html_path).resolve()}", soft_wrap=True, markup=False)


def result_table(result: Result, title: str) -> Table:
    """The figures of one run."""
    low, high = result.interval
    table = Table(title=title, show_header=False)
    table.add_row("examples", f"{result.n:,}" + (" (interrupted)" if result.interrupted else ""))
    table.add_row(result.words.name, f"{result.error:.4f}   ({low:.4f} to {high:.4f} with 95 % confidence)")
    for name, value in result.metrics.items():
        if name != "error":
            ends = result.intervals.get(name)
            table.add_row(name, f"{value:.4f}" + (f"   ({ends[0]:.4f} to {ends[1]:.4f})" if ends else ""))
    table.add_row("examples/s", f"{result.examples_per_second:,.0f}")
    if result.peak_memory is not None:
        table.add_row("peak memory", f"{result.peak_memory / 2**20:,.0f} MB")
    return table


def title_of(comparison: Comparison) -> str:
    """What a report is called."""
    return f"{len(comparison.methods)} methods on {', '.join(comparison.datasets)}"


def command_line() -> str:
    """The command that was typed."""
    return shlex.join(["shoal", *sys.argv[1:]])
