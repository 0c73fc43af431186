"""Learners by name, with settings of their own."""

from __future__ import annotations

import pytest

import shoal
from shoal.banks.bayes_logistic import BayesLogistic
from shoal.banks.hoeffding import HoeffdingTrees
from shoal.banks.naive_bayes import NaiveBayes
from shoal.errors import InputError
from shoal.methods.learners import named_bank


@pytest.mark.parametrize(
    ("learner", "bank"),
    [
        ("naive_bayes", NaiveBayes(3, 0.5)),
        ("naive_bayes:clip=none, kind=gaussian", NaiveBayes(3, 0.5, kind="gaussian", clip=None)),
        ("hoeffding_tree:leaves=majority,max_nodes=31", HoeffdingTrees(3, 0.5, leaves="majority", max_nodes=31)),
        (
            "bayes_logistic:prior_variance=(0.5,2),covariance=diagonal",
            BayesLogistic(3, 0.5, prior_variance=(0.5, 2), covariance="diagonal"),
        ),
    ],
)
def test_a_name_may_bring_settings(learner, bank):
    """The bank is the one that its class makes of them, number and share of features being the method's."""
    assert named_bank(learner, 3, 0.5) == bank


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        ("oak", "learner is 'oak'; expected one of perceptron"),
        ("mlp", "learner is 'mlp', which predicts numbers"),
        ("hoeffding_tree:nodes=3", "has no setting 'nodes'; it has grace_period"),
        ("hoeffding_tree:n_learners=3", "has no setting 'n_learners'"),
        ("hoeffding_tree:tau", "'tau' is no setting"),
        ("hoeffding_tree:tau=high", "tau is 'high'; expected a number such as 0.05"),
        ("hoeffding_tree:tau=none", "tau is None; expected a number"),
        ("hoeffding_tree:tau=(0.1,0.2)", r"tau is \(0.1, 0.2\); expected a number"),
        ("hoeffding_tree:leaves=3", "leaves is 3; expected a word such as 'adaptive'"),
        ("logistic:normalise=3", "normalise is 3; expected True or False"),
        ("stump:bins=2.5", "bins is 2.5; expected a whole number such as 16"),
    ],
)
def test_what_makes_no_sense_is_refused(learner, message):
    """The message names the learner's setting and what it may be."""
    with pytest.raises(InputError, match=message):
        named_bank(learner, 3, 1.0)


def test_estimators_take_such_names():
    """Several in a list stand side by side."""
    model = shoal.OSBoostClassifier(learner=["naive_bayes:clip=9", "bayes_logistic:forgetting=0.99"], n_learners=4)
    first, second = model.make_ensemble().bank.banks
    assert (first.clip, second.forgetting) == (9, 0.99)
