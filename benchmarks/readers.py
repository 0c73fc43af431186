"""Whether reading keeps up with learning: rows a second of each reader, beside OSBoost over 100 perceptrons.

    python benchmarks/readers.py [--rows 50000]

The same rows are written as LIBSVM text, CSV and Parquet, dense and (LIBSVM) sparse. All times are of this
thread's processor; the fastest of several passes counts, the first, which may compile, is not counted.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from time import thread_time
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.speed.streams import DENSE, SPARSE, Shape, Stream, draw

from shoal.methods import build
from shoal.model import Model
from shoal.streams import open_stream

PASSES = 3
DECIMALS = 4


def write_libsvm(stream: Stream, path: Path) -> None:
    """LIBSVM text."""
    lines = (
        f"{2 * y - 1:+d} " + " ".join(f"{j + 1}:{v:g}" for j, v in stream.items(t))
        for t, y in enumerate(stream.classes.tolist())
    )
    path.write_text("\n".join(lines) + "\n")


def write_table(stream: Stream, path: Path) -> None:
    """CSV, or Parquet, by the file's name."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    X = stream.dense(0, len(stream.classes))
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"label": stream.classes}
    write = pa.csv.write_csv if path.suffix == ".csv" else pa.parquet.write_table
    write(pa.table(columns), path)


def rounded(stream: Stream) -> Stream:
    """Values as people write them."""
    return Stream(stream.shape, stream.rows._replace(values=stream.rows.values.round(DECIMALS)), stream.classes)


def read_all(chunks: Iterable[Any]) -> int:
    """How many rows there were."""
    return sum(chunk.rows.n_rows for chunk in chunks)


def learn_all(chunks: Iterable[Any]) -> int:
    """How many rows were learned."""
    model, n = Model(build("osboost", {"n_learners": 100}), seed=0), 0
    for chunk in chunks:
        model.answer_and_learn(chunk)
        n += chunk.rows.n_rows
    return n


def rows_a_second(passing: Any) -> float:
    """Rows a second of the fastest pass."""
    passing()
    best = 0.0
    for _ in range(PASSES):
        began = thread_time()
        n = passing()
        best = max(best, n / (thread_time() - began))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=50_000)
    n_rows = parser.parse_args().rows
    kinds: list[tuple[str, Shape]] = [("libsvm", DENSE), ("csv", DENSE), ("parquet", DENSE), ("libsvm", SPARSE)]
    learned: dict[Shape, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind, shape in kinds:
            stream, path = rounded(draw(shape, n_rows)), Path(folder) / f"rows.{kind}"
            (write_libsvm if kind == "libsvm" else write_table)(stream, path)
            read = rows_a_second(lambda path=path: read_all(open_stream(path)))
            if shape not in learned:
                chunks = list(open_stream(path))
                learned[shape] = rows_a_second(lambda chunks=chunks: learn_all(chunks))
            told = f"{kind:<8} {shape!s:<18} {path.stat().st_size / 1e6:6.1f} MB: read {read:10,.0f} rows a second"
            print(
                f"{told}, learned {learned[shape]:10,.0f}: {read / learned[shape]:.2f} times as fast", flush=True
            )


if __name__ == "__main__":
    main()
