"""Run several methods on several data sets, each method on the same orders of the same rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from shoal.errors import InputError
from shoal.evaluation.keeping import Keeping
from shoal.evaluation.order import Source
from shoal.evaluation.progressive import DEFAULT_METRICS, checkpoint_asked, evaluate
from shoal.evaluation.result import Result, Words, jsonable

if TYPE_CHECKING:
    from rich.table import Table

MakeModel = Callable[[int], Any]  # a fresh model, or estimator, from a seed


class OnTrialProgress(Protocol):
    """Told after each chunk: examples and error of the present trial, share of all work done, which trial."""

    def __call__(self, n: int, error: float, fraction: float | None, task: str) -> None: ...


@dataclass(frozen=True, eq=False)
class Trial:
    """One method on one order of one data set."""

    dataset: str
    method: str
    trial: int
    seed: int
    result: Result

    def row(self) -> dict[str, Any]:
        """The trial as one flat record."""
        result = self.result
        return {
            "dataset": self.dataset,
            "method": self.method,
            "trial": self.trial,
            "seed": self.seed,
            "n": result.n,
            "errors": result.errors,
            "error": result.error,
            "seconds": result.seconds,
            "examples_per_second": result.examples_per_second,
            "metrics": jsonable(result.metrics),
            "params": jsonable(result.params),
        }


@dataclass(frozen=True, eq=False)
class Comparison:
    """All finished trials, data set by data set.

    methods, datasets: names in the order given. ordered: the data sets whose rows kept their order.
    facts: what is known of each data set, for the report, such as its number of features.
    interrupted: whether Ctrl-C ended it early; trials that were not finished are left out.
    """

    trials: tuple[Trial, ...]
    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    seed: int
    ordered: frozenset[str] = frozenset()
    facts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def words(self) -> Words:
        """What the error is called; all trials are of one kind."""
        return self.trials[0].result.words

    def rows(self) -> list[dict[str, Any]]:
        """One flat record per trial."""
        return [trial.row() for trial in self.trials]

    def of(self, dataset: str, method: str) -> list[Trial]:
        """The trials of one method on one data set."""
        return [t for t in self.trials if t.dataset == dataset and t.method == method]

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON can hold it, without the curves."""
        from shoal.evaluation.ranking import rank

        return {"seed": self.seed, "interrupted": self.interrupted, "trials": self.rows()} | {
            "summary": jsonable(rank(self).to_dict())
        }

    def table(self) -> Table:
        """The table of errors for a terminal (rich)."""
        from shoal.evaluation.table import error_table

        return error_table(self)

    def plot(self, path: str | PathLike[str], *, title: str = "Comparison", command: str | None = None) -> None:
        """Write the report as one HTML file that needs nothing else; `command` is how to make it again.

        A path that ends in .svg gets the error curves alone, a picture for each data set.
        """
        from shoal.evaluation.report import comparison_page, comparison_picture

        svg = Path(path).suffix == ".svg"
        text = comparison_picture(self) if svg else comparison_page(self, title, command)
        Path(path).write_text(text, encoding="utf-8")


