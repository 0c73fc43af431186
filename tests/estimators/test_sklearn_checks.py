"""Every estimator passes scikit-learn's own checks, but those that shuffle rows."""

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

import shoal
from shoal.banks.perceptron import Perceptrons

ORDER_MATTERS = "shuffles rows; what an online learner knows depends on their order"
ESTIMATORS = {
    "voting": shoal.VotingEnsembleClassifier(n_learners=5),
    "bayes": shoal.BayesianEnsembleClassifier(n_learners=5),
    "sgd": shoal.SGDWeightedClassifier(n_learners=5),
    "composed": shoal.EnsembleClassifier(Perceptrons(5)),
    "osboost": shoal.OSBoostClassifier(n_learners=3),
    "osboost-exp": shoal.OSBoostClassifier(n_learners=3, combine="exp"),
    "ozaboost": shoal.OzaBoostClassifier(n_learners=3, judged="before"),
    "ogboost": shoal.OGBoostClassifier(n_learners=3),
    "feature-boost": shoal.OnlineFeatureBoostClassifier(n_learners=20),
    "bbm": shoal.OnlineBBMClassifier(n_learners=3),
    "adaboost-ol": shoal.AdaBoostOLClassifier(n_learners=3),
}
EXPECTED_TO_FAIL = {
    "check_sample_weight_equivalence_on_dense_data": ORDER_MATTERS,
    "check_sample_weight_equivalence_on_sparse_data": ORDER_MATTERS,
}
SATURATED = "weights of 1000 to 1 drive AdaBoost.OL's coefficients to their bounds, whoever is right"
BROUGHT_BACK = (
    "a selector passes on the first one's mistakes with half of all importance, however little they weighed"
)
OWN_FAILURES = {
    "adaboost-ol": {"check_class_weight_classifiers": SATURATED},
    "feature-boost": {"check_class_weight_classifiers": BROUGHT_BACK},
}


def checks():
    for name, estimator in ESTIMATORS.items():
        known = EXPECTED_TO_FAIL | OWN_FAILURES.get(name, {})
        made = estimator_checks_generator(estimator, expected_failed_checks=known, mark="xfail")
        for case in made:
            case = case if hasattr(case, "marks") else pytest.param(*case)
            check = case.values[1]
            label = getattr(check, "func", check).__name__.removeprefix("check_")
            yield pytest.param(*case.values, marks=case.marks, id=f"{name}-{label}")


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_scikit_learn_check(estimator, check):
    """The check passes."""
    check(estimator)
