"""Every bank is held to what all banks promise."""

import pytest

from shoal.banks.naive_bayes import NaiveBayes
from shoal.banks.perceptron import Perceptrons
from shoal.banks.stack import Stack
from shoal.testing import check_bank

BANKS = {
    "perceptrons": Perceptrons(3),
    "perceptrons-subsets": Perceptrons(3, feature_fraction=0.5),
    "naive-bayes": NaiveBayes(3),
    "naive-bayes-gaussian": NaiveBayes(3, kind="gaussian", clip=None),
    "naive-bayes-missing-zeros": NaiveBayes(3, zeros="missing", feature_fraction=0.5),
    "stack": Stack((Perceptrons(2), NaiveBayes(1), Perceptrons(1))),
}


@pytest.mark.parametrize("name", BANKS)
def test_bank_keeps_its_promises(name):
    """The bank passes the conformance suite."""
    check_bank(BANKS[name])
