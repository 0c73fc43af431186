"""How the scores of each class are spread over positive and negative examples, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shoal.types import Answers, Floats

LOGIT_LIMIT = 40.0  # doubles next to 1 have logits of about 37: nothing is cut off but exact zeros and ones
FINEST = 2**16  # bins per class: scores are told apart when their logits differ by 80 / 2**16, about 0.0012
COARSEST = 2**8
CELLS = 2**20  # over all classes; from 17 classes on, neighbouring bins are merged to stay below


class ScoreHistogram:
    """Counts of positive and negative examples of each class over bins of the score's logit.

    Scores in one bin count as tied. With up to 16 classes a bin is 0.0012 wide in the logit, that is,
    probabilities near one half are told apart when they differ by 0.0003, and those near zero or one when
    they differ by a thousandth of themselves. What is lost is of the order of the square of that.
    """

    def __init__(self) -> None:
        self.positives = np.zeros((0, FINEST))
        self.everything = np.zeros((0, FINEST))
        self.total = 0.0

    def _add(self, answers: Answers, weights: Floats) -> None:
        self._grow(max(answers.proba.shape[1], int(answers.truth.max()) + 1))
        bins = self._bins(answers.proba)
        np.add.at(self.positives, (answers.truth, bins[np.arange(len(bins)), answers.truth]), weights)
        classes = np.broadcast_to(np.arange(bins.shape[1]), bins.shape)
        np.add.at(self.everything, (classes, bins), weights[:, None])
        self.total += float(weights.sum())

    def _bins(self, proba: Floats) -> NDArray[np.int64]:
        n_classes, n_bins = self.positives.shape
        proba = np.pad(proba, ((0, 0), (0, n_classes - proba.shape[1])))
        # with two classes the other column is the complement without cancellation
        rest = proba[:, ::-1] if n_classes == 2 else np.maximum(1.0 - proba, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            logits = np.nan_to_num(np.log(proba) - np.log(rest), nan=0.0, posinf=LOGIT_LIMIT, neginf=-LOGIT_LIMIT)
        width = 2.0 * LOGIT_LIMIT / n_bins
        position = np.floor((np.clip(logits, -LOGIT_LIMIT, LOGIT_LIMIT) + LOGIT_LIMIT) / width)
        return np.asarray(np.minimum(position.astype(np.int64), n_bins - 1))

    def _grow(self, n_classes: int) -> None:
        """Make room for new classes: all examples so far gave them probability zero."""
        known, n_bins = self.positives.shape
        if n_classes <= known:
            return
        more = ((0, n_classes - known), (0, 0))
        self.positives, self.everything = np.pad(self.positives, more), np.pad(self.everything, more)
        self.everything[known:, 0] = self.total
        while n_classes * n_bins > CELLS and n_bins > COARSEST:
            n_bins //= 2
            self.positives = self.positives.reshape(n_classes, n_bins, 2).sum(axis=2)
            self.everything = self.everything.reshape(n_classes, n_bins, 2).sum(axis=2)

    def mean_over_classes(self, positive: int, measure: Callable[[Floats, Floats], float]) -> float:
        """`measure(positives, negatives)`: of the positive class of two, else the mean over the classes."""
        share = self.positives.sum(axis=1)
        seen = np.flatnonzero((share > 0.0) & (share < self.total))
        if len(self.positives) == 2:
            seen = seen[seen == positive]
        values = [measure(self.positives[c], self.everything[c] - self.positives[c]) for c in seen]
        return float(np.mean(values)) if values else np.nan