def compare(
    models: Mapping[str, Any],
    sources: Sequence[Any],
    *,
    trials: int = 5,
    seed: int = 0,
    metrics: Sequence[str] = DEFAULT_METRICS,
    every: int | None = None,
    window: int | None = None,
    max_rows: int | None = None,
    on_progress: OnTrialProgress | None = None,
    holdout: float | None = None,
    checkpoint: Keeping | str | PathLike[str] | None = None,
    resume: bool = False,
) -> Comparison:
    """Evaluate every method on every data set, several times.

    In one trial all methods see the same rows in the same order, and draw from the same seed. Sets that
    are held in memory are permuted for each trial; streams with an order of their own keep it, and only
    the seed changes.

    models: what each method is called, and an estimator, the name of one of shoal's methods, or a function from
        a seed to a fresh model.
    holdout: teach on the first part of each order and test on the last share of it, learning nothing there: for
        methods that need all the data at once, and for others beside them. None: test, then train.
    sources: data sets' names, files, streams, pairs (X, y), or what has `name`, `ordered` and `chunks(seed)`.
    checkpoint, resume: as in `shoal.evaluate`; every trial has a folder of its own within the folder, and one
        that was finished is not learned again.

    >>> found = compare({"voting": "voting", "bayes": "bayes"}, ["sklearn-breast-cancer"], trials=1)
    >>> [(trial.method, trial.result.n) for trial in found.trials]
    [('voting', 569), ('bayes', 569)]
    """
    from shoal.evaluation.contestants import as_maker, as_source

    make_models: dict[str, MakeModel] = {name: as_maker(model) for name, model in models.items()}
    sources = [as_source(source) for source in sources]
    _check(make_models, sources, trials, seed)
    keeping = checkpoint_asked(checkpoint, resume)
    if keeping is not None and holdout is not None:
        raise InputError("rows that are held out are learned from all at once, without checkpoints.")
    plan = [(source, trial, method) for source in sources for trial in range(trials) for method in make_models]
    done: list[Trial] = []
    interrupted = False
    for step, (source, trial, method) in enumerate(plan):
        told = _told(on_progress, step, len(plan), f"{method} on {source.name}, trial {trial + 1} of {trials}")
        try:
            finished = run_trial(
                make_models[method], source, method, trial, seed,
                metrics=metrics, every=every, window=window, max_rows=max_rows, on_progress=told,
                holdout=holdout, **kept_as(keeping, source.name, method, trial, seed),
            )  # fmt: skip
        except KeyboardInterrupt:
            interrupted = True
            break
        interrupted = finished.result.interrupted
        if interrupted:
            break
        done.append(finished)
    if not done:
        raise KeyboardInterrupt
    return Comparison(
        tuple(done),
        tuple(m for m in make_models if any(t.method == m for t in done)),
        tuple(s.name for s in sources if any(t.dataset == s.name for t in done)),
        seed,
        frozenset(s.name for s in sources if s.ordered),
        {s.name: getattr(s, "facts", {}) for s in sources},
        interrupted,
    )


def run_trial(
    make_model: MakeModel,
    source: Source,
    method: str,
    trial: int,
    seed: int,
    holdout: float | None = None,
    **options: Any,
) -> Trial:
    """One unit of work, independent of all others: a fresh model on one order of one data set."""
    own = trial_seed(seed, trial)
    model, stream = make_model(own), source.chunks(own)
    if holdout is None:
        return Trial(source.name, method, trial, own, evaluate(model, stream, **options))
    from shoal.evaluation.holdout import evaluate_held_out

    return Trial(source.name, method, trial, own, evaluate_held_out(model, stream, holdout, **options))


def kept_as(keeping: Keeping | None, dataset: str, method: str, trial: int, seed: int) -> dict[str, Any]:
    """Where one trial keeps its checkpoints, among the options of `evaluate`."""
    if keeping is None:
        return {}
    of_trial = replace(keeping, run={**keeping.run, "data": dataset, "seed": seed})
    return {"checkpoint": of_trial.within(dataset, method, trial)}


def trial_seed(seed: int, trial: int) -> int:
    """The seed of a trial: of the order of the rows, and of every model."""
    return int(np.random.SeedSequence([seed, trial]).generate_state(1)[0])


def _told(
    on_progress: OnTrialProgress | None, step: int, n_steps: int, task: str
) -> Callable[[int, float, float | None], None] | None:
    if on_progress is None:
        return None

    def tell(n: int, error: float, fraction: float | None) -> None:
        on_progress(n, error, (step + (fraction or 0.0)) / n_steps, task)

    return tell


def _check(make_models: Mapping[str, MakeModel], sources: Sequence[Source], trials: int, seed: int) -> None:
    if not make_models:
        raise InputError("no methods to compare; give at least one")
    if not sources:
        raise InputError("no data sets to compare on; give at least one")
    if trials < 1:
        raise InputError(f"trials is {trials}; give a whole number of at least 1")
    if seed < 0:
        raise InputError(f"seed is {seed}; give a whole number of at least 0")
    names = [source.name for source in sources]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise InputError(f"two data sets are called {twice.pop()!r}; give each its own name")
