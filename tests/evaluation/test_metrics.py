from collections.abc import Callable

import numpy as np
import pytest
import sklearn.metrics as reference
from scipy.special import logit
from tests.evaluation.fakes import random_answers

from shoal.errors import InputError
from shoal.evaluation.metrics import METRICS, Auc, make_metrics
from shoal.evaluation.scores import CELLS, COARSEST, FINEST
from shoal.types import Answers, Floats

ByAnswer = Callable[..., float]
BY_ANSWER: dict[str, ByAnswer] = {
    "error": lambda y, p, w: 1.0 - reference.accuracy_score(y, p, sample_weight=w),
    "accuracy": lambda y, p, w: reference.accuracy_score(y, p, sample_weight=w),
    "kappa": lambda y, p, w: reference.cohen_kappa_score(y, p, sample_weight=w),
    "balanced_accuracy": lambda y, p, w: reference.balanced_accuracy_score(y, p, sample_weight=w),
    "mcc": lambda y, p, w: reference.matthews_corrcoef(y, p, sample_weight=w),
}


def fed(name: str, answers: Answers, weights: Floats | None = None, size: int = 37, positive: int = 1) -> float:
    metric = METRICS[name]()
    for start in range(0, len(answers.truth), size):
        part = slice(start, start + size)
        metric.update(
            Answers(*(a[part] for a in answers)),
            None if weights is None else weights[part],
        )
    return metric.value(positive)


@pytest.mark.parametrize("name", BY_ANSWER)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_metrics_of_the_answer(name: str, n_classes: int) -> None:
    """Metrics of the answer agree with scikit-learn, weighted and for several classes."""
    rng = np.random.default_rng(1)
    answers, weights = random_answers(rng, 500, n_classes), rng.random(500)
    expected = BY_ANSWER[name](answers.truth, answers.predicted, weights)
    assert fed(name, answers, weights) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("n_classes", "average"), [(2, "binary"), (4, "macro")])
def test_f1(n_classes: int, average: str) -> None:
    """F1 is that of the positive class of two, and the mean over several classes."""
    answers = random_answers(np.random.default_rng(2), 400, n_classes)
    expected = reference.f1_score(answers.truth, answers.predicted, average=average)
    assert fed("f1", answers) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n_classes", [2, 6])
def test_logloss(n_classes: int) -> None:
    """The logarithmic loss agrees with scikit-learn."""
    answers = random_answers(np.random.default_rng(3), 400, n_classes)
    assert fed("logloss", answers) == pytest.approx(reference.log_loss(answers.truth, answers.proba), abs=1e-9)


def test_logloss_is_clipped() -> None:
    """A sure mistake costs -log(1e-15), not infinity."""
    answers = Answers(np.array([1]), np.array([0]), np.array([[0.0, 1.0]]))
    assert fed("logloss", answers) == pytest.approx(-np.log(1e-15))


def test_auc_of_two_classes() -> None:
    """AUC and average precision agree with scikit-learn to the resolution of the histogram."""
    rng = np.random.default_rng(4)
    answers, weights = random_answers(rng, 5000, 2), rng.random(5000)
    score = answers.proba[:, 1]
    area = reference.roc_auc_score(answers.truth, score, sample_weight=weights)
    precision = reference.average_precision_score(answers.truth, score, sample_weight=weights)
    assert fed("auc", answers, weights) == pytest.approx(area, abs=1e-5)
    assert fed("pr_auc", answers, weights) == pytest.approx(precision, abs=1e-4)


def test_auc_is_exact_on_the_grid() -> None:
    """When no two different scores share a bin, AUC is exact, ties included."""
    rng = np.random.default_rng(5)
    answers = random_answers(rng, 1000, 2)
    score = np.round(answers.proba[:, 1], 2)
    answers = answers._replace(proba=np.column_stack([1.0 - score, score]))
    assert fed("auc", answers) == pytest.approx(reference.roc_auc_score(answers.truth, score), abs=1e-12)
    expected = reference.average_precision_score(answers.truth, score)
    assert fed("pr_auc", answers) == pytest.approx(expected, abs=1e-12)


def test_auc_of_several_classes() -> None:
    """With several classes AUC is the mean of one against the rest."""
    answers = random_answers(np.random.default_rng(6), 3000, 5)
    expected = reference.roc_auc_score(answers.truth, answers.proba, multi_class="ovr")
    assert fed("auc", answers) == pytest.approx(expected, abs=1e-5)


