"""Rows in a model's own numbering of features: another file may have its columns, or categories, in another order.

Where both the model and the data name their features, names count; else places do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.streams.columns import LABEL_NAMES
from shoal.types import Chunk, Rows, Space, key_of_name

ABSENT = -1  # the place of a feature that the model does not know
SHOWN = 10  # names in a message


class Matcher:
    """Puts chunks of one stream, or of several one after the other, into one numbering.

    space: the features known beforehand, or None. learning: whether further ones are added to them; where the
    model only answers they are left out, as is a label's column among the features.
    """

    def __init__(self, space: Space | None, *, learning: bool, name: str = "the data") -> None:
        self.space = space
        self._learning, self.name = learning, name
        self._met: Space | None = None
        self._places: NDArray[np.int64] | None = None  # of the features of `_met`; None: where they are

    def all(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """Every chunk."""
        return map(self.match, chunks)

    def match(self, chunk: Chunk) -> Chunk:
        """The same examples, numbered as the model numbers features."""
        if chunk.space is not self._met:
            self._places = self._meet(chunk.space)
            self._met = chunk.space
        assert self.space is not None
        if self._places is None:
            return chunk if chunk.space is self.space else chunk._replace(space=self.space)
        return chunk._replace(rows=moved(chunk.rows, self._places), space=self.space)

    def _meet(self, space: Space) -> NDArray[np.int64] | None:
        if self.space is None or is_longer(space, self.space):
            self.space = space
            return None
        if is_longer(self.space, space):
            return None
        if space.names is None or self.space.names is None:
            return self._by_place(self.space, space)
        return self._by_name(self.space, space)

    def _by_place(self, known: Space, space: Space) -> NDArray[np.int64] | None:
        for one, who, other in ((known, "the model", self.name), (space, self.name, "the model")):
            if one.names is not None and not one.settled:
                raise InputError(
                    f"{who} knows features by name ({listed(one.names)}), and {other} by place alone: "
                    "give a table with the columns that the model was taught."
                )
        extra = space.n_features - known.n_features
        if extra > 0 and not self._learning:
            return without_label(known, space) if space.names is not None else None
        if extra > 0 and known.names is not None:
            raise InputError(
                f"{self.name} has {space.n_features} features; the model was taught the columns "
                f"{listed(known.names)}: give the same columns."
            )
        if extra > 0:
            self.space = replace(space, names=None)
        return None

    def _by_name(self, known: Space, space: Space) -> NDArray[np.int64]:
        assert known.names is not None
        assert space.names is not None
        self._check_kinds(known, space)
        self._check_there(known, space)
        place = {feature: j for j, feature in enumerate(zip(known.names, known.nominal.tolist(), strict=True))}
        wanted = list(zip(space.names, space.nominal.tolist(), strict=True))
        new = [j for j, feature in enumerate(wanted) if feature not in place]
        if new and self._learning:
            self.space = self._with(known, space, new)
            place |= {wanted[j]: known.n_features + k for k, j in enumerate(new)}
        return np.array([place.get(feature, ABSENT) for feature in wanted], dtype=np.int64)

    def _with(self, known: Space, space: Space, new: list[int]) -> Space:
        """The features known, and those that are new."""
        assert known.names is not None
        assert space.names is not None
        if known.settled:
            raise InputError(
                f"{self.name} has a column {space.names[new[0]]!r}, which the model was not taught; it knows "
                f"{listed(known.names)}. Leave the column out."
            )
        added = [space.names[j] for j in new]
        own = [space.keys[j] if space.nominal[j] else key_of_name(space.names[j]) for j in new]
        of = [space.columns[j] if space.nominal[j] else key_of_name(space.names[j]) for j in new]
        return Space(
            np.concatenate([known.keys, np.array(own, dtype=np.uint64)]),
            np.concatenate([known.columns, np.array(of, dtype=np.uint64)]),
            np.concatenate([known.nominal, space.nominal[new]]),
            known.open,
            (*known.names, *added),
        )

    def _check_kinds(self, known: Space, space: Space) -> None:
        """A column is of words or of numbers, in the model and in the data alike."""
        for one, other, was, now in ((known, space, "numbers", "words"), (space, known, "words", "numbers")):
            words = set(other.columns[other.nominal].tolist())
            for name, nominal in zip(one.names or (), one.nominal, strict=True):
                if words and not nominal and key_of_name(name) in words:
                    raise InputError(
                        f"column {name!r} of {self.name} holds {now}; when the model was taught it held {was}. "
                        "Where its numbers are names, say so: --nominal (nominal=)."
                    )

    def _check_there(self, known: Space, space: Space) -> None:
        """A table has the columns that one was taught, all of them."""
        missing = sorted(set(known.names or ()) - set(space.names or ()))
        if known.settled and missing:
            raise InputError(
                f"{self.name} has no column {missing[0]!r}; the model was taught {listed(known.names)}. "
                "Give the same columns, in any order."
            )
        if known.n_features and not set(known.names or ()) & set(space.names or ()):
            raise InputError(
                f"{self.name} has none of the columns that the model was taught, {listed(known.names)}, but "
                f"{listed(space.names)}."
            )


def is_longer(one: Space, other: Space) -> bool:
    """Whether a space begins with all features of the other."""
    n = other.n_features
    if one.n_features < n or (one.names is None) != (other.names is None):
        return False
    if one.names is None or other.names is None:
        return True
    return one.names[:n] == other.names and bool((one.keys[:n] == other.keys).all())


def without_label(known: Space, space: Space) -> NDArray[np.int64] | None:
    """Where the columns of a table go that has one more than the model's features: the label's is left out."""
    names = list(space.names or ())
    if space.n_features != known.n_features + 1:
        return None
    usual = [j for name in LABEL_NAMES for j, column in enumerate(names) if column.lower() == name]
    label = (usual or [len(names) - 1])[0]
    places = np.arange(len(names), dtype=np.int64)
    places[label + 1 :] -= 1
    places[label] = ABSENT
    return places


def moved(rows: Rows, places: NDArray[np.int64]) -> Rows:
    """The same rows with every feature at another place, or left out."""
    to = places[rows.indices]
    kept = to != ABSENT
    before = np.concatenate([[0], np.cumsum(kept)])
    row_of = np.repeat(np.arange(rows.n_rows), np.diff(rows.indptr))[kept]
    order = np.lexsort((to[kept], row_of))
    return Rows(before[rows.indptr].astype(np.int64), to[kept][order].astype(np.int32), rows.values[kept][order])


def listed(names: Sequence[str] | None) -> str:
    """Names in a message."""
    shown = ", ".join((names or ())[:SHOWN])
    return shown + (", ..." if len(names or ()) > SHOWN else "")
