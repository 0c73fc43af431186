"""Models to documents and back: what they are made of, what they have learned, what they wait for."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.errors import DataFileError
from shoal.files.checking import MOST, check_state, require
from shoal.files.packing import Packer
from shoal.files.room import check_room
from shoal.files.unpacking import Unpacker, fill
from shoal.files.waiting import pack_pending, unpack_pending
from shoal.model import Model, Taught, is_missing, task_of
from shoal.regression_model import RegressionModel
from shoal.types import Space, Task

LABELS = (bool, int, float, str)


def pack_model(model: Taught, packer: Packer, path: str = "model") -> dict[str, Any]:
    """A model as a document, its arrays in the packer."""
    packed = {
        "kind": type(model).__name__,
        "ensemble": packer.pack(model.ensemble, f"{path}/ensemble"),
        "seed": int(model.seed),
        "params": packer.pack(model.params, f"{path}/params"),
        "space": pack_space(model.space, packer, f"{path}/space"),
        "state": packer.pack(model.state, f"{path}/state"),
        "pending": pack_pending(model.pending, packer, f"{path}/pending"),
    }
    if isinstance(model, RegressionModel):
        return packed | {"n_outputs": model.n_outputs}
    assert isinstance(model, Model)
    return packed | {"classes": packer.pack(model.classes, f"{path}/classes"), "open": model.open}


def unpack_model(packed: dict[str, Any], unpacker: Unpacker) -> Taught:
    """The model of a document; one that its parts could not have come to is refused."""
    ensemble = unpacker.unpack(packed["ensemble"])
    require(hasattr(ensemble, "run"), "what it is made of is no ensemble")
    seed, params = packed["seed"], unpacker.unpack(packed["params"])
    require(type(seed) is int and 0 <= seed < 1 << 63, f"its seed is {seed!r}")
    require(type(params) is dict, "its settings are none")
    model = _blank(packed, ensemble, seed, params, unpacker)
    model.space = unpack_space(packed["space"], unpacker)
    require(
        (model.space is None) == (packed["state"] is None), "it has features without a state, or a state without"
    )
    if model.space is not None:
        _learned(model, packed["state"], unpacker)
    unpack_pending(packed["pending"], model, unpacker)
    return model


def _blank(packed: dict[str, Any], ensemble: Any, seed: int, params: dict[str, Any], unpacker: Unpacker) -> Taught:
    """The model before it learned anything, but with the classes it knows."""
    limit = packed["pending"]["limit"]
    require(type(limit) is int and 1 <= limit <= MOST, f"max_pending is {limit!r}")
    if packed["kind"] == "RegressionModel":
        n_outputs = packed["n_outputs"]
        require(n_outputs is None or (type(n_outputs) is int and n_outputs >= 1), f"it has {n_outputs!r} targets")
        return RegressionModel(ensemble, seed=seed, n_outputs=n_outputs, max_pending=limit, params=params)
    require(packed["kind"] == "Model", f"it is a {packed['kind']!r}, which this version of shoal does not know")
    classes, opened = unpacker.unpack(packed["classes"]), packed["open"]
    require(isinstance(opened, bool) and isinstance(classes, list), "its classes are none")
    require(all(type(label) in LABELS and not is_missing(label) for label in classes), "its classes are no labels")
    require(len(set(classes)) == len(classes), "two of its classes are the same")
    model = Model(ensemble, seed=seed, classes=None if opened else classes, max_pending=limit, params=params)
    model.classes = classes
    return model


def _learned(model: Taught, packed: Any, unpacker: Unpacker) -> None:
    """Give the model its state, held against a fresh one of the same parts."""
    assert model.space is not None
    first, last = _tasks(model)
    held = sum(array.size for array in unpacker.arrays.values())
    check_room(model.ensemble, model.space, last, held)
    fresh = model.ensemble.init(model.space, first, model.seed)
    if last != first:
        fresh = model.ensemble.widen(fresh, last)
    state = fill(fresh, packed, unpacker, "state")
    check_state(fresh, state, "state")
    model.state = state


def _tasks(model: Taught) -> tuple[Task, Task]:
    """What the model was begun for, and what it does now."""
    if isinstance(model, RegressionModel):
        require(model.n_outputs is not None, "it has learned, and has no targets")
        task = Task("regression", model.n_outputs or 1)
        return task, task
    assert isinstance(model, Model)
    last = task_of(len(model.classes))
    return (task_of(2) if model.open else last), last


def pack_space(space: Space | None, packer: Packer, path: str) -> Any:
    """Features as a document."""
    if space is None:
        return None
    names = None if space.names is None else packer.pack(list(space.names), f"{path}/names")
    return {
        "keys": packer.array(space.keys, f"{path}/keys"),
        "columns": packer.array(space.columns, f"{path}/columns"),
        "nominal": packer.array(space.nominal, f"{path}/nominal"),
        "open": space.open,
        "names": names,
    }


def unpack_space(packed: Any, unpacker: Unpacker) -> Space | None:
    """Features from a document."""
    if packed is None:
        return None
    keys, columns, nominal = (unpacker.array(packed[name]) for name in ("keys", "columns", "nominal"))
    names = unpacker.unpack(packed["names"])
    require(keys.dtype == columns.dtype == np.uint64 and nominal.dtype == np.bool_, "its features are none")
    require(keys.shape == columns.shape == nominal.shape and keys.ndim == 1, "its features do not fit together")
    require(isinstance(packed["open"], bool), "its features are none")
    if names is None:
        return Space(keys, columns, nominal, packed["open"])
    if not isinstance(names, list) or len(names) != len(keys) or not all(type(name) is str for name in names):
        raise DataFileError("the names of its features are none")
    return Space(keys, columns, nominal, packed["open"], tuple(names))
