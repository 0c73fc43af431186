"""Outside estimators as a bank."""

import numpy as np
import pytest
from river import linear_model, naive_bayes, preprocessing, tree
from river.forest import ARFClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.tree import DecisionTreeClassifier

import shoal
from shoal.banks.outside import OutsideBank
from shoal.errors import InputError
from shoal.testing import BankDriver, check_bank, sample, states_equal, task_of
from shoal.types import Space

D = 6


def driver_of(bank, n_classes=2, seed=0, open_space=False):
    return BankDriver(bank, Space.of_size(D, open=open_space), task_of(n_classes), seed)


def taught(bank, n_classes=2, weights=None, n=30):
    driver = driver_of(bank, n_classes)
    X, y = sample(n_classes)
    for t in range(n):
        driver.update(X[t], y[t], np.ones(bank.n_learners) if weights is None else weights[t])
    return driver


def test_scikit_learn_estimators_keep_the_promises_of_banks():
    """Estimators with partial_fit pass the conformance suite; they refuse classes they were not told of."""
    estimators = (SGDClassifier(loss="log_loss"), SGDClassifier(), GaussianNB(), BernoulliNB())
    check_bank(OutsideBank(estimators), widens=False)


def test_river_estimators_keep_the_promises_of_banks():
    """River estimators of several classes pass the conformance suite and take classes as they come."""
    check_bank(OutsideBank((naive_bayes.GaussianNB(), tree.HoeffdingTreeClassifier())))


def test_scikit_learn_estimator_is_taught_raw_rows_with_weights():
    """A member ends as its estimator does when it is given the same dense rows and weights itself."""
    weights = np.random.default_rng(0).exponential(size=(30, 1))
    driver = taught(OutsideBank((SGDClassifier(loss="log_loss", random_state=0),)), weights=weights)
    X, y = sample(2)
    alone = SGDClassifier(loss="log_loss", random_state=0)
    for t in range(30):
        alone.partial_fit(np.nan_to_num(X[t : t + 1]), [y[t]], classes=[0, 1], sample_weight=weights[t])
    expected = 2.0 * alone.predict_proba(np.nan_to_num(X))[:, 1] - 1.0
    votes = [driver.predict(x)[0][0, 0] for x in X]
    np.testing.assert_allclose(votes, expected, rtol=0, atol=1e-12)  # many rows at once are summed differently


def test_river_estimator_is_taught_dicts_by_feature_name():
    """A member ends as its estimator does when it is given the same dicts itself, without missing values."""
    driver = taught(OutsideBank((preprocessing.StandardScaler() | linear_model.LogisticRegression(),)))
    X, y = sample(2)
    alone = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    rows = [{f"feature {j}": v for j, v in enumerate(x) if not np.isnan(v)} for x in X.tolist()]
    for t in range(30):
        alone.learn_one(rows[t], int(y[t]))
    expected = [2.0 * alone.predict_proba_one(row)[True] - 1.0 for row in rows]
    np.testing.assert_array_equal([driver.predict(x)[0][0, 0] for x in X], expected)


def test_estimators_are_cloned_with_seeds_of_their_own():
    """The prototype stays untaught, and two copies of it without a seed become different learners."""
    prototype = ARFClassifier(n_models=2)
    driver = taught(OutsideBank((prototype, prototype)))
    one, other = (learner.model for learner in driver.state.learners)
    assert one.seed != other.seed
    assert prototype.seed is None
    assert len(prototype) == 0


def test_estimator_abstains_until_it_was_taught():
    """Before its first lesson an estimator does not vote."""
    driver = driver_of(OutsideBank((GaussianNB(), linear_model.LogisticRegression())))
    votes, live = driver.predict(np.ones(D))
    assert not live.any()
    assert not votes.any()
    driver.update(np.ones(D), 1, np.array([0.0, 1.0]))
    assert driver.predict(np.ones(D))[1].tolist() == [False, True]


class Counting:
    """An estimator without weights that counts its lessons."""

    def __init__(self):
        self.n = 0

    def learn_one(self, x, y):
        self.n += 1

    def predict_one(self, x):
        return 1 if self.n else None


