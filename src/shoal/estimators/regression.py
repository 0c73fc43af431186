"""Regressors that learn row by row: gradient boosting, and learners of different kinds, mixed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import validate_data

from shoal.errors import InputError
from shoal.estimators.common import OnlineEstimator, all_or_nothing, dicts_of, weights_of
from shoal.methods import build_regressor
from shoal.model import checked_weights
from shoal.regression_model import RegressionModel
from shoal.streams.rows import to_rows
from shoal.types import Chunk, Space


class OnlineRegressor(RegressorMixin, OnlineEstimator):
    """An ensemble of regressors that learns row by row, in chunks of any size, or from a whole array alike.

    A subclass stores its parameters. After the first `fit`, `partial_fit` or `learn_one` all that was learned
    is in `model_`. y is (n_rows,), or (n_rows, n_targets).
    """

    model_: RegressionModel

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Forget everything, then learn the rows once, in the order given."""
        X, y = self._checked(X, y, reset=True)
        if sample_weight is not None and not weights_of(sample_weight, len(y)).any():
            raise InputError("every sample_weight is zero: expected at least one row that counts.")
        if hasattr(self, "encoder_"):
            del self.encoder_
        return self._learn(X, y, sample_weight, self._new_model(y))

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learn some more rows."""
        first = not hasattr(self, "model_")
        self._keep_form("array")
        X, y = self._checked(X, y, reset=first)
        return self._learn(X, y, sample_weight, self._new_model(y) if first else self.model_)

    @all_or_nothing
    def learn_one(self, x: Mapping[Any, Any] | Any, y: Any, sample_weight: float = 1.0) -> Any:
        """Learn one example: a dict of features or a one-dimensional array, and a number or several."""
        self._keep_form("dict" if isinstance(x, Mapping) else "array")
        label = np.array([y])
        model = self.model_ if hasattr(self, "model_") else self._new_model(label)
        weights = checked_weights(np.array([sample_weight]), 1)
        model.targets_of(label, 1)
        rows, space = self._one(x, learn=True, model=model)
        model.answer_and_learn(Chunk(rows, label, weights, space))
        self.model_ = model
        return self

    @all_or_nothing
    def learn_many(self, xs: Iterable[Mapping[Any, Any]], y: Any, sample_weight: Any = None) -> Any:
        """Learn several dicts of features, as `learn_one` would one after the other."""
        self._keep_form("dict")
        labels = np.asarray(y)
        examples = dicts_of(xs, labels)
        if not examples:
            return self
        model = self.model_ if hasattr(self, "model_") else self._new_model(labels)
        weights = None if sample_weight is None else weights_of(sample_weight, len(examples))
        model.targets_of(labels, len(examples))
        rows, space = self._rows_of_dicts(examples, learn=True)
        model.answer_and_learn(Chunk(rows, labels, weights, space))
        self.model_ = model
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The number, or numbers, answered for every row."""
        rows, space = self.rows_to_answer(X)
        answers = self.model_.predict(rows, space)
        return answers[:, 0] if self.model_.n_outputs == 1 else answers

    def predict_one(self, x: Mapping[Any, Any] | Any) -> Any:
        """The number, or the list of numbers, answered for one example; None before anything was learned."""
        if not hasattr(self, "model_"):
            return None
        self._keep_form("dict" if isinstance(x, Mapping) else "array")
        answer = self.model_.predict(*self._one(x, learn=False))[0].tolist()
        return answer[0] if len(answer) == 1 else answer

    def predict_many(self, xs: Iterable[Mapping[Any, Any]]) -> list[Any]:
        """The numbers answered for several dicts of features, each as `predict_one` answers."""
        examples = dicts_of(xs)
        if not examples or not hasattr(self, "model_"):
            return [None] * len(examples)
        self._keep_form("dict")
        answers = self.model_.predict(*self._rows_of_dicts(examples, learn=False)).tolist()
        return [answer[0] if len(answer) == 1 else answer for answer in answers]

    def evaluated_model(self) -> RegressionModel:
        """The model that `shoal.evaluate` drives: the fitted one, or a new one."""
        if not hasattr(self, "model_"):
            self.model_ = self._new_model(None)
        return self.model_

    def _learn(self, X: Any, y: NDArray[Any], sample_weight: Any, model: RegressionModel) -> Any:
        rows = to_rows(X)
        weights = None if sample_weight is None else weights_of(sample_weight, rows.n_rows)
        model.answer_and_learn(Chunk(rows, y, weights, Space.of_size(X.shape[1])))
        self.model_ = model
        return self

    def _checked(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, NDArray[Any]]:
        X, y = validate_data(
            self, X, y, reset=reset, accept_sparse="csr", dtype=np.float64, ensure_all_finite=self.finite,
            multi_output=True, y_numeric=True,
        )  # fmt: skip
        return X, y

    def _new_model(self, y: NDArray[Any] | None) -> RegressionModel:
        n_outputs = None if y is None else (1 if y.ndim == 1 else y.shape[1])
        seed = self.new_seed()
        ensemble = build_regressor(self.method, self.method_settings())
        return RegressionModel(ensemble, seed=seed, n_outputs=n_outputs, max_pending=self.max_pending)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class OnlineEnsembleRegressor(OnlineRegressor):
    """Regressors of different kinds and learning rates, weighed by how well they have done: good without tuning.

    Parameters
    ----------
    learners: kinds of learners by name ("sgd", "stump", "mlp", "ridge", "hoeffding_tree", "ogd"), banks, or
        regressors of scikit-learn's (with partial_fit) or River's; all learn each example.
    rates: learning rates; there is a learner of every kind for each of them, also of kinds that have none.
    forgetting: factor in (0, 1] on what was learned of each learner's errors, for streams that change.
    target_range: (low, high) where it is known, or a pair for each target; None learns it.
    scaling: "standard", "minmax", "unit" or None. bias: whether learners get a constant input.
    allow_missing, max_pending, random_state: as in `EnsembleClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> model = OnlineEnsembleRegressor(random_state=0).fit(X, X @ [1.0, -2.0, 0.5])
    >>> model.score(X, X @ [1.0, -2.0, 0.5]) > 0.9
    True
    """

    method: ClassVar[str] = "mixed-regressors"

    def __init__(
        self,
        learners: Sequence[Any] = ("sgd", "stump", "mlp", "ridge", "hoeffding_tree"),
        rates: Sequence[float] = (0.05, 0.2, 0.8),
        forgetting: float = 0.98,
        target_range: Any = None,
        scaling: str | None = "standard",
        bias: bool = True,
        allow_missing: bool = False,
        max_pending: int = 10_000,
        random_state: Any = None,
    ) -> None:
        self.learners = learners
        self.rates = rates
        self.forgetting = forgetting
        self.target_range = target_range
        self.scaling = scaling
        self.bias = bias
        self.allow_missing = allow_missing
        self.max_pending = max_pending
        self.random_state = random_state


