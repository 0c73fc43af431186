"""Hold a long stream's memory to account: `evaluate` over many rows, resident memory after every chunk.

    python benchmarks/memory.py --rows 10000000 --features 20

Prints the peak growth of resident memory after the first chunk, and exits with status 1 if it exceeds the
limit. The rows come from a LIBSVM file written first, so that reading is part of what is measured.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from shoal.evaluation.progressive import evaluate
from shoal.methods import build
from shoal.model import Model
from shoal.streams import open_stream

MEGABYTE = 2**20
BLOCK = 10_000


def write_rows(path: Path, n_rows: int, n_features: int) -> None:
    """A LIBSVM file of so many rows: random features, a noisy linear label. One block of text repeats."""
    random = np.random.default_rng(0)
    X = random.normal(size=(BLOCK, n_features)).round(3)
    y = np.where(X @ random.normal(size=n_features) + random.normal(size=BLOCK) > 0, 1, -1)
    lines = [
        f"{label:+d} " + " ".join(f"{j + 1}:{v:g}" for j, v in enumerate(row))
        for label, row in zip(y, X, strict=True)
    ]
    block = "\n".join(lines) + "\n"
    with path.open("w") as file:
        for _ in range(n_rows // BLOCK):
            file.write(block)


def resident() -> int:
    """Resident memory of this process, in bytes."""
    import psutil

    return int(psutil.Process().memory_info().rss)


def measured(n_rows: int, n_features: int, n_learners: int) -> tuple[int, Any]:
    """(peak growth in bytes after the first chunk, the evaluation's result)."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.libsvm"
        write_rows(path, n_rows, n_features)
        sizes: list[int] = []

        def watched(chunks: Any) -> Iterator[Any]:
            for chunk in chunks:
                yield chunk
                sizes.append(resident())

        model = Model(build("bayes", {"n_learners": n_learners}), seed=0)
        result = evaluate(model, watched(open_stream(path)))
    return max(sizes) - sizes[0], result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--learners", type=int, default=10)
    parser.add_argument("--limit", type=float, default=50.0, help="megabytes of growth allowed")
    given = parser.parse_args()
    growth, result = measured(given.rows, given.features, given.learners)
    print(f"{result.n:,} rows of {given.features} features, {given.learners} learners: error {result.error:.4f}")
    print(f"{result.n / result.total_seconds:,.0f} rows a second, reading included")
    print(f"peak growth of resident memory after the first chunk: {growth / MEGABYTE:.1f} MB")
    sys.exit(0 if growth < given.limit * MEGABYTE else 1)


if __name__ == "__main__":
    main()
