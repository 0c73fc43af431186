"""Kill runs (kill -9) at random moments, go on with them, and hold the end against a run that never stopped.

    python benchmarks/kill_resume.py [--kills 50] [--data sea:n=200000] [--method shoal] [--seed 0]

Each run writes a checkpoint after every chunk, so that many kills hit one that is being written. What is
compared is all that the final model file holds, to the last bit, and all that was measured but times.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.evaluation.killing import kill_and_resume


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--data", default="sea:n=200000,seed=1")
    parser.add_argument("--method", default="bayes")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        run = ["evaluate", given.data, "-m", given.method]
        found = kill_and_resume(run, given.kills, Path(folder), given.seed)
    found |= {"data": given.data, "method": given.method, "minutes": round((time.perf_counter() - began) / 60, 1)}
    print(json.dumps(found))
    if found["the same to the last bit"] != found["runs ended"]:
        sys.exit("a run that was killed and gone on with ended otherwise than one that never stopped")


if __name__ == "__main__":
    main()
