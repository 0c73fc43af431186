"""Test, then train: every example of a stream is answered before it is learned, and counted once.

Memory does not grow with the stream. What is reported depends on the order of the rows, not on how they
were cut into chunks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.evaluation.curve import CurveRecorder
from shoal.evaluation.interrupts import Interrupts
from shoal.evaluation.intervals import wilson
from shoal.evaluation.keeping import Keeper, Keeping, kept
from shoal.evaluation.memory import Counts, Remembering, peak_memory
from shoal.evaluation.metrics import make_metrics
from shoal.evaluation.result import Result
from shoal.evaluation.unharmed import unharmed
from shoal.streams import open_stream
from shoal.streams.ahead import reading_ahead
from shoal.streams.matching import Matcher
from shoal.streams.rows import slice_chunk
from shoal.types import Answers, Chunk, Floats

if TYPE_CHECKING:
    from shoal.evaluation.regression import RegressionEvaluation

DEFAULT_METRICS = ("error", "logloss", "auc", "kappa", "balanced_accuracy")


class Evaluated(Protocol):
    """What can be evaluated: it answers each row of a chunk before learning it."""

    @property
    def classes(self) -> Sequence[Any]:
        """Class labels in the order in which answers number them; may grow along a stream."""

    def answer_and_learn(self, chunk: Chunk) -> Any:
        """Answer, then learn, row by row: `Answers`, with a column of probabilities for every class of the
        chunk's labels; of a model whose `task` is "regression", `RegressionAnswers`.
        """


class OnProgress(Protocol):
    """Told after each chunk: labelled examples so far, their error, the share of the stream read if known."""

    def __call__(self, n: int, error: float, fraction: float | None) -> None: ...


class Evaluation:
    """What a run has measured so far; put away and taken up again with `state` and `restore`."""

    def __init__(
        self,
        metrics: Sequence[str] = DEFAULT_METRICS,
        *,
        every: int | None = None,
        window: int | None = None,
    ) -> None:
        _check_positive(every=every, window=window)
        self.metrics = make_metrics(metrics)
        self.recorder = CurveRecorder(every, window)
        self.counts = Counts()

    @property
    def n(self) -> int:
        """Labelled examples so far."""
        return self.recorder.n

    @property
    def error(self) -> float:
        """The share of them answered wrongly."""
        return self.recorder.errors / self.n if self.n else np.nan

    def update(self, answers: Answers, weights: Floats | None, seconds: float) -> None:
        """Take in the answers to a chunk, which took the model so many seconds."""
        labelled = answers.truth >= 0
        self.recorder.update((answers.predicted != answers.truth)[labelled])
        self.counts.update(answers.truth, seconds)
        for metric in self.metrics.values():
            metric.update(answers, weights)

    def values(self, classes: Sequence[Any]) -> dict[str, float]:
        """Each metric so far; of two classes, the greater label is the positive one."""
        positive = 0 if len(classes) == 2 and _greater(classes[0], classes[1]) else 1
        return {name: metric.value(positive) for name, metric in self.metrics.items()}

    def state(self) -> dict[str, NDArray[Any]]:
        """All that was measured, as arrays."""
        return {f"{part}.{k}": v for part, held in self._parts() for k, v in held.state().items()}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from what `state` gave."""
        for part, held in self._parts():
            prefix = part + "."
            held.restore({k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)})

    def _parts(self) -> Iterator[tuple[str, Remembering]]:
        yield "curve", self.recorder
        yield "counts", self.counts
        for name, metric in self.metrics.items():
            yield f"metric-{name}", metric


