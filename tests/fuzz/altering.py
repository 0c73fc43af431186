"""Sound files of a model or a checkpoint with something in them changed, and the checksum made right again.

Bytes changed at random are stopped by the checksum. What is changed here is the document and the arrays
behind it, as one who means harm would.
"""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import numpy as np
from tests.fuzz.choices import Choices

from shoal.files.container import packed, read

VALUES = (
    None, True, -1, 0, 1, 2, 255, 10**6, 2**31, 2**53, 2**63, -(2**63), 10**30,
    0.0, -0.5, 0.5, 1e308, float("nan"), float("inf"),
    "", "x", "[]", "Perceptrons", "NaiveBayes", "Stack", "balanced", "é" * 100, [], [[]], {}, [1] * 100,
    {"array": "none"}, {"spec": "Ensemble", "fields": {}}, {"tuple": []}, {"dict": [["a", 1]]}, {"texts": "none"},
    {"objects": ["a"], "dtype": "<U1"}, {"fields": {}},
    {"random": "x", "kind": "MT19937", "place": 0, "spare": [0, 0]},
)  # fmt: skip
MOST_CHANGES = 4


def load_parts(path: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """(document, arrays) of a sound file."""
    return read(path)


def altered(document: dict[str, Any], arrays: dict[str, np.ndarray], choices: Choices) -> bytes:
    """The bytes of a file with a few things changed and the right checksum."""
    document, arrays = deepcopy(document), dict(arrays)
    for _ in range(1 + choices.number(MOST_CHANGES)):
        change = choices.one_of((change_value, change_value, move_value, change_array, drop_array))
        change(document, arrays, choices)
    return packed(json.dumps(document), arrays)


def places_in(tree: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a document, in order."""
    found, front = [], [tree]
    while front:
        node = front.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node))
        found += [(node, key) for key in keys]
        front += [node[key] for key in keys if isinstance(node[key], dict | list)]
    return found


def change_value(document: dict[str, Any], arrays: dict[str, np.ndarray], choices: Choices) -> None:
    """Another value at some place."""
    node, key = choices.one_of(places_in(document))
    node[key] = deepcopy(choices.one_of(VALUES))


def move_value(document: dict[str, Any], arrays: dict[str, np.ndarray], choices: Choices) -> None:
    """What stands at some other place."""
    places = places_in(document)
    node, key = choices.one_of(places)
    source, name = choices.one_of(places)
    node[key] = deepcopy(source[name])


def drop_array(document: dict[str, Any], arrays: dict[str, np.ndarray], choices: Choices) -> None:
    """One array less."""
    if arrays:
        del arrays[choices.one_of(sorted(arrays))]


def change_array(document: dict[str, Any], arrays: dict[str, np.ndarray], choices: Choices) -> None:
    """Other numbers, another shape or another type."""
    if not arrays:
        return
    name = choices.one_of(sorted(arrays))
    array = np.array(arrays[name])
    kind = choices.number(4)
    if kind == 0 and array.size:
        given = np.frombuffer(choices.some().ljust(8, b"\xff"), dtype=np.uint8)
        flat = array.reshape(-1).view(np.uint8)
        at = choices.number(len(flat))
        flat[at : at + len(given)] = given[: len(flat) - at]
        if array.dtype == np.bool_:
            flat[:] = flat != 0  # a truth value is one byte of 0 or 1; others are no array of NumPy's
    elif kind == 1:
        array = array.reshape(-1)[: choices.number(array.size + 1)]
    elif kind == 2:
        array = array.astype(choices.one_of((np.float64, np.int64, np.int32, np.int8, np.uint8, np.bool_)))
    else:
        array = np.resize(array, tuple(choices.number(5) for _ in range(choices.number(4))))
    arrays[name] = array
