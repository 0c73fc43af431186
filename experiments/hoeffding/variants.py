"""Why OzaBoost with Poisson draws does badly over Hoeffding trees: its parts changed one by one.

    python experiments/hoeffding/variants.py --stream sea --rows 10000

Teaching: `repeat`, a draw of k as k updates of weight 1 (the specification's "poisson"); `once`, one update of
weight k; `weight`, one update of the importance itself, no draw (its "weighted"). Votes: `hard` signs, or
`soft` as River's AdaBoostClassifier adds them up. Edge: what a learner counts that is wrong for more than half
of its weight: `none`, or `one` as in River. One line of JSON for each combination.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import tempfile
from dataclasses import dataclass
from itertools import product
from time import process_time
from typing import Any, NamedTuple

import numpy as np

# The types made here would stay in the indices of kernels that are shared with everyone else.
os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()

from shoal.banks.hoeffding import HoeffdingTrees
from shoal.boosters.cascade import MOST_UPDATES, is_right, teach_learner
from shoal.boosters.lessons import teach_truth
from shoal.boosters.ozaboost import LEAST, MOST
from shoal.datasets import synthetic
from shoal.ensemble import Ensemble
from shoal.kernels.compiler import body, inlined
from shoal.kernels.poisson import poisson
from shoal.kernels.verbs import booster_read, booster_teach
from shoal.model import Model
from shoal.rules.last import Last
from shoal.types import Flags, Floats, Ints, Room, Row, Scores, Task

SMOOTHING = 0.5  # as in OzaBoost


class VariantState(NamedTuple):
    """Sums of one output; settings as flags."""

    n_members: int
    seed: int
    drawn: bool
    repeated: bool
    soft: bool
    one_at_edge: bool
    right: Floats  # (N,)
    wrong: Floats
    examples: Ints  # (1,)


@dataclass(frozen=True)
class Variant:
    """OzaBoost of two classes with some of its parts changed."""

    teaching: str
    votes: str
    edge: str

    def init(self, n_learners: int, task: Task, seed: int) -> VariantState:
        """No learner has answered yet."""
        return VariantState(
            n_learners,
            seed,
            self.teaching != "weight",
            self.teaching == "repeat",
            self.votes == "soft",
            self.edge == "one",
            np.zeros(n_learners),
            np.zeros(n_learners),
            np.zeros(1, dtype=np.int64),
        )


@inlined
def vote_weight(booster: VariantState, i: int) -> float:
    """What learner i's vote counts."""
    right, wrong = booster.right[i], booster.wrong[i]
    if booster.one_at_edge:
        return 1.0 if wrong == 0.0 or wrong > right else math.log(right / wrong)
    return max(0.0, math.log((right + SMOOTHING) / (wrong + SMOOTHING)))


@body(booster_read, VariantState)
def read(
    booster: VariantState, heard: Scores, live: Flags, members: Scores, present: Flags, parts: Scores
) -> None:
    """Weighted sums of votes or signs, over all the weights."""
    total, so_far = 0.0, 0.0
    for i in range(heard.shape[0]):
        present[i] = live[i]
        members[i, 0] = heard[i, 0]
        weight = vote_weight(booster, i)
        total += weight
        sign = 1.0 if heard[i, 0] >= 0.0 else -1.0
        so_far += weight * (heard[i, 0] if booster.soft else sign)
        parts[i, 0] = so_far
    if total > 0.0:
        parts /= total


@body(booster_teach, VariantState)
def teach(booster: VariantState, bank: Any, row: Row, room: Room, y: float, weight: float) -> None:
    """Down the row of learners, as in OzaBoost."""
    teach_truth(room.lesson, y)
    importance = weight
    for i in range(room.votes.shape[0]):
        given = importance
        if booster.drawn:
            given = float(min(MOST_UPDATES, poisson(booster.seed, booster.examples[0], i, 0, importance)))
        times = int(given) if booster.repeated else int(given > 0.0)
        room.lesson.weight[i, 0] = 1.0 if booster.repeated else given
        for _ in range(times):
            teach_learner(bank, i, row, room)
        side = booster.right if is_right(room, i, 0) else booster.wrong
        side[i] += importance
        total = booster.right[i] + booster.wrong[i]
        importance = min(max(importance * total / (2.0 * side[i]), LEAST), MOST)
    booster.examples[0] += 1


def run(variant: Variant, bank: HoeffdingTrees, stream: str, rows: int, seed: int) -> dict[str, Any]:
    """Test, then train."""
    model, wrong, start = Model(Ensemble(bank, variant, Last()), seed=seed, classes=[0.0, 1.0]), 0, process_time()
    for chunk in synthetic(stream, rows, seed=seed, chunk_size=1000):
        answers = model.answer_and_learn(chunk)
        wrong += int((answers.predicted != answers.truth).sum())
    assert model.state is not None
    booster = model.state.booster
    return {
        "error": wrong / rows,
        "nodes": int(model.state.bank.n_nodes.sum()),
        "last_eps": round(float(booster.wrong[-1] / (booster.right[-1] + booster.wrong[-1])), 3),
        "seconds": round(process_time() - start, 1),
    }


def main() -> None:
    """All combinations asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stream", default="sea")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--learners", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--teaching", default="repeat,once,weight")
    parser.add_argument("--votes", default="hard,soft")
    parser.add_argument("--edge", default="none,one")
    parser.add_argument("--leaves", default="adaptive")
    given = parser.parse_args()
    choices = (given.teaching.split(","), given.votes.split(","), given.edge.split(","), given.leaves.split(","))
    for teaching, votes, edge, leaves in product(*choices):
        bank = HoeffdingTrees(given.learners, leaves=leaves)
        found = run(Variant(teaching, votes, edge), bank, given.stream, given.rows, given.seed)
        setting = {"teaching": teaching, "votes": votes, "edge": edge, "leaves": leaves}
        print(json.dumps({"stream": given.stream, "rows": given.rows, **setting, **found}), flush=True)


if __name__ == "__main__":
    main()
