"""The default method: learners of different kinds, mixed by what is believed of them.

    linear      Bayesian logistic regressions, four priors with a full covariance (up to 120 features) and
                four with a diagonal one, of which one forgets
    additive    a curve per feature: a few bins and strong regressions, many bins and weak ones
    trees       a Hoeffding tree, for what features say together

The log-odds of all are mixed by Bayesian logistic regression (`shoal.rules.log_odds_posterior`), which begins
as their mean. Chosen on other orders and other data sets than those of the tables (experiments/default).
"""

from __future__ import annotations

from typing import Any

from shoal.banks.additive import Additive
from shoal.banks.bayes_logistic import BayesLogistic
from shoal.banks.hoeffding import HoeffdingTrees
from shoal.banks.stack import Stack
from shoal.boosters.independent import Independent
from shoal.ensemble import Ensemble
from shoal.methods.parts import make_decision, make_detector
from shoal.rules.log_odds_posterior import LogOddsPosterior
from shoal.scaling import Scaling

FULL_UP_TO = 120  # features: a full covariance takes their square in time and memory
CENTRED_FROM = 0.05  # share of the rows from which a feature is centred

LINEAR = (
    BayesLogistic(4, prior_variance=(0.5, 2.0, 16.0, 1000.0), full_up_to=FULL_UP_TO),
    BayesLogistic(
        4, prior_variance=(2.0, 8.0, 128.0, 8.0), forgetting=(1.0, 1.0, 1.0, 0.998), covariance="diagonal"
    ),
)
ADDITIVE = (
    Additive(3, prior_variance=(0.1, 0.3, 1.0), bins=5, full_up_to=FULL_UP_TO),
    Additive(2, prior_variance=(0.1, 1.0), bins=32, full_up_to=0),
)
TREES = HoeffdingTrees(1, grace_period=100.0)
MIXTURE = LogOddsPosterior(forgetting=0.9999)


def shoal(
    scaling: str | None = "standard",
    bias: bool = True,
    class_weight: Any = None,
    threshold: float | str = 0.0,
    drift: Any = None,
) -> Ensemble:
    """Linear learners, additive ones and a tree, their log-odds mixed by a posterior: good without tuning."""
    return Ensemble(
        Stack((*LINEAR, *ADDITIVE, TREES)),
        Independent(),
        MIXTURE,
        Scaling(scaling, bias, CENTRED_FROM),
        make_decision(class_weight, threshold),
        drift=make_detector(drift),
    )
