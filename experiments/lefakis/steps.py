"""Why GEEM is ahead of WSam or behind it: shrinkage, ridge, edges and forgetting, one digit against the others.

    OPENBLAS_NUM_THREADS=1 python experiments/lefakis/steps.py      # runs what steps.jsonl lacks, prints the table
    python experiments/lefakis/steps.py --tables-only

MNIST, digits 3 and 8, T = 250, seeds 100 and 101, which no table uses. For each setting: the area above the ROC
curve, the error at score 0 and the log loss on the test images, the sum of all steps, and how many rounds ago the
examples kept at the end came, on average. A run is a line of steps.jsonl; it takes 1 to 8 seconds.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from shoal.datasets import load
from shoal.reservoir.methods import reservoir
from shoal.reservoir.stumps import scores_of
from shoal.streams.rows import to_rows
from shoal.types import Floats, Ints, Space, Task

KEPT = Path(__file__).parent / "steps.jsonl"
N_TRAIN, N_LEARNERS = 60_000, 250
DIGITS, SEEDS = (3, 8), (100, 101)
ROWS_AT_A_TIME = 2000
MEASURED = ("above_roc", "error", "log_loss", "steps", "age")


def settings() -> Iterator[tuple[int, str, dict[str, Any]]]:
    """(r, strategy, settings) of all rows."""
    for r in (100, 250):
        for shrinkage in (0.05, 0.1, 0.15, 0.2, 0.3, 1.0):
            for strategy in ("rand", "wsam", "geem"):
                yield r, strategy, {"shrinkage": shrinkage}
        for more in ({"ridge": 0.03}, {"ridge": 1.0}, {"edges": "stump"}, {"forgetting": 0.9995}):
            yield r, "geem", {"shrinkage": 0.1} | more
        for other in ({"ridge": 0.1}, {"ridge": 1.0}, {"covariance_features": 2 * r}, {"edges": "sign-gauss"}):
            yield r, "geem", {"shrinkage": 0.2} | other


@cache
def digits() -> tuple[Floats, Ints]:
    """All images and what they show."""
    X, y = load("mnist").arrays(dense=True)
    return X.astype(np.uint8), y.astype(np.int64)


def run(r: int, strategy: str, given: dict[str, Any], digit: int, seed: int) -> dict[str, float]:
    """One run."""
    X, y = digits()
    spec = reservoir(strategy, size=r, n_learners=N_LEARNERS, warm_up=False, **given)
    drawn = np.random.default_rng([seed, r]).integers(0, N_TRAIN, r * (N_LEARNERS + 1))
    state = spec.init(Space.of_size(X.shape[1]), Task("classification", 1), seed)
    for start in range(0, len(drawn), ROWS_AT_A_TIME):
        some = drawn[start : start + ROWS_AT_A_TIME]
        labels = (y[some] == digit).astype(np.float64)
        spec.run(state, X.shape[1], to_rows(X[some].astype(np.float64)), labels, np.ones(len(some)), 2)
    scores = scores_of(state.stumps, 0, np.ascontiguousarray(X[N_TRAIN:].T, dtype=np.float64))
    shown = y[N_TRAIN:] == digit
    margins = np.where(shown, scores, -scores)
    return {
        "above_roc": 100.0 * (1.0 - float(roc_auc_score(shown, scores))),
        "error": 100.0 * float(np.mean(margins < 0.0)),
        "log_loss": float(np.mean(np.logaddexp(0.0, -margins))),
        "steps": float(np.abs(state.stumps.step).sum()),
        "age": float(np.mean(state.seen[0] - state.kept.born)) / r,
    }


def kept() -> dict[str, dict[str, Any]]:
    """The runs there are, by what they are of."""
    lines = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else []
    return {key_of(row): row for row in map(json.loads, lines)}


def key_of(row: dict[str, Any]) -> str:
    """What a run is of."""
    return json.dumps([row[name] for name in ("r", "strategy", "settings", "digit", "seed")], sort_keys=True)


def run_missing() -> None:
    """Every run that is not there yet."""
    known = kept()
    for r, strategy, given in settings():
        for digit in DIGITS:
            for seed in SEEDS:
                row = {"r": r, "strategy": strategy, "settings": given, "digit": digit, "seed": seed}
                if key_of(row) not in known:
                    row |= run(r, strategy, given, digit, seed)
                    with KEPT.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(row) + "\n")


def print_table() -> None:
    """Means over digits and seeds."""
    known = kept()
    print("| r | strategy | settings | runs | above ROC, % | error, % | log loss | sum of steps | age, rounds |")
    print("|---|---|---|---|---|---|---|---|---|")
    for r, strategy, given in settings():
        rows = [x for x in known.values() if (x["r"], x["strategy"], x["settings"]) == (r, strategy, given)]
        if rows:
            told = ", ".join(f"{name} {value}" for name, value in given.items())
            means = " | ".join(f"{np.mean([x[name] for x in rows]):.3g}" for name in MEASURED)
            print(f"| {r} | {strategy} | {told} | {len(rows)} | {means} |")


def main() -> None:
    """Run what is missing, then print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables-only", action="store_true", help="run nothing")
    if not parser.parse_args().tables_only:
        run_missing()
    print_table()


if __name__ == "__main__":
    main()
