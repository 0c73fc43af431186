"""Examples whose labels come late: kept with the votes cast on them, so that these can be judged then."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from shoal.ensemble import Held
from shoal.errors import InputError
from shoal.types import Floats


@dataclass
class Pending:
    """Examples that wait for their labels; beyond `limit` the oldest are dropped and counted."""

    limit: int
    held: dict[int, Held] = field(default_factory=dict)
    next_id: int = 0
    dropped: int = 0

    def add(self, held: Held) -> None:
        """Keep an example, under `next_id`."""
        self.held[self.next_id] = held
        self.next_id += 1
        while len(self.held) > self.limit:
            del self.held[next(iter(self.held))]
            self.dropped += 1

    def find(self, held_id: int) -> Held:
        """The example of that id, if it still waits."""
        if held_id not in self.held:
            raise InputError(
                f"no example with id {held_id!r} waits for its label: it was learned before, or dropped because "
                f"more than max_pending = {self.limit} were waiting, or never held."
            )
        return self.held[held_id]

    def remove(self, held_id: int) -> None:
        """Wait no longer for it."""
        del self.held[held_id]


def among_more_classes(held: Held, n_outputs: int) -> Held:
    """The same votes among more classes: a class unknown when they were cast got as little as any."""
    room = held.room
    if room.votes.shape[1] == n_outputs:
        return held
    votes, heard, members, parts, score = (
        _wider(table, n_outputs) for table in (room.votes, room.heard, room.members, room.parts, room.score[None])
    )
    target = np.zeros(n_outputs)
    return held._replace(
        room=room._replace(votes=votes, heard=heard, members=members, parts=parts, score=score[0], target=target)
    )


def _wider(table: Floats, n_outputs: int) -> Floats:
    table = np.concatenate([-table, table], axis=1) if table.shape[1] == 1 else table
    least = np.repeat(table.min(axis=1, keepdims=True), n_outputs - table.shape[1], axis=1)
    return np.concatenate([table, least], axis=1)
