"""Tables 3, 4 and 5 of Lefakis and Fleuret, on raw MNIST or on the part of CIFAR-10, encoded.

Runs what is missing, then prints ours beside theirs.

    OPENBLAS_NUM_THREADS=1 python experiments/lefakis/run.py --runs 5
    python experiments/lefakis/run.py --runs 0                          (the tables only)

Every finished run is one line of results.jsonl, so a run that was interrupted goes on where it was. The
stream is drawn uniformly with replacement from the training images; accuracy is that on all test images.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.boosters.feature_boost import FeatureBoost
from shoal.boosters.osboost import OSBoost
from shoal.boosters.ozaboost import OzaBoost
from shoal.datasets import load
from shoal.datasets.patches import CIFAR_TRAINING, encoded_cifar
from shoal.ensemble import Ensemble
from shoal.model import Model
from shoal.reservoir.baselines import SampledBoost, bank_of, scores_on
from shoal.reservoir.methods import reservoir
from shoal.rules.last import Last
from shoal.rules.uniform import Uniform
from shoal.streams.rows import to_rows
from shoal.types import Chunk, Floats, Ints, Space

HERE = Path(__file__).parent
N_CLASSES = 10
T = 250
SIZES = (100, 250)
FIXED_SIZES = (1000, 2500)
STRATEGIES = ("max", "rand", "wsam", "geem")
ROWS_AT_A_TIME = 1000
SHRINKAGE = 0.1
MNIST_TRAINING = 60_000  # its training images come first


@dataclass(frozen=True)
class Data:
    """All images, those for training first."""

    X: NDArray[Any]
    y: Ints
    n_train: int

    def rows(self, some: Ints | slice) -> Chunk:
        """Some of them as a chunk."""
        X = self.X[some].astype(np.float64)
        return Chunk(to_rows(X), self.y[some].astype(np.float64), None, Space.of_size(X.shape[1]))


@cache
def images(name: str) -> Data:
    """MNIST, raw; or the part of CIFAR-10, encoded."""
    if name == "CIFAR":
        return Data(*encoded_cifar(), CIFAR_TRAINING)
    X, y = load("mnist").arrays(dense=True)
    return Data(X.astype(np.uint8), y.astype(np.int64), MNIST_TRAINING)


def learn(model: Model, data: Data, some: Ints) -> None:
    """Let a model learn the images in this order."""
    for start in range(0, len(some), ROWS_AT_A_TIME):
        model.answer_and_learn(data.rows(some[start : start + ROWS_AT_A_TIME]))


def accuracy(model: Model, data: Data) -> float:
    """Share of the test images answered rightly."""
    right = 0
    for start in range(data.n_train, len(data.y), ROWS_AT_A_TIME):
        chunk = data.rows(slice(start, start + ROWS_AT_A_TIME))
        answers, _ = model.predict(chunk.rows, chunk.space)
        right += int(np.sum(np.array(model.classes)[answers] == chunk.labels))
    return right / (len(data.y) - data.n_train)


def table_accuracy(scores: Floats, data: Data) -> float:
    """The same from scores."""
    return float(np.mean(scores.argmax(axis=1) == data.y[data.n_train :]))


def classes() -> list[float]:
    return [float(k) for k in range(N_CLASSES)]


def run_reservoir(data: Data, seed: int, strategy: str, r: int, **settings: Any) -> float:
    """Table 3: T rounds of q = r draws, after the first r."""
    spec = reservoir(strategy, size=r, n_learners=T, warm_up=False, shrinkage=SHRINKAGE, **settings)
    drawn = np.random.default_rng([seed, r]).integers(0, data.n_train, r * (T + 1))
    model = Model(spec, seed=seed, classes=classes())  # type: ignore[arg-type]
    learn(model, data, drawn)
    return accuracy(model, data)


def run_sampled(data: Data, seed: int, sampling: str, r: int, **settings: Any) -> float:
    """Table 5: boosting on samples of all training images."""
    booster = SampledBoost(sampling, r, T, **settings)
    ones = np.ones(data.n_train)
    table = booster.fit(data.X[: data.n_train], data.y[: data.n_train], ones, N_CLASSES, seed)
    return table_accuracy(scores_on(table, data.X[data.n_train :]), data)


def run_initialised(data: Data, seed: int, method: str, r: int) -> float:
    """Table 4: T stumps by LogitBoost on r images, then one pass of learning how to combine them."""
    order = np.random.default_rng([seed, r]).permutation(data.n_train)
    first, rest = order[:r], order[r:]
    found = SampledBoost("fixed", r, T).fit(data.X[first], data.y[first], np.ones(r), N_CLASSES, seed)
    parts: dict[str, tuple[Any, Any]] = {
        "oza": (OzaBoost("weighted"), Last()),
        "chen": (OSBoost(multiclass="one-vs-rest"), Uniform()),
        "bisc": (FeatureBoost(pool=True, selectors=T), Last()),
    }
    booster, rule = parts[method]
    model = Model(Ensemble(bank_of(found), booster, rule), seed=seed, classes=classes())
    learn(model, data, rest)
    return accuracy(model, data)


def settings() -> Iterator[tuple[str, Callable[[Data, int], float]]]:
    """(name, what runs it) of all columns, the quick ones first."""
    for r in SIZES:
        for shared in (False, True):
            for strategy in STRATEGIES:
                name = f"{strategy}{'-shared' if shared else ''}-r{r}"
                yield (
                    name,
                    lambda data, seed, s=strategy, r=r, one=shared: run_reservoir(data, seed, s, r, shared=one),
                )
        yield f"wsam-equal-r{r}", lambda data, seed, r=r: run_reservoir(data, seed, "wsam", r, wsam_uniform=True)
        for name, sampling in (("wss", "weighted"), ("mada", "mada")):
            yield f"{name}-r{r}", lambda data, seed, s=sampling, r=r: run_sampled(data, seed, s, r)
    for method in ("oza", "chen"):
        yield method, lambda data, seed, m=method: run_initialised(data, seed, m, SIZES[-1])
    for r in FIXED_SIZES:
        yield f"fix-r{r}", lambda data, seed, r=r: run_sampled(data, seed, "fixed", r, loss="exponential")
    yield "bisc", lambda data, seed: run_initialised(data, seed, "bisc", SIZES[-1])


def done(path: Path) -> list[dict[str, Any]]:
    """The runs there are."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def run_missing(path: Path, dataset: str, n_runs: int, wanted: set[str]) -> None:
    """Every run that is not there yet; run by run, so that early tables are fair."""
    known = {(row["setting"], row["seed"]) for row in done(path) if row["dataset"] == dataset}
    for seed in range(n_runs):
        for name, run in settings():
            if (name, seed) in known or (wanted and name not in wanted):
                continue
            began = process_time()
            row = {"dataset": dataset, "setting": name, "seed": seed, "accuracy": run(images(dataset), seed)}
            row |= {"seconds": round(process_time() - began, 1)}
            with path.open("a") as file:
                file.write(json.dumps(row) + "\n")
            print(row, flush=True)


