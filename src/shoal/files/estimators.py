"""Estimators to documents and back: the public class, its parameters, and what was fitted."""

from __future__ import annotations

from typing import Any

import numpy as np

import shoal
from shoal.errors import DataFileError, InputError
from shoal.files.checking import require, within
from shoal.files.models import pack_model, unpack_model
from shoal.files.packing import Packer
from shoal.files.unpacking import Unpacker, fill
from shoal.model import Model, Taught
from shoal.regression_model import RegressionModel
from shoal.streams.encoder import DictEncoder

KINDS = ("Classifier", "Regressor")
REQUESTS = "_metadata_request"
NOT_KEPT = ("_sklearn_output_config",)


def names_of_estimators() -> list[str]:
    """The public classes."""
    return [name for name in shoal.__all__ if name.endswith(KINDS)]


def class_named(name: str) -> Any:
    """A public class by its name; no other is found."""
    if name not in names_of_estimators():
        raise DataFileError(f"it holds a {name!r}, which this version of shoal does not know")
    return getattr(shoal, name)


def pack_estimator(estimator: Any, packer: Packer) -> dict[str, Any]:
    """An estimator as a document."""
    name = type(estimator).__name__
    if name not in names_of_estimators() or getattr(shoal, name) is not type(estimator):
        raise InputError(f"cannot save a {name}: it is none of shoal's estimators; keep it with pickle or joblib.")
    params = estimator.get_params(deep=False)
    packed: dict[str, Any] = {
        "kind": name,
        "params": {key: packer.pack(value, key) for key, value in params.items()},
        "fitted": {},
    }
    for key, value in vars(estimator).items():
        if key == REQUESTS:
            packed["requests"] = pack_requests(value)
        elif key not in params and key not in NOT_KEPT:
            packed["fitted"][key] = pack_fitted(value, packer, key)
    return packed


def pack_fitted(value: Any, packer: Packer, key: str) -> Any:
    """One fitted attribute."""
    if isinstance(value, Taught):
        return pack_model(value, packer, key)
    if isinstance(value, DictEncoder):
        return pack_encoder(value, packer, key)
    return packer.pack(value, key)


def unpack_estimator(packed: dict[str, Any], unpacker: Unpacker) -> Any:
    """An estimator from a document."""
    kind = class_named(packed["kind"])
    params = {key: unpacker.unpack(value) for key, value in packed["params"].items()}
    estimator = kind(**params)
    for key, value in packed["fitted"].items():
        require(key.isidentifier() and key.endswith("_") and not key.startswith("_"), f"{key!r} is nothing fitted")
        vars(estimator)[key] = unpack_fitted(estimator, key, value, unpacker)
    if "requests" in packed:
        setattr(estimator, REQUESTS, unpack_requests(packed["kind"], packed["requests"]))
    check_fitted(estimator)
    return estimator


def unpack_fitted(estimator: Any, key: str, packed: Any, unpacker: Unpacker) -> Any:
    """One fitted attribute."""
    if key == "model_":
        model = unpack_model(packed, unpacker)
        regresses = hasattr(estimator, "_new_model") and type(estimator).__name__.endswith("Regressor")
        require(isinstance(model, RegressionModel if regresses else Model), "its model is of another kind")
        return model
    if key == "encoder_":
        return unpack_encoder(packed, unpacker)
    if key == "stumps_":
        return unpack_stumps(estimator, packed, unpacker)
    return unpacker.unpack(packed)