class FitBesideSetting:
    """The method `fit` of a class that also has a setting of that name, which lies in the instance's own dict."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self.method if instance is None else self.method.__get__(instance, owner)

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)["fit"] = value


class OnlineGradientBoostingRegressor(OnlineRegressor):
    """Online gradient boosting (Beygelzimer, Hazan, Kale and Luo 2015).

    Parameters
    ----------
    over: "span" boosts over sums of learners, "hull" over averages of them.
    loss: "squared", "p-norm", "linear", "modified-least-squares", "logistic", "absolute", "huber" or "quantile".
    fit: "actual" teaches learners the loss itself, "linear" its slopes.
    learner: "sgd", "stump", "mlp", "ridge", "hoeffding_tree", "ogd", a bank, a regressor of scikit-learn's (with
        partial_fit) or River's, which is given rows as they are, or a list of these.
    n_learners: how many are boosted.
    eta: step of the span, in [1 / n_learners, 1]; None for log(n_learners) / n_learners.
    scale: factor on every learner's answer; best near the sum of coefficients that is expected.
    rate: the learners' rate of learning; None for their own.
    loss_parameter: the power of "p-norm", delta of "huber" in units of half the range, share of "quantile".
    gradient_at: where slopes are taken: "partial", "final", or "auto", which depends on the loss.
    radius: "paper" or "exact": the size that answers may reach.
    labels: "range" for targets anywhere in their range, "signs" where they are its two ends only, as the paper's
        constants for the losses "modified-least-squares" and "logistic" have it.
    symmetric: whether every learner is a pair, one of them negated.
    target_range: (low, high) where it is known, or a pair for each target; None learns it.
    scaling: "standard", "minmax", "unit" or None. bias: whether learners get a constant input.
    allow_missing, max_pending, random_state: as in `EnsembleClassifier`.
    """

    method: ClassVar[str] = "gradient-boosting"
    fit: Any = FitBesideSetting(OnlineRegressor.fit)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters; `fit` is the setting, not the method."""
        return {**super().get_params(deep), "fit": vars(self)["fit"]}

    def __init__(
        self,
        over: str = "span",
        loss: str = "squared",
        fit: str = "actual",
        learner: Any = "sgd",
        n_learners: int = 20,
        eta: float | None = None,
        scale: float = 1.0,
        rate: float | None = None,
        loss_parameter: float | None = None,
        gradient_at: str = "auto",
        radius: str = "paper",
        labels: str = "range",
        symmetric: bool = False,
        target_range: Any = None,
        scaling: str | None = "standard",
        bias: bool = True,
        allow_missing: bool = False,
        max_pending: int = 10_000,
        random_state: Any = None,
    ) -> None:
        self.over = over
        self.loss = loss
        self.fit = fit
        self.learner = learner
        self.n_learners = n_learners
        self.eta = eta
        self.scale = scale
        self.rate = rate
        self.loss_parameter = loss_parameter
        self.gradient_at = gradient_at
        self.radius = radius
        self.labels = labels
        self.symmetric = symmetric
        self.target_range = target_range
        self.scaling = scaling
        self.bias = bias
        self.allow_missing = allow_missing
        self.max_pending = max_pending
        self.random_state = random_state
