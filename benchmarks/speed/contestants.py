"""Who is timed, by name, and whether it is installed."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from shutil import which

from benchmarks.speed import ours, peers
from benchmarks.speed.ours import Prepare


@dataclass(frozen=True)
class Contestant:
    """package: what has to be installed; many: whether it takes more than two classes; wide: whether it takes
    rows of a million features.
    """

    prepare: Prepare
    package: str = "shoal"
    many: bool = True
    wide: bool = True
    needs_java: bool = False

    def missing(self) -> str | None:
        """What is missing to run it, if anything."""
        try:
            version(self.package)
        except PackageNotFoundError:
            if self.package != "shoal":
                return f"{self.package} is not installed"
        if self.needs_java and which("java") is None:
            return "there is no java"
        return None


FROZEN = {"feature_fraction": 0.5, "frozen": 1000}

CONTESTANTS: dict[str, Contestant] = {
    "shoal OSBoost": Contestant(ours.method("osboost", learner="perceptron", scaling=None)),
    "shoal OSBoost, rows standardised": Contestant(ours.method("osboost", learner="perceptron")),
    "shoal Bayesian": Contestant(ours.method("bayes", learner="perceptron", scaling=None)),
    "shoal Bayesian, frozen": Contestant(ours.method("bayes", learner="perceptron", scaling=None, **FROZEN)),
    "shoal Bayesian, learn_one": Contestant(ours.one_by_one(scaling=None)),
    "one matrix product": Contestant(ours.one_product, wide=False),
    "NumPy loop of OSBoost": Contestant(peers.numpy_loop, many=False),
    "River AdaBoost, perceptrons": Contestant(peers.river, "river"),
    "River AdaBoost, Hoeffding trees": Contestant(peers.river_trees, "river"),
    "Vowpal Wabbit boosting, BBM": Contestant(peers.vowpal_wabbit("BBM"), "vowpalwabbit", many=False),
    "Vowpal Wabbit boosting, logistic": Contestant(peers.vowpal_wabbit("logistic"), "vowpalwabbit", many=False),
    "Vowpal Wabbit boosting, adaptive": Contestant(peers.vowpal_wabbit("adaptive"), "vowpalwabbit", many=False),
    "MOA OnlineSmoothBoost, perceptrons": Contestant(
        peers.moa("OnlineSmoothBoost"), "capymoa", wide=False, needs_java=True
    ),
    "MOA OzaBoost, Hoeffding trees": Contestant(peers.moa("OzaBoost"), "capymoa", wide=False, needs_java=True),
    "scikit-learn, voting SGD in chunks": Contestant(peers.scikit_learn, "scikit-learn", wide=False),
    "shoal OzaBoost, Hoeffding trees": Contestant(ours.method("ozaboost", learner="hoeffding_tree")),
}
TREES = [name for name in CONTESTANTS if name.endswith("Hoeffding trees")]
