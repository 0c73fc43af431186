"""Methods by name: which bank, booster and rule each is made of, and what its settings are.

The estimators and the command line both build ensembles here, from the same settings with the same
defaults; nothing here needs scikit-learn.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from shoal.boosters.independent import Independent
from shoal.decision import Decision
from shoal.ensemble import Bank, Ensemble, Part, Rule
from shoal.errors import InputError
from shoal.losses import ALWAYS_POSITIVE
from shoal.registry import BANKS, METHODS, find
from shoal.rules.bayes_exponential import BayesExponential
from shoal.rules.sag import SAGWeights
from shoal.rules.sgd import SGDWeights
from shoal.rules.uniform import Uniform
from shoal.scaling import Scaling
from shoal.settings import check_settings

Learner = str | Bank | Sequence[Any]


def build(method: str, settings: Mapping[str, Any]) -> Ensemble:
    """The ensemble that a method makes of these settings; those left out keep their defaults."""
    builder = find("method", METHODS, method)
    known = inspect.signature(builder).parameters
    for name in settings:
        if name not in known:
            raise InputError(f"method {method} has no setting {name!r}; it has {', '.join(known)}.")
    check_settings(settings)
    plain = {k: v.item() if isinstance(v, np.generic) else v for k, v in settings.items()}
    return builder(**plain)


def make_bank(learner: Learner, n_learners: int, feature_fraction: float) -> Bank:
    """Learners by name, a bank as it is, or outside estimators made into one.

    A list of names or banks stands side by side, the named ones sharing `n_learners` among them.
    """
    if not (isinstance(n_learners, int) and n_learners >= 1):
        raise InputError(f"n_learners is {n_learners!r}; expected a whole number, 1 or more.")
    if not 0.0 < feature_fraction <= 1.0:
        raise InputError(f"feature_fraction is {feature_fraction!r}; expected a share in (0, 1].")
    if isinstance(learner, str):
        bank: Bank = find("learner", BANKS, learner)(n_learners=n_learners, feature_fraction=feature_fraction)
        return bank
    if isinstance(learner, list | tuple):
        return _side_by_side(learner, n_learners, feature_fraction)
    if hasattr(learner, "n_learners") and hasattr(learner, "init"):
        return learner  # type: ignore[return-value]
    return _outside([learner], n_learners, feature_fraction)


def _side_by_side(learners: Sequence[Any], n_learners: int, feature_fraction: float) -> Bank:
    if not learners:
        raise InputError("learner is an empty list; expected names of learners, banks or estimators.")
    if not any(isinstance(x, str) or hasattr(x, "n_learners") for x in learners):
        return _outside(learners, len(learners), feature_fraction)
    from shoal.banks.stack import Stack

    n_named = sum(isinstance(x, str) for x in learners)
    shares = [n_learners // n_named + (k < n_learners % n_named) for k in range(n_named)]
    banks = []
    for learner in learners:
        share = max(1, shares.pop(0)) if isinstance(learner, str) else 1
        banks.append(make_bank(learner, share, feature_fraction))
    return Stack(tuple(banks))


def _outside(estimators: Sequence[Any], n_learners: int, feature_fraction: float) -> Bank:
    from shoal.banks.outside import OutsideBank

    copies = [estimators[k % len(estimators)] for k in range(n_learners)]
    return OutsideBank(tuple(copies), feature_fraction=feature_fraction)


def _frozen(frozen: bool | int) -> dict[str, Any]:
    """False: learners learn for ever. k: they learn from the first k examples only, and the rule from the
    others. True: they never learn, having been taught before.
    """
    if isinstance(frozen, bool):
        return {"pretrain": 0, "freeze": frozen}
    if not (isinstance(frozen, int) and frozen >= 0):
        raise InputError(
            f"frozen is {frozen!r}; expected True, False or a number of examples to learn from first."
        )
    return {"pretrain": frozen, "freeze": frozen > 0}


def _votes(vote: str, base_loss: str) -> str:
    """Losses that reach 0 take hard votes, as in sections 5.1 and 5.2 of Bai et al.; the others soft ones."""
    if vote != "auto":
        return vote
    return "soft" if base_loss in ALWAYS_POSITIVE else "hard"


def _decision(class_weight: Any, threshold: float | str) -> Decision:
    fixed = tuple(class_weight) if isinstance(class_weight, list | tuple) else class_weight
    return Decision(fixed, threshold)


def compose(
    bank: Bank | None = None,
    booster: Part | None = None,
    rule: Rule | None = None,
    vote: str = "soft",
    frozen: bool | int = False,
    scaling: str | None = "standard",
    bias: bool = True,
    class_weight: Any = None,
    threshold: float | str = 0.0,
) -> Ensemble:
    """Any three parts; 100 Perceptrons, taught alike and with the same say, where one is left out."""
    return Ensemble(
        bank if bank is not None else make_bank("perceptron", 100, 1.0),
        booster if booster is not None else Independent(),
        rule if rule is not None else Uniform(),
        Scaling(scaling, bias),
        _decision(class_weight, threshold),
        vote,
        **_frozen(frozen),
    )


def single(
    learner: Learner = "perceptron",
    scaling: str | None = "standard",
    bias: bool = True,
    class_weight: Any = None,
    threshold: float | str = 0.0,
) -> Ensemble:
    """One learner that sees every feature: what an ensemble has to beat."""
    return Ensemble(
        make_bank(learner, 1, 1.0),
        scaling=Scaling(scaling, bias),
        decision=_decision(class_weight, threshold),
    )


def voting(
    learner: Learner = "perceptron",
    n_learners: int = 100,
    feature_fraction: float = 1.0,
    vote: str = "hard",
    frozen: bool | int = False,
    scaling: str | None = "standard",
    bias: bool = True,
    class_weight: Any = None,
    threshold: float | str = 0.0,
) -> Ensemble:
    """Every learner has the same say (baseline of Bai et al., section 5.1)."""
    return Ensemble(
        make_bank(learner, n_learners, feature_fraction),
        rule=Uniform(),
        scaling=Scaling(scaling, bias),
        decision=_decision(class_weight, threshold),
        vote=vote,
        **_frozen(frozen),
    )


def bayes(
    learner: Learner = "perceptron",
    n_learners: int = 100,
    ensemble_loss: Any = "exponential",
    base_loss: str = "auto",
    alpha: float = 1.0,
    beta: float = 1.0,
    theta: float = 0.1,
    forgetting: float | str | Sequence[float] = 1.0,
    feature_fraction: float = 1.0,
    vote: str = "auto",
    frozen: bool | int = False,
    predictive: bool = False,
    per_class: bool = False,
    cap: str = "none",
    scaling: str | None = "standard",
    bias: bool = True,
    class_weight: Any = None,
    threshold: float | str = 0.0,
) -> Ensemble:
    """Weights are posterior means of the learners' reliabilities (Bai, Lam and Sclaroff)."""
    if base_loss == "auto":
        base_loss = "ramp" if ensemble_loss == "exponential" else "logistic"
    prior = {"alpha": alpha, "beta": beta, "theta": theta, "predictive": predictive, "per_class": per_class}
    return Ensemble(
        make_bank(learner, n_learners, feature_fraction),
        rule=_bayes_rule(ensemble_loss, base_loss, forgetting, prior, cap),
        scaling=Scaling(scaling, bias),
        decision=_decision(class_weight, threshold),
        vote=_votes(vote, base_loss),
        **_frozen(frozen),
    )


