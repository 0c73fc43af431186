"""Regressors as users meet them, and what is measured of them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

import shoal
from shoal.errors import InputError
from shoal.evaluation.curve import CurveRecorder
from shoal.evaluation.regression import MeanRecorder, RegressionEvaluation
from shoal.streams.memory import chunks_of_arrays
from shoal.testing.equality import states_equal
from shoal.types import RegressionAnswers


def data(n: int = 600, d: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A linear function and a curve, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, 50.0 + 7.0 * X[:, 0] - 3.0 * X[:, 1] + 4.0 * np.abs(X[:, 2]) + rng.normal(size=n)


def boosted(**settings: Any) -> Any:
    """Few learners, so that tests are quick."""
    return shoal.OnlineGradientBoostingRegressor(**{"n_learners": 5, "random_state": 0, **settings})


def test_the_setting_fit_stands_beside_the_method() -> None:
    """`fit` is a parameter for scikit-learn and a method for everyone."""
    model = boosted(fit="linear")
    assert model.get_params()["fit"] == "linear"
    assert clone(model).set_params(fit="actual").get_params()["fit"] == "actual"
    X, y = data()
    assert model.fit(X, y) is model
    assert pickle.loads(pickle.dumps(model)).get_params()["fit"] == "linear"


def test_rows_chunks_and_fit_are_the_same() -> None:
    """Row by row, in chunks and at once a regressor becomes the same, to the last bit."""
    X, y = data(200)
    whole, chunks, rows = boosted().fit(X, y), boosted(), boosted()
    for start in range(0, 200, 37):
        chunks.partial_fit(X[start : start + 37], y[start : start + 37])
    for x, target in zip(X, y, strict=True):
        rows.learn_one(x, target)
    assert states_equal(whole.model_.state, chunks.model_.state)
    assert states_equal(whole.model_.state, rows.model_.state)
    assert rows.predict_one(X[0]) == whole.predict(X[:1])[0]


def test_prediction_and_weight_zero_change_nothing() -> None:
    """Neither predicting, nor a row of weight 0, nor one without a target changes the state."""
    X, y = data(100)
    model = boosted().fit(X, y)
    before = pickle.dumps(model.model_.state)
    model.predict(X)
    model.partial_fit(X, 100.0 * y, sample_weight=np.zeros(100))
    assert pickle.dumps(model.model_.state) == before


def test_targets_of_any_range_are_learned() -> None:
    """Shifting and scaling all targets shifts and scales the answers alike."""
    X, y = data(300)
    one, other = boosted().fit(X, y), boosted().fit(X, 1e6 * y - 3e8)
    np.testing.assert_allclose(other.predict(X), 1e6 * one.predict(X) - 3e8, rtol=1e-6)
    answers = one.predict(100.0 * X)
    assert answers.min() >= y.min()
    assert answers.max() <= y.max()


def arrays_of(state: Any) -> list[np.ndarray]:
    """Every array in a state."""
    if isinstance(state, np.ndarray):
        return [state]
    return [a for part in state for a in arrays_of(part)] if isinstance(state, tuple) else []


@pytest.mark.parametrize(
    "change",
    [
        lambda y: 1e6 * y,
        lambda y: -1e3 - np.abs(y),
        lambda y: np.full(len(y), -7.0),
        lambda y: np.where(np.arange(len(y)) == 300, 1e9, y),
        lambda y: np.where(np.arange(len(y)) >= 300, 1e3 * y, y),
        lambda y: 1e-300 * y,
        lambda y: 1e305 * y,
    ],
    ids=["large", "negative", "constant", "outlier", "other unit", "tiny", "huge"],
)
def test_targets_of_any_kind_leave_the_model_sane(change: Any) -> None:
    """Whatever the targets, states stay finite, chunks are as row by row, and late answers are near them."""
    X, y = data(600)
    y = change(y)
    whole, rows = shoal.OnlineEnsembleRegressor(random_state=0), shoal.OnlineEnsembleRegressor(random_state=0)
    whole.partial_fit(X, y)
    for start in range(0, 600, 7):
        rows.partial_fit(X[start : start + 7], y[start : start + 7])
    assert states_equal(whole.model_.state, rows.model_.state)
    assert all(np.isfinite(a).all() for a in arrays_of(whole.model_.state) if a.dtype.kind == "f")
    late = slice(450, 600)
    off = np.abs(whole.predict(X[late]) - y[late])
    assert off.max() <= 0.5 * np.ptp(y[late])
    assert off.mean() <= 0.15 * np.ptp(y[late])


def test_one_outlier_is_got_over() -> None:
    """After a target a thousand times too large errors are soon half as large again at most, not thousands."""
    X, y = data(1500)
    wild = np.where(np.arange(1500) == 700, 1e5, y)
    clean, hit = (shoal.OnlineEnsembleRegressor(random_state=0).evaluated_model() for _ in "ab")
    errors = []
    for model, targets in ((clean, y), (hit, wild)):
        answers = [model.answer_and_learn(chunk).predicted[:, 0] for chunk in chunks_of_arrays(X, targets, 500)]
        errors.append(np.abs(np.concatenate(answers) - y))
    assert errors[1][701:720].mean() <= np.ptp(y)
    assert errors[1][800:].mean() <= 1.5 * errors[0][800:].mean()


def test_a_known_range_is_used_from_the_start() -> None:
    """With the range given, the first answer is its middle."""
    model = boosted(target_range=(0.0, 10.0)).fit(np.zeros((1, 2)), [10.0])
    assert 5.0 < model.predict(np.zeros((1, 2)))[0] <= 10.0
    with pytest.raises(InputError, match="target_range"):
        boosted(target_range=(1.0, 0.0)).fit(*data(10))


def test_several_targets() -> None:
    """Targets of different units are predicted side by side."""
    X, y = data(800)
    Y = np.column_stack([y, 1000.0 * X[:, 1], -X[:, 0]])
    model = boosted(target_range=None).fit(X, Y)
    assert model.predict(X).shape == (800, 3)
    assert (r2_score(Y, model.predict(X), multioutput="raw_values") > 0.5).all()
    assert len(model.predict_one(X[0])) == 3
    with pytest.raises(InputError, match="targets"):
        model.partial_fit(X, y)


def test_several_targets_along_a_stream() -> None:
    """`evaluate` takes arrays and pairs of several targets, with errors as means over them; `compare` too."""
    from shoal.evaluation.order import Held

    X, y = data(150)
    Y = np.column_stack([y, 1000.0 * X[:, 1]])
    result = shoal.evaluate(boosted(), shoal.open_stream((X, Y)))
    pairs = shoal.evaluate(boosted(), shoal.open_stream([(x, t.tolist()) for x, t in zip(X, Y, strict=True)]))
    assert result.metrics == pairs.metrics
    model, squares = boosted(), []
    for x, targets in zip(X, Y, strict=True):
        answer = model.predict_one(x)
        if answer is not None:
            squares.append(np.mean((np.array(answer) - targets) ** 2))
        model.learn_one(x, targets)
    assert result.n == len(squares) == 149
    assert result.squared_error == pytest.approx(np.mean(squares))
    held = Held.gather("made", chunks_of_arrays(X, Y, 50))
    assert shoal.compare({"one": lambda seed: boosted()}, [held], trials=1).rows()[0]["n"] == 149
    with pytest.raises(InputError, match="one class a row"):
        shoal.evaluate(shoal.VotingEnsembleClassifier(n_learners=2), shoal.open_stream((X, Y)))


def test_dicts_and_late_labels() -> None:
    """Features come by name, and targets may come late."""
    X, y = data(60)
    model = boosted()
    for x, target in zip(X, y, strict=True):
        model.learn_one({f"f{j}": v for j, v in enumerate(x)}, float(target))
    (held,) = model.predict_hold({"f0": 1.0, "new": 2.0})
    seen = model.model_.n_seen
    model.learn_label(held, 55.0)
    assert model.model_.n_seen == seen + 1
    assert isinstance(model.predict_one({"f0": 1.0}), float)


def test_text_is_refused() -> None:
    """Labels that are no numbers get an error that says what is expected, and change nothing."""
    X, y = data(20)
    model = boosted().fit(X, y)
    before = pickle.dumps(model.model_.state)
    with pytest.raises(InputError, match="expected numbers"):
        model.learn_one(X[0], "high")
    with pytest.raises(InputError, match="infinite"):
        model.learn_one(X[0], np.inf)
    assert pickle.dumps(model.model_.state) == before


@pytest.mark.parametrize(
    "settings",
    [
        {"over": "sphere"}, {"loss": "cubic"}, {"learner": "giant"}, {"eta": 2.0}, {"rate": "fast"},
        {"scale": "a"}, {"loss_parameter": "z", "loss": "huber"}, {"target_range": "ab"}, {"target_range": 5},
        {"symmetric": "x"},
    ],
)  # fmt: skip
def test_meaningless_settings_are_refused(settings: dict[str, Any]) -> None:
    """A setting without a meaning is refused at the first fit, by name."""
    with pytest.raises(InputError, match=next(iter(settings))):
        boosted(**settings).fit(*data(10))


@pytest.mark.parametrize(
    "settings", [{"learners": "sgd"}, {"learners": ()}, {"rates": 3}, {"rates": (0.0,)}, {"forgetting": "auto"}]
)
def test_the_default_refuses_what_has_no_meaning(settings: dict[str, Any]) -> None:
    """A setting of the default without a meaning is refused at the first fit, by name."""
    with pytest.raises(InputError, match=next(iter(settings))):
        shoal.OnlineEnsembleRegressor(**settings).fit(*data(10))


def test_the_default_is_as_good_as_its_best_learner() -> None:
    """Mixed regressors do about as well as the best kind of learner alone, without being told which."""
    X, y = data(2000)
    mixed = shoal.OnlineEnsembleRegressor(random_state=0)
    result = shoal.evaluate(mixed, chunks_of_arrays(X, y, 500))
    alone = min(
        shoal.evaluate(
            shoal.OnlineEnsembleRegressor(learners=(kind,), rates=(rate,)), chunks_of_arrays(X, y, 500)
        ).error
        for kind, rate in (("sgd", 0.2), ("sgd", 0.8))
    )
    assert result.error <= 1.1 * alone
    np.testing.assert_allclose(mixed.learner_weights_.sum(), 1.0)


def test_evaluation_measures_what_its_name_says() -> None:
    """Errors, R2 and curves are scikit-learn's, of the answers given before each row was learned."""
    rng = np.random.default_rng(1)
    truth, predicted, weights = rng.normal(size=(3, 500))
    weights = np.abs(weights)
    run = RegressionEvaluation(window=50)
    for part in np.array_split(np.arange(500), 7):
        run.update(RegressionAnswers(predicted[part, None], truth[part, None]), weights[part], 0.1)
    run.update(RegressionAnswers(np.ones((1, 1)), np.full((1, 1), np.nan)), None, 0.1)
    result = run.result({}, False)
    assert result.n == 500
    assert result.r2 == pytest.approx(r2_score(truth, predicted))
    assert result.error == pytest.approx(1.0 - result.r2)
    assert result.squared_error == pytest.approx(mean_squared_error(truth, predicted))
    assert result.absolute_error == pytest.approx(mean_absolute_error(truth, predicted))
    assert result.metrics["r2"] == pytest.approx(r2_score(truth, predicted, sample_weight=weights))
    squares = (predicted - truth) ** 2
    assert result.squared_curve.error[-1] == pytest.approx(squares.mean())
    assert result.squared_curve.window_error[-1] == pytest.approx(squares[-50:].mean())
    assert result.curve.error[-1] == pytest.approx(result.error)
    half = 1.959964 * squares.std(ddof=1) / np.sqrt(500)
    assert result.squared_interval == pytest.approx((squares.mean() - half, squares.mean() + half), rel=1e-6)
    again = RegressionEvaluation(window=50)
    again.restore(run.state())
    kept, found = again.result({}, False).to_dict(), result.to_dict()
    assert {**kept, "peak_memory": None} == {**found, "peak_memory": None}  # of the process, whenever asked


