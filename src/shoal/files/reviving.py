"""Models that the command line made, as the estimators that would have made them."""

from __future__ import annotations

from typing import Any

import shoal
from shoal.methods import build_regressor
from shoal.model import Model, Taught
from shoal.regression_model import RegressionModel

# Each with what makes it one of the command line's methods.
CLASSIFIERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("OnlineEnsembleClassifier", {}),
    *(("BayesianEnsembleClassifier", {"ensemble_loss": loss}) for loss in ("exponential", "gamma-shape", "gamma")),
    ("VotingEnsembleClassifier", {}),
    *(("SGDWeightedClassifier", {"averaging": averaging}) for averaging in (None, "polyak", "sag")),
    *(("OSBoostClassifier", {"combine": combine}) for combine in ("uniform", "ocp", "exp", "bayes")),
    ("OzaBoostClassifier", {}),
    ("OGBoostClassifier", {}),
    ("OnlineFeatureBoostClassifier", {}),
    ("OnlineBBMClassifier", {}),
    ("AdaBoostOLClassifier", {}),
    *(("ReservoirBoostClassifier", {"strategy": strategy}) for strategy in ("geem", "max", "rand", "wsam")),
)
REGRESSORS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("OnlineEnsembleRegressor", {}),
    ("OnlineGradientBoostingRegressor", {"over": "span"}),
    ("OnlineGradientBoostingRegressor", {"over": "hull"}),
)


def as_estimator(model: Any) -> Any:
    """The estimator that makes such an ensemble of the model's settings; else one of its parts; the model itself
    where there is neither.
    """
    if not isinstance(model, Taught):
        return model
    estimator = _named(model) or _composed(model)
    if estimator is None:
        return model
    estimator.model_ = model
    if model.space is not None and model.space.settled:
        estimator.n_features_in_ = model.space.n_features
    return estimator


def _named(model: Taught) -> Any:
    """One of the named estimators, if its ensemble is the model's."""
    outer = {"max_pending": model.pending.limit, "allow_missing": True, "random_state": model.seed % (1 << 31)}
    for name, own in REGRESSORS if isinstance(model, RegressionModel) else CLASSIFIERS:
        kind = getattr(shoal, name)
        try:
            estimator = kind(**{**model.params, **own, **outer})
            if _ensemble_of(estimator) == model.ensemble:
                return estimator
        except (TypeError, ValueError):  # the settings are those of another method
            continue
    return None


def _ensemble_of(estimator: Any) -> Any:
    """What an estimator makes of its parameters."""
    if hasattr(estimator, "make_ensemble"):
        return estimator.make_ensemble()
    return build_regressor(estimator.method, estimator.method_settings())


def _composed(model: Taught) -> Any:
    """An ensemble of the same parts."""
    ensemble: Any = model.ensemble
    if not isinstance(model, Model) or not hasattr(ensemble, "bank"):
        return None
    freeze = ensemble.pretrain if ensemble.pretrain else ensemble.freeze
    return shoal.EnsembleClassifier(
        ensemble.bank, ensemble.booster, ensemble.rule, vote=ensemble.vote, frozen=freeze,
        scaling=ensemble.scaling.method, bias=ensemble.scaling.bias, class_weight=ensemble.decision.class_weight,
        threshold=ensemble.decision.threshold, drift=ensemble.drift, max_pending=model.pending.limit,
        allow_missing=True, random_state=model.seed % (1 << 31),
    )  # fmt: skip
