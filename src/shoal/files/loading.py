"""`load`: an estimator, or a model, from a file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shoal.errors import DataFileError
from shoal.files.container import PathLike, named, read
from shoal.files.known import Known
from shoal.files.unpacking import Unpacker

MODELS = ("Model", "RegressionModel")


def load(path: PathLike, *, known: Iterable[type] = ()) -> Any:
    """What `save` wrote, as it was: nothing in the file is run, and a file that is not sound is refused.

    A model that was saved by the command line becomes an estimator where there is one for it.

    known: classes of your own that it is made of.
    """
    found = load_as_saved(path, known=known)
    if not hasattr(found, "answer_and_learn"):
        return found
    from shoal.files.reviving import as_estimator

    return as_estimator(found)


def load_as_saved(path: PathLike, *, known: Iterable[type] = ()) -> Any:
    """The estimator or the model, whichever was saved."""
    document, arrays = read(path)
    classes = Known(known)
    with named(Path(path).name):
        return unpacked(document, Unpacker(arrays, classes))


def unpacked(document: dict[str, Any], unpacker: Unpacker) -> Any:
    """The estimator or the model of a document."""
    packed = document["model"]
    if not isinstance(packed, dict) or not isinstance(packed.get("kind"), str):
        raise DataFileError("it holds no model")
    if packed["kind"] == "SampledModel":
        from shoal.files.sampled import unpack_sampled

        return unpack_sampled(packed, unpacker)
    if packed["kind"] in MODELS:
        from shoal.files.models import unpack_model

        return unpack_model(packed, unpacker)
    from shoal.files.estimators import unpack_estimator

    return unpack_estimator(packed, unpacker)