def evaluate(
    model: Any,
    stream: Any,
    *,
    metrics: Sequence[str] = DEFAULT_METRICS,
    every: int | None = None,
    window: int | None = None,
    on_progress: OnProgress | None = None,
    max_rows: int | None = None,
    resume: bool | Evaluation | RegressionEvaluation = False,
    checkpoint: Keeping | str | os.PathLike[str] | None = None,
) -> Result:
    """Run a model over a stream, each row answered before it is learned.

    The model is taught: afterwards it has learned the stream. Ctrl-C ends the run with what it has. An error,
    such as a bad line far into a file, leaves the model as it was before the run.

    model: an `Evaluated`, or an estimator with an `evaluated_model()` method.
    stream: what `open_stream` gives, chunks of one's own; or a path, a data set's name, a frame or a pair (X, y).
    metrics: names from `shoal.evaluation.metrics.METRICS`; of a regressor, whose result is a
        `RegressionResult`, from `shoal.evaluation.regression.REGRESSION_METRICS`.
    every: spacing of the first points of the error curve, which has at most 512.
    window: examples in the window of the windowed error; by default about a twentieth of the stream.
    on_progress: called after each chunk with (examples, error, share of the stream read or None).
    max_rows: stop after so many rows.
    checkpoint: a folder in which to keep where the run is, every 30 seconds and at its end; or how (`Keeping`).
    resume: True to go on from what the folder holds, with the same data from its start: model and curve are then
        those of a run that never stopped. Or an evaluation to go on with, instead of a fresh one.
    """
    _check_positive(max_rows=max_rows)
    keeping = checkpoint_asked(checkpoint, resume)
    with unharmed(model):
        stream = opened(stream)
        answering = as_evaluated(model)
        run = new_evaluation(answering, metrics, every, window) if isinstance(resume, bool) else resume
        with kept(keeping, answering, run, stream) as keeper:
            interrupted = _run(answering, stream, run, max_rows, on_progress, keeper)
        if not interrupted:
            _check_enough(run, answering.classes)
    return make_result(run, answering.classes, parameters(model), interrupted)


def checkpoint_asked(checkpoint: Keeping | str | os.PathLike[str] | None, resume: object) -> Keeping | None:
    """How checkpoints are to be kept, if at all."""
    if checkpoint is None:
        if resume is True:
            raise InputError("resume=True goes on from checkpoints; name their folder: checkpoint=...")
        return None
    return checkpoint if isinstance(checkpoint, Keeping) else Keeping(checkpoint, resume=resume is True)


def opened(stream: Any) -> Iterable[Chunk]:
    """The stream itself; or that of a path, a data set's name, a frame or a pair (X, y)."""
    if isinstance(stream, str | os.PathLike | tuple) or hasattr(stream, "iloc") or hasattr(stream, "to_arrow"):
        return open_stream(stream)
    chunks: Iterable[Chunk] = stream
    return chunks


def _run(
    model: Evaluated,
    stream: Iterable[Chunk],
    run: Evaluation | RegressionEvaluation,
    max_rows: int | None,
    on_progress: OnProgress | None,
    keeper: Keeper,
) -> bool:
    """Test, then train, to the stream's end; whether Ctrl-C came before it."""
    fraction = _fraction_reader(stream, max_rows)
    started, before = perf_counter(), run.counts.total_seconds
    with Interrupts() as interrupts, reading_ahead(stream) as chunks:
        try:
            numbered = _numbered(model, chunks, name_of(stream))
            for chunk in _limited(keeper.rest(numbered), max_rows, run.counts.n_rows):
                with interrupts.whole():
                    began = perf_counter()
                    answers = model.answer_and_learn(chunk)
                    run.update(answers, chunk.weights, perf_counter() - began)
                    run.counts.total_seconds = before + perf_counter() - started
                    keeper.learned(chunk)
                    keeper.keep()
                if on_progress is not None:
                    on_progress(run.n, run.error, fraction(run.counts.n_rows))
        except KeyboardInterrupt:
            if run.n == 0 or interrupts.broken:
                raise
            keeper.keep(now=True)
            return True
    keeper.keep(now=True)
    return False


def as_evaluated(model: Any) -> Evaluated:
    """The model itself if it answers and learns, else what its `evaluated_model()` gives."""
    if not hasattr(model, "answer_and_learn"):
        if not hasattr(model, "evaluated_model"):
            kind = type(model).__name__
            raise InputError(f"cannot evaluate a {kind}; give a shoal estimator, or wrap it as a learner of one")
        model = model.evaluated_model()
    answering: Evaluated = model
    return answering