def test_auc_memory_is_bounded() -> None:
    """With many classes the bins become wider, and AUC stays close."""
    answers = random_answers(np.random.default_rng(7), 4000, 40)
    metric = Auc()
    metric.update(answers)
    assert metric.positives.size <= CELLS
    assert COARSEST < metric.positives.shape[1] < FINEST
    expected = reference.roc_auc_score(answers.truth, answers.proba, multi_class="ovr")
    assert metric.value() == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("name", METRICS)
def test_classes_may_appear_late(name: str) -> None:
    """Answers with fewer columns are the same as answers that gave the later classes no chance."""
    rng = np.random.default_rng(8)
    early, late = random_answers(rng, 300, 2), random_answers(rng, 300, 4)
    padded = early._replace(proba=np.pad(early.proba, ((0, 0), (0, 2))))
    grown, whole = METRICS[name](), METRICS[name]()
    grown.update(early)
    grown.update(late)
    whole.update(Answers(*(np.concatenate(pair) for pair in zip(padded, late, strict=True))))
    assert grown.value() == pytest.approx(whole.value(), abs=1e-12)


@pytest.mark.parametrize("name", METRICS)
def test_rows_without_label_do_not_count(name: str) -> None:
    """Rows whose truth is -1 change nothing."""
    answers = random_answers(np.random.default_rng(9), 200, 3)
    hidden = np.arange(200) % 3 == 0
    kept = Answers(*(a[~hidden] for a in answers))
    masked = answers._replace(truth=np.where(hidden, -1, answers.truth))
    assert fed(name, masked) == pytest.approx(fed(name, kept), abs=1e-12)


@pytest.mark.parametrize("name", METRICS)
def test_state_and_restore(name: str) -> None:
    """A metric that was put away and taken up again gives the same value as one that went on."""
    rng = np.random.default_rng(10)
    first, second = random_answers(rng, 100, 3), random_answers(rng, 100, 3)
    whole, before, after = METRICS[name](), METRICS[name](), METRICS[name]()
    before.update(first)
    after.restore(before.state())
    before.update(second)
    for metric in (whole, after):
        if metric is whole:
            metric.update(first)
        metric.update(second)
    assert whole.value() == after.value() == before.value()


@pytest.mark.parametrize("name", METRICS)
def test_no_examples_give_no_value(name: str) -> None:
    """Before the first example a metric is NaN."""
    assert np.isnan(METRICS[name]().value())


def test_temporal_kappa() -> None:
    """Temporal kappa compares with answering the previous label, whatever the chunks."""
    truth = np.array([0, 0, 0, 1, 1, 1, 0, 0])
    predicted = np.array([0, 0, 0, 0, 1, 1, 1, 0])
    answers = Answers(predicted, truth, np.full((8, 2), 0.5))
    assert fed("kappa_temporal", answers, size=3) == pytest.approx((6 / 8 - 5 / 8) / (1 - 5 / 8))


def test_positive_class() -> None:
    """One-sided metrics follow the class that is called positive; AUC of two classes does not care."""
    answers = random_answers(np.random.default_rng(11), 400, 2)
    expected = reference.f1_score(answers.truth, answers.predicted, pos_label=0)
    assert fed("f1", answers, positive=0) == pytest.approx(expected)
    assert fed("auc", answers, positive=0) == pytest.approx(fed("auc", answers), abs=1e-4)


def test_extreme_probabilities() -> None:
    """Probabilities next to zero and one are still ranked among themselves."""
    small = np.array([1e-16, 1e-15, 1e-14, 1e-13])
    answers = Answers(np.ones(4, dtype=np.int64), np.array([1, 1, 0, 0]), np.column_stack([small, 1.0 - small]))
    assert logit(small[1]) - logit(small[0]) > 2.0
    assert fed("auc", answers) == 1.0


def test_unknown_metric() -> None:
    """An unknown name is refused with the names there are."""
    with pytest.raises(InputError, match="unknown metric 'aucc'; choose from error, accuracy"):
        make_metrics(["error", "aucc"])


def test_no_answer_is_a_mistake() -> None:
    """An answer of -1 counts as wrong."""
    answers = Answers(np.array([-1, 0]), np.array([0, 0]), np.full((2, 1), 1.0))
    assert fed("error", answers) == 0.5


def test_answers_without_preference() -> None:
    """Rows that were given no probability at all rank in the middle, and break nothing."""
    proba = np.array([[0.0, 0.0], [0.9, 0.1], [0.1, 0.9], [0.0, 0.0]])
    answers = Answers(np.array([-1, 0, 1, -1]), np.array([0, 0, 1, 1]), proba)
    assert fed("auc", answers) == 0.875
