"""What a command keeps: checkpoints along the way, the model at its end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.cli.consoles import error_console
from shoal.errors import InputError
from shoal.evaluation.keeping import Keeping


def keeping_asked(folder: str | None, every: float, resume: bool, run: Mapping[str, Any]) -> Keeping | None:
    """How checkpoints are to be kept, if at all. run: what a run that goes on must have been of too."""
    if folder is not None:
        return Keeping(folder, every, resume, run)
    if resume:
        raise InputError("--resume goes on from checkpoints; name the folder that holds them: --checkpoint DIR.")
    return None


def save_model(model: Any, path: str | None, quiet: bool) -> None:
    """Write the model, and say where it is."""
    if path is None:
        return
    from shoal.files import save

    save(model, path)
    if not quiet:
        error_console().print(f"model: {Path(path).resolve()}", soft_wrap=True, markup=False, highlight=False)


def tell(notes: list[str]) -> None:
    """Say what was found on the way."""
    for note in notes:
        error_console().print(note, soft_wrap=True, markup=False, highlight=False)
