"""Reservoir boosting as a model: streams in any cut, new classes, late labels, drift, merging."""

import pickle
from collections.abc import Sequence

import numpy as np
import pytest
from tests.reference import reservoir as slow

from shoal.errors import InputError
from shoal.evaluation.progressive import evaluate
from shoal.model import Model
from shoal.reservoir.merging import merge
from shoal.reservoir.model import ReservoirBoost
from shoal.reservoir.strategies import GEEM, STRATEGIES, Rand, Strategy, strategy_named
from shoal.streams.rows import slice_chunk, to_rows
from shoal.testing import states_equal
from shoal.types import Chunk, Floats, Space

N_FEATURES = 6


def stream(n: int = 240, n_classes: int = 2, seed: int = 0, turned: bool = False) -> Chunk:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, N_FEATURES)).round(1)
    X[rng.random(X.shape) < 0.2] = 0.0
    y = np.digitize(X[:, 0] + 0.5 * X[:, 1], np.linspace(-0.6, 0.6, n_classes - 1) if n_classes > 2 else [0.0])
    return Chunk(to_rows(X), (n_classes - 1 - y if turned else y), None, Space.of_size(N_FEATURES))


def make(strategy: str | Strategy = "geem", classes: Sequence[int] | None = None, **settings: object) -> Model:
    chosen = {"size": 12, "n_learners": 10} | settings
    named = strategy_named(strategy) if isinstance(strategy, str) else strategy
    return Model(ReservoirBoost(named, **chosen), seed=1, classes=classes)  # type: ignore


def error(model: Model, chunk: Chunk) -> float:
    answers = np.array(model.classes)[model.predict(chunk.rows, chunk.space)[0]]
    return float(np.mean(answers != chunk.labels))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("shared", [False, True])
def test_any_cut_gives_the_same_state(strategy: str, shared: bool) -> None:
    """Rows one by one, in pieces or at once give the same answers and state, to the last bit."""
    chunk = stream(100, 3)
    models = [make(strategy, shared=shared) for _ in range(3)]
    answers = []
    for model, size in zip(models, (1, 17, 100), strict=True):
        parts = [slice_chunk(chunk, at, min(100, at + size)) for at in range(0, 100, size)]
        answers.append(np.concatenate([model.answer_and_learn(part).predicted for part in parts]))
    assert np.array_equal(answers[0], answers[1])
    assert np.array_equal(answers[0], answers[2])
    assert states_equal(models[0].state, models[1].state)
    assert states_equal(models[0].state, models[2].state)


def test_rounds_come_when_due() -> None:
    """Without warm-up there is a stump after r + q examples and one more after each q."""
    model = make(size=10, batch=5, warm_up=False, classes=[0, 1])
    chunk = stream(40)
    made = []
    for t in range(40):
        model.answer_and_learn(slice_chunk(chunk, t, t + 1))
        assert model.state is not None
        made.append(int(model.state.stumps.n_made[0]))  # type: ignore[attr-defined]
    assert made == [0] * 14 + [1 + t // 5 for t in range(26)]


@pytest.mark.parametrize("ridge", [1e-6, 0.3])
def test_rounds_are_those_of_the_specification(ridge: float) -> None:
    """GEEM finds the stumps and steps that its definition finds, written out round by round."""
    rng = np.random.default_rng(5)  # on which no two stumps have the same edge
    X = rng.normal(size=(120, N_FEATURES)).round(1)
    labels = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(0.0, 0.5, 120) > 0).astype(float)
    model = make(size=9, batch=7, n_learners=15, warm_up=False, shrinkage=0.4, strategy=GEEM(ridge))
    model.answer_and_learn(Chunk(to_rows(X), labels, None, Space.of_size(N_FEATURES)))
    found = slow.boosted(X, 2.0 * labels - 1.0, 9, 7, 15, ridge, 0.4)
    table = model.state.stumps  # type: ignore[union-attr]
    np.testing.assert_array_equal(table.feature[0], [stump[0] for stump in found])
    np.testing.assert_allclose(table.threshold[0], [stump[1] for stump in found], rtol=1e-12)
    np.testing.assert_allclose(table.step[0], [stump[2] for stump in found], rtol=1e-6)


