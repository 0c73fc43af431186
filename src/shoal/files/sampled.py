"""Models that learned all at once, as documents: how they sample, and the stumps that came of it."""

from __future__ import annotations

from typing import Any

from shoal.files.checking import MOST, require, within
from shoal.files.packing import Packer
from shoal.files.unpacking import Unpacker, fill
from shoal.model import is_missing
from shoal.reservoir.baselines import SampledBoost
from shoal.reservoir.sampled_model import SampledModel
from shoal.reservoir.stumps import no_stumps

LABELS = (bool, int, float, str)


def pack_sampled(model: SampledModel, packer: Packer) -> dict[str, Any]:
    """A model as a document, its arrays in the packer."""
    return {
        "kind": "SampledModel",
        "booster": packer.pack(model.booster, "model/booster"),
        "seed": int(model.seed),
        "params": packer.pack(model.params, "model/params"),
        "classes": packer.pack(model.classes, "model/classes"),
        "named": model.named is not None,
        "n_features": model.n_features,
        "table": packer.pack(model.table, "model/table"),
    }


def unpack_sampled(packed: dict[str, Any], unpacker: Unpacker) -> SampledModel:
    """The model of a document; stumps on features or for classes that there are not are refused."""
    booster, params, classes = (unpacker.unpack(packed[name]) for name in ("booster", "params", "classes"))
    require(type(booster) is SampledBoost, "what it is made of does not sample")
    booster.check()
    require(type(packed["seed"]) is int and packed["seed"] >= 0, f"its seed is {packed['seed']!r}")
    require(type(params) is dict and isinstance(classes, list), "its settings or classes are none")
    require(all(type(label) in LABELS and not is_missing(label) for label in classes), "its classes are no labels")
    require(len(set(classes)) == len(classes), "two of its classes are the same")
    n_features = packed["n_features"]
    require(type(n_features) is int and 0 <= n_features <= MOST, f"it has {n_features!r} features")
    model = SampledModel(booster, seed=packed["seed"], classes=classes if packed["named"] else None, params=params)
    model.classes, model.n_features = classes, n_features
    if packed["table"] is not None:
        table = fill(no_stumps(1, 1), packed["table"], unpacker, "table")
        n_outputs = 1 if len(classes) == 2 else len(classes)
        for name in table._fields:
            shape = (n_outputs,) if name == "n_made" else (n_outputs, table.feature.shape[1])
            require(len(classes) >= 2 and getattr(table, name).shape == shape, f"table.{name} does not fit")
        within(table.feature, -1, n_features - 1, "table.feature")
        model.table = table
    return model
