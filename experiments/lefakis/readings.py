"""What the steps' rule and their shrinkage decide on MNIST, all ten digits, a reservoir for each.

    OPENBLAS_NUM_THREADS=1 python experiments/lefakis/readings.py   # runs what is missing, prints a table
    python experiments/lefakis/readings.py --tables-only

T = 250 stumps for each class, on seeds 100 and up, which no table uses: on these runs the reading that the tables
take was chosen, before any of them was run with it. A run is a line of readings.jsonl; it takes 4 to 40 seconds.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from shoal.reproduce.images import images_of, wrong_of_reservoir

KEPT = Path(__file__).parent / "readings.jsonl"
COMMON = {"n_learners": 250, "warm_up": False}
METHODS = ("reservoir-rand", "reservoir-wsam", "geem")
READINGS: tuple[dict[str, Any], ...] = (
    *({"shrinkage": shrinkage} for shrinkage in (0.1, 0.15, 0.2, 0.3)),
    *({"shrinkage": shrinkage, "step": "edge"} for shrinkage in (0.3, 1.0)),
)
SIZES, SEEDS = (100, 250), (100,)


def cells() -> Iterator[tuple[str, dict[str, Any]]]:
    """(method, settings) of all cells."""
    for size in SIZES:
        for reading in READINGS:
            for method in METHODS:
                yield method, {"size": size} | reading


def kept() -> list[dict[str, Any]]:
    """The runs there are."""
    return [json.loads(line) for line in KEPT.read_text(encoding="utf-8").splitlines()] if KEPT.exists() else []


def run_missing() -> None:
    """Every run that is not there yet."""
    known = [(row["method"], row["settings"], row["seed"]) for row in kept()]
    data = images_of("MNIST")
    for method, settings in cells():
        for seed in SEEDS:
            if (method, settings, seed) not in known:
                wrong = wrong_of_reservoir(data, method, COMMON | settings, seed)
                row = {"method": method, "settings": settings, "seed": seed}
                row["accuracy"] = round(100.0 * (1.0 - float(wrong.mean())), 2)
                with KEPT.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")


def print_table() -> None:
    """Mean accuracies; a cell without a run is empty."""
    rows = kept()
    print("| r | steps | " + " | ".join(METHODS) + " |")
    print("|---" * (2 + len(METHODS)) + "|")
    for size in SIZES:
        for reading in READINGS:
            told = []
            for method in METHODS:
                settings = {"size": size} | reading
                found = [x["accuracy"] for x in rows if (x["method"], x["settings"]) == (method, settings)]
                told.append(f"{np.mean(found):.1f} ({len(found)})" if found else "")
            steps = ", ".join(f"{name} {value}" for name, value in reading.items())
            print(f"| {size} | {steps} | " + " | ".join(told) + " |")


def main() -> None:
    """Run what is missing, then print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables-only", action="store_true", help="run nothing")
    if not parser.parse_args().tables_only:
        run_missing()
    print_table()


if __name__ == "__main__":
    main()
