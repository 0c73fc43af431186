"""A model learns the same however its stream is cut, and takes classes and features as they come."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from tests.model.building import (
    N_FEATURES,
    RULES,
    in_pieces,
    learn,
    make_chunk,
    make_model,
    picture,
    same_answers,
    same_models,
    stream,
)

from shoal.decision import Decision
from shoal.errors import InputError
from shoal.model import NO_CLASS
from shoal.rules.bayes_exponential import BayesExponential
from shoal.streams.encoder import DictEncoder
from shoal.streams.rows import rows_of_pairs, slice_chunk, to_rows
from shoal.testing import states_equal
from shoal.types import Chunk, Space

CUTS = ([1] * 60, [7] * 8, [59], [30, 1, 1, 20])


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_cut_anywhere(rule, n_classes):
    """However a stream is cut into chunks, answers and state are the same to the last bit, new classes or not."""
    whole = make_model(RULES[rule])
    expected = learn(whole, [stream(n_classes)])
    for cuts in CUTS:
        model = make_model(RULES[rule])
        assert same_answers(learn(model, in_pieces(stream(n_classes), cuts)), expected)
        assert same_models(model, whole)


def test_classes_as_they_come():
    """Classes are numbered in order of appearance, and a class has no probability before it appeared."""
    model = make_model()
    y = ["b", "a", "b", "c", "a", "d", "d", "a"]
    answers = model.answer_and_learn(make_chunk(np.random.default_rng(0).normal(size=(8, 3)), y))
    assert model.classes == ["b", "a", "c", "d"]
    assert answers.truth.tolist() == [0, 1, 0, 2, 1, 3, 3, 1]
    assert answers.proba.shape == (8, 4)
    for t, n_known in enumerate([0, 1, 2, 2, 3, 3, 4, 4]):
        if n_known > 0:
            assert (answers.proba[t, n_known:] == 0.0).all()
        assert answers.predicted[t] < max(n_known, 1)


def test_probabilities_of_every_row_sum_to_one():
    """Probabilities sum to one on every row, however few classes are known."""
    for n_classes in (2, 4):
        answers = make_model().answer_and_learn(stream(n_classes))
        np.testing.assert_allclose(answers.proba.sum(axis=1), 1.0, rtol=1e-12)


def test_first_row():
    """Before the first label there is no class to answer with, and the room for two is shared evenly."""
    answers = make_model().answer_and_learn(stream())
    assert answers.predicted[0] == NO_CLASS
    assert answers.proba[0].tolist() == [0.5, 0.5]


def test_one_class_only():
    """While there is one class it is answered with certainty, row by row and in one chunk."""
    X = np.random.default_rng(0).normal(size=(6, 3))
    whole, rows = make_model(), make_model()
    expected = learn(whole, [make_chunk(X, ["only"] * 6)])
    assert expected.predicted.tolist() == [NO_CLASS, 0, 0, 0, 0, 0]
    assert expected.proba.tolist() == [[0.5, 0.5]] + [[1.0, 0.0]] * 5
    assert same_answers(learn(rows, in_pieces(make_chunk(X, ["only"] * 6), [1] * 6)), expected)
    assert same_models(rows, whole)
    predicted, proba = whole.predict(to_rows(X), Space.of_size(3))
    assert predicted.tolist() == [0] * 6
    assert proba.tolist() == [[1.0]] * 6


def test_rows_without_labels():
    """Rows without a label are answered and change nothing, between others and in a chunk of their own."""
    chunk = stream()
    labels = chunk.labels.copy()
    labels[10:20] = None
    model, skipping = make_model(), make_model()
    answers = model.answer_and_learn(chunk._replace(labels=labels))
    assert (answers.truth[10:20] == NO_CLASS).all()
    first, _, last = in_pieces(chunk, [10, 10])
    learn(skipping, [first, last])
    assert states_equal(model.state, skipping.state)
    before = picture(model)
    model.answer_and_learn(chunk._replace(labels=None))
    assert picture(model) == before


def test_known_classes_are_kept():
    """A model whose classes are named keeps their order and answers with a column for each."""
    model = make_model(classes=["z", "a", "m"])
    answers = model.answer_and_learn(make_chunk(np.eye(4), ["a", "z", "a", "z"]))
    assert model.classes == ["z", "a", "m"]
    assert answers.proba.shape == (4, 3)
    assert answers.truth.tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize("classes", [[], ["a"], ["a", "a"]])
def test_too_few_classes(classes):
    """Fewer than two different classes are refused."""
    with pytest.raises(InputError, match="at least two different"):
        make_model(classes=classes)


def test_unknown_label():
    """An unknown label, anywhere in a chunk, is refused with its row and leaves the model as it was."""
    model = make_model(classes=[0, 1])
    model.answer_and_learn(stream())
    before = picture(model)
    with pytest.raises(InputError, match=r"label 7 \(row 2\)"):
        model.answer_and_learn(make_chunk(np.eye(4)[:3], [0, 1, 7]))
    assert picture(model) == before


def test_a_class_too_many_for_its_settings():
    """When a new class does not fit the settings, nothing of its chunk is learned."""
    model = make_model(decision=Decision((1.0, 2.0)))
    model.answer_and_learn(stream())
    before = picture(model)
    with pytest.raises(InputError, match="class_weight has 2 numbers"):
        model.answer_and_learn(make_chunk(np.eye(4), [0, 1, 0, 2]))
    assert picture(model) == before


def test_weight_zero():
    """Rows of weight 0 are answered and change nothing."""
    model = make_model(RULES["bayes"])
    chunk = stream()
    model.answer_and_learn(chunk)
    before = picture(model)
    model.answer_and_learn(chunk._replace(weights=np.zeros(60)))
    assert picture(model) == before


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -1.0, 1.0, 1.0], r"weight of row 1 is -1\.0"),
        ([1.0, 1.0, np.nan, 1.0], "weight of row 2 is nan"),
        ([1.0, 1.0, 1.0, np.inf], "weight of row 3 is inf"),
        ([1.0, 1.0], "one for each of 4 rows"),
    ],
)
def test_bad_weights(weights, message):
    """Weights that are no finite numbers from 0 up, one for each row, are refused before anything changes."""
    model = make_model()
    model.answer_and_learn(stream())
    before = picture(model)
    with pytest.raises(InputError, match=message):
        model.answer_and_learn(make_chunk(np.eye(4), [0, 1, 0, 1], np.array(weights)))
    assert picture(model) == before


def test_refused_at_first():
    """A model that refuses its first chunk has still learned nothing."""
    model = make_model()
    before = picture(model)
    with pytest.raises(InputError, match="empty chunk"):
        model.answer_and_learn(make_chunk(np.zeros((0, 3)), []))
    with pytest.raises(InputError, match="weights"):
        model.answer_and_learn(make_chunk(np.eye(3), [0, 1, 0], np.ones(2)))
    assert picture(model) == before


def test_other_width():
    """Rows of another width than those learned are refused, for learning and for answering."""
    model = make_model()
    model.answer_and_learn(stream())
    before = picture(model)
    with pytest.raises(InputError, match="3 features; the model was taught with 4"):
        model.answer_and_learn(make_chunk(np.eye(3), [0, 1, 0]))
    with pytest.raises(InputError, match="5 features"):
        model.predict(to_rows(np.eye(5)), Space.of_size(5))
    with pytest.raises(InputError, match="5 features"):
        model.hold(to_rows(np.eye(5)), Space.of_size(5))
    assert picture(model) == before


def test_answering_before_learning():
    """A model that has learned nothing says so when asked to answer."""
    with pytest.raises(InputError, match="learned nothing"):
        make_model().predict(to_rows(np.eye(3)), Space.of_size(3))


def dict_chunks(n: int = 40) -> list[Chunk]:
    """One row a chunk; a feature more from time to time."""
    rng = np.random.default_rng(1)
    encoder, chunks = DictEncoder(), []
    for t in range(n):
        x = {f"f{j}": rng.normal() for j in range(1 + t // 2)}
        x |= {"colour": str(rng.choice(["red", "blue", "green"]))}
        encoder.learn(x)
        label = int(x["f0"] > 0.0) if t < n // 2 else int(x["f0"] > 0.0) + int(x["f0"] > 1.0)
        chunks.append(
            Chunk(rows_of_pairs([encoder.encode(x)]), np.array([label], dtype=object), None, encoder.space)
        )
    return chunks


def joined(chunks: list[Chunk]) -> Chunk:
    rows = rows_of_pairs([(c.rows.indices, c.rows.values) for c in chunks])
    return Chunk(rows, np.concatenate([c.labels for c in chunks]), None, chunks[-1].space)


@pytest.mark.parametrize("rule", RULES)
def test_growing_features(rule):
    """Features that appear on the way are learned the same, to the last bit, row by row and in one chunk."""
    chunks = dict_chunks()
    one, other = make_model(RULES[rule]), make_model(RULES[rule])
    expected, found = learn(one, [joined(chunks)]), learn(other, chunks)
    np.testing.assert_array_equal(found.proba, expected.proba)
    assert found.predicted.tolist() == expected.predicted.tolist()
    assert one.n_seen == other.n_seen == len(chunks)
    assert other.space.names == one.space.names


def test_features_not_met():
    """Features that a model has not met do not change its answers."""
    chunks = dict_chunks()
    model = make_model()
    learn(model, chunks[:10])
    known = model.space.n_features
    last = chunks[-1].rows
    keep = last.indices < known
    indptr = np.array([0, keep.sum()])
    expected = model.predict(type(last)(indptr, last.indices[keep], last.values[keep]), chunks[9].space)
    found = model.predict(last, chunks[-1].space)
    assert np.array_equal(expected[1], found[1])


@pytest.mark.parametrize("rule", RULES)
def test_answering_changes_nothing(rule):
    """However often a model is asked, it is as it was and goes on as if it had not been asked."""
    model = make_model(RULES[rule])
    chunk = stream(4)
    model.answer_and_learn(chunk)
    before = picture(model)
    answers = [model.predict(chunk.rows, chunk.space) for _ in range(3)]
    assert picture(model) == before
    assert np.array_equal(answers[0][1], answers[2][1])


def test_answers_before_learning_are_predictions():
    """What a model answers before learning a chunk's first row is what it predicts for it."""
    model = make_model(RULES["bayes"])
    for piece in in_pieces(stream(4), [5] + [1] * 30):
        if model.state is not None:
            predicted, proba = model.predict(piece.rows, piece.space)
            answers = model.answer_and_learn(piece)
            assert predicted[0] == answers.predicted[0]
            assert np.array_equal(proba[0], answers.proba[0, : proba.shape[1]])
        else:
            model.answer_and_learn(piece)


