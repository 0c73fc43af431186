"""Every boosting method beside one learner, the vote and the posterior: `shoal compare` on many data sets.

    python benchmarks/boosting_compare.py --learners perceptron,naive_bayes
    python benchmarks/boosting_compare.py --sets electricity,sea_stream --max-rows 5000 --variant exp-vote
    python benchmarks/boosting_compare.py --summary

Trials are kept in experiments/boosting/results.jsonl as each data set is done, in place of earlier ones of the
same setting; with `--report` one HTML report for each learner shows what this call ran. `--set` gives settings
to the methods that have them, and `--variant` names such trials, so that they stand beside those with the
defaults. `--summary` prints the tables of the README: mean errors, and where a method is worse than its
single learner.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.cli.work import maker, own_settings, records
from shoal.evaluation.compare import Comparison, compare
from shoal.evaluation.contestants import source_of
from shoal.methods.values import value_of
from shoal.streams import open_stream

FOLDER = Path(__file__).parent.parent / "experiments" / "boosting"
RESULTS = FOLDER / "results.jsonl"
METHODS = (
    "single,voting,bayes,osboost,osboost-ocp,osboost-exp,osboost-bayes,"
    "ozaboost,ogboost,feature-boost,bbm,adaboost-ol"
)
SETS = (
    "heart,breast-cancer,australian,diabetes,german.numer,ionosphere,sonar,svmguide3,fourclass,balance,car,splice,"
    "movement_libras,mushrooms,pendigits,ijcnn1,a9a,w8a,covtype.first20k,electricity,sea_stream"
)
WORSE = 0.02  # by more than this a method is worse than its single learner
SETTING = ("dataset", "learner", "n_learners", "max_rows", "variant", "method", "trial")

Record = dict[str, Any]


def run_set(dataset: str, learner: str, methods: list[str], given: argparse.Namespace) -> Comparison:
    """The methods on the same orders of one data set's rows."""
    settings = {"learner": learner, "n_learners": given.n_learners}
    settings |= {name: value_of(text) for name, _, text in (pair.partition("=") for pair in given.set)}
    makers = {method: maker(method, own_settings(method, methods, settings)) for method in methods}
    source = source_of(open_stream(dataset), False)
    return compare(makers, [source], trials=given.trials, seed=given.seed, max_rows=given.max_rows)


def joined(parts: list[Comparison]) -> Comparison:
    """One comparison of all data sets, for one report."""
    whole = replace(
        parts[0],
        trials=tuple(trial for part in parts for trial in part.trials),
        datasets=tuple(name for part in parts for name in part.datasets),
        ordered=frozenset().union(*(part.ordered for part in parts)),
        facts={name: facts for part in parts for name, facts in part.facts.items()},
    )
    return whole


def keep(new: list[Record]) -> None:
    """Put trials into the results file."""
    old = kept()
    replaced = {tuple(record[key] for key in SETTING) for record in new}
    stay = [record for record in old if tuple(record[key] for key in SETTING) not in replaced]
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text("".join(json.dumps(record) + "\n" for record in [*stay, *new]), encoding="utf-8")


def kept() -> list[Record]:
    """All trials in the results file."""
    if not RESULTS.exists():
        return []
    return [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]


def mean_errors(records_: list[Record]) -> dict[tuple[str, str], float]:
    """The mean error of each (data set, method or variant of it)."""
    errors: dict[tuple[str, str], list[float]] = defaultdict(list)
    for record in records_:
        name = record["method"] + (f" ({record['variant']})" if record["variant"] else "")
        errors[record["dataset"], name].append(record["error"])
    return {key: float(np.mean(found)) for key, found in errors.items()}


def print_summary() -> None:
    """Tables in Markdown, one for each learner; an error that is worse than the single learner's is marked."""
    every = kept()
    for learner in dict.fromkeys(record["learner"] for record in every):
        errors = mean_errors([record for record in every if record["learner"] == learner])
        datasets = list(dict.fromkeys(dataset for dataset, _ in errors))
        names = list(dict.fromkeys(name for _, name in errors))
        print(f"\n### {learner}\n\n| data set | {' | '.join(names)} |\n|{'---|' * (len(names) + 1)}")
        for dataset in datasets:
            print(f"| {dataset} | {' | '.join(cell(errors, dataset, name) for name in names)} |")
        counts = [sum(is_worse(errors, dataset, name) for dataset in datasets) for name in names]
        print(f"| worse on | {' | '.join(map(str, counts))} |")


def is_worse(errors: dict[tuple[str, str], float], dataset: str, name: str) -> bool:
    """Whether the method's error is above the single learner's by more than `WORSE`."""
    both = (dataset, name) in errors and (dataset, "single") in errors
    return both and errors[dataset, name] > errors[dataset, "single"] + WORSE


def cell(errors: dict[tuple[str, str], float], dataset: str, name: str) -> str:
    """An error, marked where it is worse."""
    if (dataset, name) not in errors:
        return ""
    return f"{errors[dataset, name]:.3f}" + ("*" if is_worse(errors, dataset, name) else "")


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--methods", default=METHODS)
    parser.add_argument("--learners", default="perceptron,naive_bayes")
    parser.add_argument("-n", "--n-learners", type=int, default=50)
    parser.add_argument("--trials", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--max-rows", type=int, default=3000)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--variant", default="", help="what trials with other settings are called")
    parser.add_argument("--report", action="store_true", help="write HTML reports of what this call runs")
    parser.add_argument("--summary", action="store_true", help="print the tables, run nothing")
    given = parser.parse_args()
    for learner in [] if given.summary else given.learners.split(","):
        parts = []
        for dataset in given.sets.split(","):
            parts.append(run_set(dataset, learner, given.methods.split(","), given))
            setting = {"n_learners": given.n_learners, "max_rows": given.max_rows, "variant": given.variant}
            keep([{**record, **setting} for record in records(parts[-1])])
            print(learner, dataset, "done", flush=True)
        if given.report:
            joined(parts).plot(FOLDER / f"{learner}.html", title=f"Boosting with {learner}")
    if given.summary:
        print_summary()


if __name__ == "__main__":
    main()
