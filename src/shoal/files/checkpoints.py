"""Checkpoints: files from which a run that was killed at any moment goes on as if it had never stopped.

A folder keeps the last two. Each is a model file with what the run had measured beside the model, written
under another name, synced to disk and renamed, with a checksum: one that is not whole is never taken.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

from numpy.typing import NDArray

import shoal
from shoal.errors import DataFileError, InputError
from shoal.files.container import named, read, write
from shoal.files.known import Known
from shoal.files.models import pack_model, unpack_model
from shoal.files.packing import Packer
from shoal.files.unpacking import Unpacker
from shoal.model import Taught

KEPT = 2  # of them, so that there is one to go back to
NAME = re.compile(r"rows-(\d{15})\.checkpoint")
LEFT_BEHIND = ".rows-*.tmp"  # by a run that was killed while it wrote
MEASURED = "measured/"

Measured = Mapping[str, NDArray[Any]]


class Checkpoint(NamedTuple):
    """Where a run was: of which data and settings, how far along its stream, its model, what it had measured."""

    run: dict[str, Any]
    place: tuple[int, ...]
    model: Taught
    measured: dict[str, NDArray[Any]]


class CheckpointFolder:
    """A folder that one run at a time keeps its checkpoints in.

    notes: what was found there that a user should know of.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = Path(folder)
        self.notes: list[str] = []
        self._lock: IO[str] | None = None

    def open(self) -> None:
        """Make the folder if need be, and take it: another run there is refused."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = open(self.path / "lock", "w", encoding="utf-8")  # noqa: SIM115 - closed by `close`
        except OSError as error:
            raise InputError(f"cannot keep checkpoints in {self.path}: {error.strerror or error}.") from error
        if not _locked(self._lock):
            self.close()
            raise InputError(
                f"another run keeps its checkpoints in {self.path}: wait for it, or name another folder."
            )
        for remains in self.path.glob(LEFT_BEHIND):
            with suppress(OSError):
                remains.unlink()

    def close(self) -> None:
        """Leave the folder to others."""
        if self._lock is not None:
            self._lock.close()

    def files(self) -> list[Path]:
        """The checkpoints, the last one first."""
        return sorted((path for path in self.path.glob("rows-*") if NAME.fullmatch(path.name)), reverse=True)

    def save(self, run: Mapping[str, Any], place: tuple[int, ...], model: Taught, measured: Measured) -> None:
        """Keep where a run is; the checkpoint before the last goes when this one is safely on disk."""
        packer = Packer(Known())
        document = {"shoal": shoal.__version__, "model": pack_model(model, packer)}
        numbers = [name for name, array in measured.items() if array.ndim == 0]
        document["checkpoint"] = {"run": dict(run), "place": list(place), "numbers": numbers}
        arrays = packer.arrays | {MEASURED + name: array for name, array in measured.items()}
        write(self.path / f"rows-{place[0]:015d}.checkpoint", document, arrays)
        for old in self.files()[KEPT:]:
            with suppress(OSError):
                old.unlink()

    def load(self) -> Checkpoint | None:
        """The last checkpoint that is sound; None where there is none at all."""
        files = self.files()
        for path in files:
            try:
                return read_checkpoint(path)
            except DataFileError as error:
                self.notes.append(f"a checkpoint is left out: {error}")
        if files:
            raise InputError(f"no checkpoint in {self.path} is sound: {self.notes[-1]} Remove them to begin anew.")
        return None


def read_checkpoint(path: Path) -> Checkpoint:
    """A checkpoint from its file."""
    document, arrays = read(path)
    with named(path.name):
        about = document.get("checkpoint")
        if not isinstance(about, dict) or not isinstance(about.get("run"), dict):
            raise DataFileError("it is a model, and no checkpoint of a run")
        place = about["place"]
        if not isinstance(place, list) or not place or not all(type(n) is int and n >= 0 for n in place):
            raise DataFileError("it does not say where the run was")
        measured = {name.removeprefix(MEASURED): a for name, a in arrays.items() if name.startswith(MEASURED)}
        measured |= {name: measured[name].reshape(()) for name in about["numbers"]}
        of_model = {name: a for name, a in arrays.items() if not name.startswith(MEASURED)}
        model = unpack_model(document["model"], Unpacker(of_model, Known()))
        return Checkpoint(about["run"], tuple(place), model, measured)


def form_of(model: Taught) -> Any:
    """What a model is made of, as JSON gives it back."""
    return json.loads(json.dumps(Packer(Known()).pack(model.ensemble, "ensemble")))


def check_like(measured: Measured, fresh: Measured, path: Path) -> None:
    """Refuse measurements that are not of the same kind as fresh ones."""
    like = {name: (array.dtype.kind, array.ndim) for name, array in fresh.items()}
    if {name: (array.dtype.kind, array.ndim) for name, array in measured.items()} != like:
        raise DataFileError(f"{path}: what it measured is not what this run measures.")


def _locked(file: IO[str]) -> bool:
    """Whether the file could be taken; it is let go when the process ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # Windows
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
