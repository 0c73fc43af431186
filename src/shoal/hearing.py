"""How booster and rule hear votes: as cast, or only which class each is for."""

from __future__ import annotations

from shoal.kernels.compiler import in_place, inlined
from shoal.types import Scores


@in_place
def hear(votes: Scores, hard: bool, heard: Scores) -> None:
    """The votes themselves, or only which class each is for (a vote of 0 is for class 1)."""
    cast, said = votes.reshape(votes.size), heard.reshape(heard.size)
    if not hard:
        for k in range(len(cast)):
            said[k] = cast[k]
    elif votes.shape[1] == 1:
        for k in range(len(cast)):
            said[k] = 1.0 if cast[k] >= 0.0 else -1.0
    else:
        hear_classes(votes, heard)


@inlined
def hear_classes(votes: Scores, heard: Scores) -> None:
    """The first class with the largest vote, of several."""
    for i in range(votes.shape[0]):
        best = 0
        for c in range(votes.shape[1]):
            if votes[i, c] > votes[i, best]:
                best = c
        for c in range(votes.shape[1]):
            heard[i, c] = 1.0 if c == best else -1.0