def test_the_mean_recorder_counts_as_the_error_recorder() -> None:
    """For losses of 0 and 1 both recorders give the same curve."""
    losses = np.random.default_rng(2).random(2000) < 0.3
    counted, summed = CurveRecorder(), MeanRecorder()
    counted.update(losses)
    summed.update(losses.astype(float))
    for one, other in zip(counted.curve(), summed.curve(), strict=True):
        np.testing.assert_allclose(one, other)


def test_regressors_are_compared_like_classifiers() -> None:
    """`compare` ranks regressors by their relative squared error, and its report can be written."""
    from shoal.evaluation.order import Held

    X, y = data(300)
    held = Held.gather("made", chunks_of_arrays(X, y, 100))
    makers = {n: lambda seed, n=n: boosted(n_learners=n, random_state=seed) for n in (1, 5)}
    makers = {f"{n} learners": make for n, make in makers.items()}
    comparison = shoal.compare(makers, [held], trials=2)
    assert {row["method"] for row in comparison.rows()} == {"1 learners", "5 learners"}
    assert all(0.0 < row["error"] < 1.0 for row in comparison.rows())
    assert comparison.table().row_count == 2


def test_an_example_before_any_target_is_not_counted() -> None:
    """Where nothing is known of where targets lie there is no answer, and no error; a given range is an answer."""
    X, y = data(100)
    assert boosted().predict_one(X[0]) is None
    result = shoal.evaluate(boosted(), chunks_of_arrays(X, y, 7))
    assert result.n == 99
    assert result.squared_error < 2.0 * np.var(y)
    assert shoal.evaluate(boosted(target_range=(0.0, 100.0)), chunks_of_arrays(X, y, 7)).n == 100
    taught = boosted().partial_fit(X, y)
    assert shoal.evaluate(taught, chunks_of_arrays(X, y, 7)).n == 100


