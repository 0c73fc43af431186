"""Seconds from starting a process to its first prediction; run as a script, it is that process."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time


def first_prediction(name: str, cache: str | None) -> dict[str, float]:
    """Wall and processor seconds until a model of 100 learners was taught two rows and answered them."""
    environment = os.environ | ({"XDG_CACHE_HOME": cache} if cache else {})
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-m", __spec__.name, name], env=environment, check=True, capture_output=True)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall": wall, "processor": processor}


def cold_and_warm(name: str) -> dict[str, dict[str, float]]:
    """The first time on a machine, and a later time."""
    with tempfile.TemporaryDirectory() as cache:
        cold = first_prediction(name, cache)
        return {
            "cold": cold,
            "warm": min((first_prediction(name, cache) for _ in range(2)), key=lambda t: t["wall"]),
        }


def main() -> None:
    from benchmarks.speed.contestants import CONTESTANTS
    from benchmarks.speed.streams import DENSE, draw

    CONTESTANTS[sys.argv[1]].prepare(draw(DENSE, 2), 100)(2)()


if __name__ == "__main__":
    main()
