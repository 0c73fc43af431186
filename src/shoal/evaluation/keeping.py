"""A run that keeps checkpoints: it goes on from the last one, and writes the next when it is time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.evaluation.place import Place, rest_of
from shoal.types import Chunk

EVERY = 30.0  # seconds


@dataclass(frozen=True)
class Keeping:
    """What a user asks of checkpoints.

    folder: where they are kept. every: seconds from one to the next; 0: one after each chunk.
    resume: go on from what the folder holds, if anything. run: what the run is of, by name: a run that is of
        anything else is not gone on with.
    """

    folder: str | os.PathLike[str]
    every: float = EVERY
    resume: bool = False
    run: Mapping[str, Any] = field(default_factory=dict)

    def within(self, *names: object) -> Keeping:
        """The same in a folder of the folder."""
        plain = ("".join(c if c.isalnum() or c in "-_.=," else "_" for c in str(name)) for name in names)
        return Keeping(Path(self.folder, *plain), self.every, self.resume, self.run)


class Measuring(Protocol):
    """What a run has measured, put away and taken up again."""

    def state(self) -> dict[str, NDArray[Any]]: ...
    def restore(self, state: dict[str, NDArray[Any]]) -> None: ...


class Keeper:
    """Keeps where a run is; of a run without checkpoints, nothing."""

    def __init__(self) -> None:
        self.place = Place()

    def rest(self, stream: Iterable[Chunk]) -> Iterable[Chunk]:
        """What is still to be learned."""
        return stream

    def learned(self, chunk: Chunk) -> None:
        """These rows were learned."""

    def keep(self, *, now: bool = False) -> None:
        """Write a checkpoint if it is time, or now."""


class FolderKeeper(Keeper):
    """Keeps it in a folder."""

    def __init__(self, keeping: Keeping, model: Any, run: Measuring, about: Mapping[str, Any]) -> None:
        from shoal.files.checkpoints import CheckpointFolder

        super().__init__()
        self.folder = CheckpointFolder(keeping.folder)
        self.keeping, self.model, self.run, self.about = keeping, model, run, about
        self._kept: Place | None = None
        self._since = monotonic()

    def begin(self) -> None:
        """Go on from the last checkpoint, or write the first."""
        found = self.folder.load() if self.keeping.resume else None
        if found is None:
            if self.folder.files():
                raise InputError(
                    f"{self.folder.path} holds the checkpoints of a run: add --resume (resume=True) to go on with "
                    "it, or name another folder, or remove them."
                )
            self.keep(now=True)  # what cannot be kept is refused here, before time is spent on it
            return
        from shoal.files.checkpoints import check_like

        self._check_same(found.run)
        check_like(found.measured, self.run.state(), self.folder.path)
        self.run.restore(found.measured)
        vars(self.model).update({k: v for k, v in vars(found.model).items() if k not in ("ensemble", "params")})
        self.place = self._kept = Place(*found.place)

    def _check_same(self, earlier: Mapping[str, Any]) -> None:
        for name in sorted({*earlier, *self.about}):
            was, now = earlier.get(name), self.about.get(name)
            if was != now:
                raise InputError(
                    f"{self.folder.path} holds checkpoints of another run: its {name} was {_short(was)} "
                    f"and is now {_short(now)}. Go on with the same, or name another folder."
                )

    def rest(self, stream: Iterable[Chunk]) -> Iterable[Chunk]:
        return rest_of(stream, self.place, self.about["data"] or "the stream")

    def learned(self, chunk: Chunk) -> None:
        self.place = self.place.after(chunk)

    def keep(self, *, now: bool = False) -> None:
        if self.place == self._kept or not (now or monotonic() - self._since >= self.keeping.every):
            return
        self.folder.save(self.about, self.place, self.model, self.run.state())
        self._kept, self._since = self.place, monotonic()


@contextmanager
def kept(keeping: Keeping | None, model: Any, run: Measuring, stream: Any) -> Iterator[Keeper]:
    """What keeps a run; the folder is its own while it lasts."""
    if keeping is None:
        yield Keeper()
        return
    from shoal.files.checkpoints import form_of
    from shoal.model import Taught

    if not isinstance(model, Taught):
        raise InputError(
            f"a {type(model).__name__} cannot be kept in checkpoints; expected a model of shoal's that learns "
            "as it goes."
        )
    asked = json.loads(json.dumps(dict(keeping.run), default=str))
    about = {"data": getattr(stream, "name", ""), "made of": form_of(model), **asked}
    keeper = FolderKeeper(keeping, model, run, about)
    keeper.folder.open()
    try:
        keeper.begin()
        yield keeper
    finally:
        keeper.folder.close()


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "..."