def new_evaluation(
    model: Any, metrics: Sequence[str], every: int | None, window: int | None
) -> Evaluation | RegressionEvaluation:
    """A fresh evaluation, of the kind that the model's answers call for."""
    if getattr(model, "task", "classification") == "regression":
        from shoal.evaluation.regression import RegressionEvaluation

        _check_positive(every=every, window=window)
        return RegressionEvaluation(metrics, every=every, window=window)
    return Evaluation(metrics, every=every, window=window)


def make_result(
    run: Evaluation | RegressionEvaluation, classes: Sequence[Any], params: dict[str, Any], interrupted: bool
) -> Result:
    """What a run found, in its final form."""
    if not isinstance(run, Evaluation):
        return run.result(params, interrupted)
    counts, errors = run.counts, run.recorder.errors
    return Result(
        error=run.error,
        errors=errors,
        n=run.n,
        interval=wilson(errors, run.n),
        metrics=run.values(classes),
        curve=run.recorder.curve(),
        class_counts={str(c): int(k) for c, k in zip(classes, counts.of_class, strict=False)},
        seconds=counts.seconds,
        total_seconds=counts.total_seconds,
        examples_per_second=counts.n_rows / max(counts.seconds, 1e-9),
        peak_memory=peak_memory(),
        params=params,
        interrupted=interrupted,
    )


def _numbered(model: Any, chunks: Iterable[Any], name: str) -> Iterator[Chunk]:
    """The chunks, their features numbered as the model numbers them, if it says which it knows."""
    matcher = Matcher(model.space, learning=True, name=name) if hasattr(model, "space") else None
    for chunk in chunks:
        if not isinstance(chunk, Chunk):
            kind = type(chunk).__name__
            raise InputError(f"the stream gave a {kind}, not a Chunk of rows; open it with shoal.open_stream(...)")
        yield chunk if matcher is None else matcher.match(chunk)


def name_of(stream: Any) -> str:
    """What messages call it."""
    return getattr(stream, "name", "") or "the stream"


def _limited(chunks: Iterable[Chunk], max_rows: int | None, done: int) -> Iterator[Chunk]:
    for chunk in chunks:
        if max_rows is not None and done + chunk.rows.n_rows >= max_rows:
            if max_rows > done:
                yield slice_chunk(chunk, 0, max_rows - done)
            return
        done += chunk.rows.n_rows
        if chunk.rows.n_rows:
            yield chunk


def _fraction_reader(stream: Any, max_rows: int | None) -> Callable[[int], float | None]:
    n_rows = getattr(stream, "n_rows", None)
    if max_rows is not None:
        n_rows = min(n_rows or max_rows, max_rows)
    if n_rows:
        return lambda done: min(1.0, done / n_rows)
    reader = getattr(stream, "fraction_read", None)
    return lambda done: reader() if reader is not None else None


def _check_enough(run: Evaluation | RegressionEvaluation, classes: Sequence[Any]) -> None:
    if not isinstance(run, Evaluation):
        run.check_enough()
        return
    rows = run.counts.n_rows
    if rows == 0:
        raise InputError("the stream is empty: it has no rows to evaluate on")
    if run.n == 0:
        raise InputError(f"none of the {rows} examples has a label; name the column that holds it with label=...")
    present = np.flatnonzero(run.counts.of_class)
    if len(present) == 1:
        label = classes[present[0]]
        raise InputError(
            f"every one of the {run.n} examples has label {label!r}; to measure a classifier at least two "
            "classes must occur: check which column is the label, or read more rows"
        )


def _check_positive(**numbers: int | None) -> None:
    for name, number in numbers.items():
        if number is not None and number < 1:
            raise InputError(f"{name} is {number}; give a whole number of at least 1")


def _greater(first: Any, second: Any) -> bool:
    try:
        return bool(first > second)
    except TypeError:
        return str(first) > str(second)


def parameters(model: Any) -> dict[str, Any]:
    if hasattr(model, "get_params"):
        return dict(model.get_params(deep=False))
    return dict(getattr(model, "params", {}))
