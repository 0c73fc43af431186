"""JSON and named arrays back to values. Only classes of a fixed list are made, and never by name alone.

States are filled into the form of a fresh state of the same parts (`fill`): every array must have its type and
its number of dimensions, every number must be the one that the parts' parameters make.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataFileError
from shoal.files.packing import ENCODING

PLAIN: dict[str, tuple[type, ...]] = {
    "int": (int,), "float": (int, float), "str": (str,), "bool": (bool,), "None": (type(None),),
}  # fmt: skip
DEEPEST = 40


class Unpacker:
    """Unpacks values; `known` holds the classes of parts by name."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], known: Mapping[str, Any]) -> None:
        self.arrays = arrays
        self.known = known

    def unpack(self, packed: Any, depth: int = 0) -> Any:
        """A value from JSON."""
        if depth > DEEPEST:
            raise DataFileError("its settings are nested too deeply")
        if packed is None or isinstance(packed, bool | int | float | str):
            return packed
        if isinstance(packed, list):
            return [self.unpack(value, depth + 1) for value in packed]
        if "spec" in packed:
            return self.spec(packed, depth)
        if "tuple" in packed:
            return tuple(self.unpack(packed["tuple"], depth + 1))
        if "dict" in packed:
            return {self.key(k): self.unpack(v, depth + 1) for k, v in packed["dict"]}
        if "array" in packed:
            array = self.array(packed)
            return array.tolist() if packed.get("as") == "list" else array
        if "objects" in packed:
            return self.objects(packed, depth)
        if "texts" in packed:
            return self.texts(packed["texts"])
        if "random" in packed:
            return self.random_state(packed)
        raise DataFileError(f"it holds a value of a kind that is not known: {sorted(packed)}")

    def key(self, packed: Any) -> Any:
        """A dictionary's key."""
        if packed is not None and not isinstance(packed, bool | int | float | str):
            raise DataFileError("a key of a dictionary is neither text nor a number")
        return packed

    def array(self, packed: Any) -> NDArray[Any]:
        """An array by its name."""
        name = packed["array"] if isinstance(packed, dict) else None
        if not isinstance(name, str) or name not in self.arrays:
            raise DataFileError(f"array {name!r} is missing")
        return self.arrays[name]

    def objects(self, packed: Mapping[str, Any], depth: int) -> NDArray[Any]:
        """An array of strings, or of labels of several kinds."""
        values = self.unpack(packed["objects"], depth + 1)
        dtype = np.dtype(packed["dtype"])
        if not isinstance(values, list) or dtype.kind not in "OU" or dtype.itemsize > 1 << 20:
            raise DataFileError("an array of labels is none")
        if not all(value is None or isinstance(value, bool | int | float | str) for value in values):
            raise DataFileError("an array of labels holds something else")
        array = np.empty(len(values), dtype=object)
        array[:] = values
        if dtype.kind == "O":
            return array
        longest = max((len(value) for value in values), default=0)
        return array.astype(np.dtype(f"U{max(1, min(longest, dtype.itemsize // 4))}"))

    def texts(self, path: str) -> list[str]:
        """Many strings."""
        ends, data = self.arrays[f"{path}/ends"], self.arrays[f"{path}/bytes"]
        bounds = np.concatenate([[0], ends])
        if ends.ndim != 1 or data.ndim != 1 or (np.diff(bounds) < 0).any() or bounds[-1] != len(data):
            raise DataFileError(f"the texts of {path} do not fit together")
        whole = data.tobytes()
        places = bounds.tolist()
        return [whole[a:b].decode(**ENCODING) for a, b in pairwise(places)]

    def spec(self, packed: Mapping[str, Any], depth: int) -> Any:
        """A part, from its class's name and its parameters."""
        name, given = packed["spec"], packed["fields"]
        if name not in self.known:
            raise DataFileError(f"it is made of {name!r}, which this version of shoal does not know")
        kind = self.known[name]
        expected = {field.name: str(field.type) for field in fields(kind)}
        unknown = sorted(set(given) - set(expected))
        if unknown:
            raise DataFileError(f"{name} has no parameter {unknown[0]!r}")
        values = {key: self.unpack(value, depth + 1) for key, value in given.items()}
        for key, value in values.items():
            check_kind(f"{name}.{key}", value, expected[key])
        return kind(**values)

    def random_state(self, packed: Mapping[str, Any]) -> np.random.RandomState:
        """A generator of random numbers."""
        spare, gauss = packed["spare"]
        keys = self.arrays[packed["random"]]
        if not 0 <= packed["place"] <= len(keys) or keys.shape != (624,):
            raise DataFileError("the random numbers' state is none")
        generator = np.random.RandomState(0)
        generator.set_state((packed["kind"], keys, packed["place"], spare, gauss))
        return generator


def check_kind(name: str, value: Any, annotation: str) -> None:
    """Refuse a parameter that is not of the type that its class states, where that is a plain one."""
    words = [word.strip() for word in annotation.split("|")]
    if not all(word in PLAIN for word in words):
        return
    allowed = {kind for word in words for kind in PLAIN[word]}
    if type(value) not in allowed:
        raise DataFileError(f"{name} is {value!r}; expected {annotation}")


def fill(fresh: Any, packed: Any, unpacker: Unpacker, path: str) -> Any:
    """The state that was packed, in the form of a fresh one."""
    if isinstance(fresh, np.ndarray):
        array = unpacker.array(packed)
        if array.dtype != fresh.dtype or array.ndim != fresh.ndim:
            found, expected = (f"{a.dtype} in {a.ndim} dimensions" for a in (array, fresh))
            raise DataFileError(f"{path} is an array of {found}; expected {expected}")
        return array
    if hasattr(fresh, "_fields"):
        given = packed["fields"]
        if set(given) != set(fresh._fields):
            raise DataFileError(f"{path} has the fields {sorted(given)}; expected {sorted(fresh._fields)}")
        parts = (fill(getattr(fresh, name), given[name], unpacker, f"{path}.{name}") for name in fresh._fields)
        return type(fresh)(*parts)
    if isinstance(fresh, tuple):
        given = packed["tuple"]
        if not isinstance(given, list) or len(given) != len(fresh):
            raise DataFileError(f"{path} does not have the {len(fresh)} parts expected")
        return tuple(
            fill(part, g, unpacker, f"{path}.{i}") for i, (part, g) in enumerate(zip(fresh, given, strict=True))
        )
    return number(fresh, packed, path)


def number(fresh: Any, packed: Any, path: str) -> Any:
    """A number or a word of a state: it comes from the parameters, so it must be what they make."""
    if type(packed) is not type(fresh) or not (packed == fresh or (packed != packed and fresh != fresh)):
        raise DataFileError(f"{path} is {packed!r}; expected {fresh!r} by the model's parameters")
    return packed
