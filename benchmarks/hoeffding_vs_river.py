"""Hoeffding trees, alone and boosted, against River's own on the same rows: test, then train.

    python benchmarks/hoeffding_vs_river.py --rows 100000 --streams sea,hyperplane,rbf
    python benchmarks/hoeffding_vs_river.py --streams sea --ensembles ozaboost,osboost --ensemble-rows 100000

Ours are the methods as they are by default: `ozaboost` gives trees a Poisson draw as a weight and adds up
probabilities, as River's does. `ozaboost-poisson`, the published form, teaches trees as often as the draw
says, and adds up signs; `ozaboost-weighted` adds up signs too and teaches by weights, without draws.
River's ensembles are its AdaBoostClassifier (OzaBoost), and for OSBoost, which it has not, ours over its
trees. They take milliseconds a row, hence fewer rows by default. Every finished comparison is kept at once in
the results file, in place of an earlier one of the same setting; `--reuse` takes River's side from there where
it is known. Exits with status 1 if an error of ours is more than a percentage point above River's.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from time import process_time
from typing import Any

from river.ensemble import AdaBoostClassifier
from river.tree import HoeffdingTreeClassifier

from shoal.banks.hoeffding import HoeffdingTrees
from shoal.banks.outside import OutsideBank
from shoal.boosters.osboost import OSBoost
from shoal.boosters.ozaboost import OzaBoost
from shoal.datasets import synthetic
from shoal.ensemble import Ensemble
from shoal.model import Model
from shoal.rules.last import Last
from shoal.rules.uniform import Uniform
from shoal.types import Chunk

RESULTS = Path(__file__).parent.parent / "experiments" / "hoeffding" / "results.json"
TOLERANCE = 0.01  # one percentage point
CLASSES = [0.0, 1.0]
CHUNK = 1000
EVERY = 5000  # rows from one point of a curve to the next; what is known there is kept, should a run be cut off

Tell = Callable[[dict[str, Any]], None]
Contest = Callable[[Iterable[Chunk], Tell], dict[str, Any]]


OZABOOSTS = {
    "ozaboost": OzaBoost("poisson-weight", vote="soft"),
    "ozaboost-poisson": OzaBoost("poisson"),
    "ozaboost-weighted": OzaBoost("weighted"),
}


def boosted(name: str, bank: Any) -> Ensemble:
    """A bank under a booster and its own rule."""
    if name == "osboost":
        return Ensemble(bank, OSBoost(), Uniform())
    return Ensemble(bank, OZABOOSTS[name], Last())


def race(chunks: Iterable[Chunk], mistakes: Callable[[Chunk], int], tell: Tell) -> dict[str, Any]:
    """Error and seconds, now and at every `EVERY` rows, where they are told to whoever keeps them."""
    found: dict[str, Any] = {"rows": 0, "curve": []}
    wrong, seconds = 0, 0.0
    for chunk in chunks:
        start = process_time()
        wrong += mistakes(chunk)
        seconds += process_time() - start
        found["rows"] += chunk.rows.n_rows
        found |= {"error": wrong / found["rows"], "seconds": round(seconds, 2)}
        if found["rows"] % EVERY == 0:
            found["curve"].append([found["rows"], found["error"], found["seconds"]])
            tell(found)
    return found


def run_shoal(ensemble: Ensemble, chunks: Iterable[Chunk], seed: int, tell: Tell) -> dict[str, Any]:
    """Errors and seconds of a model of ours; compiling is done before, on a model of its own."""
    first, *rest = chunks
    Model(ensemble, seed=seed, classes=CLASSES).answer_and_learn(first)
    model = Model(ensemble, seed=seed, classes=CLASSES)

    def mistakes(chunk: Chunk) -> int:
        answers = model.answer_and_learn(chunk)
        return int((answers.predicted != answers.truth).sum())

    found = race([first, *rest], mistakes, tell)
    if isinstance(ensemble.bank, HoeffdingTrees):
        assert model.state is not None
        found["nodes"] = int(ensemble.bank.describe(model.state.bank).nodes.sum())
    return found


def run_river(model: Any, chunks: Iterable[Chunk], tell: Tell) -> dict[str, Any]:
    """Errors and seconds of a River classifier."""

    def mistakes(chunk: Chunk) -> int:
        assert chunk.labels is not None
        indptr, indices, values = chunk.rows
        wrong = 0
        for t in range(chunk.rows.n_rows):
            stored = slice(indptr[t], indptr[t + 1])
            x = dict.fromkeys(range(chunk.space.n_features), 0.0)
            x.update(zip(indices[stored].tolist(), values[stored].tolist(), strict=True))
            y = float(chunk.labels[t])
            wrong += model.predict_one(x) != y
            model.learn_one(x, y)
        return wrong

    found = race(chunks, mistakes, tell)
    if isinstance(model, HoeffdingTreeClassifier):
        found["nodes"] = model.n_nodes
    return found


def contestants(method: str, learners: int, seed: int) -> tuple[Contest, Contest]:
    """(ours, River's)."""
    if method == "tree":
        ours, river = Ensemble(HoeffdingTrees(1)), HoeffdingTreeClassifier()
    else:
        ours = boosted(method, HoeffdingTrees(learners))
        river = AdaBoostClassifier(HoeffdingTreeClassifier(), n_models=learners, seed=seed)
    if method != "osboost":
        return lambda rows, tell: run_shoal(ours, rows, seed, tell), lambda rows, tell: run_river(
            river, rows, tell
        )
    theirs = boosted(method, OutsideBank((HoeffdingTreeClassifier(),) * learners))
    return lambda rows, tell: run_shoal(ours, rows, seed, tell), lambda rows, tell: run_shoal(
        theirs, rows, seed, tell
    )


def kept(path: Path) -> list[dict[str, Any]]:
    """The comparisons in the results file."""
    return json.loads(path.read_text()) if path.exists() else []


def keep(path: Path, comparison: dict[str, Any]) -> None:
    """Put a comparison into the results file."""
    same = ("stream", "method", "learners", "rows", "seed")
    others = [old for old in kept(path) if any(old[key] != comparison[key] for key in same)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([*others, comparison], indent=1) + "\n")


def known_rivers(path: Path, setting: dict[str, Any]) -> dict[str, Any] | None:
    """What River's ensemble made of these rows, if that is kept: it is one for all our forms of a method."""
    for old in kept(path):
        same = all(old[key] == setting[key] for key in ("stream", "learners", "rows", "seed"))
        finished = old["river"].get("rows", old["rows"]) == old["rows"]  # none was kept before it had finished
        if same and finished and old["method"].split("-")[0] == setting["method"].split("-")[0]:
            return old["river"]
    return None


def compare(setting: dict[str, Any], results: Path, reuse: bool) -> bool:
    """Run and keep one comparison, also what River's side has come to at each point; True if ours is worse."""

    def rows() -> Iterable[Chunk]:
        return synthetic(setting["stream"], setting["rows"], seed=setting["seed"], chunk_size=CHUNK)

    def tell(rivers: dict[str, Any]) -> None:
        keep(results, {**setting, "shoal": ours, "river": rivers})
        print(*setting.values(), "river", *rivers["curve"][-1], flush=True)

    run_ours, run_rivers = contestants(setting["method"], setting["learners"], setting["seed"])
    ours = run_ours(rows(), lambda found: None)
    rivers = (known_rivers(results, setting) if reuse else None) or run_rivers(rows(), tell)
    keep(results, {**setting, "shoal": ours, "river": rivers})
    print(
        *setting.values(),
        *(
            f"{name} {side['error']:.4f}, {side['seconds']} s"
            for name, side in (("shoal", ours), ("river", rivers))
        ),
        sep="\t",
        flush=True,
    )
    return ours["error"] > rivers["error"] + TOLERANCE


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000, help="for single trees; 0 leaves them out")
    parser.add_argument("--streams", default="sea,hyperplane,rbf")
    parser.add_argument("--ensembles", default="", help="osboost," + ",".join(OZABOOSTS))
    parser.add_argument("--ensemble-rows", type=int, default=10_000)
    parser.add_argument("--learners", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--reuse", action="store_true", help="take River's side from the results file")
    return parser.parse_args()


def main() -> int:
    """Run what was asked for."""
    given = arguments()
    methods = [("tree", 1, given.rows)] if given.rows else []
    methods += [(name, given.learners, given.ensemble_rows) for name in filter(None, given.ensembles.split(","))]
    worse = False
    for stream in given.streams.split(","):
        for method, learners, rows in methods:
            setting = {"stream": stream, "method": method, "learners": learners, "rows": rows, "seed": given.seed}
            worse = compare(setting, given.results, given.reuse) or worse
    return int(worse)


if __name__ == "__main__":
    sys.exit(main())
