"""Learn from the first part of the rows, test on the last, where nothing is learned: for what needs all the data.

Methods that learn row by row go through the same, so that they can be compared with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.errors import InputError
from shoal.evaluation.progressive import OnProgress, as_evaluated, evaluate, parameters
from shoal.evaluation.result import Result
from shoal.streams.rows import join_chunks, slice_chunk
from shoal.types import Answers, Chunk

ROWS_AT_A_TIME = 1024


class Taught:
    """A model that has learned all it will: it answers rows, and learns nothing from them."""

    def __init__(self, model: Any) -> None:
        self.model = model

    @property
    def classes(self) -> Sequence[Any]:
        """As the model numbers them."""
        found: Sequence[Any] = self.model.classes
        return found

    def answer_and_learn(self, chunk: Chunk) -> Answers:
        """Answer; a row without weight teaches nothing."""
        answer = getattr(self.model, "answer", None)
        if answer is not None:
            found: Answers = answer(chunk)
            return found
        unweighted: Answers = self.model.answer_and_learn(chunk._replace(weights=np.zeros(chunk.rows.n_rows)))
        return unweighted


def learns_at_once(model: Any) -> bool:
    """Whether a model needs all the data at once."""
    return bool(getattr(model, "learns_at_once", False))


def evaluate_held_out(
    model: Any,
    stream: Iterable[Chunk],
    share: float,
    *,
    metrics: Sequence[str],
    every: int | None = None,
    window: int | None = None,
    max_rows: int | None = None,
    on_progress: OnProgress | None = None,
) -> Result:
    """Teach a model all rows but the last `share` of them, and test it on these. All rows are held in memory.

    seconds are those of answering the test rows.
    """
    if not 0.0 < share < 1.0:
        raise InputError(f"holdout is {share!r}; expected a share between 0 and 1, such as 0.3.")
    rows = gathered(stream, max_rows)
    n = rows.rows.n_rows
    n_test = min(max(round(share * n), 1), n - 1)
    if n_test < 1:
        raise InputError(f"there are {n} rows; expected at least 2, to learn from some and test on others.")
    taught = as_evaluated(model)
    teach(taught, slice_chunk(rows, 0, n - n_test))
    test = in_parts(slice_chunk(rows, n - n_test, n))
    found = evaluate(Taught(taught), test, metrics=metrics, every=every, window=window, on_progress=on_progress)
    return replace(found, params=parameters(model))


def teach(model: Any, chunk: Chunk) -> None:
    """Let a model learn rows, all at once or in their order."""
    if learns_at_once(model):
        model.learn_all(chunk)
        return
    for part in in_parts(chunk):
        model.answer_and_learn(part)


def in_parts(chunk: Chunk) -> list[Chunk]:
    """The rows in chunks of common size."""
    n = chunk.rows.n_rows
    return [slice_chunk(chunk, at, min(at + ROWS_AT_A_TIME, n)) for at in range(0, n, ROWS_AT_A_TIME)]


def gathered(stream: Iterable[Chunk], max_rows: int | None) -> Chunk:
    """All rows of a stream, or the first of them."""
    parts, n = [], 0
    for chunk in stream:
        if chunk.rows.n_rows:
            parts.append(chunk)
            n += chunk.rows.n_rows
        if max_rows is not None and n >= max_rows:
            break
    if not parts:
        raise InputError("there are no rows to learn from.")
    joined = join_chunks(parts)
    return joined if max_rows is None else slice_chunk(joined, 0, min(max_rows, n))
