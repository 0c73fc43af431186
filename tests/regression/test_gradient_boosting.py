"""Online gradient boosting over span and hull: golden numbers, twins, and what always holds."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference import regression_losses as twins
from tests.reference.gradient_hull import ReferenceGradientHull
from tests.reference.gradient_span import ReferenceGradientSpan
from tests.reference.interfaces import ReferenceEnsemble
from tests.reference.last import ReferenceLast
from tests.reference.regressors import ReferenceLinear, ReferenceRegressors
from tests.regression.playing import WHOLE, play, play_twin

from shoal.banks.sgd import SGD
from shoal.boosters.gradient_hull import GradientHull
from shoal.boosters.gradient_span import GradientSpan
from shoal.boosters.regression_losses import RegressionLoss
from shoal.ensemble import Ensemble
from shoal.errors import InputError
from shoal.rules.last import Last
from shoal.scaling import Scaling
from shoal.streams.rows import to_rows
from shoal.types import Space, Task

CLOSE = {"rtol": 1e-9, "atol": 1e-11}
LOSSES = [
    (RegressionLoss("linear"), twins.Linear()),
    (RegressionLoss("squared"), twins.PNorm(2.0)),
    (RegressionLoss("p-norm", 3.0), twins.PNorm(3.0)),
    (RegressionLoss("modified-least-squares", labels="signs"), twins.ModifiedLeastSquares()),
    (RegressionLoss("logistic", labels="signs"), twins.Logistic()),
    (RegressionLoss("huber", 0.2), twins.Huber(0.2)),
]
FINAL = [(RegressionLoss("absolute"), twins.Absolute()), *LOSSES]


def script(n: int, loss: str, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random answers, labels and weights."""
    rng = np.random.default_rng(seed)
    y = rng.choice([-1.0, 1.0], 40) if loss in ("modified-least-squares", "logistic") else rng.uniform(-1, 1, 40)
    return rng.uniform(-1.0, 1.0, (40, n)), y, rng.uniform(0.2, 2.0, 40)


