"""`shoal predict`: a model's answers to rows, chunk by chunk, in memory that does not grow."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.streams import Stream, open_stream
from shoal.streams.columns import Wanted
from shoal.streams.matching import Matcher
from shoal.streams.rows import slice_chunk
from shoal.types import Chunk, Floats, Space, key_of_name

BROKEN_PIPE = 141  # 128 + SIGPIPE, as shells have it
LARGEST_WHOLE = 2.0**53


def predict_rows(
    model_path: str,
    data: str,
    proba: bool,
    max_rows: int | None,
    label: str | None,
    weight: str | None,
    nominal: Sequence[str],
    format: str | None,
) -> None:
    """Write the answers to every row as CSV on standard output."""
    from shoal.files.loading import load_as_saved

    answering = answering_of(load_as_saved(model_path), model_path)
    if proba and answering.classes is None:
        raise InputError(f"{model_path} predicts numbers, which have no probabilities: leave --proba out.")
    stream = open_stream(
        data,
        label=label or False,
        weight=weight,
        format=format,
        nominal=nominal,
        wanted=wanted_by(answering.space),
    )
    try:
        write_answers(answering, stream, proba, max_rows)
        sys.stdout.flush()
    except BrokenPipeError:  # who reads has enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(BROKEN_PIPE)


def write_answers(answering: Any, stream: Stream, proba: bool, max_rows: int | None) -> None:
    """A header line, then a line for each row."""
    out = csv.writer(sys.stdout, lineterminator="\n")
    matcher = Matcher(answering.space, learning=False, name=stream.name)
    chunks = limited(matcher.all(stream), max_rows)
    first = next(chunks, None)  # what is wrong with the data is said before anything is written
    out.writerow(answering.header(proba))
    for chunk in chain([] if first is None else [first], chunks):
        out.writerows(answering.lines(chunk, proba))


def limited(chunks: Iterator[Chunk], max_rows: int | None) -> Iterator[Chunk]:
    """The first rows."""
    left = max_rows
    for chunk in chunks:
        if left is None:
            yield chunk
            continue
        if left <= 0:
            return
        yield slice_chunk(chunk, 0, min(left, chunk.rows.n_rows))
        left -= chunk.rows.n_rows


def wanted_by(space: Space) -> Wanted:
    """Which columns are read: those that the model knows. A reader remembers every word of others, as ids."""
    if space.names is None:
        return None
    named, columns = set(space.names), set(space.columns.tolist())
    return lambda name: name in named or key_of_name(name) in columns


class ModelAnswers:
    """The answers of a model that learns as it goes."""

    def __init__(self, model: Any, names: tuple[str, ...] | None) -> None:
        self.model = model
        self.space: Space = with_names(model.space, names)
        regresses = getattr(model, "task", "") == "regression"
        self.classes: list[Any] | None = None if regresses else list(model.classes)

    def header(self, proba: bool) -> list[str]:
        """The names of the columns."""
        if self.classes is not None:
            return ["prediction", *(f"proba_{plain(c)}" for c in self.classes)] if proba else ["prediction"]
        n = self.model.n_outputs
        return ["prediction"] if n == 1 else [f"prediction_{k + 1}" for k in range(n)]

    def lines(self, chunk: Chunk, proba: bool) -> Iterator[list[str]]:
        """The cells of every row."""
        found = self.model.predict(chunk.rows, self.space)
        if self.classes is None:
            return ([repr(float(value)) for value in row] for row in found)
        positions, chances = found
        return class_lines([plain(label) for label in self.classes], positions, chances, proba)


class EstimatorAnswers:
    """The answers of an estimator that learned all at once."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        n, names = estimator.n_features_in_, getattr(estimator, "feature_names_in_", None)
        self.space = with_names(Space.of_size(n), None if names is None else tuple(names))
        self.classes: list[Any] | None = getattr(estimator, "classes_", np.zeros(0)).tolist() or None

    def header(self, proba: bool) -> list[str]:
        """The names of the columns."""
        return ["prediction", *(f"proba_{plain(c)}" for c in self.classes or ())] if proba else ["prediction"]

    def lines(self, chunk: Chunk, proba: bool) -> Iterator[list[str]]:
        """The cells of every row."""
        from shoal.reservoir.sampled_model import table_of

        X = table_of(chunk, self.space.n_features)
        names = getattr(self.estimator, "feature_names_in_", None)
        if names is not None:
            import pandas

            X = pandas.DataFrame(X, columns=names)
        if self.classes is None:
            return ([repr(float(value))] for value in self.estimator.predict(X))
        chances = self.estimator.predict_proba(X)
        positions = np.searchsorted(self.estimator.classes_, self.estimator.predict(X))
        return class_lines([plain(label) for label in self.classes], positions, chances, proba)


class SampledAnswers:
    """The answers of a method of the command line that learned all at once."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.space = Space.of_size(model.n_features)
        self.classes: list[Any] = list(model.classes)

    def header(self, proba: bool) -> list[str]:
        """The names of the columns."""
        return ["prediction", *(f"proba_{plain(c)}" for c in self.classes)] if proba else ["prediction"]

    def lines(self, chunk: Chunk, proba: bool) -> Iterator[list[str]]:
        """The cells of every row."""
        found = self.model.answer(chunk._replace(labels=None))
        return class_lines([plain(label) for label in self.classes], found.predicted, found.proba, proba)


def class_lines(labels: list[str], positions: NDArray[Any], chances: Floats, proba: bool) -> Iterator[list[str]]:
    """A label for each row, and the probability of every class if asked."""
    for position, row in zip(positions.tolist(), chances.tolist(), strict=True):
        label = labels[position] if position >= 0 else ""
        yield [label, *map(repr, row)] if proba else [label]


def answering_of(found: Any, path: str) -> Any:
    """What answers, of what a file holds."""
    if hasattr(found, "learn_all"):
        return SampledAnswers(found)
    model = getattr(found, "model_", found)
    if hasattr(model, "answer_and_learn"):
        if model.space is None:
            raise InputError(f"{path} has learned nothing yet: teach it with `shoal fit`.")
        names = getattr(found, "feature_names_in_", None)
        return ModelAnswers(model, None if names is None else tuple(names))
    if not hasattr(found, "n_features_in_"):
        raise InputError(f"{path} has learned nothing yet: teach it first.")
    return EstimatorAnswers(found)


def with_names(space: Space, names: tuple[str, ...] | None) -> Space:
    """The same features, known by these names."""
    if names is None or space.names is not None:
        return space
    return Space(space.keys, space.columns, space.nominal, space.open, names)


def plain(label: Any) -> str:
    """A label as it would be written in a file."""
    if isinstance(label, float) and label.is_integer() and abs(label) < LARGEST_WHOLE:
        return str(int(label))
    return str(label)