def test_steps_may_be_those_of_the_edge() -> None:
    """With step "edge" the first stump's step is AdaBoost's: that of the share of weight it has right."""
    chunk = stream(24)
    model = make("rand", classes=[0, 1], warm_up=False, shrinkage=0.5, step="edge")
    model.answer_and_learn(chunk)
    table, kept = model.state.stumps, model.state.kept  # type: ignore[union-attr]
    above = kept.values[0, table.feature[0, 0]] >= table.threshold[0, 0]
    right = float(np.mean(above == (kept.labels[0] == 1)))
    right = max(right, 1.0 - right)
    assert abs(table.step[0, 0]) == pytest.approx(0.25 * np.log(right / (1.0 - right)))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_learns(strategy: str, n_classes: int) -> None:
    """Every strategy ends well below guessing, on two classes and on three."""
    model = make(strategy, size=30, n_learners=60, shrinkage=0.5)
    model.answer_and_learn(stream(1500, n_classes))
    assert error(model, stream(500, n_classes, seed=9)) < 0.25


def test_answering_changes_nothing() -> None:
    """Predicting, and rows without a label or of weight 0, leave the state as it was."""
    model, chunk = make(), stream(60)
    model.answer_and_learn(chunk)
    before = pickle.dumps(model.state)
    model.predict(chunk.rows, chunk.space)
    model.answer_and_learn(chunk._replace(weights=np.zeros(60)))
    model.answer_and_learn(chunk._replace(labels=None))
    assert pickle.dumps(model.state) == before


def test_saved_model_goes_on() -> None:
    """A pickled model continues as if it had never been put away."""
    model, chunk = make("wsam"), stream(120)
    model.answer_and_learn(slice_chunk(chunk, 0, 50))
    again = pickle.loads(pickle.dumps(model))
    for one in (model, again):
        one.answer_and_learn(slice_chunk(chunk, 50, 120))
    assert states_equal(model.state, again.state)


def test_weights_repeat_examples() -> None:
    """An example's weight is its share in the search for stumps."""
    chunk = stream(60)
    heavy = np.where(chunk.labels == 1, 50.0, 1.0)
    model = make("rand", classes=[0, 1])
    model.answer_and_learn(chunk._replace(weights=heavy))
    assert np.mean(model.predict(chunk.rows, chunk.space)[0]) > 0.8


@pytest.mark.parametrize("shared", [False, True])
def test_new_classes_are_welcome(shared: bool) -> None:
    """A third and a fourth class that come late are learned; before, they are not answered."""
    model = make(size=30, n_learners=60, shared=shared, shrinkage=0.5)
    model.answer_and_learn(stream(300, 2))
    late = stream(2000, 4, seed=3)
    first = int(np.argmax(late.labels == 3))  # type: ignore[arg-type]
    answers = model.answer_and_learn(late)
    assert answers.predicted[: first + 1].max() < 3
    assert len(model.classes) == 4
    assert np.allclose(answers.proba.sum(axis=1), 1.0)
    assert error(model, stream(500, 4, seed=5)) < 0.45


def test_features_may_appear() -> None:
    """A feature that comes late is 0 in what is held, and learned from then on."""
    model = make(size=20, n_learners=30, shrinkage=0.5)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(900, 40)), rng.integers(0, 2, 900)
    X[300:, 30] += 4.0 * y[300:]
    narrow, wide = Space.of_size(3, open=True), Space.of_size(40, open=True)
    model.answer_and_learn(Chunk(to_rows(X[:300, :3]), y[:300], None, narrow))
    model.answer_and_learn(Chunk(to_rows(X[300:]), y[300:], None, wide))
    assert error(model, Chunk(to_rows(X[-200:]), y[-200:], None, wide)) < 0.15