@pytest.mark.parametrize("rule", RULES)
def test_pickled_midway(rule):
    """A model that was pickled and loaded goes on exactly as if it had not been."""
    model, expected = make_model(RULES[rule]), make_model(RULES[rule])
    first, last = in_pieces(stream(4), [25])
    learn(model, [first])
    loaded = pickle.loads(pickle.dumps(model))
    whole = learn(expected, [first, last])
    answers = learn(loaded, [last])
    assert np.array_equal(answers.proba, whole.proba[25:])
    assert same_models(loaded, expected)


def test_seeds():
    """The same seed gives the same model; another gives another."""
    from shoal.model import Model

    models = [Model(make_model().ensemble, seed=seed) for seed in (5, 5, 6)]
    for model in models:
        model.answer_and_learn(stream())
    assert same_models(models[0], models[1])
    assert not states_equal(models[0].state, models[2].state)


def test_pretraining_then_frozen():
    """With a pre-training part only the learners learn from it, and only the rule from what follows."""
    model = make_model(BayesExponential(), pretrain=20, freeze=True)
    online = make_model(BayesExponential())
    first, last = in_pieces(stream(), [20])
    model.answer_and_learn(first)
    online.answer_and_learn(first)
    assert states_equal(model.state.bank, online.state.bank)
    assert not model.state.rule.rounds.value().any()
    taught = pickle.loads(pickle.dumps(model.state))
    model.answer_and_learn(last)
    assert states_equal(taught.bank, model.state.bank)
    assert states_equal(taught.scaling, model.state.scaling)
    assert (model.state.rule.rounds.value() > 0.0).all()


