"""Time an example of 5 features where 5 are known, and where many are; and one that brings a new feature.

    python benchmarks/absent_features.py [--known 100000] [--learners perceptron,logistic,...]

Rows with few and many known features take turns, so that their ratio can be trusted; medians are shown.
"""

from __future__ import annotations

import argparse
import statistics
import time
from itertools import count

import shoal

FEW = {f"f{j}": 1.0 + j for j in range(5)}
LEARNERS = "perceptron,logistic,bayes_logistic,ogd,stump,additive"
NEW = count()


def knowing(learner: str, n_features: int) -> shoal.VotingEnsembleClassifier:
    """A classifier that has met so many features."""
    model = shoal.VotingEnsembleClassifier(learner=learner, n_learners=10, random_state=0)
    model.learn_one(FEW, "a")
    model.learn_one({f"f{j}": 0.0 for j in range(n_features)}, "b")
    return model


def seconds(model: shoal.VotingEnsembleClassifier, x: dict[str, float]) -> float:
    """How long an example takes to be answered and learned."""
    began = time.perf_counter()
    model.predict_one(x)
    model.learn_one(x, "b")
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--known", type=int, default=100_000)
    parser.add_argument("--learners", default=LEARNERS)
    parser.add_argument("--rows", type=int, default=300)
    given = parser.parse_args()
    print(f"{'learner':<16}{'of 5':>12}{f'of {given.known:,}':>14}{'ratio':>8}{'with a new one':>17}{'ratio':>8}")
    for learner in given.learners.split(","):
        models = knowing(learner, len(FEW)), knowing(learner, given.known)
        taken: list[list[float]] = [[], [], [], []]
        for _ in range(given.rows):
            for k, model in enumerate(models):
                taken[k].append(seconds(model, FEW))
            new = FEW | {f"new {next(NEW)}": 1.0}
            for k, model in enumerate(models):
                taken[2 + k].append(seconds(model, new))
        few, many, few_new, many_new = (1e6 * statistics.median(times) for times in taken)
        known, new = (
            f"{few:9.0f} us{many:11.0f} us{many / few:8.2f}",
            f"{many_new:14.0f} us{many_new / few_new:8.2f}",
        )
        print(f"{learner:<16}{known}{new}")


if __name__ == "__main__":
    main()
