"""Methods that teach all learners alike and differ in how they weigh them (Bai, Lam and Sclaroff)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from shoal.ensemble import Bank, Ensemble, Part, Rule
from shoal.errors import InputError
from shoal.methods.parts import Learner, assemble, forgetful, make_bank, votes_for
from shoal.rules.bayes_exponential import BayesExponential
from shoal.rules.sag import MODES, SAGWeights
from shoal.rules.sgd import FORMS, SGDWeights
from shoal.rules.uniform import Uniform
from shoal.rules.weighted_losses import check_choice

PRIOR = {"alpha": 1.0, "beta": 1.0, "theta": 0.1}
OF_LOSS = {"exponential": ("alpha", "beta", "theta"), "gamma-shape": ("theta",)}  # which of these enter it


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
    drift: Any = None,
) -> Ensemble:
    """Any three parts; 100 Perceptrons, taught alike and with the same say, where one is left out."""
    if bank is None:
        bank = make_bank("perceptron", 100, 1.0)
    return assemble(bank, booster, rule, vote, frozen, scaling, bias, class_weight, threshold, drift)


def single(
    learner: Learner = "perceptron",
    scaling: str | None = "standard",
    bias: bool = True,
    class_weight: Any = None,
    threshold: float | str = 0.0,
    drift: Any = None,
) -> Ensemble:
    """One learner that sees every feature: what an ensemble has to beat."""
    return assemble(
        make_bank(learner, 1, 1.0),
        scaling=scaling,
        bias=bias,
        class_weight=class_weight,
        threshold=threshold,
        drift=drift,
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
    drift: Any = None,
) -> Ensemble:
    """Every learner has the same say (baseline of Bai et al., section 5.1)."""
    bank = make_bank(learner, n_learners, feature_fraction)
    rule = Uniform()
    return assemble(bank, None, rule, vote, frozen, scaling, bias, class_weight, threshold, drift)


def bayes(
    learner: Learner = "perceptron",
    n_learners: int = 100,
    ensemble_loss: Any = "exponential",
    base_loss: str = "auto",
    alpha: float = PRIOR["alpha"],
    beta: float = PRIOR["beta"],
    theta: float = PRIOR["theta"],
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
    drift: Any = None,
) -> Ensemble:
    """Weights are posterior means of the learners' reliabilities (Bai, Lam and Sclaroff)."""
    if base_loss == "auto":
        base_loss = "ramp" if ensemble_loss == "exponential" else "logistic"
    prior = {"alpha": alpha, "beta": beta, "theta": theta, "predictive": predictive, "per_class": per_class}
    bank = make_bank(learner, n_learners, feature_fraction)
    rule = forgetful(_bayes_rule(ensemble_loss, base_loss, prior, cap), forgetting)
    vote = votes_for(vote, base_loss)
    return assemble(bank, None, rule, vote, frozen, scaling, bias, class_weight, threshold, drift)


bayes_gamma_shape = partial(bayes, ensemble_loss="gamma-shape")
bayes_gamma = partial(bayes, ensemble_loss="gamma")


def _bayes_rule(ensemble_loss: Any, base_loss: str, prior: dict[str, Any], cap: str) -> Rule:
    _check_choices(ensemble_loss, prior, cap)
    if ensemble_loss == "exponential":
        return BayesExponential(**prior, base_loss=base_loss)
    if ensemble_loss == "gamma-shape":
        from shoal.rules.bayes_gamma_shape import BayesGammaShape

        return BayesGammaShape(theta=prior["theta"], cap=cap, base_loss=base_loss)
    if ensemble_loss == "gamma":
        from shoal.rules.bayes_gamma import BayesGamma

        return BayesGamma(cap=cap, base_loss=base_loss)
    from shoal.rules.algorithm1 import Algorithm1

    return Algorithm1(ensemble_loss, base_loss=base_loss)


def _check_choices(ensemble_loss: Any, prior: dict[str, Any], cap: str) -> None:
    """Refuse what an ensemble loss has no use for, rather than leave it out."""
    if ensemble_loss != "exponential":
        for name in ("predictive", "per_class"):
            if prior[name]:
                raise InputError(f"{name}=True goes with ensemble_loss='exponential' only; leave it False.")
    for name in ("alpha", "beta", "theta"):
        if prior[name] != PRIOR[name] and name not in OF_LOSS.get(str(ensemble_loss), ()):
            raise InputError(
                f"{name}={prior[name]!r} has no place in ensemble_loss={ensemble_loss!r}; leave it {PRIOR[name]}."
            )
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
    drift: Any = None,
) -> Ensemble:
    """Weights by stochastic gradient descent on the exponential ensemble loss (baselines of Bai et al.)."""
    check_choice("form", form, FORMS)
    check_choice("mode", mode, MODES)
    if averaging == "sag":
        rule: Rule = SAGWeights(mode=mode, step=step, horizon=horizon, theta=theta, base_loss=base_loss)
    else:
        rule = SGDWeights(gamma, form, averaging, schedule, theta=theta, base_loss=base_loss)
    bank = make_bank(learner, n_learners, feature_fraction)
    vote = votes_for(vote, base_loss)
    return assemble(bank, None, rule, vote, frozen, scaling, bias, class_weight, threshold, drift)


sgd_avg = partial(sgd, averaging="polyak")
sag = partial(sgd, averaging="sag")
