"""Fuzz a reader or a loader, guided by coverage, and say what was found. Needs `pip install .[fuzz]`.

    python benchmarks/fuzz.py libsvm [--seconds 600] [--keep experiments/fuzz/runs.jsonl]

It begins with the inputs under tests/fuzz/corpus. An input that ends in anything but a documented error, takes
more than five seconds or 2 GB is written to build/fuzz/TARGET, and the command fails. Kernels run as plain Python
there, so that the fuzzer sees their branches and a place outside of an array is an error instead of luck.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SECONDS_AN_INPUT, MEGABYTES = 5, 2048


def fuzz(target: str, arguments: list[str]) -> None:
    """In a process of its own: libFuzzer ends it."""
    import atheris

    sys.path.insert(0, str(ROOT))
    with atheris.instrument_imports(include=["shoal", "tests.fuzz"]):
        from tests.fuzz.targets import TARGETS
    import numpy as np

    np.seterr(all="ignore")
    for path in sorted((ROOT / "tests" / "fuzz" / "corpus" / target).iterdir()):
        TARGETS[target](path.read_bytes())  # so that no input is charged for modules that load at their first use
    atheris.Setup([sys.argv[0], *arguments], TARGETS[target])
    atheris.Fuzz()


def run(target: str, seconds: int) -> dict[str, object]:
    """Fuzz for so long; what came of it."""
    made = ROOT / "build" / "fuzz" / target
    (made / "corpus").mkdir(parents=True, exist_ok=True)
    given = [
        str(made / "corpus"), str(ROOT / "tests" / "fuzz" / "corpus" / target), f"-max_total_time={seconds}",
        f"-timeout={SECONDS_AN_INPUT}", f"-rss_limit_mb={MEGABYTES}", f"-artifact_prefix={made}/",
        "-print_final_stats=1",
    ]  # fmt: skip
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, __file__, target, "--within", *given]
    with open(made / "log", "w") as log:
        ended = subprocess.run(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
    text = (made / "log").read_text(errors="replace")
    found = {name: int(number) for name, number in re.findall(r"stat::(\w+):\s+(\d+)", text)}
    coverage = re.findall(r"cov: (\d+)", text)
    return {
        "target": target, "seconds": seconds, "inputs": found.get("number_of_executed_units"),
        "branches": int(coverage[-1]) if coverage else None, "peak_mb": found.get("peak_rss_mb"),
        "slowest_seconds": found.get("slowest_unit_time_sec"), "failed": ended.returncode != 0,
        "made": date.today().isoformat(),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--keep", type=Path, help="add a line with what came of it to this file")
    parser.add_argument("--within", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.within is not None:
        fuzz(given.target, given.within)
        return
    outcome = run(given.target, given.seconds)
    print(json.dumps(outcome))
    if given.keep:
        with given.keep.open("a", encoding="utf-8") as file:
            file.write(json.dumps(outcome) + "\n")
    if outcome["failed"]:
        sys.exit(f"{given.target}: see build/fuzz/{given.target}/log")


if __name__ == "__main__":
    main()
