"""Synthetic streams by kind and parameters, or by one name that says it all.

A name stands wherever a data set's name does: "sea", "led:n=100000,seed=3,noise=0.2,drifts=1000+2500".
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from shoal.datasets.generators import KINDS, Source
from shoal.errors import InputError, did_you_mean
from shoal.streams.rows import cut
from shoal.streams.stream import Stream

N_ROWS = 100_000  # what a name without n= stands for


def synthetic(
    kind: str, n_rows: int | None = N_ROWS, *, seed: int = 0, chunk_size: int = 1024, **parameters: Any
) -> Stream:
    """A synthetic stream: the same rows for the same seed and parameters, whatever the chunk size.

    kind: "sea", "hyperplane", "stagger", "rbf", "led" or "gaussians". n_rows: None for a stream without end.
    parameters: those of the kind, such as noise, drift_every, drifts, n_features, speed, turn_rows.

    >>> stream = synthetic("sea", 2500, seed=1, noise=0.0)
    >>> [chunk.rows.n_rows for chunk in stream]
    [1024, 1024, 452]
    """
    source = _source(kind, seed, parameters)
    if n_rows is not None and (n_rows < 1 or n_rows != int(n_rows)):
        raise InputError(f"n_rows={n_rows}: expected a whole number, or None for a stream without end")
    if chunk_size < 1:
        raise InputError(f"chunk_size={chunk_size}: expected at least 1")
    classes = [float(c) for c in range(source.n_classes)]
    return Stream(lambda: cut(source.blocks(n_rows), chunk_size), name=kind, n_rows=n_rows, classes=classes)


def of_name(name: str, chunk_size: int) -> Stream:
    """The stream of a name such as "sea:n=100000,seed=3"."""
    kind, _, text = name.partition(":")
    given: dict[str, Any] = {}
    for item in filter(None, text.split(",")):
        key, equals, value = item.partition("=")
        if not equals:
            raise InputError(f"{name!r}: {item!r} is no parameter; write {kind}:n=100000,seed=3")
        given[key.strip()] = _value(name, key.strip(), value.strip())
    n_rows = given.pop("n", N_ROWS)
    stream = synthetic(kind, n_rows, seed=given.pop("seed", 0), chunk_size=chunk_size, **given)
    stream.name = name
    return stream


def is_synthetic(name: str) -> bool:
    """Whether a name is that of a synthetic stream."""
    return name.partition(":")[0] in KINDS


def parameters_of(kind: str) -> dict[str, Any]:
    """The parameters of a kind, with their defaults."""
    return {f.name: f.default for f in fields(KINDS[kind])}


def _source(kind: str, seed: int, parameters: dict[str, Any]) -> Source:
    if kind not in KINDS:
        raise InputError(f"no synthetic stream is called {kind!r}; there are {', '.join(KINDS)}")
    known = parameters_of(kind)
    for key, value in parameters.items():
        if key not in known:
            raise InputError(
                f"{kind!r} has no parameter {key!r}; it has n, {', '.join(known)}.{did_you_mean(key, known)}"
            )
        if isinstance(value, str):
            raise InputError(f"{kind!r}: {key}={value!r}: expected a number")
    if "drifts" in parameters and parameters["drifts"] is not None:
        parameters = {**parameters, "drifts": tuple(int(t) for t in np.atleast_1d(parameters["drifts"]))}
    _check_ranges(kind, seed, {**known, **parameters})
    return KINDS[kind](seed=seed, **parameters)


def _check_ranges(kind: str, seed: int, values: dict[str, Any]) -> None:
    least = {"n_features": 2, "classes": 2, "n_centres": 1, "drift_every": 1, "turn_rows": 0, "n_irrelevant": 0}
    least |= {"n_drifting": 0, "concept": 0}
    for key, bound in least.items():
        value = values.get(key)
        if value is not None and (value < bound or value != int(value)):
            raise InputError(f"{kind!r}: {key}={value}: expected a whole number, at least {bound}")
    if seed < 0 or seed != int(seed):
        raise InputError(f"{kind!r}: seed={seed}: expected a whole number, at least 0")
    if not 0.0 <= values["noise"] <= 1.0:
        raise InputError(f"{kind!r}: noise={values['noise']}: expected a share between 0 and 1")
    room = min(7, (7 + values.get("n_irrelevant", 0)) // 2)
    if values.get("n_drifting", 0) > room:
        raise InputError(f"{kind!r}: n_drifting={values['n_drifting']}: at most {room} segments can change places")


def _value(name: str, key: str, text: str) -> Any:
    try:
        if "+" in text and key == "drifts":
            return [int(part) for part in text.split("+")]
        return int(text) if text.lstrip("-").isdigit() else float(text)
    except ValueError as error:
        raise InputError(f"{name!r}: {key}={text!r}: expected a number") from error
