"""Boosting methods: what each learner is taught depends on how the others did."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from shoal.boosters.adaboost_ol import AdaBoostOL
from shoal.boosters.feature_boost import FeatureBoost
from shoal.boosters.ogboost import OGBoost
from shoal.boosters.online_bbm import OnlineBBM
from shoal.boosters.osboost import OSBoost
from shoal.boosters.ozaboost import OzaBoost
from shoal.ensemble import Ensemble, Rule
from shoal.methods.parts import Learner, assemble, forgetful, make_bank
from shoal.rules.bayes_exponential import BayesExponential
from shoal.rules.exp_experts import ANSWERS, ExpExperts
from shoal.rules.last import Last
from shoal.rules.ocp import OCP
from shoal.rules.uniform import Uniform
from shoal.rules.weighted_losses import check_choice, check_forgetting

COMBINATIONS = ("uniform", "ocp", "exp", "bayes")
AS_PUBLISHED = ("poisson", "hard")  # OzaBoost's mode and vote
FOR_WEIGHTS = ("poisson-weight", "soft")
OL_RATE = 1.0  # Hedge over AdaBoost.OL's prefixes: a mistake divides the weight by e (specification F.1)


def osboost(
    learner: Learner = "perceptron",
    n_learners: int = 100,
    combine: str = "uniform",
    gamma: float = 0.1,
    eta: float | None = None,
    share: float = 0.0,
    answer: str = "sampled",
    multiclass: str = "margin",
    base_loss: str = "logistic",
    theta: float = 0.1,
    forgetting: float | str | Sequence[float] = 1.0,
    feature_fraction: float = 1.0,
    vote: str = "soft",
    frozen: bool | int = False,
    scaling: str | None = "standard",
    bias: bool = True,
    class_weight: Any = None,
    threshold: float | str = 0.0,
    drift: Any = None,
) -> Ensemble:
    """Online smooth boosting (Chen, Lin and Lu), with OCP, EXP or the Bayesian posterior on top."""
    check_choice("answer", answer, ANSWERS)
    check_choice("combine", combine, COMBINATIONS)
    rules: dict[str, Rule] = {
        "ocp": OCP(gamma=gamma, eta0=eta, constant=share > 0.0),
        "exp": ExpExperts(answer=answer, eta=eta, share=share),
        "bayes": BayesExponential(theta=theta, base_loss=base_loss),
    }
    rule = forgetful(rules[combine], forgetting) if combine in rules else Uniform()
    bank = make_bank(learner, n_learners, feature_fraction)
    booster = OSBoost(gamma=gamma, multiclass=multiclass)
    return assemble(bank, booster, rule, vote, frozen, scaling, bias, class_weight, threshold, drift)


osboost_ocp = partial(osboost, combine="ocp")
osboost_exp = partial(osboost, combine="exp")
osboost_bayes = partial(osboost, combine="bayes")


def ozaboost(
    learner: Learner = "perceptron",
    n_learners: int = 100,
    mode: str = "auto",
    scale: str = "normalised",
    smoothing: float = 0.5,
    allow_negative: bool = False,
    judged: str = "after",
    forgetting: float = 1.0,
    feature_fraction: float = 1.0,
    vote: str = "auto",
    scaling: str | None = "standard",
    bias: bool = True,
    class_weight: Any = None,
    threshold: float | str = 0.0,
    drift: Any = None,
) -> Ensemble:
    """Online AdaBoost: importance passed from learner to learner (Oza and Russell).

    What is "auto" is as published, but for learners that heed weights as it suits them: experiments/hoeffding.
    """
    check_forgetting(forgetting)
    bank = make_bank(learner, n_learners, feature_fraction)
    suited = FOR_WEIGHTS if getattr(bank, "heeds_weight", False) else AS_PUBLISHED
    mode, vote = (fit if given == "auto" else given for given, fit in zip((mode, vote), suited, strict=True))
    booster = OzaBoost(mode, scale, smoothing, allow_negative, forgetting, judged, vote)
    return assemble(bank, booster, Last(), "soft", False, scaling, bias, class_weight, threshold, drift)


def ogboost(
    learner: Learner = "perceptron",
    n_learners: int = 100,
    candidates: int = 1,
    loss: str = "logit",
    shrinkage: float = 1.0,
    forgetting: float = 1.0,
    feature_fraction: float = 1.0,
    vote: str = "soft",
    scaling: str | None = "standard",
    bias: bool = True,
    class_weight: Any = None,
    threshold: float | str = 0.0,
    drift: Any = None,
) -> Ensemble:
    """Online gradient boosting of a margin loss, with selectors (Leistner et al.)."""
    bank = make_bank(learner, n_learners, feature_fraction)
    booster = OGBoost(candidates, loss, shrinkage, forgetting)
    return assemble(bank, booster, Last(), vote, False, scaling, bias, class_weight, threshold, drift)


def feature_boost(
    learner: Learner = "stump",
    n_learners: int = 100,
    selectors: int | None = None,
    pool: bool = False,
    exchange: bool = False,
    importance: str = "oza",
    exit: str = "clip",
    mode: str = "weighted",
    judged: str = "before",
    forgetting: float = 1.0,
    feature_fraction: float = 0.5,
    scaling: str | None = "standard",
    bias: bool = True,
    class_weight: Any = None,
    threshold: float | str = 0.0,
    drift: Any = None,
) -> Ensemble:
    """Online boosting for feature selection (Grabner and Bischof)."""
    bank = make_bank(learner, n_learners, feature_fraction)
    booster = FeatureBoost(selectors, pool, exchange, importance, exit, mode, forgetting, judged)
    return assemble(bank, booster, Last(), "soft", False, scaling, bias, class_weight, threshold, drift)


def bbm(
    learner: Learner = "perceptron",
    n_learners: int = 100,
    gamma: float = 0.1,
    form: str = "importance",
    normalise: bool = True,
    feature_fraction: float = 1.0,
    vote: str = "hard",
    scaling: str | None = "standard",
    bias: bool = True,
    class_weight: Any = None,
    threshold: float | str = 0.0,
    drift: Any = None,
) -> Ensemble:
    """Online boost-by-majority (Beygelzimer, Kale and Luo)."""
    bank = make_bank(learner, n_learners, feature_fraction)
    booster = OnlineBBM(gamma, form, normalise)
    return assemble(bank, booster, Uniform(), vote, False, scaling, bias, class_weight, threshold, drift)


def adaboost_ol(
    learner: Learner = "perceptron",
    n_learners: int = 100,
    form: str = "importance",
    answer: str = "sampled",
    share: float = 0.0,
    multiclass: str = "direct",
    decision: str = "argmax",
    forgetting: float = 1.0,
    feature_fraction: float = 1.0,
    vote: str = "soft",
    scaling: str | None = "standard",
    bias: bool = True,
    class_weight: Any = None,
    threshold: float | str = 0.0,
    drift: Any = None,
) -> Ensemble:
    """Adaptive online boosting, AdaBoost.OL and for many classes .OLM (Beygelzimer, Kale, Luo; Jung et al.)."""
    bank = make_bank(learner, n_learners, feature_fraction)
    booster = AdaBoostOL(form, multiclass, decision, forgetting)
    rule = ExpExperts(answer=answer, eta=OL_RATE, share=share, forgetting=forgetting)
    return assemble(bank, booster, rule, vote, False, scaling, bias, class_weight, threshold, drift)