def check_fitted(estimator: Any) -> None:
    """Refuse fitted attributes that are none."""
    fitted = vars(estimator)
    n = fitted.get("n_features_in_")
    require(n is None or (type(n) is int and n >= 0), f"n_features_in_ is {n!r}")
    names = fitted.get("feature_names_in_")
    if names is not None:
        require(isinstance(names, np.ndarray) and names.shape == (n,), "feature_names_in_ does not fit")
    for key in ("low_", "high_", "radius_"):
        require(type(fitted.get(key, 0.0)) in (int, float), f"{key} is no number")
    if "stumps_" in fitted:
        within(np.asarray(estimator.stumps_.feature), -1, (n or 0) - 1, "stumps_.feature")
    if "stumps_" in fitted and "classes_" in fitted:
        classes = fitted["classes_"]
        require(isinstance(classes, np.ndarray) and classes.ndim == 1 and len(classes) >= 2, "classes_ are none")
        n_outputs = 1 if len(classes) == 2 else len(classes)
        require(len(estimator.stumps_.feature) == n_outputs, "the stumps are for other classes")


def unpack_stumps(estimator: Any, packed: Any, unpacker: Unpacker) -> Any:
    """The stumps of a batch booster: arrays of one shape, but for the count of each class."""
    if hasattr(estimator, "make_booster"):
        from shoal.reservoir.stumps import no_stumps

        form: Any = no_stumps(1, 1)
    else:
        from shoal.estimators.batch_gradient import Stumps

        form = Stumps(np.zeros(0, dtype=np.int64), *np.zeros((4, 0)))
    stumps = fill(form, packed, unpacker, "stumps_")
    shape = stumps.feature.shape
    for name in form._fields:
        expected = shape[:1] if name == "n_made" else shape
        require(getattr(stumps, name).shape == expected, f"stumps_.{name} does not fit")
    return stumps


def pack_encoder(encoder: DictEncoder, packer: Packer, path: str) -> dict[str, Any]:
    """Names of features met in dicts."""
    features, nominal = encoder.met()
    indicator = [category is not None for _, category in features]
    return {
        "columns": packer.pack([column for column, _ in features], f"{path}/columns"),
        "categories": packer.pack([category or "" for _, category in features], f"{path}/categories"),
        "indicator": packer.array(np.array(indicator, dtype=np.bool_), f"{path}/indicator"),
        "names": packer.pack(list(nominal), f"{path}/names"),
        "nominal": packer.array(np.array(list(nominal.values()), dtype=np.bool_), f"{path}/nominal"),
    }


def unpack_encoder(packed: dict[str, Any], unpacker: Unpacker) -> DictEncoder:
    """What knows the features again."""
    columns, categories, names = (unpacker.unpack(packed[key]) for key in ("columns", "categories", "names"))
    indicator, nominal = (unpacker.array(packed[key]) for key in ("indicator", "nominal"))
    every = [*columns, *categories, *names]
    require(all(isinstance(text, str) for text in every), "the name of a feature is no text")
    fit = indicator.shape == (len(columns),) and nominal.shape == (len(names),)
    require(fit, "its features do not fit together")
    features = [
        (column, category if is_indicator else None)
        for column, category, is_indicator in zip(columns, categories, indicator, strict=True)
    ]
    return DictEncoder.that_met(features, dict(zip(names, map(bool, nominal), strict=True)))


def pack_requests(requests: Any) -> dict[str, dict[str, Any]]:
    """What scikit-learn's metadata routing was asked for, method by method."""
    from sklearn.utils.metadata_routing import MetadataRequest

    assert isinstance(requests, MetadataRequest)
    methods = {key: value for key, value in vars(requests).items() if hasattr(value, "requests")}
    return {key: dict(value.requests) for key, value in methods.items() if value.requests}


def unpack_requests(owner: str, packed: dict[str, dict[str, Any]]) -> Any:
    """The same, to be asked again."""
    from sklearn.utils.metadata_routing import MetadataRequest

    requests = MetadataRequest(owner)
    for method, asked in packed.items():
        one = vars(requests).get(method)
        if one is None or not hasattr(one, "add_request"):
            raise DataFileError(f"{method!r} is no method that takes metadata")
        for name, alias in asked.items():
            require(alias is None or isinstance(alias, bool | str), f"the request for {name!r} is none")
            one.add_request(param=name, alias=alias)
    return requests
