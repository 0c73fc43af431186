"""Nonsense in any parameter is refused at the first call that learns, with what was expected."""

from __future__ import annotations

import numpy as np
import pytest

import shoal
from shoal.banks.perceptron import Perceptrons
from shoal.errors import InputError
from shoal.rules.bayes_exponential import BayesExponential

EVERY = [
    shoal.VotingEnsembleClassifier,
    shoal.BayesianEnsembleClassifier,
    shoal.SGDWeightedClassifier,
    shoal.EnsembleClassifier,
    shoal.OSBoostClassifier,
    shoal.OzaBoostClassifier,
    shoal.OGBoostClassifier,
    shoal.OnlineFeatureBoostClassifier,
    shoal.OnlineBBMClassifier,
    shoal.AdaBoostOLClassifier,
]
NOT_POSITIVE = (0, 0.0, -1.0, float("nan"), float("inf"), "much", None, [1.0])
NOT_COUNTS = (0, -1, 2.5, "many", None, True)
NOT_SWITCHES = ("yes", 1, None)
NONSENSE = {
    "bank": ("perceptron", 3, Perceptrons),
    "booster": ("independent", 3),
    "rule": ("uniform", 3, BayesExponential),
    "learner": ("nobody", 3, None, [], ["perceptron", "nobody"], object()),
    "n_learners": NOT_COUNTS,
    "ensemble_loss": ("quadratic", 3, None),
    "base_loss": ("quadratic", None, 3, ["ramp"]),
    "alpha": NOT_POSITIVE,
    "beta": NOT_POSITIVE,
    "theta": NOT_POSITIVE,
    "gamma": NOT_POSITIVE,
    "step": NOT_POSITIVE,
    "forgetting": (0.0, 1.5, -0.1, float("nan"), "often", None, [], [0.9, 2.0], True),
    "feature_fraction": (0.0, 1.1, float("nan"), "half", None),
    "vote": ("loud", None, 1),
    "frozen": ("yes", -1, 1.5, None),
    "predictive": NOT_SWITCHES,
    "per_class": NOT_SWITCHES,
    "cap": ("tight", None, 200),
    "averaging": ("mean", True),
    "form": ("free", None),
    "schedule": ("daily", None),
    "mode": ("fast", None),
    "horizon": (0, -3, 2.5, "far"),
    "combine": ("mixed", None, 3),
    "eta": (0.0, -1.0, float("nan"), "fast", True),
    "share": (1.0, -0.1, float("nan"), "half", None),
    "answer": ("guess", None),
    "multiclass": ("both", None),
    "decision": ("guess", None),
    "scale": ("large", None),
    "smoothing": NOT_POSITIVE,
    "shrinkage": NOT_POSITIVE,
    "allow_negative": NOT_SWITCHES,
    "candidates": NOT_COUNTS,
    "loss": ("quadratic", None, 3),
    "selectors": (0, -1, 2.5, "many", True),
    "pool": NOT_SWITCHES,
    "exchange": NOT_SWITCHES,
    "importance": ("high", None),
    "exit": ("never", None),
    "judged": ("sometimes", None),
    "normalise": NOT_SWITCHES,
    "scaling": ("log", 3, ["standard"]),
    "bias": ("yes", 2, None),
    "class_weight": ("fair", [1.0], [1.0, -1.0], [0.0, 0.0], [1.0, "x"], {0: -1.0}, 3.0),
    "threshold": ("high", float("nan"), None, [0.5]),
    "drift": ("often", 3, True, ["adwin"]),
    "allow_missing": NOT_SWITCHES,
    "max_pending": NOT_COUNTS,
    "random_state": ("lucky", -1, 1.5),
}
X, Y = np.eye(4)[:, :3] + 1.0, np.array([0, 1, 0, 1])


def cases():
    for kind in EVERY:
        for name in kind().get_params(deep=False):
            yield pytest.param(kind, name, id=f"{kind.__name__}-{name}")


@pytest.mark.parametrize(("kind", "name"), list(cases()))
def test_nonsense(kind, name):
    """Each nonsense value is named in an InputError at the first `fit`, `partial_fit` or `learn_one`."""
    for value in NONSENSE[name]:
        model = kind(**{name: value})
        for begin in (
            lambda model=model: model.fit(X, Y),
            lambda model=model: model.partial_fit(X, Y, classes=[0, 1]),
            lambda model=model: model.learn_one(X[0], 0),
        ):
            with pytest.raises(InputError) as refusal:
                begin()
            assert (
                name in str(refusal.value) or repr(value) in str(refusal.value) or "nobody" in str(refusal.value)
            )
        assert not hasattr(model, "model_")


@pytest.mark.parametrize(
    ("kind", "params", "message"),
    [
        ("bayes", {"ensemble_loss": "gamma", "base_loss": "ramp"}, "ramp"),
        ("bayes", {"ensemble_loss": "gamma", "base_loss": "hinge"}, "hinge"),
        ("bayes", {"ensemble_loss": "gamma-shape", "base_loss": "zero-one"}, "zero-one"),
        ("bayes", {"ensemble_loss": "gamma", "predictive": True}, "predictive=True goes with"),
        ("bayes", {"ensemble_loss": "gamma-shape", "per_class": True}, "per_class=True goes with"),
        ("bayes", {"cap": "naive"}, "cap='naive' goes with"),
        ("bayes", {"ensemble_loss": "gamma", "theta": 0.2}, "theta=0.2 has no place in"),
        ("bayes", {"ensemble_loss": "gamma-shape", "beta": 3.0}, "beta=3.0 has no place in"),
        ("bayes", {"ensemble_loss": "gamma", "base_loss": "ramp", "forgetting": "auto"}, "ramp"),
        ("sgd", {"averaging": "sag", "mode": "one-pass"}, "horizon"),
        ("composed", {"vote": "auto"}, "vote is 'auto'"),
    ],
)
def test_forbidden_combinations(kind, params, message):
    """What the maths forbids is refused at the first call that learns, not when the estimator is made."""
    made = {
        "bayes": shoal.BayesianEnsembleClassifier,
        "sgd": shoal.SGDWeightedClassifier,
        "composed": shoal.EnsembleClassifier,
    }[kind](**params)
    for begin in (
        lambda: made.fit(X, Y),
        lambda: made.partial_fit(X, Y, classes=[0, 1]),
        lambda: made.learn_one(X[0], 0),
        lambda: made.learn_one({"a": 1.0}, 0),
    ):
        with pytest.raises(InputError, match=message):
            begin()
    assert not hasattr(made, "model_")


def test_threshold_of_many_classes():
    """A threshold is for two classes: a third is refused, at the start and when it comes."""
    three = np.array([0, 1, 2, 1])
    with pytest.raises(InputError, match="threshold applies to two classes"):
        shoal.VotingEnsembleClassifier(n_learners=5, threshold="tuned").fit(X, three)
    model = shoal.VotingEnsembleClassifier(n_learners=5, threshold=0.5).learn_one(X[0], 0).learn_one(X[1], 1)
    with pytest.raises(InputError, match="threshold applies to two classes"):
        model.learn_one(X[2], 2)
    assert model.predict_one(X[2]) in (0, 1)