def test_golden_8() -> None:
    """Partial predictions, loss coefficients and shrinkage are the published ones for three examples."""
    votes = np.tile([0.5, 0.5, -0.2], (3, 1))
    coefficients = [[-0.5, -0.375, -0.25], [0.5, 0.625, 0.75], [-0.1, 0.025, 0.14309466034]]
    for t, sigma in enumerate(
        [[0.0, 0.0, 0.0], [0.0, 0.11048543456, 0.265165042945], [0.0, 0.114093873743, 0.305331933777]], start=1
    ):
        played = play(GradientSpan(eta=0.5), votes[:t], [1.0, -1.0, 0.2][:t])
        np.testing.assert_allclose(played.booster.sigma, sigma, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(-played.loads[:, :, 0], coefficients[:t], rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(played.answers[:, 0], [0.4, 0.4, 0.321729114631], **CLOSE)
    assert (played.booster.radius, played.booster.lipschitz) == (1.0, 4.0)


def test_golden_9() -> None:
    """The hull's answers are averages with weights 2 / (i + 1)."""
    for n, answer in ((1, 0.5), (2, 0.1 / 3.0), (3, 1.25 / 3.0)):
        played = play(GradientHull(), [[0.5, -0.2, 0.8][:n]], [0.0])
        np.testing.assert_allclose(played.answers, [[answer]], **CLOSE)


@pytest.mark.parametrize(("loss", "twin"), LOSSES, ids=lambda x: getattr(x, "name", ""))
@pytest.mark.parametrize(("n", "eta", "scale"), [(1, 1.0, 1.0), (5, 0.4, 1.0), (12, 0.25, 2.5), (12, 0.1, 0.6)])
def test_span_is_its_twin(
    loss: RegressionLoss, twin: twins.RegressionLoss, n: int, eta: float, scale: float
) -> None:
    """Answers, lessons, shrinkages and constants are the twin's; shrinkage and answers stay in their bounds."""
    votes, y, weights = script(n, loss.name)
    for radius in ("paper", "exact"):
        mine = play(GradientSpan(loss, eta, scale, gradient_at="partial", radius=radius), votes, y, weights)
        other = play_twin(ReferenceGradientSpan(n, twin, eta, scale=scale, radius=radius), votes, y, weights)
        np.testing.assert_allclose(mine.booster.radius, other.booster.B, rtol=1e-9)
        np.testing.assert_allclose(mine.answers, np.clip(other.answers, -1.0, 1.0), **CLOSE)
        np.testing.assert_allclose(mine.loads, other.loads, **CLOSE)
        np.testing.assert_allclose(mine.booster.sigma, other.booster.sigma, **CLOSE)
        assert ((mine.booster.sigma >= 0.0) & (mine.booster.sigma <= 1.0)).all()
        assert (np.abs(other.answers) <= other.booster.B).all()


@pytest.mark.parametrize(("loss", "twin"), FINAL, ids=lambda x: getattr(x, "name", ""))
def test_gradients_at_the_end_are_the_twins(loss: RegressionLoss, twin: twins.RegressionLoss) -> None:
    """With gradients at the final prediction, span and hull are their twins."""
    votes, y, weights = script(6, loss.name, 1)
    mine = play(GradientSpan(loss, 0.3, gradient_at="final"), votes, y, weights)
    other = play_twin(ReferenceGradientSpan(6, twin, 0.3, gradient_at="final"), votes, y, weights)
    np.testing.assert_allclose(mine.loads, other.loads, **CLOSE)
    np.testing.assert_allclose(mine.booster.sigma, other.booster.sigma, **CLOSE)
    mine = play(GradientHull(loss, gradient_at="final"), votes, y, weights)
    other = play_twin(ReferenceGradientHull(6, twin, gradient_at="final"), votes, y, weights)
    np.testing.assert_allclose(mine.loads, other.loads, **CLOSE)


@pytest.mark.parametrize(("loss", "twin"), LOSSES, ids=lambda x: getattr(x, "name", ""))
def test_hull_is_its_twin(loss: RegressionLoss, twin: twins.RegressionLoss) -> None:
    """Answers and lessons are the twin's, for linear losses and, up to the wrapping, the loss itself."""
    votes, y, weights = script(7, loss.name, 2)
    for fit in ("linear", "actual"):
        mine = play(GradientHull(loss, 0.8, fit, "partial"), votes, y, weights)
        other = play_twin(ReferenceGradientHull(7, twin, scale=0.8, fit=fit), votes, y, weights)
        np.testing.assert_allclose(mine.answers, np.clip(other.answers, -1.0, 1.0), **CLOSE)
        np.testing.assert_allclose(mine.loads, other.loads, **CLOSE)


@pytest.mark.parametrize("fit", ["linear", "actual"])
def test_boosting_linear_learners_is_the_twins(fit: str) -> None:
    """Over learners that learn, answers are the twins', taught slopes or the loss itself at its offsets (C.6)."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 3)) * (rng.random((60, 3)) < 0.8)
    y = np.clip(0.5 * X[:, 0] - 0.4 * np.abs(X[:, 1]), -1.0, 1.0)
    for loss, twin in LOSSES[1:4:2]:
        pairs = [
            (GradientSpan(loss, 0.4, 1.5, fit), ReferenceGradientSpan(5, twin, 0.4, scale=1.5, fit=fit)),
            (GradientHull(loss, 1.5, fit), ReferenceGradientHull(5, twin, scale=1.5, fit=fit)),
        ]
        for booster, other in pairs:
            ensemble = Ensemble(SGD(5, 0.3), booster, Last(), Scaling(None), WHOLE)
            state = ensemble.init(Space.of_size(3), Task("regression", 1), 0)
            answers, _ = ensemble.run(state, 3, to_rows(X), y[:, None], np.ones(60))
            taught = twins.Linear() if fit == "linear" else twin
            learners = ReferenceRegressors([ReferenceLinear(4, taught, 0.3) for _ in range(5)])
            theirs = ReferenceEnsemble(learners, other, ReferenceLast())
            expected = [theirs.step([1.0, *x.tolist()], float(t))[0] for x, t in zip(X, y, strict=True)]
            np.testing.assert_allclose(answers[:, 0], np.clip(expected, -1.0, 1.0), **CLOSE)


def test_one_learner_is_the_learner_itself() -> None:
    """With N = 1 and eta = 1 both answer as the learner does."""
    votes, y, _ = script(1, "squared", 3)
    for booster in (GradientSpan(eta=1.0), GradientHull()):
        np.testing.assert_allclose(play(booster, votes, 0.0 * y).answers, votes, **CLOSE)


def test_several_targets_lie_in_the_ball() -> None:
    """Two targets that are the same number are boosted as one, in a space where both have length one."""
    votes, y, _ = script(5, "squared", 4)
    one = play(GradientSpan(eta=0.4), votes, y)
    two = play(GradientSpan(eta=0.4), np.repeat(votes[:, :, None], 2, axis=2), np.repeat(y[:, None], 2, axis=1))
    np.testing.assert_allclose(two.booster.sigma, one.booster.sigma, **CLOSE)
    np.testing.assert_allclose(two.answers, np.repeat(one.answers, 2, axis=1), **CLOSE)
    np.testing.assert_allclose(two.loads * np.sqrt(2.0), np.repeat(one.loads, 2, axis=2), **CLOSE)


@pytest.mark.parametrize(
    "booster",
    [
        GradientSpan(RegressionLoss("cubic")),
        GradientSpan(RegressionLoss("p-norm", 1.5)),
        GradientSpan(RegressionLoss("quantile", 1.5)),
        GradientSpan(RegressionLoss("squared", 3.0)),
        GradientSpan(RegressionLoss("absolute"), gradient_at="partial"),
        GradientSpan(eta=0.1),
        GradientSpan(eta=1.5),
        GradientSpan(scale=0.0),
        GradientSpan(fit="whatever"),
        GradientHull(scale=-1.0),
        GradientHull(gradient_at="start"),
    ],
    ids=str,
)
def test_meaningless_parameters_are_refused(booster: GradientSpan | GradientHull) -> None:
    """Parameters without a meaning raise an error that names them."""
    with pytest.raises(InputError, match=r"expected|not smooth|takes no parameter"):
        booster.init(5, Task("regression", 1), 0)


def test_the_loss_itself_of_several_targets_must_be_a_sum() -> None:
    """Fitting a loss that is no sum over the targets is refused with several of them."""
    with pytest.raises(InputError, match="no sum over targets"):
        GradientHull(RegressionLoss("huber"), fit="actual").init(5, Task("regression", 2), 0)
