"""How Lefakis and Fleuret measured: learn from training images, count errors on test images.

One protocol for their tables 3 to 5 (specification D.7, D.8); what a column does follows from its method.

- A reservoir method sees r + q T images, drawn from the training images with replacement.
- A method that boosts on samples is given all training images.
- A method that only combines gets the stumps that LogitBoost finds on its first `initial` images, and learns from
  the other training images how to combine them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.boosters.feature_boost import FeatureBoost
from shoal.boosters.osboost import OSBoost
from shoal.boosters.ozaboost import OzaBoost
from shoal.datasets import load
from shoal.datasets.patches import CIFAR_TRAINING, encoded_cifar
from shoal.ensemble import Ensemble
from shoal.methods import build
from shoal.model import Model
from shoal.registry import BATCH_METHODS, find
from shoal.reproduce.protocols import Outcome
from shoal.reproduce.tables import Column, Table
from shoal.reservoir.baselines import SampledBoost, bank_of, scores_on
from shoal.rules.last import Last
from shoal.rules.uniform import Uniform
from shoal.streams.rows import to_rows
from shoal.types import Chunk, Flags, Ints, Space

ROWS_AT_A_TIME = 1000
MNIST_TRAINING = 60_000  # its training images come first


@dataclass(frozen=True, eq=False)
class Images:
    """All images, those for training first; labels 0 to n_classes - 1."""

    X: NDArray[Any]
    y: Ints
    n_train: int
    n_classes: int

    def rows(self, some: Ints | slice) -> Chunk:
        """Some of them as a chunk."""
        X = self.X[some].astype(np.float64)
        return Chunk(to_rows(X), self.y[some].astype(np.float64), None, Space.of_size(X.shape[1]))

    @property
    def classes(self) -> tuple[float, ...]:
        """The labels as models know them."""
        return tuple(float(k) for k in range(self.n_classes))


@lru_cache(maxsize=2)
def images_of(dataset: str) -> Images:
    """MNIST, raw; or the part of CIFAR-10, encoded."""
    if dataset == "CIFAR":
        X, y = encoded_cifar()
        return Images(X, y, CIFAR_TRAINING, 10)
    pixels, labels = load("mnist").arrays(dense=True)
    return Images(pixels.astype(np.uint8), labels.astype(np.int64), MNIST_TRAINING, 10)


def images(
    table: Table, column: Column, settings: Mapping[str, Any], dataset: str, seed: int, n_rows: int | None
) -> Outcome:
    """The test images that a column's method answers wrongly."""
    data = images_of(dataset)
    began = process_time()
    if column.method in BATCH_METHODS:
        wrong = wrong_of_sampled(data, column.method, settings, seed)
    elif column.method in COMBINED:
        wrong = wrong_of_combined(data, column.method, settings, seed)
    else:
        wrong = wrong_of_reservoir(data, column.method, settings, seed)
    return Outcome(wrong, process_time() - began, dict(settings))


def wrong_of_reservoir(data: Images, method: str, settings: Mapping[str, Any], seed: int) -> Flags:
    """Table 3: T rounds of q = r draws, after the first r."""
    size = settings["size"]
    rng = np.random.default_rng([seed, size])
    drawn = rng.integers(0, data.n_train, size * (settings["n_learners"] + 1))
    model = Model(build(method, settings), seed=seed, classes=data.classes)
    learn(model, data, drawn)
    return wrong_of(model, data)


def wrong_of_sampled(data: Images, method: str, settings: Mapping[str, Any], seed: int) -> Flags:
    """Table 5: boosting on samples of all training images."""
    booster: SampledBoost = find("method", BATCH_METHODS, method)(**settings)
    X, y = data.X[: data.n_train], data.y[: data.n_train]
    table = booster.fit(X, y, np.ones(data.n_train), data.n_classes, seed)
    scores = scores_on(table, data.X[data.n_train :])
    return np.asarray(scores.argmax(axis=1) != data.y[data.n_train :])


COMBINED: dict[str, Any] = {
    "ozaboost": lambda n: (OzaBoost("weighted"), Last()),
    "osboost": lambda n: (OSBoost(multiclass="one-vs-rest"), Uniform()),
    "feature-boost": lambda n: (FeatureBoost(pool=True, selectors=n), Last()),
}


def wrong_of_combined(data: Images, method: str, settings: Mapping[str, Any], seed: int) -> Flags:
    """Table 4: T stumps found by LogitBoost on a few images, then one pass of learning how to combine them."""
    few, n_learners = settings["initial"], settings["n_learners"]
    order = np.random.default_rng([seed, few]).permutation(data.n_train)
    first, rest = order[:few], order[few:]
    booster = SampledBoost("fixed", few, n_learners)
    found = booster.fit(data.X[first], data.y[first], np.ones(few), data.n_classes, seed)
    model = Model(Ensemble(bank_of(found), *COMBINED[method](n_learners)), seed=seed, classes=data.classes)
    learn(model, data, rest)
    return wrong_of(model, data)


def learn(model: Model, data: Images, some: Ints) -> None:
    """Let a model learn images in this order."""
    for start in range(0, len(some), ROWS_AT_A_TIME):
        model.answer_and_learn(data.rows(some[start : start + ROWS_AT_A_TIME]))


def wrong_of(model: Model, data: Images) -> Flags:
    """Which test images a model answers wrongly."""
    wrong = []
    for start in range(data.n_train, len(data.y), ROWS_AT_A_TIME):
        chunk = data.rows(slice(start, start + ROWS_AT_A_TIME))
        answers, _ = model.predict(chunk.rows, chunk.space)
        wrong.append(np.array(model.classes)[answers] != chunk.labels)
    return np.concatenate(wrong)
