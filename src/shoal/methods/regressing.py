"""Methods for regression: online gradient boosting, one learner, and learners of different kinds, mixed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, cast

from shoal.banks.linearised import Linearised
from shoal.banks.ogd import OGD
from shoal.banks.outside_regressors import OutsideRegressors
from shoal.banks.stack import Stack
from shoal.banks.symmetric import Symmetric
from shoal.boosters.gradient_hull import GradientHull
from shoal.boosters.gradient_span import GradientSpan
from shoal.boosters.regressing import Regressing
from shoal.boosters.regression_losses import RegressionLoss
from shoal.ensemble import Bank, Ensemble, Part
from shoal.errors import InputError
from shoal.methods.learners import named_regressors
from shoal.regression import Range, Targets
from shoal.rules.last import Last
from shoal.rules.squared_posterior import SquaredPosterior
from shoal.rules.uniform import Uniform
from shoal.scaling import Scaling

RegressionLearner = str | Bank | Sequence[Any] | Any
MIXED = ("sgd", "stump", "mlp", "ridge", "hoeffding_tree")  # the kinds that the default regressor mixes
RATES = (0.05, 0.2, 0.8)  # of learning: each kind with a slow, a usual and a fast learner
BOOSTED = 20  # learners of a boosted ensemble, where none are asked for


def make_regressors(learner: RegressionLearner, n_learners: int, rate: Any = None) -> Bank:
    """Regressors by name, a bank as it is, or outside ones; of several, side by side, sharing `n_learners`."""
    if isinstance(learner, str):
        bank = named_regressors(learner, n_learners, rate)
        return Linearised(bank) if isinstance(bank, OGD) else bank
    if isinstance(learner, list | tuple):
        if not learner:
            raise InputError("learner is an empty list; expected names of learners, banks or regressors.")
        share = max(1, n_learners // len(learner))
        return Stack(tuple(make_regressors(each, share, rate) for each in learner))
    if hasattr(learner, "n_learners") and hasattr(learner, "init"):
        return cast(Bank, learner)
    return OutsideRegressors((learner,) * n_learners)


def regression_ensemble(
    bank: Bank, booster: Part, rule: Any, scaling: str | None, bias: bool, target_range: Range | None
) -> Ensemble:
    """An ensemble whose answers are numbers."""
    return Ensemble(bank, booster, rule, Scaling(scaling, bias), Targets(target_range))


def gradient_boosting(
    over: str = "span",
    loss: str = "squared",
    fit: str = "actual",
    learner: RegressionLearner = "sgd",
    n_learners: int = BOOSTED,
    eta: float | None = None,
    scale: float = 1.0,
    rate: float | None = None,
    loss_parameter: float | None = None,
    gradient_at: str = "auto",
    radius: str = "paper",
    labels: str = "range",
    symmetric: bool = False,
    target_range: Range | None = None,
    scaling: str | None = "standard",
    bias: bool = True,
) -> Ensemble:
    """Online gradient boosting over the span or the convex hull (Beygelzimer, Hazan, Kale and Luo)."""
    described = RegressionLoss(loss, loss_parameter, labels)
    if over == "span":
        booster: Part = GradientSpan(described, eta, scale, fit, gradient_at, radius)
    elif over == "hull":
        booster = GradientHull(described, scale, fit, gradient_at)
    else:
        raise InputError(f"over is {over!r}; expected 'span' or 'hull'.")
    bank = make_regressors(learner, 2 * n_learners if symmetric else n_learners, rate)
    return regression_ensemble(
        Symmetric(bank) if symmetric else bank, booster, Last(), scaling, bias, target_range
    )


ogb_span = partial(gradient_boosting, over="span")
ogb_hull = partial(gradient_boosting, over="hull")


def single_regressor(
    learner: RegressionLearner = "sgd",
    loss: str = "squared",
    rate: float | None = None,
    loss_parameter: float | None = None,
    target_range: Range | None = None,
    scaling: str | None = "standard",
    bias: bool = True,
) -> Ensemble:
    """One regressor: what an ensemble has to beat."""
    bank, booster = make_regressors(learner, 1, rate), Regressing(RegressionLoss(loss, loss_parameter))
    return regression_ensemble(bank, booster, Uniform(), scaling, bias, target_range)


def mixed_regressors(
    learners: Sequence[Any] = MIXED,
    rates: Sequence[float] = RATES,
    forgetting: float = 0.98,
    target_range: Range | None = None,
    scaling: str | None = "standard",
    bias: bool = True,
) -> Ensemble:
    """Learners of different kinds and speeds, mixed by the posterior of their squared errors."""
    bank = make_regressors(tuple(learners), len(learners) * len(rates), tuple(rates))
    rule = SquaredPosterior(forgetting)
    return regression_ensemble(bank, Regressing(), rule, scaling, bias, target_range)