def test_reports_say_what_was_measured(tmp_path: Any) -> None:
    """Reports and tables of regressors speak of squared errors, not of wrong answers."""
    from shoal.evaluation.order import Held

    held = Held.gather("made", chunks_of_arrays(*data(60), 20))
    comparison = shoal.compare({"one": lambda seed: boosted()}, [held], trials=1)
    comparison.plot(tmp_path / "all.html")
    page = (tmp_path / "all.html").read_text()
    assert "variance" in page
    assert "answered wrongly" not in page
    assert "errs on" not in page
    assert str(comparison.table().caption).startswith("Error (1 - R2)")


def test_the_papers_radius_is_there() -> None:
    """With targets at the ends of their range, the logistic loss's ball is ln(4 / eta), or the smaller root."""
    X, y = data(30)
    settings = {"loss": "logistic", "labels": "signs", "n_learners": 40, "eta": 0.1}
    radii = [
        boosted(**settings, radius=form).fit(X, np.sign(y - 50.0)).model_.state.booster.radius
        for form in ("paper", "exact")
    ]
    assert radii == pytest.approx([np.log(40.0), 2.094], abs=1e-3)


def test_the_report_of_regressors_is_written(tmp_path: Any) -> None:
    """One run's report is a page, as for classifiers."""
    result = shoal.evaluate(boosted(), chunks_of_arrays(*data(200), 100))
    result.plot(tmp_path / "run.html")
    assert "R2" in repr(result)
    assert result.intervals == {
        "squared_error": result.squared_interval,
        "absolute_error": result.absolute_interval,
    }
    assert f"({result.absolute_interval[0]:.4f} – " in (tmp_path / "run.html").read_text()
    assert (tmp_path / "run.html").stat().st_size > 1000


def test_an_unknown_metric_is_refused() -> None:
    """Metrics of classes are none of numbers."""
    with pytest.raises(InputError, match="squared_error"):
        shoal.evaluate(boosted(), chunks_of_arrays(*data(20), 10), metrics=["kappa"])
