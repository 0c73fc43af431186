"""Every bank is held to what all banks promise."""

import pytest

from shoal.banks.hoeffding import HoeffdingTrees
from shoal.banks.naive_bayes import NaiveBayes
from shoal.banks.one_vs_rest import OneVsRest
from shoal.banks.perceptron import Perceptrons
from shoal.banks.stack import Stack
from shoal.registry import BANKS, find
from shoal.testing import check_bank

VARIANTS = {
    "perceptron-subsets": Perceptrons(3, feature_fraction=0.5),
    "naive_bayes-gaussian": NaiveBayes(3, kind="gaussian", clip=None),
    "naive_bayes-missing-zeros": NaiveBayes(3, zeros="missing", feature_fraction=0.5),
    "stack": Stack((Perceptrons(2), NaiveBayes(1), Perceptrons(1))),
    "one_vs_rest": OneVsRest(Perceptrons(3)),
    "hoeffding-eager": HoeffdingTrees(3, grace_period=5.0, delta=0.5, tau=0.5, feature_fraction=0.5),
}


@pytest.mark.parametrize("name", BANKS)
def test_bank_keeps_its_promises(name):
    """A bank of the registry passes the conformance suite."""
    check_bank(find("learner", BANKS, name)(n_learners=3))


@pytest.mark.parametrize("name", VARIANTS)
def test_variant_keeps_its_promises(name):
    """A bank with other parameters passes the conformance suite."""
    check_bank(VARIANTS[name])