def published(dataset: str) -> dict[str, str]:
    """The paper's cells of a data set as "mean (deviation)"."""
    cells = {}
    for table in (3, 4, 5):
        with (HERE / f"table{table}.csv").open() as file:
            row = next(row for row in csv.DictReader(file) if row["dataset"] == dataset)
        for column, value in row.items():
            if column.endswith("_acc_pct"):
                name = column.removesuffix("_acc_pct")
                cells[name.replace("_", "-")] = f"{value} ({row[name + '_std_pct']})"
    return cells


def print_table(path: Path, dataset: str) -> None:
    """Ours beside theirs, as Markdown."""
    theirs = published(dataset)
    rows = [row for row in done(path) if row["dataset"] == dataset]
    print("| setting | runs | accuracy (deviation), % | published | seconds a run |\n|---|---|---|---|---|")
    for name, _ in settings():
        values = [100.0 * row["accuracy"] for row in rows if row["setting"] == name]
        if values:
            spread = f"{np.std(values, ddof=1):.2f}" if len(values) > 1 else "-"
            seconds = np.mean([row["seconds"] for row in rows if row["setting"] == name])
            ours = f"{np.mean(values):.2f} ({spread})"
            print(f"| {name} | {len(values)} | {ours} | {theirs.get(name, '')} | {seconds:.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--dataset", choices=("MNIST", "CIFAR"), default="MNIST")
    parser.add_argument("--settings", nargs="*", default=[], help="only these, such as geem-r100")
    parser.add_argument("--results", type=Path, default=HERE / "results.jsonl")
    given = parser.parse_args()
    run_missing(given.results, given.dataset, given.runs, set(given.settings))
    print_table(given.results, given.dataset)


if __name__ == "__main__":
    main()
