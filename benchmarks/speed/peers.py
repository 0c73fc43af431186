"""The peers, each at its fastest: rows made ready beforehand, the loop over them where the peer has one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from benchmarks.speed.ours import Prepare, Race, timed
from benchmarks.speed.streams import Stream

FEW = 100  # rows at a time where row by row would be slower by far


def river(stream: Stream, n_learners: int) -> Race:
    """River's AdaBoostClassifier (OzaBoost) over its Perceptron; many classes one against the rest."""
    from river.ensemble import AdaBoostClassifier
    from river.linear_model import Perceptron
    from river.multiclass import OneVsRestClassifier

    rows = [dict(stream.items(t)) for t in range(len(stream.classes))]
    many = stream.shape.n_classes > 2
    y = stream.classes.tolist() if many else [bool(k) for k in stream.classes]

    def run(n: int) -> int:
        learner = OneVsRestClassifier(Perceptron()) if many else Perceptron()
        model, wrong = AdaBoostClassifier(learner, n_models=n_learners, seed=0), 0
        for t in range(n):
            wrong += model.predict_one(rows[t]) != y[t]
            model.learn_one(rows[t], y[t])
        return wrong

    return timed(run)


def river_trees(stream: Stream, n_learners: int) -> Race:
    """River's AdaBoostClassifier over its Hoeffding trees."""
    from river.ensemble import AdaBoostClassifier
    from river.tree import HoeffdingTreeClassifier

    rows, y = [dict(stream.items(t)) for t in range(len(stream.classes))], stream.classes.tolist()

    def run(n: int) -> int:
        model, wrong = AdaBoostClassifier(HoeffdingTreeClassifier(), n_models=n_learners, seed=0), 0
        for t in range(n):
            wrong += model.predict_one(rows[t]) != y[t]
            model.learn_one(rows[t], y[t])
        return wrong

    return timed(run)


def vowpal_wabbit(algorithm: str) -> Prepare:
    """Vowpal Wabbit's online boosting, its examples parsed beforehand; learning one gives its prediction too."""

    def prepare(stream: Stream, n_learners: int) -> Race:
        from vowpalwabbit import Workspace

        truth = 2 * stream.classes - 1
        lines = [
            f"{truth[t]} | " + " ".join(f"f{j}:{v:.9g}" for j, v in stream.items(t))
            for t in range(len(stream.classes))
        ]

        def race(n: int) -> Callable[[], int]:
            workspace = Workspace(f"--boosting {n_learners} --alg {algorithm} --quiet")
            examples = [workspace.parse(line) for line in lines[:n]]

            def run() -> int:
                wrong = 0
                for t, example in enumerate(examples):
                    workspace.learn(example)
                    wrong += (example.get_simplelabel_prediction() > 0.0) != (truth[t] > 0)
                return int(wrong)

            return run

        return race

    return prepare


def scikit_learn(stream: Stream, n_learners: int) -> Race:
    """That many SGDClassifiers with the Perceptron's loss, voting, answered and then taught 100 rows at a time:
    scikit-learn has no online boosting, and row by row would be slower by far.
    """
    from sklearn.linear_model import SGDClassifier

    n_rows, every = len(stream.classes), np.arange(stream.shape.n_classes)
    chunks = [(stream.dense(s, min(s + FEW, n_rows)), stream.classes[s : s + FEW]) for s in range(0, n_rows, FEW)]

    def run(n: int) -> int:
        models = [SGDClassifier(loss="perceptron", eta0=1.0, random_state=i) for i in range(n_learners)]
        wrong = 0
        for c in range(-(-n // FEW)):
            X, y = chunks[c][0][: n - c * FEW], chunks[c][1][: n - c * FEW]
            if c > 0:
                votes = np.stack([model.predict(X) for model in models])
                counts = np.stack([(votes == k).sum(axis=0) for k in every])
                wrong += int((counts.argmax(axis=0) != y).sum())
            for model in models:
                model.partial_fit(X, y, classes=every)
        return wrong

    return timed(run)


def moa(learner: str) -> Prepare:
    """A learner of MOA on instances held in memory, in MOA's own Java loop."""

    def prepare(stream: Stream, n_learners: int) -> Race:
        from benchmarks.speed.moa import Instances, classifier, race

        instances = Instances(stream)
        options = {"OnlineSmoothBoost": "functions.Perceptron", "OzaBoost": "trees.HoeffdingTree"}

        def run(n: int) -> int:
            model = classifier(learner, f"-l {options[learner]} -s {n_learners}", instances)
            return race(model, instances, n)

        return timed(run)

    return prepare


def numpy_loop(stream: Stream, n_learners: int) -> Race:
    """The OSBoost step over Perceptrons as a vectorised NumPy loop, for comparison."""
    theta, slope = 0.1 / 2.1, 0.5 * np.log1p(-0.1)
    y = 2.0 * stream.classes - 1.0
    n_stored = stream.shape.n_stored

    def run(n: int) -> int:
        random = np.random.default_rng(0)
        weights = 1e-3 * random.normal(size=(stream.shape.n_features, n_learners))
        squares, wrong = (weights**2).sum(axis=0), 0
        for t in range(n):
            own = slice(t * n_stored, (t + 1) * n_stored)
            where, x = stream.rows.indices[own], stream.rows.values[own]
            seen = weights[where]
            margins = x @ seen
            votes = margins / np.maximum(1.0, np.sqrt(squares))
            wrong += (votes.mean() >= 0.0) != (y[t] > 0.0)
            z = np.cumsum(y[t] * votes - theta)
            importance = np.minimum(1.0, np.exp(slope * np.concatenate([[0.0], z[:-1]])))
            step = np.where(y[t] * margins <= 0.0, y[t] * importance, 0.0)
            weights[where] = seen + x[:, None] * step
            squares += step * (2.0 * margins + step * (x @ x))
        return int(wrong)

    return timed(run)
