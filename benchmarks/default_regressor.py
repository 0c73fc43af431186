"""The default regressor, untuned, beside single learners, gradient boosting and River's regressors, all untuned.

    python benchmarks/default_regressor.py [--out FILE] [--sets a,b] [--models a,b] [--rows 1500] [--keep-order]

Each model answers a row before it learns it, the rows in one random order (or, with --keep-order, as they come).
What is told is the relative squared error, 1 - R2, of all rows after the first tenth, so that the first answers,
given before anything is known, do not outweigh the rest, and the seconds taken. River's linear model stands
behind its own StandardScaler; numbers are handed to River's models as dicts. Every line is kept at once in FILE;
what it already holds of the same set, model and rows is not run again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from shoal import datasets
from shoal.methods import make_model
from shoal.streams.rows import to_rows
from shoal.types import Chunk, Floats, Space

SETS = ("airfoil", "concrete", "abalone", "cpusmall", "kin8nm", "winequality-white", "power-plant", "2dplanes")
MADE = "step"  # a target made of steps, which trees are good at
SHOAL: dict[str, tuple[str, dict[str, Any]]] = {
    "default": ("mixed-regressors", {}),
    "sgd": ("single-regressor", {"learner": "sgd"}),
    "stump": ("single-regressor", {"learner": "stump"}),
    "mlp": ("single-regressor", {"learner": "mlp"}),
    "ridge": ("single-regressor", {"learner": "ridge"}),
    "tree": ("single-regressor", {"learner": "hoeffding_tree"}),
    "ogb-span of mlp": ("ogb-span", {"learner": "mlp", "n_learners": 10}),
    "ogb-hull of mlp": ("ogb-hull", {"learner": "mlp", "n_learners": 10}),
}
RIVER = ("river linear", "river tree", "river forest")
SEED = 0
BURN_IN = 0.1


def read(name: str, n_rows: int, keep_order: bool) -> tuple[Floats, Floats]:
    """The rows in their one order."""
    rng = np.random.default_rng(SEED)
    if name == MADE:
        X = rng.uniform(-1.0, 1.0, (n_rows, 8))
        return X, np.where(X[:, 0] > 0.2, 3.0, 0.0) + np.where(X[:, 1] * X[:, 2] > 0.0, 2.0, -2.0)
    X, y = datasets.load(name).arrays(dense=True)
    order = np.arange(len(y)) if keep_order else rng.permutation(len(y))
    return np.asarray(X)[order[:n_rows]], np.asarray(y, dtype=np.float64)[order[:n_rows]]


def shoal_answers(model: str) -> Callable[[Floats, Floats], Floats]:
    """Answers of one of shoal's methods."""
    method, settings = SHOAL[model]

    def answers(X: Floats, y: Floats) -> Floats:
        made = make_model(method, settings, SEED)
        chunk = Chunk(to_rows(X), y, None, Space.of_size(X.shape[1]))
        return np.asarray(made.answer_and_learn(chunk).predicted[:, 0])

    return answers


def river_model(name: str) -> Any:
    """One of River's regressors, as it comes."""
    from river import forest, linear_model, preprocessing, tree

    if name == "river linear":
        return preprocessing.StandardScaler() | linear_model.LinearRegression()
    if name == "river tree":
        return tree.HoeffdingTreeRegressor()
    return forest.ARFRegressor(seed=SEED)


def river_answers(name: str) -> Callable[[Floats, Floats], Floats]:
    """Answers of one of River's models."""

    def answers(X: Floats, y: Floats) -> Floats:
        model, said = river_model(name), np.zeros(len(y))
        for t, (x, target) in enumerate(zip(X.tolist(), y.tolist(), strict=True)):
            row = dict(enumerate(x))
            said[t] = model.predict_one(row) or 0.0
            model.learn_one(row, target)
        return said

    return answers


def measure(name: str, model: str, X: Floats, y: Floats) -> dict[str, Any]:
    """One line: a model on a set."""
    answers = river_answers(model) if model in RIVER else shoal_answers(model)
    if model not in RIVER:
        answers(X[:50], y[:50])  # compiles
    began = time.process_time()
    said = answers(X, y)
    seconds = time.process_time() - began
    counted = slice(int(BURN_IN * len(y)), None)
    error = np.mean((said[counted] - y[counted]) ** 2) / np.var(y[counted])
    return {"set": name, "model": model, "rows": len(y), "error": float(error), "seconds": round(seconds, 3)}


def table(lines: list[dict[str, Any]]) -> str:
    """Sets down, models across; errors in per cent of the variance, the least marked."""
    models = [m for m in (*SHOAL, *RIVER) if any(line["model"] == m for line in lines)]
    names = list(dict.fromkeys(line["set"] for line in lines))
    found = {(line["set"], line["model"]): 100.0 * line["error"] for line in lines}
    text = ["| set | " + " | ".join(models) + " |", "|---" * (len(models) + 1) + "|"]
    for name in names:
        least = min(found.get((name, m), np.inf) for m in models)
        cells = [found.get((name, m)) for m in models]
        told = ["" if c is None else f"**{c:.1f}**" if c == least else f"{c:.1f}" for c in cells]
        text.append(f"| {name} | " + " | ".join(told) + " |")
    return "\n".join(text)


def main() -> None:
    """Run what is not yet kept; print all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="experiments/default-regressor/results.jsonl")
    parser.add_argument("--sets", default=",".join((*SETS, MADE)))
    parser.add_argument("--models", default=",".join((*SHOAL, *RIVER)))
    parser.add_argument("--rows", type=int, default=1500)
    parser.add_argument("--keep-order", action="store_true")
    arguments = parser.parse_args()
    out = Path(arguments.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    kept = {(line["set"], line["model"], line["rows"]) for line in lines}
    for model in arguments.models.split(","):
        for name in arguments.sets.split(","):
            X, y = read(name, arguments.rows, arguments.keep_order)
            if (name, model, len(y)) in kept:
                continue
            lines.append(measure(name, model, X, y))
            print(json.dumps(lines[-1]), flush=True)
            with out.open("a") as file:
                file.write(json.dumps(lines[-1]) + "\n")
    print(table(lines))


if __name__ == "__main__":
    main()
