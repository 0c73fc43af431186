"""Examples that wait for their labels, as documents: many small trees of arrays, kept leaf by leaf.

For every leaf, such as the votes cast, one array holds what all examples have, end to end, and one their shapes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.ensemble import Held
from shoal.errors import DataFileError
from shoal.files.checking import MOST, require
from shoal.files.packing import Packer
from shoal.files.unpacking import Unpacker
from shoal.model import Taught
from shoal.pending import Pending
from shoal.types import Rows

WIDE = ("votes", "heard", "members", "parts", "score", "target")  # what ends in the outputs there were


def pack_pending(pending: Pending, packer: Packer, path: str) -> dict[str, Any]:
    """All that waits."""
    packed: dict[str, Any] = {"limit": pending.limit, "next_id": pending.next_id, "dropped": pending.dropped}
    if not pending.held:
        return packed | {"ids": None}
    packed["ids"] = packer.array(np.array(list(pending.held), dtype=np.int64), f"{path}/ids")
    examples = [leaves_of(held) for held in pending.held.values()]
    for i, leaves in enumerate(zip(*examples, strict=True)):
        arrays = [np.asarray(leaf) for leaf in leaves]
        packer.array(np.concatenate([array.ravel() for array in arrays]), f"{path}/{i}/values")
        packer.array(np.array([array.shape for array in arrays], dtype=np.int64), f"{path}/{i}/shapes")
    return packed | {"path": path}


def unpack_pending(packed: dict[str, Any], model: Taught, unpacker: Unpacker) -> None:
    """Let the model wait for what it waited for."""
    pending = model.pending
    for name in ("next_id", "dropped"):
        require(type(packed[name]) is int and 0 <= packed[name] <= MOST, f"{name} is {packed[name]!r}")
        setattr(pending, name, packed[name])
    if packed["ids"] is None:
        return
    ids = unpacker.array(packed["ids"])
    require(ids.dtype == np.int64 and ids.ndim == 1 and len(ids) <= pending.limit, "too many examples wait")
    require(
        len(ids) and ids[0] >= 0 and (np.diff(ids) > 0).all() and ids[-1] < pending.next_id, "the ids are none"
    )
    fresh = blank(model)
    tables = [
        columns(unpacker, f"{packed['path']}/{i}", leaf, len(ids)) for i, leaf in enumerate(leaves_of(fresh))
    ]
    for held_id, leaves in zip(ids.tolist(), zip(*tables, strict=True), strict=True):
        held = rebuilt(fresh, list(leaves))
        check_held(held, fresh, model)
        pending.held[held_id] = held


def leaves_of(tree: Any) -> list[Any]:
    """Arrays and numbers, from left to right."""
    if isinstance(tree, tuple):
        return [leaf for part in tree for leaf in leaves_of(part)]
    return [tree]


def rebuilt(form: Any, leaves: list[Any]) -> Any:
    """A tree of this form from its leaves, which are used up."""
    if hasattr(form, "_fields"):
        return type(form)(*[rebuilt(part, leaves) for part in form])
    leaf = leaves.pop(0)
    return leaf if isinstance(form, np.ndarray) else type(form)(leaf.item())


def columns(unpacker: Unpacker, path: str, form: Any, n: int) -> list[NDArray[Any]]:
    """One leaf of all n examples."""
    values, shapes = unpacker.array({"array": f"{path}/values"}), unpacker.array({"array": f"{path}/shapes"})
    expected = np.asarray(form)
    require(values.dtype == expected.dtype and values.ndim == 1, f"{path} is of {values.dtype}")
    require(shapes.dtype == np.int64 and shapes.shape == (n, expected.ndim), f"{path} has no shapes")
    require((shapes >= 0).all() and (shapes <= MOST).all(), f"{path} has impossible shapes")
    sizes = [int(np.prod([int(d) for d in shape], dtype=object)) for shape in shapes]
    require(sum(sizes) == len(values), f"{path} does not have the size of its shapes")
    ends = np.cumsum(sizes).tolist()
    return [
        values[end - size : end].reshape(shape).copy()
        for size, end, shape in zip(sizes, ends, shapes, strict=True)
    ]


def blank(model: Taught) -> Held:
    """What is held of a row without features."""
    if model.state is None or model.space is None:
        raise DataFileError("examples wait for a model that has learned nothing")
    empty = Rows(np.zeros(2, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0))
    if hasattr(model.ensemble, "room"):
        return Held(empty, model.ensemble.room(model.state, 1), 0)
    return model.ensemble.hold(model.state, model.space.n_features, empty)


def check_held(held: Held, fresh: Held, model: Taught) -> None:
    """Refuse what could not have been held."""
    assert model.space is not None
    rows, words = held.rows, "an example that waits could not have been given"
    require(rows.indptr.tolist() == [0, len(rows.indices)] and len(rows.indices) == len(rows.values), words)
    if len(rows.indices):
        require(rows.indices[0] >= 0 and rows.indices[-1] < model.space.n_features, words)
        require((np.diff(rows.indices) > 0).all() and not np.isinf(rows.values).any(), words)
    require(0 <= held.seen <= model.n_seen and held.room.hard == fresh.room.hard, words)
    n_outputs = len(held.room.score)
    require(1 <= n_outputs <= len(fresh.room.score), words)
    for name in (*WIDE, "live", "present"):
        shape = getattr(fresh.room, name).shape
        wide = name in WIDE and shape[-1] == len(fresh.room.score)
        shape = (*shape[:-1], n_outputs) if wide else shape
        require(getattr(held.room, name).shape == shape, words)
