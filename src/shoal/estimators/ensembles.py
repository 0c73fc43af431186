"""The classifiers by name: each a bank, a booster and a rule, chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from shoal.ensemble import Bank, Part, Rule
from shoal.estimators.online import OnlineClassifier
from shoal.methods import Learner
from shoal.rules.posterior import Posterior


class EnsembleClassifier(OnlineClassifier):
    """Any bank, booster and rule, composed.

    Parameters
    ----------
    bank: the learners, such as `Perceptrons(100)`, or `Stack((bank, bank))` for several kinds.
    booster: what each learner is taught; None teaches all alike.
    rule: how votes become one score; None lets all have the same say.
    vote: "soft" uses votes in [-1, 1], "hard" their signs.
    frozen: False, or the number of first examples that the learners learn from before they stay as they are.
    scaling: "standard", "minmax", "unit" or None, for linear learners.
    bias: whether linear learners get a constant input.
    class_weight: None, "balanced", or one number per class in the order of the classes.
    threshold: log-odds that the second class must reach, or "tuned" to learn it online.
    drift: None, "adwin" to put a fresh learner in place of the worst when the error rises, or a
        `DriftDetector`.
    allow_missing: whether NaN is taken as missing, by each learner's rule, or refused.
    max_pending: how many rows may wait for late labels.
    random_state: seed; the same seed gives the same result.

    >>> import numpy as np
    >>> from shoal.banks.perceptron import Perceptrons
    >>> from shoal.rules.bayes_exponential import BayesExponential
    >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0]] * 20), np.array(["no", "yes"] * 20)
    >>> model = EnsembleClassifier(Perceptrons(10), rule=BayesExponential(), random_state=0).fit(X, y)
    >>> model.predict([[1.0, 0.0]])
    array(['yes'], dtype='<U3')
    """

    method: ClassVar[str] = "ensemble"

    def __init__(
        self,
        bank: Bank | None = None,
        booster: Part | None = None,
        rule: Rule | None = None,
        *,
        vote: str = "soft",
        frozen: bool | int = False,
        scaling: str | None = "standard",
        bias: bool = True,
        class_weight: Any = None,
        threshold: float | str = 0.0,
        drift: Any = None,
        allow_missing: bool = False,
        max_pending: int = 10_000,
        random_state: Any = None,
    ) -> None:
        self.bank = bank
        self.booster = booster
        self.rule = rule
        self.vote = vote
        self.frozen = frozen
        self.scaling = scaling
        self.bias = bias
        self.class_weight = class_weight
        self.threshold = threshold
        self.drift = drift
        self.allow_missing = allow_missing
        self.max_pending = max_pending
        self.random_state = random_state


class BayesianEnsembleClassifier(OnlineClassifier):
    """Learners weighed by the posterior mean of their reliability (Bai, Lam and Sclaroff).

    Parameters
    ----------
    learner: a learner's name, a bank, an estimator or a list of these.
    n_learners: how many, where the learner is given by name.
    ensemble_loss: "exponential" (loss (8)), "gamma-shape" (19), "gamma" (22), or a loss of your own,
        for which the posterior is computed numerically (Algorithm 1).
    base_loss: how wrong a vote is: "ramp", "zero-one", "hinge", "logistic", "exponential"; "auto" is ramp
        for the exponential ensemble loss and logistic for the others, which take only losses above 0.
    alpha, beta, theta: the prior and the scale of the exponential ensemble loss; only beta / theta, the
        mistakes that each learner is charged beforehand, changes answers. Of the others "gamma-shape" has a
        theta, the known rate of its Gamma law; the priors of both are settings of `BayesGammaShape` and
        `BayesGamma`, which `EnsembleClassifier` takes.
    forgetting: factor in (0, 1] on the past at each example; several factors, or "auto", are weighed online.
    feature_fraction: share of the columns that each learner sees.
    vote: "hard", "soft", or "auto": hard with losses that reach 0.
    frozen: False, or the number of first examples that the learners learn from before the posterior begins
        and they stay as they are; True for learners that were taught before.
    predictive: average the loss over the posterior instead of plugging in its mean.
    per_class: a separate posterior for the examples of each class.
    cap: "none", or the caps of the paper's section 6: "naive" as printed, "rescale" with the sums scaled too.
    scaling, bias, class_weight, threshold, drift, allow_missing, max_pending, random_state:
        as in `EnsembleClassifier`.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 4))
    >>> y = (X[:, 0] + X[:, 1] > 0).astype(int)
    >>> model = BayesianEnsembleClassifier(n_learners=20, random_state=0)
    >>> model.partial_fit(X[:250], y[:250], classes=[0, 1]).score(X[250:], y[250:]) > 0.9
    True
    """

    method: ClassVar[str] = "bayes"

    def __init__(
        self,
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
        drift: Any = None,
        allow_missing: bool = False,
        max_pending: int = 10_000,
        random_state: Any = None,
    ) -> None:
        self.learner = learner
        self.n_learners = n_learners
        self.ensemble_loss = ensemble_loss
        self.base_loss = base_loss
        self.alpha = alpha
        self.beta = beta
        self.theta = theta
        self.forgetting = forgetting
        self.feature_fraction = feature_fraction
        self.vote = vote
        self.frozen = frozen
        self.predictive = predictive
        self.per_class = per_class
        self.cap = cap
        self.scaling = scaling
        self.bias = bias
        self.class_weight = class_weight
        self.threshold = threshold
        self.drift = drift
        self.allow_missing = allow_missing
        self.max_pending = max_pending
        self.random_state = random_state

    @property
    def posterior_(self) -> Posterior:
        """The law of the learners' reliabilities: `mean`, `interval(0.95)`, `merge(other)`."""
        check_is_fitted(self, "model_")
        return self.model_.posterior()


