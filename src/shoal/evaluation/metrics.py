"""Measures of quality that are updated along a stream, in memory that does not grow with it.

Each metric takes the answers of one run of rows after another, and can be asked for its value at any
time. Rows without a label count for nothing. The number of classes may grow from one update to the next.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import ClassVar, Literal

import numpy as np

from shoal.errors import InputError, did_you_mean
from shoal.evaluation.memory import Remembering
from shoal.evaluation.scores import ScoreHistogram
from shoal.types import Answers, Floats

PROBABILITY_FLOOR = 1e-15  # the usual clip of the logarithmic loss, so that one sure mistake is not the end


class Metric(Remembering, ABC):
    """A number that sums up how well a stream was answered so far.

    name: what users call it. direction: whether lower or higher is better.
    """

    name: ClassVar[str]
    direction: ClassVar[Literal["lower", "higher"]] = "higher"

    def update(self, answers: Answers, weights: Floats | None = None) -> None:
        """Take in the answers to a run of rows; rows whose truth is -1 are left out."""
        if weights is None:
            weights = np.ones(len(answers.truth))
        labelled = answers.truth >= 0
        if not labelled.all():
            predicted, truth, proba = answers
            answers = Answers(predicted[labelled], truth[labelled], proba[labelled])
            weights = weights[labelled]
        if len(answers.truth):
            self._add(answers, weights)

    @abstractmethod
    def value(self, positive: int = 1) -> float:
        """The metric so far, NaN where it has none yet; one-sided metrics are of class `positive`."""

    @abstractmethod
    def _add(self, answers: Answers, weights: Floats) -> None:
        """Take in labelled rows, at least one."""


class Confusion(Metric):
    """Metrics of the table of truth against answer."""

    def __init__(self) -> None:
        self.table = np.zeros((0, 1))  # (truth, answer + 1): column 0 counts rows that got no answer

    def _add(self, answers: Answers, weights: Floats) -> None:
        highest = max(answers.truth.max(), answers.predicted.max()) + 1
        n_classes = max(len(self.table), answers.proba.shape[1], int(highest))
        missing = n_classes - len(self.table)
        self.table = np.pad(self.table, ((0, missing), (0, missing)))
        np.add.at(self.table, (answers.truth, answers.predicted + 1), weights)

    @property
    def right(self) -> Floats:
        """(n_classes,) the weight of each class answered rightly."""
        return np.diagonal(self.table[:, 1:])

    @property
    def actual(self) -> Floats:
        """(n_classes,) the weight of each class in the stream."""
        return np.asarray(self.table.sum(axis=1))

    @property
    def answered(self) -> Floats:
        """(n_classes,) the weight of each class among the answers."""
        return np.asarray(self.table[:, 1:].sum(axis=0))


class Accuracy(Confusion):
    """The share of examples answered rightly."""

    name = "accuracy"

    def value(self, positive: int = 1) -> float:
        return _ratio(self.right.sum(), self.table.sum())


class Error(Accuracy):
    """The share of examples answered wrongly."""

    name = "error"
    direction = "lower"

    def value(self, positive: int = 1) -> float:
        total = self.table.sum()
        return _ratio(total - self.right.sum(), total)


class BalancedAccuracy(Confusion):
    """The mean over the classes seen of the share of each that was answered rightly."""

    name = "balanced_accuracy"

    def value(self, positive: int = 1) -> float:
        seen = self.actual > 0
        return float(np.mean(self.right[seen] / self.actual[seen])) if seen.any() else np.nan


class Kappa(Confusion):
    """Cohen's kappa: how far accuracy is above that of answers drawn at the model's own rates."""

    name = "kappa"

    def value(self, positive: int = 1) -> float:
        total = self.table.sum()
        by_chance = _ratio(np.dot(self.actual, self.answered), total**2)
        return _ratio(_ratio(self.right.sum(), total) - by_chance, 1.0 - by_chance)


class MatthewsCorrelation(Confusion):
    """The correlation between truth and answer (Matthews; Gorodkin's form for several classes)."""

    name = "mcc"

    def value(self, positive: int = 1) -> float:
        total = self.table.sum()
        if total == 0.0:
            return np.nan
        covariance = self.right.sum() * total - self.actual @ self.answered
        spread = (total**2 - self.actual @ self.actual) * (total**2 - self.answered @ self.answered)
        return float(covariance / np.sqrt(spread)) if spread > 0.0 else 0.0


class F1(Confusion):
    """The harmonic mean of precision and recall: of the positive class, or the mean over several classes."""

    name = "f1"

    def value(self, positive: int = 1) -> float:
        size = self.actual + self.answered
        if not size.any():
            return np.nan
        per_class = 2.0 * self.right / np.where(size > 0.0, size, 1.0)
        if len(per_class) == 2:
            return float(per_class[positive])
        return float(np.mean(per_class[size > 0.0]))


class TemporalKappa(Metric):
    """How far accuracy is above that of answering with the previous label (Zliobaite et al. 2015).

    The first example has no previous label, and counts as one that the previous label gets wrong.
    """

    name = "kappa_temporal"

    def __init__(self) -> None:
        self.previous = -1
        self.right = 0.0
        self.unchanged = 0.0
        self.total = 0.0

    def _add(self, answers: Answers, weights: Floats) -> None:
        before = np.concatenate([[self.previous], answers.truth[:-1]])
        self.unchanged += float(weights[before == answers.truth].sum())
        self.right += float(weights[answers.predicted == answers.truth].sum())
        self.total += float(weights.sum())
        self.previous = int(answers.truth[-1])

    def value(self, positive: int = 1) -> float:
        return _ratio(self.right - self.unchanged, self.total - self.unchanged)


class LogLoss(Metric):
    """The mean of -log(probability given to the truth), probabilities clipped at 1e-15."""

    name = "logloss"
    direction = "lower"

    def __init__(self) -> None:
        self.loss = 0.0
        self.total = 0.0

    def _add(self, answers: Answers, weights: Floats) -> None:
        of_truth = answers.proba[np.arange(len(answers.truth)), answers.truth]
        clipped = np.clip(of_truth, PROBABILITY_FLOOR, 1.0 - PROBABILITY_FLOOR)
        self.loss -= float(weights @ np.log(clipped))
        self.total += float(weights.sum())

    def value(self, positive: int = 1) -> float:
        return _ratio(self.loss, self.total)


class Auc(ScoreHistogram, Metric):
    """The chance that a positive example is scored above a negative one; the mean of one against the rest.

    Computed from a histogram of scores: see `ScoreHistogram` for how fine it is.
    """

    name = "auc"

    def value(self, positive: int = 1) -> float:
        return self.mean_over_classes(positive, _area_under_roc)


class AveragePrecision(ScoreHistogram, Metric):
    """The area under the precision-recall curve, as average precision; the mean of one against the rest."""

    name = "pr_auc"

    def value(self, positive: int = 1) -> float:
        return self.mean_over_classes(positive, _average_precision)


def _area_under_roc(positives: Floats, negatives: Floats) -> float:
    below = np.cumsum(negatives) - 0.5 * negatives  # a tie counts one half
    return float(positives @ below / (positives.sum() * negatives.sum()))


def _average_precision(positives: Floats, negatives: Floats) -> float:
    found = np.cumsum(positives[::-1])
    called = found + np.cumsum(negatives[::-1])
    here = positives[::-1] > 0.0
    return float(positives[::-1][here] @ (found[here] / called[here]) / positives.sum())


def _ratio(part: float, whole: float) -> float:
    return float(part) / float(whole) if whole else np.nan


METRICS: dict[str, type[Metric]] = {
    metric.name: metric
    for metric in (
        Error,
        Accuracy,
        LogLoss,
        Auc,
        AveragePrecision,
        Kappa,
        TemporalKappa,
        BalancedAccuracy,
        MatthewsCorrelation,
        F1,
    )
}


def make_metrics(names: Iterable[str]) -> dict[str, Metric]:
    """Fresh metrics by name."""
    names = [names] if isinstance(names, str) else list(names)
    unknown = [name for name in names if name not in METRICS]
    if unknown:
        raise InputError(
            f"unknown metric {unknown[0]!r}; choose from {', '.join(METRICS)}.{did_you_mean(unknown[0], METRICS)}"
        )
    return {name: METRICS[name]() for name in names}
