"""`save`: an estimator, or a model, to a file."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from typing import Any

import shoal
from shoal.errors import InputError
from shoal.files.container import PathLike, write
from shoal.files.known import Known
from shoal.files.models import pack_model
from shoal.files.packing import Packer
from shoal.model import Taught


def save(model: Any, path: PathLike, *, known: Iterable[type] = ()) -> None:
    """Write an estimator to a file, from which `shoal.load` makes one that goes on as if it had never stopped.

    The file is whole or not there: what was there before stays until the new one is on disk. What it holds is the
    model of one moment: where another thread teaches it, that waits.

    known: classes of your own that it is made of, such as a bank; give them to `load` too.
    """
    taught = getattr(model, "model_", model)
    with taught.lock.reading() if isinstance(taught, Taught) else nullcontext():
        document, packer = document_of(model, known)
        write(path, document, packer.arrays)


def document_of(model: Any, known: Iterable[type] = ()) -> tuple[dict[str, Any], Packer]:
    """(document, what holds the arrays) of an estimator or a model."""
    packer = Packer(Known(known))
    if hasattr(model, "learn_all"):
        from shoal.files.sampled import pack_sampled

        body = pack_sampled(model, packer)
    elif hasattr(model, "answer_and_learn"):
        body = pack_model(model, packer)
    elif hasattr(model, "get_params"):
        from shoal.files.estimators import pack_estimator

        body = pack_estimator(model, packer)
    else:
        raise InputError(f"cannot save a {type(model).__name__}; expected one of shoal's estimators.")
    return {"shoal": shoal.__version__, "model": body}, packer