def test_an_answer_that_is_no_number_is_an_abstention():
    """scikit-learn's GaussianNB answers NaN while a class has no variance; meanwhile it does not vote."""
    driver = driver_of(OutsideBank((GaussianNB(),)))
    driver.update(np.ones(D), 1, np.ones(1))
    votes, live = driver.predict(np.ones(D))
    assert not live[0]
    assert votes[0, 0] == 0.0


def test_weights_become_repetitions_where_they_are_not_taken():
    """An estimator that takes no weights is shown an example of weight w on average w times."""
    driver = driver_of(OutsideBank((Counting(), Counting(), Counting())))
    for _ in range(400):
        driver.update(np.ones(D), 1, np.array([0.25, 1.0, 2.5]))
    counts = [learner.model.n for learner in driver.state.learners]
    assert counts[1] == 400
    assert abs(counts[0] - 100) < 40  # more than four standard deviations of 8.7
    assert abs(counts[2] - 1000) < 40


def test_an_estimator_without_probabilities_votes_by_its_class():
    """Only predict_one: the vote is -1 or +1."""
    driver = driver_of(OutsideBank((Counting(),)))
    driver.update(np.ones(D), 1, np.ones(1))
    assert driver.predict(np.ones(D))[0][0, 0] == 1.0


def test_fitted_estimators_are_used_as_they_are():
    """A fitted estimator votes from the start, by its own labels, and is taught nothing."""
    X, y = sample(2)
    X = np.nan_to_num(X)
    names = np.array(["no", "yes"])[y]
    estimators = (DecisionTreeClassifier(max_depth=2).fit(X, names), LogisticRegression().fit(X, names))
    driver = driver_of(OutsideBank(estimators, fitted=True))
    before = [driver.predict(x)[0] for x in X]
    expected = [2.0 * estimator.predict_proba(X)[:, 1] - 1.0 for estimator in estimators]
    np.testing.assert_allclose(np.array(before)[:, :, 0].T, expected, rtol=0, atol=1e-12)
    for t in range(len(X)):
        driver.update(X[t], y[t], np.ones(2))
    assert all(np.array_equal(b, driver.predict(x)[0]) for b, x in zip(before, X, strict=True))


def test_learners_see_their_own_features_only():
    """What a learner does not see does not change its vote."""
    bank = OutsideBank((linear_model.LogisticRegression(), SGDClassifier(loss="log_loss")), feature_fraction=0.5)
    driver = taught(bank)
    seen = driver.state.seen
    assert seen.sum(axis=0).tolist() == [3, 3]
    for i in range(2):
        x = np.ones(D)
        changed = np.where(seen[:, i], x, 7.0)
        assert driver.predict_at(i, x) == driver.predict_at(i, changed)


def test_features_of_an_open_space_share_columns_beyond_the_width():
    """Where features keep appearing, a scikit-learn estimator gets rows of one width from first to last."""
    bank = OutsideBank((SGDClassifier(loss="log_loss"),), width=4)
    driver = driver_of(bank, open_space=True)
    driver.update(np.array([0.0, 1.0, 0, 0, 0, 0]), 1, np.ones(1))
    x = np.zeros(D)
    x[5] = 1.0
    assert driver.predict(x)[0][0, 0] == driver.predict(np.roll(x, -4))[0][0, 0]


def test_replaced_learner_starts_afresh():
    """A replaced estimator abstains again and has another seed; the others stay."""
    driver = taught(OutsideBank((ARFClassifier(n_models=2), BernoulliNB())))
    before = driver.twin()
    driver.replace(0, seed=5)
    assert driver.predict(np.ones(D))[1].tolist() == [False, True]
    assert driver.state.learners[0].model.seed != before.state.learners[0].model.seed
    assert states_equal(driver.state.learners[1], before.state.learners[1])


@pytest.mark.parametrize(
    ("estimators", "n_classes", "message"),
    [
        ((), 2, "at least one"),
        ((object(),), 2, "partial_fit"),
        ((GaussianNB,), 2, "is a class"),
        ((DecisionTreeClassifier(),), 2, "cannot learn from a stream"),
        ((linear_model.LogisticRegression(),), 3, "OneVsRestClassifier"),
    ],
)
def test_unsuitable_estimators_are_refused(estimators, n_classes, message):
    """An estimator that cannot do the task is refused before any learning, with what to do."""
    with pytest.raises(InputError, match=message):
        driver_of(OutsideBank(estimators), n_classes)