class VotingEnsembleClassifier(OnlineClassifier):
    """Learners that all have the same say.

    Parameters
    ----------
    learner, n_learners, feature_fraction, frozen: as in `BayesianEnsembleClassifier`.
    vote: "hard" counts heads, "soft" averages votes in [-1, 1].
    scaling, bias, class_weight, threshold, drift, allow_missing, max_pending, random_state:
        as in `EnsembleClassifier`.
    """

    method: ClassVar[str] = "voting"

    def __init__(
        self,
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
        allow_missing: bool = False,
        max_pending: int = 10_000,
        random_state: Any = None,
    ) -> None:
        self.learner = learner
        self.n_learners = n_learners
        self.feature_fraction = feature_fraction
        self.vote = vote
        self.frozen = frozen
        self.scaling = scaling
        self.bias = bias
        self.class_weight = class_weight
        self.threshold = threshold
        self.drift = drift
        self.allow_missing = allow_missing
        self.max_pending = max_pending
        self.random_state = random_state


class SGDWeightedClassifier(OnlineClassifier):
    """Learners weighed by stochastic gradient descent: the baselines of Bai, Lam and Sclaroff.

    Parameters
    ----------
    learner, n_learners, base_loss, theta, feature_fraction, frozen: as in `BayesianEnsembleClassifier`.
    averaging: None, "polyak" (the mean of all iterates) or "sag" (stochastic average gradient).
    gamma: the step is gamma / t. The best is the square of the weights' limit, often above 100.
    form: "paper" takes the explicit step, "implicit" the proximal one, which is stable for any gamma.
    schedule: of Polyak averaging: "paper" averages steps gamma / t, "polyak" steps gamma / t**(2/3).
    mode, step, horizon: of "sag": "revisit" keeps every example's losses; "seen" and "one-pass" do not,
        and the latter needs the stream's length, `horizon`.
    vote: "hard", "soft", or "auto": hard with losses that reach 0.
    scaling, bias, class_weight, threshold, drift, allow_missing, max_pending, random_state:
        as in `EnsembleClassifier`.
    """

    method: ClassVar[str] = "sgd"

    def __init__(
        self,
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
        allow_missing: bool = False,
        max_pending: int = 10_000,
        random_state: Any = None,
    ) -> None:
        self.learner = learner
        self.n_learners = n_learners
        self.averaging = averaging
        self.gamma = gamma
        self.form = form
        self.schedule = schedule
        self.mode = mode
        self.step = step
        self.horizon = horizon
        self.base_loss = base_loss
        self.theta = theta
        self.feature_fraction = feature_fraction
        self.vote = vote
        self.frozen = frozen
        self.scaling = scaling
        self.bias = bias
        self.class_weight = class_weight
        self.threshold = threshold
        self.drift = drift
        self.allow_missing = allow_missing
        self.max_pending = max_pending
        self.random_state = random_state