def test_missing_values_are_taken() -> None:
    """Rows with missing values are learned: to be missing can be what tells."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    X: Floats = rng.normal(size=(400, 2))
    X[y == 1, 0] = np.nan
    chunk = Chunk(to_rows(X), y, None, Space.of_size(2))
    model = make()
    model.answer_and_learn(chunk)
    assert error(model, chunk) == 0.0


def test_late_labels_are_learned() -> None:
    """Rows held and labelled later are learned in the order of their labels."""
    chunk = stream(80)
    one, other = make(classes=[0, 1]), make(classes=[0, 1])
    one.answer_and_learn(chunk)
    for t, held_id in enumerate(other.hold(chunk.rows, chunk.space)):
        other.learn_late(held_id, chunk.labels[t])  # type: ignore[index]
    assert states_equal(one.state, other.state)


def test_error_recovers_after_drift() -> None:
    """At ten times the examples of the planned stumps all labels turn; the error comes back, memory stays."""
    model = make(size=20, batch=10, n_learners=20, shrinkage=0.3)
    planned = 20 + 10 * 20
    model.answer_and_learn(stream(10 * planned, seed=1))
    size = len(pickle.dumps(model.state))
    before = error(model, stream(500, seed=7))
    after = stream(500, seed=7, turned=True)
    assert error(model, after) > 0.5
    model.answer_and_learn(stream(3 * planned, seed=2, turned=True))
    assert error(model, after) < before + 0.05
    assert len(pickle.dumps(model.state)) == size


@pytest.mark.parametrize("settings", [{"replace": "weakest"}, {"forgetting": 0.98}])
def test_other_ways_to_forget(settings: dict[str, object]) -> None:
    """Dropping the weakest stump, or fading examples, recovers too."""
    model = make(size=20, batch=10, n_learners=20, shrinkage=0.3, **settings)
    model.answer_and_learn(stream(600, seed=1))
    model.answer_and_learn(stream(1200, seed=2, turned=True))
    assert error(model, stream(500, seed=7, turned=True)) < 0.25


def test_merged_model_knows_both_parts() -> None:
    """Two models merged hold no more than one, keep the ages, and err little more than either."""
    parts = [stream(600, seed=s) for s in (1, 2)]
    models = [make(size=25, n_learners=40, shrinkage=0.5, classes=[0, 1]) for _ in parts]
    for model, part in zip(models, parts, strict=True):
        model.answer_and_learn(part)
    spec, test = models[0].ensemble, stream(600, seed=9)
    errors = [error(model, test) for model in models]
    before = pickle.dumps(models[1].state)
    models[0].state = merge(spec, models[0].state, models[1].state)  # type: ignore
    assert pickle.dumps(models[1].state) == before
    assert models[0].n_seen == 1200
    assert error(models[0], test) < max(errors) + 0.03
    models[0].answer_and_learn(parts[1])


def test_merging_unlike_models_is_refused() -> None:
    """Models of other sizes do not merge."""
    models = [make(n_learners=n, classes=[0, 1]) for n in (5, 6)]
    for model in models:
        model.answer_and_learn(stream(30))
    with pytest.raises(InputError, match="same settings"):
        merge(models[0].ensemble, models[0].state, models[1].state)  # type: ignore


def test_it_can_be_evaluated() -> None:
    """`shoal.evaluate` drives it as any other model."""
    result = evaluate(make("wsam", size=30, n_learners=60), [stream(800)])
    assert result.n == 800
    assert result.error < 0.35


@pytest.mark.parametrize(
    "wrong", [{"size": 0}, {"batch": 0}, {"n_learners": 1.5}, {"forgetting": 0.0}, {"step": "long"}]
)
def test_nonsense_is_refused(wrong: dict[str, object]) -> None:
    """Settings without a meaning are refused before anything is learned."""
    with pytest.raises(InputError, match=next(iter(wrong))):
        ReservoirBoost(Rand(), **wrong).check()  # type: ignore[arg-type]