class Refusing(Counting):
    """An estimator that accepts nothing."""

    def learn_one(self, x, y):
        raise RuntimeError("no thanks")


def test_an_estimator_that_raises_is_named():
    """An error inside an estimator says which learner it was."""
    driver = driver_of(OutsideBank((Counting(), Refusing())))
    with pytest.raises(InputError, match=r"learner 1, Refusing.*no thanks"):
        driver.update(np.ones(D), 1, np.ones(2))


NAMES = np.array(["no", "yes"])


def trained(rows: np.ndarray, labels: np.ndarray) -> list:
    """Models that were trained elsewhere: one cannot learn further, one is River's."""
    one_by_one = tree.HoeffdingTreeClassifier(grace_period=10)
    for x, label in zip(rows, labels, strict=True):
        one_by_one.learn_one({f"feature {j}": v for j, v in enumerate(x)}, str(label))
    return [DecisionTreeClassifier(max_depth=2, random_state=0).fit(rows, labels), one_by_one]


def test_an_estimator_weighs_models_that_were_trained_elsewhere():
    """With frozen=True given models answer as they were trained, and only their weights are learned."""
    X, y = sample(2)
    X = np.nan_to_num(X)
    models = trained(X[:40], NAMES[y[:40]])
    weighed = shoal.BayesianEnsembleClassifier(learner=models, frozen=True, random_state=0)
    weighed.partial_fit(X[40:], NAMES[y[40:]], classes=["yes", "no"])
    wrong = np.sum(models[0].predict(X[40:]) != NAMES[y[40:]])
    assert weighed.posterior_.mean[0] == pytest.approx((1.0 + len(y) - 40) / (1.0 + 0.1 * wrong))
    assert weighed.posterior_.mean[1] > 1.0


def test_trained_models_tell_their_classes():
    """Trained models bring their classes: the label that happens to come first is not taken for their first."""
    X, y = sample(2)
    X = np.nan_to_num(X)
    model = shoal.VotingEnsembleClassifier(learner=trained(X, NAMES[y])[:1], frozen=True, random_state=0)
    first = int(np.argmax(y))  # a "yes", which is not the first of the classes
    model.learn_one(X[first], "yes")
    assert model.classes_.tolist() == ["no", "yes"]
    assert [model.predict_one(x) for x in X] == model.model_.ensemble.bank.estimators[0].predict(X).tolist()


def test_untrained_models_cannot_be_frozen():
    """An estimator that was never fitted is refused with frozen=True, as is one that does not tell its classes."""
    X, y = sample(2)
    X = np.nan_to_num(X)
    with pytest.raises(InputError, match="learner 0, GaussianNB, was not fitted"):
        shoal.VotingEnsembleClassifier(learner=[GaussianNB()], frozen=True).fit(X, NAMES[y])
    with pytest.raises(InputError, match="do not tell their classes"):
        shoal.VotingEnsembleClassifier(learner=trained(X, NAMES[y])[1:], frozen=True).learn_one(X[0], "no")


def test_river_models_learn_categories_and_features_that_come_and_go():
    """Fed dicts, River's linear, naive Bayes and tree models learn a class that only a category tells, while other
    features come and go; each sees the category as an indicator, and its own absence as nothing.
    """
    rng = np.random.default_rng(0)
    models = [linear_model.LogisticRegression(), naive_bayes.BernoulliNB(), tree.HoeffdingTreeClassifier(20)]
    crowd = shoal.BayesianEnsembleClassifier(learner=models, random_state=0)
    right = 0
    for t in range(240):
        colour = ("red", "green", "blue")[rng.integers(3)]
        x = {"colour": colour, f"passing {t // 20}": float(rng.random())}
        right += t >= 120 and crowd.predict_one(x) == (colour == "red")
        crowd.learn_one(x, colour == "red")
    assert right > 0.95 * 120
    state = crowd.model_.state.bank
    assert {"colour=red", "colour=green", "colour=blue"} < set(state.names)
    assert "colour=red" in state.learners[0].model.weights
