"""How booster and rule hear votes: as cast, or only which class each is for."""

from __future__ import annotations

from shoal.kernels.compiler import in_place
from shoal.types import Scores


@in_place
def hear(votes: Scores, hard: bool, heard: Scores) -> None:
    """The votes themselves, or only which class each is for (a vote of 0 is for class 1)."""
    n_outputs = votes.shape[1]
    for i in range(votes.shape[0]):
        best = 0
        for c in range(n_outputs):
            heard[i, c] = votes[i, c]
            if votes[i, c] > votes[i, best]:
                best = c
        if hard and n_outputs == 1:
            heard[i, 0] = 1.0 if votes[i, 0] >= 0.0 else -1.0
        elif hard:
            for c in range(n_outputs):
                heard[i, c] = 1.0 if c == best else -1.0
