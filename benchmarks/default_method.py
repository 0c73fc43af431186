"""The default method over random orders of the papers' data sets, beside the best error any of them printed.

    python benchmarks/default_method.py --orders 0-19 --json experiments/default/results.jsonl
    python benchmarks/default_method.py --development --orders 0-19

Every row of a set is answered, then learned, once, in the order that the number of the order gives. The
configuration was chosen with --development, which adds 1000 to the numbers, and on other sets. `webpage` has
every row eight times, as the published count implies; `webpage-once` has them once and is compared with nothing.
Data come from the folder that SHOAL_DATA names; figures already in the --json file are kept, not computed again.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from shoal import datasets
from shoal.evaluation.order import Held, take
from shoal.evaluation.progressive import evaluate
from shoal.methods import build
from shoal.model import Model
from shoal.reproduce.data import reason_missing
from shoal.reproduce.tables import DataSource, best_printed, load_sources, load_table

PUBLISHED = best_printed()  # the least error over every method and learner of chen-1 to chen-4, bai-3 and bai-4
DEVELOPMENT = 1000  # added to an order's number, so that choices are made on other orders


def data_sets() -> list[str]:
    """The data sets of the papers' whole streams that can be had."""
    sources = load_sources()
    return [name for name in load_table("chen-1").datasets if not reason_missing(sources[name])]


def gather(name: str, source: DataSource) -> Held:
    """All rows of a data set, as often as the papers have them."""
    chunk = Held.gather(name, datasets.load(source.load)).chunk
    return Held(name, take(chunk, np.tile(np.arange(chunk.rows.n_rows), source.repeat)))


def error_of(held: Held, order: int) -> float:
    """Progressive error of the default method over the whole set in one order."""
    classes = sorted(set(held.chunk.labels.tolist())) if held.chunk.labels is not None else None
    model = Model(build("shoal", {}), seed=order, classes=classes)
    return evaluate(model, held.chunks(order), metrics=["error"]).error


def known(path: Path | None) -> dict[tuple[str, int], float]:
    """The errors by data set and order that the file holds."""
    if path is None or not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {(row["dataset"], row["order"]): row["error"] for row in rows}


def errors_of(name: str, orders: Sequence[int], path: Path | None) -> list[float]:
    """The error in each order, new ones appended to the file as they come."""
    errors = known(path)
    missing = [order for order in orders if (name, order) not in errors]
    held = gather(name, load_sources()[name]) if missing else None
    for order in missing:
        assert held is not None
        errors[name, order] = error_of(held, order)
        if path is not None:
            with path.open("a") as file:
                file.write(json.dumps({"dataset": name, "order": order, "error": errors[name, order]}) + "\n")
    return [errors[name, order] for order in orders]


def line(name: str, errors: Sequence[float]) -> str:
    """Mean, standard error, and whether the mean is below what was published."""
    mean = float(np.mean(errors))
    spread = float(np.std(errors, ddof=1)) / math.sqrt(len(errors)) if len(errors) > 1 else math.nan
    told = f"{name:14s}{len(errors):7d}{mean:9.4f}{spread:9.4f}"
    if name not in PUBLISHED:
        return told
    return f"{told}{PUBLISHED[name]:11.4f}  {'below' if mean < PUBLISHED[name] else 'not below'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orders", default="0-19", help="first and last number, such as 0-19")
    parser.add_argument("--development", action="store_true", help="orders from 1000 up")
    parser.add_argument("--datasets", default=",".join(data_sets()), help="joined by commas")
    parser.add_argument("--json", type=Path, help="keep every error here, one object a line")
    given = parser.parse_args()
    first, _, last = given.orders.partition("-")
    base = DEVELOPMENT if given.development else 0
    orders = range(base + int(first), base + int(last or first) + 1)
    print(f"{'data set':14s}{'orders':>7s}{'error':>9s}{'s.e.':>9s}{'published':>11s}")
    for name in given.datasets.split(","):
        print(line(name, errors_of(name, orders, given.json)), flush=True)


if __name__ == "__main__":
    main()
