"""What is measured of a regressor along a stream, in bounded memory.

The error is the relative squared error: the mean squared error over the targets' variance, which is 1 - R2. It is
0 for a model that knows and 1 for one that knows only the mean, whatever the unit, so that tables, ranks and
charts read as they do for shares of mistakes. An example that came before any target was known has no answer
and is not counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isclose, nan, sqrt
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.evaluation.curve import Curve, CurveRecorder
from shoal.evaluation.memory import Counts, Remembering, peak_memory
from shoal.evaluation.progressive import DEFAULT_METRICS
from shoal.evaluation.result import Result, Words
from shoal.types import Floats, RegressionAnswers

REGRESSION_METRICS = ("squared_error", "absolute_error", "r2")


class Moments(Remembering):
    """Weighted sums over labelled examples, per target: of both losses, and the targets' own spread."""

    def __init__(self) -> None:
        self.total = 0.0
        self.squared = np.zeros(0)
        self.absolute = np.zeros(0)
        self.mean = np.zeros(0)
        self.spread = np.zeros(0)

    def update(self, predicted: Floats, truth: Floats, weights: Floats) -> None:
        """Take in examples, at least one; spreads are added up by the way of Chan, Golub and LeVeque."""
        if not len(self.mean):
            self.squared, self.absolute, self.mean, self.spread = (np.zeros(truth.shape[1]) for _ in range(4))
        added = float(weights.sum())
        if added == 0.0:
            return
        mean = weights @ truth / added
        gap, total = mean - self.mean, self.total + added
        self.spread = self.spread + weights @ (truth - mean) ** 2 + gap**2 * self.total * added / total
        self.mean = self.mean + gap * added / total
        self.total = total
        self.squared = self.squared + weights @ (predicted - truth) ** 2
        self.absolute = self.absolute + weights @ np.abs(predicted - truth)

    def squared_error(self) -> float:
        """The mean over examples and targets."""
        return float(np.mean(self.squared)) / self.total if self.total else np.nan

    def absolute_error(self) -> float:
        """The mean over examples and targets."""
        return float(np.mean(self.absolute)) / self.total if self.total else np.nan

    def r2(self) -> float:
        """1 - squared error over variance, the mean over targets; NaN where a target never changed."""
        if not self.total or not (self.spread > 0.0).all():
            return np.nan
        return float(np.mean(1.0 - self.squared / self.spread))


class MeanRecorder(CurveRecorder):
    """The running mean of losses that are any numbers."""

    kind: ClassVar[type] = np.float64

    def __init__(self, every: int | None = None, window: int | None = None) -> None:
        super().__init__(every, window)
        self.squares = 0.0

    def update(self, losses: NDArray[Any]) -> None:
        """Take in the losses of the next examples."""
        super().update(losses)
        self.squares += float(losses @ losses)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Of the mean loss, by the normal law: the losses are draws given what went before (see `wilson`)."""
        mean = self.errors / self.n
        deviation = sqrt(max(self.squares / self.n - mean**2, 0.0) / max(self.n - 1, 1))
        half = NormalDist().inv_cdf(0.5 + 0.5 * level) * deviation
        return max(0.0, mean - half), mean + half


@dataclass(frozen=True, eq=False, kw_only=True)
class RegressionResult(Result):
    """The outcome of one run over a stream of numbers.

    error: the relative squared error, 1 - R2, each labelled example counted once; `interval` is its 95 %
        interval, the variance taken as known, and `curve` runs over the same unit. `errors` is None.
    squared_error, absolute_error: means in the targets' units, with intervals and curves.
    """

    words: ClassVar[Words] = Words(
        "error (1 - R2)",
        "squared error / variance, %",
        "leaves {} % of the targets' variance unexplained",
        "Mean squared error so far over the variance of all targets, 1 - R2 at the end",
    )

    errors: Any = None
    squared_error: float
    absolute_error: float
    r2: float
    squared_interval: tuple[float, float]
    absolute_interval: tuple[float, float]
    squared_curve: Curve
    absolute_curve: Curve

    def to_dict(self) -> dict[str, Any]:
        """Everything as numbers, text, lists and dictionaries, ready for JSON (NaN becomes None)."""
        from shoal.evaluation.result import jsonable

        curves = {name: jsonable(getattr(self, name)._asdict()) for name in ("squared_curve", "absolute_curve")}
        return {**super().to_dict(), **curves}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Of the mean errors, where no weights make the metrics other means."""
        known = {"squared_error": self.squared_interval, "absolute_error": self.absolute_interval}
        return {k: v for k, v in known.items() if isclose(self.metrics.get(k, nan), getattr(self, k))}

    def __repr__(self) -> str:
        early = ", interrupted" if self.interrupted else ""
        low, high = self.squared_interval
        return (
            f"<RegressionResult: R2 {self.r2:.4f}; squared error {self.squared_error:.4g} (95% {low:.4g} to "
            f"{high:.4g}); absolute error {self.absolute_error:.4g}; {self.n:,} examples, "
            f"{self.examples_per_second:,.0f} a second{early}>"
        )


