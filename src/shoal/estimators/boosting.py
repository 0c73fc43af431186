"""Boosting classifiers by name: a bank, a booster and a rule, chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from shoal.estimators.online import OnlineClassifier
from shoal.methods import Learner


class OSBoostClassifier(OnlineClassifier):
    """Online smooth boosting (Chen, Lin and Lu): a learner sees less of what the ones before it get right.

    Parameters
    ----------
    learner, n_learners, feature_fraction, frozen: as in `BayesianEnsembleClassifier`.
    combine: "uniform", "ocp" (projected gradient over the simplex), "exp" (Hedge over prefixes of the learners),
        or "bayes": the posterior of Bai et al. over the boosted learners.
    gamma: the learners' assumed advantage over chance, in (0, 1/2).
    eta: first step of "ocp", fixed learning rate of "exp"; None for those that fit any length of stream.
    share: above 0 follows drift: "exp" deals out that part of the weight anew at each example (give `eta` too),
        "ocp" keeps its step constant.
    answer: of "exp": "sampled", the paper's; "vote", the weighted vote; or "best".
    multiclass: "margin", "direct" (as published), or "one-vs-rest", which suits linear learners.
    base_loss, theta: of "bayes".
    forgetting: of "ocp", "exp" and "bayes" (uniform weights remember nothing): factor in (0, 1] on what is known,
        at each example; several, or "auto", are weighed online.
    vote: "soft" (hard votes of learners that are alike boost nothing) or "hard".
    scaling, bias, class_weight, threshold, drift, allow_missing, max_pending, random_state:
        as in `EnsembleClassifier`.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 4))
    >>> y = (X[:, 0] + X[:, 1] > 0).astype(int)
    >>> model = OSBoostClassifier(n_learners=10, random_state=0).fit(X[:300], y[:300])
    >>> model.score(X[300:], y[300:]) > 0.75
    True
    """

    method: ClassVar[str] = "osboost"

    def __init__(
        self,
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
        allow_missing: bool = False,
        max_pending: int = 10_000,
        random_state: Any = None,
    ) -> None:
        self.learner = learner
        self.n_learners = n_learners
        self.combine = combine
        self.gamma = gamma
        self.eta = eta
        self.share = share
        self.answer = answer
        self.multiclass = multiclass
        self.base_loss = base_loss
        self.theta = theta
        self.forgetting = forgetting
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


class OzaBoostClassifier(OnlineClassifier):
    """Online AdaBoost (Oza and Russell): importance is passed from learner to learner.

    Parameters
    ----------
    learner, n_learners, feature_fraction: as in `BayesianEnsembleClassifier`.
    mode: "poisson" repeats an update a random number of times, "poisson-weight" gives one update that number as
        weight, "weighted" gives it the importance; "auto" is "poisson-weight" for Hoeffding trees, else "poisson".
    scale: "normalised", or "count" for the literal form of 2001.
    smoothing: examples added to right and to wrong before votes are weighed, above 0.
    allow_negative: let learners that are mostly wrong count against.
    judged: count a learner as right or wrong by its answer "after" it learned the example, as published, or
        "before", which suits learners that put right what they got wrong, and large example weights.
    forgetting: factor in (0, 1] on the sums at each example.
    vote: what is weighed of a learner: its sign, "hard", as published; or its vote, "soft"; "auto" is
        "soft" for Hoeffding trees, else "hard". Naive Bayes errs less with `judged="before", vote="soft"`.
    class_weight: as in `EnsembleClassifier`, but weighs answers: this booster evens out what examples weigh.
    scaling, bias, threshold, drift, allow_missing, max_pending, random_state: as in `EnsembleClassifier`.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 4))
    >>> y = (X[:, 0] + X[:, 1] > 0).astype(int)
    >>> model = OzaBoostClassifier(n_learners=10, random_state=0).fit(X[:300], y[:300])
    >>> model.score(X[300:], y[300:]) > 0.75
    True
    """

    method: ClassVar[str] = "ozaboost"

    def __init__(
        self,
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
        allow_missing: bool = False,
        max_pending: int = 10_000,
        random_state: Any = None,
    ) -> None:
        self.learner = learner
        self.n_learners = n_learners
        self.mode = mode
        self.scale = scale
        self.smoothing = smoothing
        self.allow_negative = allow_negative
        self.judged = judged
        self.forgetting = forgetting
        self.feature_fraction = feature_fraction
        self.vote = vote
        self.scaling = scaling
        self.bias = bias
        self.class_weight = class_weight
        self.threshold = threshold
        self.drift = drift
        self.allow_missing = allow_missing
        self.max_pending = max_pending
        self.random_state = random_state


class OGBoostClassifier(OnlineClassifier):
    """Online gradient boosting of a margin loss (Leistner et al.), with selectors.

    Parameters
    ----------
    learner, n_learners, feature_fraction: as in `BayesianEnsembleClassifier`.
    candidates: learners per selector, of which the best answers; a divisor of n_learners.
    loss: "logit", "exponential", "hinge", or robust: "savage", "doom".
    shrinkage: factor on every vote that is added, above 0.
    forgetting: factor in (0, 1] on the charges of the candidates.
    vote: "soft" or "hard".
    scaling, bias, class_weight, threshold, drift, allow_missing, max_pending, random_state:
        as in `EnsembleClassifier`.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 4))
    >>> y = (X[:, 0] + X[:, 1] > 0).astype(int)
    >>> model = OGBoostClassifier(n_learners=10, random_state=0).fit(X[:300], y[:300])
    >>> model.score(X[300:], y[300:]) > 0.75
    True
    """

    method: ClassVar[str] = "ogboost"

    def __init__(
        self,
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
        allow_missing: bool = False,
        max_pending: int = 10_000,
        random_state: Any = None,
    ) -> None:
        self.learner = learner
        self.n_learners = n_learners
        self.candidates = candidates
        self.loss = loss
        self.shrinkage = shrinkage
        self.forgetting = forgetting
        self.feature_fraction = feature_fraction
        self.vote = vote
        self.scaling = scaling
        self.bias = bias
        self.class_weight = class_weight
        self.threshold = threshold
        self.drift = drift
        self.allow_missing = allow_missing
        self.max_pending = max_pending
        self.random_state = random_state


class OnlineFeatureBoostClassifier(OnlineClassifier):
    """Online boosting for feature selection (Grabner and Bischof).

    Parameters
    ----------
    learner, n_learners, feature_fraction: as in `BayesianEnsembleClassifier`.
    selectors: how many answer; None: half of a pool, or else about the square root of n_learners.
    pool: all selectors choose among the same learners.
    exchange: put a fresh candidate in place of the worst at each example.
    importance: "oza" keeps the mean importance, "sqrt" lets it fade.
    exit: where a selector's error is 0 or above 1/2, "clip" it or "stop" there, as the paper does.
    mode: "weighted", "poisson", which suits Perceptrons, or "poisson-weight": as in `OzaBoostClassifier`.
    judged: count a candidate as right or wrong by its answer "before" it learned the example, or "after", as
        published: then learners that put right what they got wrong all look alike.
    forgetting: factor in (0, 1] on the counts.
    class_weight: as in `EnsembleClassifier`, but weighs answers: this booster evens out what examples weigh.
    scaling, bias, threshold, drift, allow_missing, max_pending, random_state: as in `EnsembleClassifier`.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 4))
    >>> y = (X[:, 0] + X[:, 1] > 0).astype(int)
    >>> model = OnlineFeatureBoostClassifier(n_learners=10, random_state=0).fit(X[:300], y[:300])
    >>> model.score(X[300:], y[300:]) > 0.75
    True
    """

    method: ClassVar[str] = "feature-boost"

    def __init__(
        self,
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
        allow_missing: bool = False,
        max_pending: int = 10_000,
        random_state: Any = None,
    ) -> None:
        self.learner = learner
        self.n_learners = n_learners
        self.selectors = selectors
        self.pool = pool
        self.exchange = exchange
        self.importance = importance
        self.exit = exit
        self.mode = mode
        self.judged = judged
        self.forgetting = forgetting
        self.feature_fraction = feature_fraction
        self.scaling = scaling
        self.bias = bias
        self.class_weight = class_weight
        self.threshold = threshold
        self.drift = drift
        self.allow_missing = allow_missing
        self.max_pending = max_pending
        self.random_state = random_state


class OnlineBBMClassifier(OnlineClassifier):
    """Online boost-by-majority (Beygelzimer, Kale and Luo), exact for any number of learners.

    Parameters
    ----------
    learner, n_learners, feature_fraction: as in `BayesianEnsembleClassifier`.
    gamma: the learners' assumed advantage over chance, in (0, 1/2).
    form: "importance" gives weighted lessons, "sampling" passes examples on with that probability.
    normalise: divide by the largest weight of each learner.
    vote: "hard", as published, or "soft".
    scaling, bias, class_weight, threshold, drift, allow_missing, max_pending, random_state:
        as in `EnsembleClassifier`.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 4))
    >>> y = (X[:, 0] + X[:, 1] > 0).astype(int)
    >>> model = OnlineBBMClassifier(n_learners=10, random_state=0).fit(X[:300], y[:300])
    >>> model.score(X[300:], y[300:]) > 0.75
    True
    """

    method: ClassVar[str] = "bbm"

    def __init__(
        self,
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
        allow_missing: bool = False,
        max_pending: int = 10_000,
        random_state: Any = None,
    ) -> None:
        self.learner = learner
        self.n_learners = n_learners
        self.gamma = gamma
        self.form = form
        self.normalise = normalise
        self.feature_fraction = feature_fraction
        self.vote = vote
        self.scaling = scaling
        self.bias = bias
        self.class_weight = class_weight
        self.threshold = threshold
        self.drift = drift
        self.allow_missing = allow_missing
        self.max_pending = max_pending
        self.random_state = random_state


class AdaBoostOLClassifier(OnlineClassifier):
    """Adaptive online boosting: AdaBoost.OL and, for many classes, AdaBoost.OLM.

    Parameters
    ----------
    learner, n_learners, feature_fraction: as in `BayesianEnsembleClassifier`.
    form: "importance" gives weighted lessons, "sampling" passes examples on with that probability.
    answer: which prefix of the learners answers: "sampled", as published, "vote" or "best".
    share: part of the prefixes' weight that is dealt out anew at each example, to follow drift.
    multiclass: "direct" (AdaBoost.OLM) or "one-vs-rest".
    decision: which of several classes a learner names: of its largest vote, "argmax", or "min_cost", of the least
        cost expected under its probabilities.
    forgetting: factor in (0, 1] on the prefixes' mistakes, and on the examples that the steps fall with.
    vote: "soft" or "hard".
    scaling, bias, class_weight, threshold, drift, allow_missing, max_pending, random_state:
        as in `EnsembleClassifier`.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 4))
    >>> y = (X[:, 0] + X[:, 1] > 0).astype(int)
    >>> model = AdaBoostOLClassifier(n_learners=10, random_state=0).fit(X[:300], y[:300])
    >>> model.score(X[300:], y[300:]) > 0.75
    True
    """

    method: ClassVar[str] = "adaboost-ol"

    def __init__(
        self,
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
        allow_missing: bool = False,
        max_pending: int = 10_000,
        random_state: Any = None,
    ) -> None:
        self.learner = learner
        self.n_learners = n_learners
        self.form = form
        self.answer = answer
        self.share = share
        self.multiclass = multiclass
        self.decision = decision
        self.forgetting = forgetting
        self.feature_fraction = feature_fraction
        self.vote = vote
        self.scaling = scaling
        self.bias = bias
        self.class_weight = class_weight
        self.threshold = threshold
        self.drift = drift
        self.allow_missing = allow_missing
        self.max_pending = max_pending
        self.random_state = random_state
