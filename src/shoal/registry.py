"""The names of everything: three dicts of parts and one of methods. Nothing is imported until asked for.

To add a learner, a booster, a rule or a method: write its file, add its line here. Every check, command
and table goes through these dicts.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from shoal.errors import InputError, did_you_mean

BANKS: dict[str, str] = {
    "perceptron": "shoal.banks.perceptron:Perceptrons",
    "naive_bayes": "shoal.banks.naive_bayes:NaiveBayes",
    "ogd": "shoal.banks.ogd:OGD",
    "logistic": "shoal.banks.logistic:Logistic",
    "bayes_logistic": "shoal.banks.bayes_logistic:BayesLogistic",
    "stump": "shoal.banks.stump:Stumps",
    "gaussian_stump": "shoal.banks.gaussian_stump:GaussianStumps",
    "hoeffding_tree": "shoal.banks.hoeffding:HoeffdingTrees",
    "additive": "shoal.banks.additive:Additive",
}

REGRESSION_BANKS: dict[str, str] = {
    "sgd": "shoal.banks.sgd:SGD",
    "stump": "shoal.banks.regression_stump:RegressionStumps",
    "mlp": "shoal.banks.mlp:MLP",
    "ogd": "shoal.banks.ogd:OGD",
    "ridge": "shoal.banks.ridge:Ridge",
    "hoeffding_tree": "shoal.banks.regression_tree:RegressionTrees",
}

BOOSTERS: dict[str, str] = {
    "independent": "shoal.boosters.independent:Independent",
    "osboost": "shoal.boosters.osboost:OSBoost",
    "online-bbm": "shoal.boosters.online_bbm:OnlineBBM",
    "adaboost-ol": "shoal.boosters.adaboost_ol:AdaBoostOL",
    "ozaboost": "shoal.boosters.ozaboost:OzaBoost",
    "ogboost": "shoal.boosters.ogboost:OGBoost",
    "feature-boost": "shoal.boosters.feature_boost:FeatureBoost",
}

RULES: dict[str, str] = {
    "uniform": "shoal.rules.uniform:Uniform",
    "bayes-exponential": "shoal.rules.bayes_exponential:BayesExponential",
    "bayes-gamma-shape": "shoal.rules.bayes_gamma_shape:BayesGammaShape",
    "bayes-gamma": "shoal.rules.bayes_gamma:BayesGamma",
    "sgd": "shoal.rules.sgd:SGDWeights",
    "sag": "shoal.rules.sag:SAGWeights",
    "forgetting-grid": "shoal.rules.mixture:ForgettingGrid",
    "last": "shoal.rules.last:Last",
    "ocp": "shoal.rules.ocp:OCP",
    "exp-experts": "shoal.rules.exp_experts:ExpExperts",
    "log-odds-posterior": "shoal.rules.log_odds_posterior:LogOddsPosterior",
}

METHODS: dict[str, str] = {
    "shoal": "shoal.methods.default:shoal",
    "ensemble": "shoal.methods.weighing:compose",
    "single": "shoal.methods.weighing:single",
    "voting": "shoal.methods.weighing:voting",
    "bayes": "shoal.methods.weighing:bayes",
    "bayes-gamma-shape": "shoal.methods.weighing:bayes_gamma_shape",
    "bayes-gamma": "shoal.methods.weighing:bayes_gamma",
    "sgd": "shoal.methods.weighing:sgd",
    "sgd-avg": "shoal.methods.weighing:sgd_avg",
    "sag": "shoal.methods.weighing:sag",
    "osboost": "shoal.methods.boosting:osboost",
    "osboost-ocp": "shoal.methods.boosting:osboost_ocp",
    "osboost-exp": "shoal.methods.boosting:osboost_exp",
    "osboost-bayes": "shoal.methods.boosting:osboost_bayes",
    "ozaboost": "shoal.methods.boosting:ozaboost",
    "ogboost": "shoal.methods.boosting:ogboost",
    "feature-boost": "shoal.methods.boosting:feature_boost",
    "bbm": "shoal.methods.boosting:bbm",
    "adaboost-ol": "shoal.methods.boosting:adaboost_ol",
    "geem": "shoal.reservoir.methods:geem",
    "reservoir-max": "shoal.reservoir.methods:reservoir_max",
    "reservoir-rand": "shoal.reservoir.methods:reservoir_rand",
    "reservoir-wsam": "shoal.reservoir.methods:reservoir_wsam",
}

REGRESSION_METHODS: dict[str, str] = {
    "single-regressor": "shoal.methods.regressing:single_regressor",
    "gradient-boosting": "shoal.methods.regressing:gradient_boosting",
    "ogb-span": "shoal.methods.regressing:ogb_span",
    "ogb-hull": "shoal.methods.regressing:ogb_hull",
    "mixed-regressors": "shoal.methods.regressing:mixed_regressors",
}

# These need all the data at once: what is tested is held out.
BATCH_METHODS: dict[str, str] = {
    "wss": "shoal.reservoir.methods:weighted_sampling",
    "madaboost": "shoal.reservoir.methods:mada_boost",
    "fixed": "shoal.reservoir.methods:fixed_sample",
}

EVERY_METHOD = METHODS | REGRESSION_METHODS | BATCH_METHODS


def find(kind: str, names: Mapping[str, str], name: str) -> Any:
    """What a name stands for; an unknown name is refused with the list of those known."""
    if name not in names:
        raise InputError(f"{kind} is {name!r}; expected one of {', '.join(names)}.{did_you_mean(name, names)}")
    module, _, attribute = names[name].partition(":")
    return getattr(import_module(module), attribute)
