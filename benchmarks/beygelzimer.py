"""Online gradient boosting against its base learners: the protocol of Beygelzimer et al. 2015 (section C.9).

    python benchmarks/beygelzimer.py [--out FOLDER] [--sets a,b] [--learners stump,sgd,mlp] [--fits actual,linear]
        [--rows 8000]

Learners are taught the loss itself (C.6) unless `--fits` asks for its slopes only ("linear"), which takes far
longer: linear losses leave an error of the order of 1 / n_learners (C.3), so many more learners are tried. What
is found replaces what the folder held of the same set, learner, algorithm and fit, and leaves the rest.

Squared loss, progressively: parameters (learning rate; number of learners; eta over the span) are chosen by the
first half of each set, and the loss is that of the second half, the model learning on. The improvement is
100 * (base - boosted) / base over the same learner, alone, with a learning rate of its own. Rows are in one
random order, at most MAX_ROWS of them; targets are brought to [-1, 1] by their range.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from shoal import datasets
from shoal.methods import build_regressor
from shoal.streams.rows import to_rows
from shoal.types import Floats, Rows, Space, Task

SETS = (
    "abalone", "cadata", "cpusmall", "bank32nh", "kin8nm", "ailerons", "elevators", "2dplanes", "airfoil",
    "concrete", "energy", "power-plant", "protein-tertiary", "winequality-white",
    "german.numer", "diabetes", "svmguide3", "mushrooms",
)  # fmt: skip
LEARNERS = {"sgd": "SGD", "stump": "Regression stumps", "mlp": "Neural networks"}  # and their published names
ALGORITHMS = {"span": "alg1", "hull": "alg2"}
RATES = {"sgd": (0.03, 0.1, 0.3, 1.0, 3.0), "stump": (0.03, 0.1, 0.3, 1.0, 3.0), "mlp": (0.03, 0.1, 0.3, 1.0)}
SIZES = {
    "actual": {"sgd": (5, 20), "stump": (10, 50), "mlp": (4, 12)},
    "linear": {"sgd": (100, 300), "stump": (30, 100), "mlp": (12, 40)},
}
SCALES = {"actual": (1.0,), "linear": (1.0, 3.0)}
MAX_ROWS = 8000
SEED = 0
PUBLISHED = Path(__file__).parent.parent / "experiments" / "beygelzimer" / "published.csv"


class Data(NamedTuple):
    """A set in its one order, targets in [-1, 1]."""

    name: str
    rows: Rows
    n_features: int
    y: Floats


class Found(NamedTuple):
    """The best of a grid by the first half; loss: of the second half."""

    loss: float
    settings: dict[str, Any]


def read(name: str, n_rows: int) -> Data:
    """The set, shuffled, cut and scaled."""
    X, labels = datasets.load(name).arrays(dense=True)
    order = np.random.default_rng(SEED).permutation(len(labels))[:n_rows]
    y = np.asarray(labels, dtype=np.float64)
    y = 2.0 * (y - y.min()) / (y.max() - y.min()) - 1.0
    return Data(name, to_rows(np.asarray(X)[order]), X.shape[1], y[order])


def losses(data: Data, method: str, settings: dict[str, Any]) -> Floats:
    """The squared loss of every example, each answered before it is learned."""
    ensemble = build_regressor(method, {**settings, "target_range": (-1.0, 1.0)})
    state = ensemble.init(Space.of_size(data.n_features), Task("regression", 1), SEED)
    answers, _ = ensemble.run(state, data.n_features, data.rows, data.y[:, None], np.ones(len(data.y)))
    return np.asarray((answers[:, 0] - data.y) ** 2)


def best(data: Data, method: str, grid: Iterator[dict[str, Any]]) -> Found:
    """Chosen by the first half, told by the second."""
    half = len(data.y) // 2
    runs = [(losses(data, method, settings), settings) for settings in grid]
    chosen, settings = min(runs, key=lambda run: float(run[0][:half].mean()))
    return Found(float(chosen[half:].mean()), settings)


def grid(learner: str, over: str, fit: str) -> Iterator[dict[str, Any]]:
    """What boosting is tuned over; of linear losses also the size of the span or hull."""
    for n in SIZES[fit][learner]:
        etas = (
            sorted({1.0 / n, math.log(n) / n, *((1.0,) if fit == "actual" else ())}) if over == "span" else [None]
        )
        for rate in RATES[learner]:
            for eta in etas:
                for scale in SCALES[fit]:
                    own = {"eta": eta} if over == "span" else {}
                    yield {"learner": learner, "fit": fit, "n_learners": n, "rate": rate, "scale": scale, **own}


def compare_on(data: Data, learner: str, fits: list[str]) -> Iterator[dict[str, Any]]:
    """One record per algorithm and way to fit."""
    base = best(data, "single-regressor", ({"learner": learner, "rate": rate} for rate in RATES[learner]))
    for over, algorithm in ALGORITHMS.items():
        for fit in fits:
            found = best(data, f"ogb-{over}", grid(learner, over, fit))
            yield {
                "dataset": data.name, "learner": learner, "algorithm": algorithm, "fit": fit, "base": base.loss,
                "boosted": found.loss, "improvement": 100.0 * (base.loss - found.loss) / base.loss,
                "base_rate": base.settings["rate"], **{k: found.settings.get(k, "") for k in
                ("n_learners", "rate", "eta", "scale")},
            }  # fmt: skip


def summary(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Averages and medians per learner and algorithm, beside the published ones."""
    with PUBLISHED.open() as file:
        published = {row["base_learner"]: row for row in csv.DictReader(file)}
    lines = []
    for learner, name in LEARNERS.items():
        for algorithm in ALGORITHMS.values():
            for fit in ("actual", "linear"):
                own = [
                    r["improvement"]
                    for r in records
                    if (r["learner"], r["algorithm"], r["fit"]) == (learner, algorithm, fit)
                ]
                if own:
                    lines.append(
                        {
                            "learner": name, "algorithm": algorithm, "fit": fit, "sets": len(own),
                            "average": round(float(np.mean(own)), 2), "median": round(float(np.median(own)), 2),
                            "published_average": published[name][f"avg_rel_improvement_pct_{algorithm}"],
                            "published_median": published[name][f"median_rel_improvement_pct_{algorithm}"],
                        }
                    )  # fmt: skip
    return lines


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    """As CSV."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def kept(path: Path) -> dict[tuple[str, ...], dict[str, Any]]:
    """The records of earlier runs, by what they are about."""
    if not path.exists():
        return {}
    with path.open() as file:
        rows = [{**row, "improvement": float(row["improvement"])} for row in csv.DictReader(file)]
    return {key(row): row for row in rows}


def key(record: dict[str, Any]) -> tuple[str, ...]:
    """What a record is about."""
    return tuple(str(record[name]) for name in ("fit", "learner", "dataset", "algorithm"))


def main() -> None:
    """Run it, and keep what was found after every set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="experiments/beygelzimer")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--learners", default=",".join(LEARNERS))
    parser.add_argument("--fits", default="actual")
    parser.add_argument("--rows", type=int, default=MAX_ROWS, help="at most so many of each set")
    arguments = parser.parse_args()
    out = Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    records = kept(out / "by_set.csv")
    for learner in arguments.learners.split(","):
        for name in arguments.sets.split(","):
            for record in compare_on(read(name, arguments.rows), learner, arguments.fits.split(",")):
                records[key(record)] = record
                print(*(f"{v:.4g}" if isinstance(v, float) else v for v in record.values()), flush=True)
            write(out / "by_set.csv", list(records.values()))
            write(out / "summary.csv", summary(list(records.values())))
    for line in summary(list(records.values())):
        print(line)


if __name__ == "__main__":
    main()