def test_frozen_from_the_start():
    """Learners that are frozen from the start never change, while the rule learns."""
    model = make_model(BayesExponential(), freeze=True)
    model.answer_and_learn(slice_chunk(stream(), 0, 1))
    before = pickle.loads(pickle.dumps(model.state))
    model.answer_and_learn(stream())
    assert states_equal(before.bank, model.state.bank)
    assert not states_equal(before.rule, model.state.rule)


@pytest.mark.parametrize("base_loss", ["zero-one", "logistic"])
def test_merged_shards(base_loss):
    """With frozen learners, the posteriors of shards merge into that of the whole stream."""
    rule = BayesExponential(base_loss=base_loss)
    chunk = stream(n=90)._replace(weights=None)

    def learned(*chunks: Chunk):
        model = make_model(rule, pretrain=0, freeze=True, vote="hard", classes=[0, 1])
        learn(model, chunks)
        return model.state.rule

    whole = learned(chunk)
    one, two, three = (learned(piece) for piece in in_pieces(chunk, [20, 33]))
    merged = rule.merge(rule.merge(one, two), three)
    if base_loss == "zero-one":
        assert states_equal(merged, whole)
    else:
        for name in ("rounds", "losses", "squares"):
            expected = getattr(whole, name).value()
            np.testing.assert_allclose(getattr(merged, name).value(), expected, rtol=1e-12)


def test_learner_weights():
    """A learner's weights sum to one, and are equal under uniform voting."""
    for name, rule in RULES.items():
        model = make_model(rule)
        model.answer_and_learn(stream())
        weights = model.learner_weights()
        assert weights.shape == (5,)
        np.testing.assert_allclose(weights.sum(), 1.0, rtol=1e-12)
        if name == "uniform":
            np.testing.assert_allclose(weights, 0.2, rtol=1e-12)


def test_no_posterior():
    """A rule without a posterior, or one that has seen nothing, says so."""
    model = make_model(RULES["uniform"])
    with pytest.raises(InputError, match="keeps no posterior"):
        model.posterior()
    model.answer_and_learn(stream())
    with pytest.raises(InputError, match="Uniform keeps no posterior"):
        model.posterior()
    assert model.space.n_features == N_FEATURES
