"""What a round of reservoir boosting costs on MNIST, two classes, r = q = 250, on one core.

    OPENBLAS_NUM_THREADS=1 python benchmarks/reservoir.py

Prints milliseconds a round for covariance, inverse, removal and stump search, with what both strategies
share beside them, and the time of GEEM over that of WSam, next to the paper's (320 s / 70 s, INRIA). Exits
with status 1 if covariance, inverse and removal take more than 80 ms together, or the removal more than 25.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from time import process_time
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from shoal.datasets import load
from shoal.reservoir.boost import boosting_weights
from shoal.reservoir.covariance import stump_covariance, varying
from shoal.reservoir.geem import inverse, removal, remove, with_ridge
from shoal.reservoir.model import ReservoirBoost
from shoal.reservoir.orders import merged_order, order_of_kept, ranks_of, sorted_order
from shoal.reservoir.strategies import strategy_named
from shoal.reservoir.stumps import best_stump
from shoal.streams.rows import to_rows
from shoal.types import Floats, Space, Task

PUBLISHED = (320.0, 70.0)  # seconds of GEEM and of WSam, r = 250: the paper's section 4
DIGIT = 3  # against the others
LIMIT, SWEEP_LIMIT = 80.0, 25.0


def milliseconds(work: Callable[[], Any], repeats: int) -> float:
    """The median processor time of the work; its first run, which compiles, not counted."""
    work()
    times = []
    for _ in range(repeats):
        began = process_time()
        work()
        times.append(process_time() - began)
    return 1000.0 * float(np.median(times))


def pieces(X: Floats, signs: Floats, r: int, repeats: int) -> dict[str, float]:
    """Milliseconds of each piece of a round on these 2 r examples."""
    values = np.ascontiguousarray(X.T)
    first, second = (sorted_order(np.ascontiguousarray(part)) for part in (values[:, :r], values[:, r:]))
    order = merged_order(values, first, second)
    signed = signs * boosting_weights(np.random.default_rng(0).normal(size=2 * r))
    ranks = ranks_of(values, order, varying(values, order), True)
    covariance = with_ridge(stump_covariance(ranks))
    p = inverse(covariance)
    kept = np.arange(0, 2 * r, 2)
    kept_values, kept_order = np.ascontiguousarray(values[:, kept]), order_of_kept(order, kept)
    fresh = removal(covariance, r)

    def rank_and_add() -> None:
        with_ridge(stump_covariance(ranks_of(values, order, varying(values, order), True)))

    def sweep() -> None:
        work = fresh._replace(diagonal=p.diagonal().copy(), kept=np.ones(2 * r, dtype=np.bool_))
        remove(work, np.stack([signs @ p, signed]), np.abs(signed))

    return {
        "covariance": milliseconds(rank_and_add, repeats),
        "inverse": milliseconds(lambda: inverse(covariance), repeats),
        "removal sweep": milliseconds(sweep, repeats),
        "stump search": milliseconds(lambda: best_stump(kept_values, kept_order, signed[kept]), repeats),
        "sorting the new": milliseconds(lambda: sorted_order(np.ascontiguousarray(values[:, r:])), repeats),
        "merging orders": milliseconds(lambda: merged_order(values, first, second), repeats),
        "keeping orders": milliseconds(lambda: order_of_kept(order, kept), repeats),
    }


def seconds(strategy: str, X: Floats, y: Floats, r: int) -> float:
    """Processor time of all rounds on the rows."""
    rows, ones = to_rows(X), np.ones(len(X))
    times = []
    for _ in range(2):  # the first time compiles
        spec = ReservoirBoost(strategy_named(strategy), size=r, warm_up=False)
        state = spec.init(Space.of_size(X.shape[1]), Task("classification", 1), 0)
        began = process_time()
        spec.run(state, X.shape[1], rows, y, ones, 2)
        times.append(process_time() - began)
    return times[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=250, help="r = q")
    parser.add_argument("--rounds", type=int, default=60, help="rounds of the comparison with WSam")
    parser.add_argument("--repeats", type=int, default=15)
    given = parser.parse_args()
    X, labels = load("mnist").arrays(dense=True)
    n = given.size * (given.rounds + 1)
    X, y = X[:n], (labels[:n] == DIGIT).astype(np.float64)
    costs = pieces(X[: 2 * given.size], np.where(y[: 2 * given.size] == 1.0, 1.0, -1.0), given.size, given.repeats)
    for name, cost in costs.items():
        print(f"{name:16} {cost:8.2f} ms")
    together = costs["covariance"] + costs["inverse"] + costs["removal sweep"]
    print(f"{'GEEM together':16} {together:8.2f} ms (limit {LIMIT:g}; the sweep's is {SWEEP_LIMIT:g})")
    geem, wsam = (seconds(name, X, y, given.size) for name in ("geem", "wsam"))
    print(f"a round of GEEM {1000 * geem / given.rounds:.1f} ms, of WSam {1000 * wsam / given.rounds:.1f} ms")
    print(f"GEEM / WSam: {geem / wsam:.2f}; published {PUBLISHED[0] / PUBLISHED[1]:.2f} (320 s / 70 s)")
    sys.exit(0 if together <= LIMIT and costs["removal sweep"] <= SWEEP_LIMIT else 1)


if __name__ == "__main__":
    main()
