"""Examples given as dicts, turned into sparse rows over features that appear as the stream goes on.

Numbers and booleans are numeric features, strings are categories ("colour=red" is an indicator). A key
that a dict lacks is zero; None and NaN are missing. The order of a dict's keys means nothing: features that
first appear in one example are numbered by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isinf, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.streams.columns import Vocabulary
from shoal.types import Floats, Space


class DictEncoder:
    """Names to indices, learned from the stream: `learn` an example's features, then `encode` it.

    >>> encoder = DictEncoder()
    >>> encoder.learn({"age": 41, "colour": "red"})
    >>> encoder.encode({"colour": "red", "age": 30, "never met": 1.0})
    (array([0, 1], dtype=int32), array([30.,  1.]))
    """

    def __init__(self) -> None:
        self._vocabulary = Vocabulary()
        self._nominal: dict[str, bool] = {}

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: copies, so that meeting features meanwhile does no harm."""
        return {"_nominal": dict(self._nominal), "_vocabulary": self._vocabulary}

    @property
    def space(self) -> Space:
        """The features met so far."""
        return self._vocabulary.space

    def met(self) -> tuple[list[tuple[str, str | None]], dict[str, bool]]:
        """(the features in order, each as (column, category or None); which columns are nominal)."""
        return self._vocabulary.features, dict(self._nominal)

    @staticmethod
    def that_met(features: list[tuple[str, str | None]], nominal: dict[str, bool]) -> DictEncoder:
        """An encoder that goes on from what `met` gave."""
        encoder = DictEncoder()
        for column, category in features:
            encoder._vocabulary.add(column, category)
        encoder._nominal = dict(nominal)
        return encoder

    def learn(self, *examples: Mapping[Any, Any]) -> None:
        """Meet the features of examples in turn; one that it cannot take raises InputError and nothing changes."""
        kinds: dict[str, bool] = {}
        features: list[tuple[str, str | None]] = []
        for x in examples:
            features += sorted(self._new_features(x, kinds), key=_name)
        self._nominal.update(kinds)
        for name, category in features:
            self._vocabulary.add(name, category)

    def _new_features(self, x: Mapping[Any, Any], kinds: dict[str, bool]) -> list[tuple[str, str | None]]:
        """The example's features that have not been met; the kinds of new columns are noted in `kinds`."""
        _check_names(x)
        features: list[tuple[str, str | None]] = []
        for key, given in x.items():
            name, value = str(key), _plain(key, given)
            if value is None:
                continue
            category = value if isinstance(value, str) else None
            self._check(name, value, kinds)
            if name not in self._nominal:
                kinds[name] = category is not None
            if self._vocabulary.find(name, category) < 0:
                features.append((name, category))
        return features

    def encode(self, x: Mapping[Any, Any]) -> tuple[NDArray[np.int32], Floats]:
        """The example's canonical row: rising indices and their values. Features never met are left out."""
        _check_names(x)
        entries: list[tuple[int, float]] = []
        find = self._vocabulary.find
        for key, given in x.items():
            name, value = str(key), _plain(key, given)
            if value is None:
                place, value = (-1 if self._nominal.get(name, True) else find(name)), float("nan")
            else:
                self._check(name, value, self._nominal)
                place, value = (find(name, value), 1.0) if isinstance(value, str) else (find(name), value)
            if place >= 0 and value != 0.0:
                entries.append((place, value))
        entries.sort(key=_place)
        return np.array([i for i, _ in entries], dtype=np.int32), np.array(
            [v for _, v in entries], dtype=np.float64
        )

    def _check(self, name: str, value: float | str, kinds: Mapping[str, bool]) -> None:
        nominal = self._nominal.get(name, kinds.get(name))
        if nominal is not None and nominal != isinstance(value, str):
            was, now = ("a category", "a number") if nominal else ("a number", "a category")
            raise InputError(
                f"feature {name!r} was {was} so far and is now {now} ({value!r}): "
                "give it one type throughout, or two names"
            )


def _place(entry: tuple[int, float]) -> int:
    return entry[0]


def _name(feature: tuple[str, str | None]) -> str:
    return feature[0]


def _check_names(x: Mapping[Any, Any]) -> None:
    if all(type(key) is str for key in x):
        return
    named: dict[str, Any] = {}
    for key in x:
        other = named.setdefault(str(key), key)
        if other is not key:
            raise InputError(f"features {other!r} and {key!r} have the same name as text: give them two names")


def _plain(name: object, value: Any) -> float | str | None:
    """The value as a float or a string; None if it is missing."""
    if type(value) is float and value - value == 0.0:  # finite, the usual case
        return value
    if value is None or isinstance(value, str):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"feature {name!r} holds {value!r}: expected a number, a string, or None for missing"
        ) from error
    if isinf(number):
        raise InputError(f"feature {name!r} is infinite: expected a finite number, or None for missing")
    return None if isnan(number) else number
