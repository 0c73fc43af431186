"""The rules that all tables share: which column is the label, what is missing, what names become features.

* The label is the column asked for, else the one called label, target, class or y, else the last.
* A cell that is empty or one of ?, NA, NaN, nan, null, None is missing. A missing number is stored as NaN;
  a missing category sets no indicator. A missing label is an error.
* A column named as nominal is so, whatever it holds; else its type, or its first cell in text, decides.
* A numeric column is one feature. A nominal column becomes one indicator feature per category, named
  "colour=red", in the order in which the categories appear; the numeric columns come first.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

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


class Names(Sequence[str]):
    """The first names of a list that only ever gets longer, which costs nothing however many they are."""

    def __init__(self, every: list[str], n: int) -> None:
        self._every, self._n = every, n

    def __len__(self) -> int:
        return self._n

    def __iter__(self) -> Iterator[str]:
        return (self._every[j] for j in range(self._n))

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...
    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        if isinstance(place, slice):
            return tuple(self._every[j] for j in range(*place.indices(self._n)))
        return self._every[range(self._n)[place]]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        return Names, (list(self), self._n)


class Vocabulary:
    """The features met so far, in order of appearance; a feature is a column, or a column's category.

    Spaces share its arrays, in which what has been written once stays: another feature costs the same however
    many there are.

    placed: all features are columns of numbers, whose keys are those of their places: whatever is random about
        them is then the same as for the same rows in a file without names.
    """

    def __init__(self, *, placed: bool = False) -> None:
        self._placed = placed
        self._places: dict[tuple[str, str | None], int] = {}
        self._waiting: deque[tuple[str, str | None]] = deque()  # features that the space does not hold yet
        self._space = Space.of_columns([], open=True)
        self._names: list[str] = []
        self._tables: list[NDArray[Any]] = [np.zeros(0, dtype=kind) for kind in (np.uint64, np.uint64, np.bool_)]
        self._writing = Lock()  # the space may be asked for by many threads

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: a copy, so that meeting features meanwhile does no harm."""
        return {"placed": self._placed, "features": self.features}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Meet the same features again."""
        self.__init__(placed=kept["placed"])  # type: ignore[misc]
        for column, category in kept["features"]:
            self.add(column, category)

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
        if self._space.n_features < len(self._places):
            with self._writing:
                while self._waiting:
                    self._write(*self._waiting.popleft())
                n = len(self._names)
                keys, columns, nominal = (table[:n] for table in self._tables)
                self._space = Space(keys, columns, nominal, True, Names(self._names, n))
        return self._space

    def _write(self, column: str, category: str | None) -> None:
        """Put a feature behind the others."""
        n = len(self._names)
        if n == len(self._tables[0]):
            self._tables = [np.concatenate([t, np.zeros(max(16, n), dtype=t.dtype)]) for t in self._tables]
        of_column = n if self._placed else key_of_name(column)
        key = of_column if category is None else key_of_name(column, category)
        for table, value in zip(self._tables, (key, of_column, category is not None), strict=True):
            table[n] = value
        self._names.append(column if category is None else f"{column}={category}")
