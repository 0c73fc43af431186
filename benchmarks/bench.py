"""Race shoal against every peer that is installed, on the same seeded streams, and write a table and a picture.

    make bench                                   # everything, in an environment of its own with the peers
    python -m benchmarks.bench --table           # the table alone: no sweeps, no first predictions
    python -m benchmarks.bench --quick           # the same, on few rows
    python -m benchmarks.bench --only shoal      # contestants whose name contains a word
    python -m benchmarks.bench --report          # write table and picture again from what was measured

Rows are made, and turned into what each peer takes, before the clock starts; every run is of a fresh model and
tests each row before it trains on it. Compiling (numba's, Java's) happens in runs that are told apart. The clock
is the processor time of the one thread that works, so that other work on the machine counts little; of several
runs the fastest counts. A ratio compares contestants of one run.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.speed.cases import cases_of
from benchmarks.speed.contestants import CONTESTANTS
from benchmarks.speed.first import cold_and_warm
from benchmarks.speed.report import write_report

FOLDER = Path(__file__).parent.parent / "experiments" / "speed"
QUICK_ROWS = 2000
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
TIMED_FIRST = ("shoal OSBoost", "River AdaBoost, perceptrons", "Vowpal Wabbit boosting, BBM",
               "MOA OnlineSmoothBoost, perceptrons", "scikit-learn, voting SGD in chunks")  # fmt: skip


def processor() -> str:
    """What the machine says of its processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def machine() -> dict[str, Any]:
    """What the figures were measured on, and how busy it was."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "system": platform.system(),
    }


def run_worker(name: str, cases: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """What a process of its own measures of one contestant; what it cannot do is told and left out."""
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.speed.worker", name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | ONE_THREAD,
    ) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdin.write("".join(json.dumps(case) + "\n" for case in cases))
        worker.stdin.close()
        for line in worker.stdout:
            yield json.loads(line)
    if worker.returncode != 0:
        print(f"{name} ended with status {worker.returncode}", file=sys.stderr)


def measure(
    only: str, rows: int | None, swept: bool, budget: float, keep: Callable[[dict[str, Any]], object]
) -> dict[str, Any]:
    """All measurements of one run, kept after each contestant. rows: at most so many."""
    found: dict[str, Any] = {"machine": machine(), "missing": {}, "results": [], "first": {}}
    for name, contestant in CONTESTANTS.items():
        if only not in name:
            continue
        missing = contestant.missing()
        if missing is not None:
            print(f"{name}: {missing}")
            found["missing"][name] = missing
            continue
        cases = [case.for_worker(budget) for case in cases_of(name, rows, swept)]
        for result in run_worker(name, cases):
            told = f"{result['sweep']} {result['size']}: {result['per_second']:,.0f} examples a second"
            print(f"{name}, {told}", flush=True)
            found["results"].append(result)
        if name in TIMED_FIRST and swept:
            found["first"][name] = cold_and_warm(name)
            print(f"{name}, first prediction: {found['first'][name]}", flush=True)
        keep(found)
    return found


def as_text(found: dict[str, Any]) -> str:
    """One measurement a line."""
    parts = found | {"results": []}
    lines = ",\n  ".join(json.dumps(result) for result in found["results"])
    return json.dumps(parts, indent=1).replace('"results": []', f'"results": [\n  {lines}\n ]') + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true", help="no sweeps")
    parser.add_argument("--quick", action="store_true", help="no sweeps, few rows")
    parser.add_argument("--only", default="", help="contestants whose name contains this")
    parser.add_argument("--budget", type=float, default=0.5, help="seconds that one run may take")
    parser.add_argument("--report", action="store_true", help="measure nothing: report what was measured last")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where to write")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    kept = given.folder / "results.json"
    if given.report:
        found = json.loads(kept.read_text())
    else:
        budget = 0.1 if given.quick else given.budget
        rows, swept = (QUICK_ROWS if given.quick else None), not (given.quick or given.table)
        found = measure(given.only, rows, swept, budget, lambda so_far: kept.write_text(as_text(so_far)))
    print(write_report(found, given.folder))


if __name__ == "__main__":
    main()
