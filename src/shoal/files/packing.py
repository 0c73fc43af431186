"""Values to JSON and named arrays. What would need code to be run on loading is refused.

A value is itself if it is None, a truth value, a number or text; else one of

- `{"array": NAME}`: an array; `{"objects": [..], "dtype": D}`: one of strings
- `{"texts": NAME}`: many strings, as arrays of bytes and of where each ends
- `[..]`, `{"tuple": [..]}`: a list, a tuple
- `{"dict": [[KEY, VALUE], ..]}`: a dictionary
- `{"spec": CLASS, "fields": {..}}`: a part of an ensemble, by its parameters
- `{"fields": {..}}`: a state: arrays and numbers
- `{"random": NAME, ..}`: a numpy.random.RandomState
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.files.known import Known

LONGEST_LIST = 64  # strings; longer lists go among the arrays
ENCODING = {"encoding": "utf-8", "errors": "surrogatepass"}


class Packer:
    """Packs values one after another; `arrays` holds what is too large for JSON.

    known: the classes of parts by name.
    """

    def __init__(self, known: Known) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}
        self.known = known

    def pack(self, value: Any, path: str) -> Any:
        """A value as JSON; path names it, and the arrays in it."""
        value = value.item() if isinstance(value, np.generic) else value
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, np.ndarray):
            return self.array(value, path)
        if isinstance(value, np.random.RandomState):
            return self.random_state(value, path)
        if hasattr(value, "_fields"):
            return {"fields": {name: self.pack(getattr(value, name), f"{path}/{name}") for name in value._fields}}
        if is_dataclass(value) and not isinstance(value, type):
            return self.spec(value, path)
        if isinstance(value, list | tuple | Mapping):
            return self.collection(value, path)
        raise cannot_save(value, path)

    def array(self, array: NDArray[Any], path: str) -> dict[str, Any]:
        """An array of numbers, or of strings."""
        if array.dtype.kind in "OUS":
            if array.ndim != 1:
                raise InputError(f"cannot save {path}: it is an array of {array.ndim} dimensions of objects.")
            return {"objects": self.collection(array.tolist(), path), "dtype": array.dtype.str}
        self.arrays[path] = np.array(array)
        return {"array": path}

    def collection(self, values: Any, path: str) -> Any:
        """A list, a tuple or a dictionary."""
        if isinstance(values, Mapping):
            items = [[self.pack(k, path), self.pack(v, f"{path}/{i}")] for i, (k, v) in enumerate(values.items())]
            return {"dict": items}
        if len(values) > LONGEST_LIST and all(type(value) is str for value in values):
            packed: Any = self.texts(values, path)
        elif len(values) > LONGEST_LIST and all(type(value) is int for value in values) and _are_small(values):
            packed = self.array(np.array(values, dtype=np.int64), path) | {"as": "list"}
        elif len(values) > LONGEST_LIST and all(type(value) is float for value in values):
            packed = self.array(np.array(values), path) | {"as": "list"}
        else:
            packed = [self.pack(value, f"{path}/{i}") for i, value in enumerate(values)]
        return packed if isinstance(values, list) else {"tuple": packed}

    def texts(self, texts: Sequence[str], path: str) -> dict[str, str]:
        """Many strings."""
        encoded = [text.encode(**ENCODING) for text in texts]
        self.arrays[f"{path}/ends"] = np.cumsum([len(text) for text in encoded], dtype=np.int64)
        self.arrays[f"{path}/bytes"] = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        return {"texts": path}

    def spec(self, value: Any, path: str) -> dict[str, Any]:
        """A part by its class and parameters."""
        name = type(value).__name__
        if not self.known.holds(type(value)):
            raise cannot_save(value, path)
        given = {field.name: getattr(value, field.name) for field in fields(value)}
        return {"spec": name, "fields": {key: self.pack(v, f"{path}/{key}") for key, v in given.items()}}

    def random_state(self, generator: np.random.RandomState, path: str) -> dict[str, Any]:
        """Where a generator of random numbers stands."""
        kind, keys, place, has_gauss, gauss = generator.get_state()
        self.arrays[path] = np.asarray(keys, dtype=np.uint32)
        return {"random": path, "kind": kind, "place": int(place), "spare": [int(has_gauss), float(gauss)]}


def _are_small(values: Sequence[int]) -> bool:
    return all(-(2**63) <= value < 2**63 for value in values)


def cannot_save(value: Any, path: str) -> InputError:
    """The refusal of what would need code to be run on loading."""
    what = getattr(value, "__name__", None) if callable(value) else None
    described = f"{type(value).__name__} {what!r}" if what else f"a {type(value).__name__}"
    return InputError(
        f"cannot save {path.replace('/', '.')}, {described}: a model file holds arrays and settings, and nothing "
        "that would have to be run when it is loaded. Keep such a model with pickle or joblib, and load those "
        "files only from people you trust; a part of your own is taken if you name its class in "
        "save(..., known=[...]) and load(..., known=[...])."
    )
