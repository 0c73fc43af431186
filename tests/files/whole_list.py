"""Every public estimator with options that matter to what is remembered, small enough to be quick."""

from __future__ import annotations

import numpy as np

import shoal
from shoal.banks.hoeffding import HoeffdingTrees
from shoal.banks.perceptron import Perceptrons
from shoal.banks.stack import Stack
from shoal.boosters.osboost import OSBoost
from shoal.drift import DriftDetector
from shoal.registry import BANKS, BOOSTERS, RULES, find
from shoal.reservoir.strategies import Max
from shoal.rules.mixture import ForgettingGrid

RNG = np.random.default_rng(5)
X = RNG.normal(size=(240, 4)) * (RNG.random((240, 4)) < 0.8)
TWO = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
THREE = np.array(["a", "b", "c"])[(X[:, 0] > 0).astype(int) + (X[:, 2] > 0.3)]
NUMBERS = X @ [1.0, -2.0, 0.5, 0.0]
SEED = {"random_state": 3}

CLASSIFIERS = {
    "default": lambda: shoal.OnlineEnsembleClassifier(**SEED),
    "default, drift": lambda: shoal.OnlineEnsembleClassifier(drift="adwin", class_weight="balanced", **SEED),
    "composed": lambda: shoal.EnsembleClassifier(**SEED),
    "composed of parts": lambda: shoal.EnsembleClassifier(
        Stack((Perceptrons(2, feature_fraction=0.5), HoeffdingTrees(1, grace_period=20.0))),
        OSBoost(gamma=0.2),
        ForgettingGrid(factors=(0.9, 1.0)),
        drift=DriftDetector(watch="ensemble"),
        frozen=200,
        scaling="minmax",
        **SEED,
    ),
    "bayes": lambda: shoal.BayesianEnsembleClassifier(n_learners=4, feature_fraction=0.5, **SEED),
    "bayes, all at once": lambda: shoal.BayesianEnsembleClassifier(
        ["naive_bayes", "logistic"], 4, forgetting="auto", threshold="tuned", scaling=None, bias=False, **SEED
    ),
    "bayes, weighed": lambda: shoal.BayesianEnsembleClassifier(
        n_learners=4, predictive=True, per_class=True, vote="soft", random_state=np.random.RandomState(7)
    ),
    "bayes gamma-shape": lambda: shoal.BayesianEnsembleClassifier(
        n_learners=3, ensemble_loss="gamma-shape", cap="rescale", **SEED
    ),
    "bayes gamma": lambda: shoal.BayesianEnsembleClassifier(n_learners=3, ensemble_loss="gamma", **SEED),
    "voting": lambda: shoal.VotingEnsembleClassifier("hoeffding_tree", 3, scaling="unit", **SEED),
    "sgd": lambda: shoal.SGDWeightedClassifier(n_learners=3, **SEED),
    "sgd, averaged": lambda: shoal.SGDWeightedClassifier(n_learners=3, averaging="polyak", **SEED),
    "sag": lambda: shoal.SGDWeightedClassifier(n_learners=3, averaging="sag", **SEED),
    "osboost": lambda: shoal.OSBoostClassifier(n_learners=3, multiclass="one-vs-rest", **SEED),
    "osboost ocp": lambda: shoal.OSBoostClassifier("naive_bayes", 3, combine="ocp", **SEED),
    "osboost exp": lambda: shoal.OSBoostClassifier("stump", 3, combine="exp", **SEED),
    "osboost bayes": lambda: shoal.OSBoostClassifier("additive", 3, combine="bayes", **SEED),
    "ozaboost": lambda: shoal.OzaBoostClassifier("ogd", 3, drift="adwin", **SEED),
    "ogboost": lambda: shoal.OGBoostClassifier("stump", 4, candidates=2, **SEED),
    "feature boost": lambda: shoal.OnlineFeatureBoostClassifier(n_learners=6, exchange=True, **SEED),
    "bbm": lambda: shoal.OnlineBBMClassifier("bayes_logistic", 3, form="sampling", **SEED),
    "adaboost.ol": lambda: shoal.AdaBoostOLClassifier(n_learners=3, **SEED),
    "geem": lambda: shoal.ReservoirBoostClassifier(size=10, n_learners=12, n_draws=5, **SEED),
    "reservoir, shared": lambda: shoal.ReservoirBoostClassifier(
        "wsam", size=8, batch=5, n_learners=6, shared=True, replace="weakest", forgetting=0.99, **SEED
    ),
    "reservoir, own strategy": lambda: shoal.ReservoirBoostClassifier(Max(), size=8, n_learners=6, **SEED),
}
REGRESSORS = {
    "default": lambda: shoal.OnlineEnsembleRegressor(**SEED),
    "span": lambda: shoal.OnlineGradientBoostingRegressor(n_learners=3, symmetric=True, **SEED),
    "hull": lambda: shoal.OnlineGradientBoostingRegressor("hull", fit="linear", learner=["stump", "ogd"], **SEED),
    "span of trees": lambda: shoal.OnlineGradientBoostingRegressor(learner="hoeffding_tree", n_learners=3, **SEED),
    "span of networks": lambda: shoal.OnlineGradientBoostingRegressor(
        learner="mlp", n_learners=3, loss="huber", target_range=(-9.0, 9.0), scaling="unit", **SEED
    ),
}
BATCH = {
    "wss": lambda: shoal.WeightedSamplingBoostClassifier(20, 5, **SEED),
    "madaboost": lambda: shoal.MadaBoostClassifier(20, 5, **SEED),
    "fixed": lambda: shoal.FixedSampleBoostClassifier(30, 5, **SEED),
    "gradient boosting": lambda: shoal.GradientBoostingRegressor(n_learners=5),
}
PARTS = (
    [("bank", name) for name in BANKS] + [("booster", name) for name in BOOSTERS] + [("rule", n) for n in RULES]
)


def with_part(kind: str, name: str):
    """Perceptrons, taught alike and with the same say, but for one part."""
    made = find(kind, {"bank": BANKS, "booster": BOOSTERS, "rule": RULES}[kind], name)
    part = made(n_learners=3) if kind == "bank" else made()
    return shoal.EnsembleClassifier(**{"bank": Perceptrons(4), kind: part}, **SEED)
