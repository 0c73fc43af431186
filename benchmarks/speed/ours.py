"""What shoal is timed at."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from benchmarks.speed.streams import Stream

from shoal.methods import build
from shoal.model import Model

# A contestant is prepared for a stream and a number of learners. What comes of it makes ready to run over the
# first n rows, as many times as it is asked to, a fresh model each time; running answers with the mistakes made,
# or -1 where nothing is answered. Only running is timed.
Race = Callable[[int], Callable[[], int]]
Prepare = Callable[[Stream, int], Race]
CHUNK = 1000


def cuts(n_rows: int) -> list[slice]:
    """Where rows are cut into chunks."""
    return [slice(start, min(start + CHUNK, n_rows)) for start in range(0, n_rows, CHUNK)]


def timed(run: Callable[[int], int]) -> Race:
    """A race in which nothing but the run itself has to be made ready."""
    return lambda n: partial(run, n)


def method(name: str, **settings: Any) -> Prepare:
    """A method of the command line, taught chunk by chunk. Its first weights are drawn before it runs."""

    def prepare(stream: Stream, n_learners: int) -> Race:
        n_rows = len(stream.classes)
        chunks = [stream.chunk(c.start, c.stop) for c in cuts(n_rows)]
        classes = [float(k) for k in range(stream.shape.n_classes)]

        def race(n: int) -> Callable[[], int]:
            model = Model(build(name, {"n_learners": n_learners, **settings}), seed=0, classes=classes)
            model.make_room(chunks[0].space)
            own = [stream.chunk(c.start, c.stop) for c in cuts(n)] if n < n_rows else chunks

            def run() -> int:
                wrong = 0
                for chunk in own:
                    answers = model.answer_and_learn(chunk)
                    wrong += int((answers.predicted != answers.truth).sum())
                return wrong

            return run

        return race

    return prepare


def one_by_one(**settings: Any) -> Prepare:
    """`learn_one` of the Bayesian ensemble, given rows as one-dimensional arrays."""

    def prepare(stream: Stream, n_learners: int) -> Race:
        from shoal import BayesianEnsembleClassifier

        X, y = stream.dense(0, len(stream.classes)), stream.classes.tolist()
        rows = list(X)

        def run(n: int) -> int:
            model = BayesianEnsembleClassifier(n_learners=n_learners, random_state=0, **settings)
            for t in range(n):
                model.learn_one(rows[t], y[t])
            return -1  # learn_one alone answers nothing

        return timed(run)

    return prepare


def one_product(stream: Stream, n_learners: int) -> Race:
    """One matrix product of the size that a frozen bank's votes take, for comparison; BLAS on one thread."""
    X = stream.dense(0, len(stream.classes))
    X = np.concatenate([np.ones((len(X), 1)), X], axis=1)
    weights = np.random.default_rng(0).normal(size=(X.shape[1], n_learners))

    def run(n: int) -> int:
        for start in range(0, n, CHUNK):
            _ = X[start : min(n, start + CHUNK)] @ weights
        return -1

    return timed(run)
