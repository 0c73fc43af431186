"""The few shapes that every layer speaks: rows, the space they live in, the task, a lesson.

Nothing here computes. Arrays of rows are in compressed sparse form, whether they came dense or
sparse: a stored zero never occurs, so both forms of the same row are the same row, to the bit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.memory import check_room

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]
Flags = NDArray[np.bool_]

Votes = Floats  # (n_learners,), one number per learner
Scores = Floats  # (n_learners, n_outputs): one output for two classes and regression, K for many classes


class Rows(NamedTuple):
    """Rows in compressed sparse form: no stored zeros, indices rising within a row, NaN = missing."""

    indptr: NDArray[np.int64]  # (n_rows + 1,)
    indices: NDArray[np.int32]  # (n_stored,)
    values: Floats  # (n_stored,)

    @property
    def n_rows(self) -> int:
        return len(self.indptr) - 1


class Row(NamedTuple):
    """One example as learners see it, inside compiled code.

    `indices`, `values` are as they came. `inputs` and `input_indices` are the same row scaled, with the
    bias in front as input 0 (feature j is input j + 1): what linear learners take. Missing values are
    NaN in `values` and left out of `inputs`.
    """

    indices: NDArray[np.int32]
    values: Floats
    input_indices: NDArray[np.int32]
    inputs: Floats


class Task(NamedTuple):
    """What is asked of the learners.

    n_outputs: 1 for two classes (and regression), K for K > 2 classes.
    """

    kind: str  # "classification" or "regression"
    n_outputs: int

    @property
    def n_classes(self) -> int:
        return 2 if self.n_outputs == 1 else self.n_outputs


NUMBERS_OF_A_FEATURE = 10  # key, column and scaling, whatever the learners remember of it

NO_SCORES = np.zeros((0, 0))
NOTHING = np.zeros(0)


class Lesson(NamedTuple):
    """What the booster tells each learner of the present example; scratch, allocated once per call.

    A learner of several outputs takes output c as a two-class problem with `target[i, c]` in {-1, +1}
    and importance `weight[i, c]`; a learner that knows K classes by itself takes the class whose target
    is +1, with that column's weight.

    Regression: the answer a of learner i to output c costs weight * l(target, offset + step * a), where
    `loss` says which loss l is (`shoal.boosters.regression_losses`). Empty for classification.
    """

    target: Scores
    weight: Scores
    offset: Scores = NO_SCORES
    step: Scores = NO_SCORES
    loss: Floats = NOTHING  # (2,) kind and parameter


class Room(NamedTuple):
    """Room for one example on its way through the loop; scratch, allocated once per call.

    votes: as the learners cast them; heard: as booster and rule hear them, hard (signs) or soft.
    members, parts: what the booster makes of them: whose votes count, and its prefix answers.
    """

    hard: bool
    input_indices: NDArray[np.int32]
    inputs: Floats
    votes: Scores
    heard: Scores
    live: Flags  # (N,) False for a learner that abstains
    members: Scores
    parts: Scores
    present: Flags  # (M,) False for a member that abstains
    score: Floats  # (C,)
    lesson: Lesson
    target: Floats = NOTHING  # (C,) regression: what the truth is, as learners see it


@dataclass(frozen=True, eq=False)
class Space:
    """The features of a stream: how many there are, what they are called, which belong together.

    keys: one 64-bit number per feature, from its name (or its position when features have no names).
        Whatever is random about a feature derives from its key, never from its order of arrival.
    columns: the key of the column a feature belongs to. All indicators of a nominal column share it.
    nominal: whether the feature is the indicator of one category of a nominal column.
    open: whether further features may still appear, or learners are to begin as if they might, so that rows of a
        table are learned as the same rows of a file without a header, whose width shows as it is read.
    names: a name per feature, or None where features are known by position only.
    """

    keys: Keys
    columns: Keys
    nominal: Flags
    open: bool = False
    names: Sequence[str] | None = None

    @property
    def n_features(self) -> int:
        return len(self.keys)

    @property
    def settled(self) -> bool:
        """Whether no further feature can come: the space is closed, or one of a table's columns of numbers."""
        if not self.open:
            return True
        return self.names is not None and len(self.keys) > 0 and bool(self.keys[-1] == len(self.keys) - 1)

    @property
    def capacity(self) -> int:
        """How many features arrays make room for: a function of the space alone, so that states compare."""
        n = self.n_features
        return n if not self.open else max(16, 1 << (n - 1).bit_length())

    def name_of(self, j: int) -> str:
        return self.names[j] if self.names is not None else f"feature {j}"

    @staticmethod
    def of_size(n_features: int, *, open: bool = False) -> Space:
        """A space of numeric features known by position."""
        check_room(n_features, NUMBERS_OF_A_FEATURE)
        keys = _position_keys(n_features)
        return Space(keys, keys, _no_flags(n_features), open)

    @staticmethod
    def of_columns(columns: list[tuple[str, str | None]], *, open: bool = False) -> Space:
        """A space of named features, each given as (column, None) or, for an indicator, (column, category)."""
        names = tuple(c if v is None else f"{c}={v}" for c, v in columns)
        return Space(
            keys=np.array([key_of_name(c, v) for c, v in columns], dtype=np.uint64),
            columns=np.array([key_of_name(c) for c, _ in columns], dtype=np.uint64),
            nominal=np.array([v is not None for _, v in columns], dtype=np.bool_),
            open=open,
            names=names,
        )


@lru_cache(maxsize=4)
def _position_keys(n: int) -> Keys:
    keys = np.arange(n, dtype=np.uint64)
    keys.flags.writeable = False
    return keys


@lru_cache(maxsize=4)
def _no_flags(n: int) -> Flags:
    flags = np.zeros(n, dtype=np.bool_)
    flags.flags.writeable = False
    return flags


def key_of_name(column: str, category: str | None = None) -> int:
    """A 64-bit key of a column, or of one category of a nominal column."""
    text = column if category is None else f"{column}\x1f{category}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


class Chunk(NamedTuple):
    """A run of consecutive examples of a stream.

    labels: (n_rows,) as read: numbers, or objects (strings) where they are not numbers; None if the
        stream has none.
    weights: (n_rows,) or None for weight 1.
    space: the features known by the end of this chunk; it only ever grows along a stream.
    """

    rows: Rows
    labels: NDArray[Any] | None
    weights: Floats | None
    space: Space


class Answers(NamedTuple):
    """What a model answered to a run of rows, each row answered before it was learned.

    predicted, truth: (n_rows,) positions in the model's list of classes; truth is -1 where no label was given.
    proba: (n_rows, n_classes), rows sum to one.
    """

    predicted: Ints
    truth: Ints
    proba: Floats


class RegressionAnswers(NamedTuple):
    """What a model answered to a run of rows, each row answered before it was learned.

    predicted, truth: (n_rows, n_outputs) in the targets' own units. truth is NaN where there is none, predicted
        where nothing can be answered: before any target was known, and no range was given.
    """

    predicted: Floats
    truth: Floats