bayes_gamma_shape = partial(bayes, ensemble_loss="gamma-shape")
bayes_gamma = partial(bayes, ensemble_loss="gamma")

FORGETTING_GRID = (0.99, 0.999, 0.9999, 1.0)  # specification F.2


def _bayes_rule(ensemble_loss: Any, base_loss: str, forgetting: Any, prior: dict[str, Any], cap: str) -> Rule:
    if not isinstance(forgetting, int | float):
        from shoal.rules.mixture import ForgettingGrid

        factors = FORGETTING_GRID if forgetting == "auto" else forgetting
        return ForgettingGrid(_bayes_rule(ensemble_loss, base_loss, 1.0, prior, cap), tuple(factors))
    common: dict[str, Any] = {"base_loss": base_loss, "forgetting": float(forgetting)}
    _check_choices(ensemble_loss, prior, cap)
    if ensemble_loss == "exponential":
        return BayesExponential(**prior, **common)
    if ensemble_loss == "gamma-shape":
        from shoal.rules.bayes_gamma_shape import BayesGammaShape

        return BayesGammaShape(theta=prior["theta"], cap=cap, **common)
    if ensemble_loss == "gamma":
        from shoal.rules.bayes_gamma import BayesGamma

        return BayesGamma(cap=cap, **common)
    from shoal.rules.algorithm1 import Algorithm1

    return Algorithm1(ensemble_loss, **common)


def _check_choices(ensemble_loss: Any, prior: dict[str, Any], cap: str) -> None:
    """Refuse what an ensemble loss has no use for, rather than leave it out."""
    if ensemble_loss != "exponential":
        for name in ("predictive", "per_class"):
            if prior[name]:
                raise InputError(f"{name}=True goes with ensemble_loss='exponential' only; leave it False.")
    if cap != "none" and ensemble_loss not in ("gamma-shape", "gamma"):
        raise InputError(f"cap={cap!r} goes with ensemble_loss 'gamma-shape' and 'gamma' only; leave it 'none'.")


def sgd(
    learner: Learner = "perceptron",
    n_learners: int = 100,
    averaging: str | None = None,
    gamma: float = 1.0,
    form: str = "paper",
    schedule: str = "paper",
    mode: str = "revisit",
    step: float = 1.0,
    horizon: int | None = None,
    base_loss: str = "ramp",
    theta: float = 0.1,
    feature_fraction: float = 1.0,
    vote: str = "auto",
    frozen: bool | int = False,
    scaling: str | None = "standard",
    bias: bool = True,
    class_weight: Any = None,
    threshold: float | str = 0.0,
) -> Ensemble:
    """Weights by stochastic gradient descent on the exponential ensemble loss (baselines of Bai et al.)."""
    if averaging == "sag":
        rule: Rule = SAGWeights(mode=mode, step=step, horizon=horizon, theta=theta, base_loss=base_loss)
    else:
        rule = SGDWeights(gamma, form, averaging, schedule, theta=theta, base_loss=base_loss)
    return Ensemble(
        make_bank(learner, n_learners, feature_fraction),
        rule=rule,
        scaling=Scaling(scaling, bias),
        decision=_decision(class_weight, threshold),
        vote=_votes(vote, base_loss),
        **_frozen(frozen),
    )


sgd_avg = partial(sgd, averaging="polyak")
sag = partial(sgd, averaging="sag")
