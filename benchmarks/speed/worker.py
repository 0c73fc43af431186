"""Time one contestant in a process of its own: reads cases as JSON from standard input, writes a line for each.

Time is that of the calling thread's processor: other work on the machine does not count, and neither do the
threads in which Java compiles and collects garbage.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from time import thread_time
from typing import Any

from benchmarks.speed.contestants import CONTESTANTS
from benchmarks.speed.ours import Race
from benchmarks.speed.streams import Shape, draw

FIRST_ROWS = 50
REPEATS = 5
MEGABYTE = 2**20


def seconds(run: Callable[[], int]) -> tuple[float, int]:
    """(processor seconds, mistakes)."""
    began = thread_time()
    wrong = run()
    return max(thread_time() - began, 1e-9), wrong


def affordable(race: Race, most: int, budget: float) -> tuple[int, float]:
    """(how many rows can be run within the budget, seconds that the first rows took: compiling among them)."""
    n = min(FIRST_ROWS, most)
    first, _ = seconds(race(n))
    taken, _ = seconds(race(n))
    while n < most and taken < 0.1 * budget:
        n = min(most, 8 * n)
        taken, _ = seconds(race(n))
    return max(min(most, int(n * budget / taken)), min(FIRST_ROWS, most)), first


def resident() -> int:
    """Bytes of memory that this process holds."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def measured(name: str, shape: Shape, n_learners: int, most: int, budget: float) -> dict[str, Any]:
    """Rate and memory of one contestant at one case."""
    stream = draw(shape, most)
    race = CONTESTANTS[name].prepare(stream, n_learners)
    before = resident()
    n, first = affordable(race, most, budget)
    after_first = resident()
    runs = [seconds(race(n)) for _ in range(REPEATS)]
    taken = min(run[0] for run in runs)
    wrong = runs[0][1]
    return {
        "rows": n,
        "seconds": taken,
        "per_second": n / taken,
        "first_seconds": first,
        "error": wrong / n if wrong >= 0 else None,
        "megabytes": (resident() - before) / MEGABYTE,
        "megabytes_grown": (resident() - after_first) / MEGABYTE,
    }


def main() -> None:
    name = sys.argv[1]
    for line in sys.stdin:
        case = json.loads(line)
        shape = Shape(**case["shape"])
        found = measured(name, shape, case["n_learners"], case["most"], case["budget"])
        print(json.dumps(case | {"contestant": name} | found), flush=True)


if __name__ == "__main__":
    main()
