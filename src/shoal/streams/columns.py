"""The rules that all tables share: which column is the label, what is missing, what names become features.

* The label is the column asked for, else the one called label, target, class or y, else the last.
* A cell that is empty or one of ?, NA, NaN, nan, null, None is missing. A missing number is stored as NaN;
  a missing category sets no indicator. A missing label is an error.
* A column named as nominal is so, whatever it holds; else its type, or its first cell in text, decides.
* A numeric column is one feature. A nominal column becomes one indicator feature per category, named
  "colour=red", in the order in which the categories appear; the numeric columns come first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from shoal.errors import DataFileError
from shoal.types import Space, key_of_name

MISSING_WORDS = ("", "?", "NA", "NaN", "nan", "null", "None")
LABEL_NAMES = ("label", "target", "class", "y")
ROWS_TO_TYPE = 1000  # rows searched for the first cell of a text column, which makes it numeric or nominal

LabelChoice = str | Literal[False] | None  # a column's name, no label at all, or the usual rule
Wanted = Callable[[str], bool] | None  # whether a column of this name is read as a feature; None: all are


class Roles(NamedTuple):
    """What each column of a table is for, by position."""

    names: tuple[str, ...]
    label: int | None
    weight: int | None
    features: tuple[int, ...]


def roles_of(
    names: Sequence[str], label: LabelChoice, weight: str | None, source: str, wanted: Wanted = None
) -> Roles:
    """Which column is the label, which the example's weight, and which are features: those wanted."""
    repeated = [n for n, count in Counter(names).items() if count > 1]
    if repeated:
        raise DataFileError(f"{source}: two columns are called {repeated[0]!r}; give each its own name")
    weight_at = None if weight is None else _position(names, weight, "weight", source)
    label_at = _label_position(names, label, weight_at, source)
    features = tuple(
        j for j, name in enumerate(names) if j not in (label_at, weight_at) and (wanted is None or wanted(name))
    )
    return Roles(tuple(names), label_at, weight_at, features)


def nominal_columns(names: Sequence[str], nominal: Sequence[str], source: str) -> set[int]:
    """The positions of the columns that the user calls nominal, whatever they hold."""
    return {_position(names, name, "nominal values", source) for name in nominal}


def _label_position(names: Sequence[str], label: LabelChoice, weight_at: int | None, source: str) -> int | None:
    if label is False:
        return None
    if label is not None:
        return _position(names, label, "label", source)
    usual = [j for name in LABEL_NAMES for j, n in enumerate(names) if n.lower() == name and j != weight_at]
    others = [j for j in range(len(names)) if j != weight_at]
    if not others:
        raise DataFileError(f"{source}: no column is left for the label")
    return (usual or others[-1:])[0]


def _position(names: Sequence[str], name: str, what: str, source: str) -> int:
    if name not in names:
        shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
        raise DataFileError(f"{source}: no column {name!r} for the {what}; the columns are {shown}")
    return list(names).index(name)


class Vocabulary:
    """The features met so far, in order of appearance; a feature is a column, or a column's category.

    placed: all features are columns of numbers, whose keys are those of their places: whatever is random about
        them is then the same as for the same rows in a file without names.
    """

    def __init__(self, *, placed: bool = False) -> None:
        self._placed = placed
        self._places: dict[tuple[str, str | None], int] = {}
        self._waiting: list[tuple[str, str | None]] = []  # features that the space does not hold yet
        self._space = Space.of_columns([], open=True)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def features(self) -> list[tuple[str, str | None]]:
        """The features met so far, as (column, category or None)."""
        return list(self._places)

    def find(self, column: str, category: str | None = None) -> int:
        """The feature's index, or -1 if it has not been met."""
        return self._places.get((column, category), -1)

    def add(self, column: str, category: str | None = None) -> None:
        """Note a feature, if it is new."""
        if (column, category) not in self._places:
            self._places[column, category] = len(self._places)
            self._waiting.append((column, category))

    @property
    def space(self) -> Space:
        """The space of the features met so far."""
        if self._waiting:
            space = _extended(self._space, self._waiting)
            if self._placed:
                places = Space.of_size(space.n_features).keys
                space = replace(space, keys=places, columns=places)
            self._space, self._waiting = space, []
        return self._space


def _extended(space: Space, features: list[tuple[str, str | None]]) -> Space:
    column_keys = {c: key_of_name(c) for c, _ in features}
    keys = [column_keys[c] if v is None else key_of_name(c, v) for c, v in features]
    columns = [column_keys[c] for c, _ in features]
    names = tuple(c if v is None else f"{c}={v}" for c, v in features)
    return Space(
        np.concatenate([space.keys, np.array(keys, dtype=np.uint64)]),
        np.concatenate([space.columns, np.array(columns, dtype=np.uint64)]),
        np.concatenate([space.nominal, np.array([v is not None for _, v in features])]),
        space.open,
        (space.names or ()) + names,
    )