class RegressionEvaluation:
    """What a run has measured so far; put away and taken up again with `state` and `restore`."""

    def __init__(
        self, metrics: Sequence[str] = REGRESSION_METRICS, *, every: int | None = None, window: int | None = None
    ) -> None:
        chosen = REGRESSION_METRICS if tuple(metrics) == DEFAULT_METRICS else tuple(metrics)
        unknown = [name for name in chosen if name not in REGRESSION_METRICS]
        if unknown:
            raise InputError(
                f"unknown metric {unknown[0]!r} for regression; choose from {', '.join(REGRESSION_METRICS)}"
            )
        self.chosen = chosen
        self.weighted, self.plain = Moments(), Moments()
        self.squares, self.sizes = MeanRecorder(every, window), MeanRecorder(every, window)
        self.counts = Counts()

    @property
    def n(self) -> int:
        """Examples so far that were answered and have their targets."""
        return self.squares.n

    @property
    def error(self) -> float:
        """The relative squared error so far."""
        return 1.0 - self.plain.r2()

    def update(self, answers: RegressionAnswers, weights: Floats | None, seconds: float) -> None:
        """Take in the answers to a chunk, which took the model so many seconds."""
        labelled = ~np.asarray(np.isnan(answers.truth).any(axis=1) | np.isnan(answers.predicted).any(axis=1))
        self.counts.update(np.full(len(labelled), -1), seconds)
        if not labelled.any():
            return
        predicted, truth = answers.predicted[labelled], answers.truth[labelled]
        self.squares.update(np.mean((predicted - truth) ** 2, axis=1))
        self.sizes.update(np.mean(np.abs(predicted - truth), axis=1))
        self.plain.update(predicted, truth, np.ones(len(truth)))
        self.weighted.update(predicted, truth, np.ones(len(truth)) if weights is None else weights[labelled])

    def values(self) -> dict[str, float]:
        """Each metric so far, by the examples' weights."""
        return {name: getattr(self.weighted, name)() for name in self.chosen}

    def result(self, params: dict[str, Any], interrupted: bool) -> RegressionResult:
        """What a run found, in its final form."""
        squared = self.squares.curve()
        mean = self.plain.squared_error()
        unit = self.error / mean if mean > 0.0 else 1.0
        low, high = self.squares.interval()
        relative = Curve(squared.examples, unit * squared.error, unit * squared.window_error, squared.window)
        return RegressionResult(
            error=self.error,
            n=self.n,
            interval=(unit * low, unit * high),
            metrics=self.values(),
            curve=relative,
            seconds=self.counts.seconds,
            total_seconds=self.counts.total_seconds,
            examples_per_second=self.counts.n_rows / max(self.counts.seconds, 1e-9),
            peak_memory=peak_memory(),
            params=params,
            interrupted=interrupted,
            squared_error=mean,
            absolute_error=self.plain.absolute_error(),
            r2=self.plain.r2(),
            squared_interval=(low, high),
            absolute_interval=self.sizes.interval(),
            squared_curve=squared,
            absolute_curve=self.sizes.curve(),
        )

    def check_enough(self) -> None:
        """Refuse to report on nothing."""
        rows = self.counts.n_rows
        if rows == 0:
            raise InputError("the stream is empty: it has no rows to evaluate on")
        if self.n == 0:
            raise InputError(
                f"none of the {rows} examples has a target; name the column that holds it with label=..."
            )

    def state(self) -> dict[str, NDArray[Any]]:
        """All that was measured, as arrays."""
        return {f"{part}.{k}": v for part, held in self._parts() for k, v in held.state().items()}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from what `state` gave."""
        for part, held in self._parts():
            prefix = part + "."
            held.restore({k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)})

    def _parts(self) -> Iterator[tuple[str, Remembering]]:
        for name in ("weighted", "plain", "squares", "sizes", "counts"):
            yield name, getattr(self, name)
