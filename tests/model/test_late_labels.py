"""Labels that come late are judged by the votes cast when the example was answered."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from tests.model.building import RULES, in_pieces, learn, make_chunk, make_model, picture, stream

from shoal.errors import InputError
from shoal.rules.bayes_exponential import BayesExponential
from shoal.streams.rows import slice_chunk
from shoal.testing import states_equal
from shoal.types import Space

FROZEN = {"pretrain": 20, "freeze": True, "vote": "hard"}


def held_all(model, chunk) -> list[int]:
    return model.hold(chunk.rows, chunk.space)


@pytest.mark.parametrize("rule", RULES)
def test_at_once(rule):
    """A label that comes at once teaches as if the example had been learned as usual, to the last bit."""
    late, usual = (make_model(RULES[rule], classes=[0, 1, 2]) for _ in range(2))
    chunk = stream(3)
    learn(usual, [chunk])
    for t, piece in enumerate(in_pieces(chunk, [1] * 60)):
        (held_id,) = held_all(late, piece)
        late.learn_late(held_id, chunk.labels[t], chunk.weights[t])
    assert late.classes == usual.classes
    assert states_equal(late.state, usual.state)


def test_holding_changes_nothing_but_what_is_held():
    """Holding examples leaves the state as it was, and answers the same afterwards."""
    model = make_model(RULES["bayes"])
    chunk = stream()
    learn(model, [chunk])
    before = copy.deepcopy(model.state)
    ids = held_all(model, chunk)
    assert len(set(ids)) == 60
    assert states_equal(before, model.state)


def test_before_anything_was_learned():
    """Examples may wait for the very first label."""
    model = make_model()
    chunk = stream()
    ids = held_all(model, slice_chunk(chunk, 0, 5))
    for held_id, label in zip(ids, chunk.labels[:5], strict=True):
        model.learn_late(held_id, label)
    assert model.n_seen == 5


def test_votes_of_then():
    """The rule judges the votes cast when the example was answered, whatever the learners say by now."""
    model = make_model(BayesExponential(base_loss="hinge"), classes=[0, 1])
    first, last = in_pieces(stream(), [30])
    learn(model, [first])
    one = slice_chunk(last, 0, 1)
    (held_id,) = held_all(model, one)
    votes = model.pending.held[held_id].room.members.copy()
    learn(model, [last])
    before = model.state.rule.losses.value().copy()
    model.learn_late(held_id, 1)
    gained = model.state.rule.losses.value() - before
    np.testing.assert_allclose(gained[0], np.maximum(0.0, 1.0 - votes[:, 0]), rtol=1e-12)


@pytest.mark.parametrize("base_loss", ["zero-one", "logistic"])
def test_order_of_labels_does_not_matter(base_loss):
    """With frozen learners and without forgetting, the posterior does not depend on when labels come."""
    rule = BayesExponential(base_loss=base_loss)
    first, last = in_pieces(stream()._replace(weights=None), [20])
    at_once = make_model(rule, classes=[0, 1], **FROZEN)
    learn(at_once, [first, last])
    late = make_model(rule, classes=[0, 1], **FROZEN)
    learn(late, [first])
    ids = held_all(late, last)
    for t in np.random.default_rng(2).permutation(40):
        late.learn_late(ids[t], last.labels[t])
    assert late.n_seen == at_once.n_seen
    if base_loss == "zero-one":
        assert states_equal(late.state.rule, at_once.state.rule)
    for name in ("rounds", "losses", "squares"):
        expected = getattr(at_once.state.rule, name).value()
        np.testing.assert_allclose(getattr(late.state.rule, name).value(), expected, rtol=1e-12)


def test_forgetting_counts_from_the_answer():
    """With forgetting, a late label counts as much as its example would by now had it come at once."""
    rule = BayesExponential(base_loss="zero-one", forgetting=0.9)
    model = make_model(rule, classes=[0, 1], **FROZEN)
    first, last = in_pieces(stream()._replace(weights=None), [20])
    learn(model, [first])
    (held_id,) = held_all(model, slice_chunk(last, 0, 1))
    learn(model, [slice_chunk(last, 1, 11)])
    before = model.state.rule.rounds.value().copy()
    model.learn_late(held_id, last.labels[0])
    np.testing.assert_allclose(model.state.rule.rounds.value(), 0.9 * before + 0.9**10, rtol=1e-12)


def test_oldest_are_dropped():
    """Beyond max_pending the oldest are dropped and counted, and their labels refused."""
    model = make_model(max_pending=3)
    chunk = stream()
    learn(model, [chunk])
    ids = held_all(model, slice_chunk(chunk, 0, 5))
    assert model.pending.dropped == 2
    assert list(model.pending.held) == ids[2:]
    before = picture(model)
    with pytest.raises(InputError, match="max_pending = 3"):
        model.learn_late(ids[0], 1)
    assert picture(model) == before
    model.learn_late(ids[4], 1)


@pytest.mark.parametrize("unknown", [-1, 10_000, "first", None])
def test_unknown_id(unknown):
    """An id under which nothing waits is refused and nothing changes."""
    model = make_model()
    learn(model, [stream()])
    before = picture(model)
    with pytest.raises(InputError, match="no example with id"):
        model.learn_late(unknown, 1)
    assert picture(model) == before


def test_learned_once():
    """An example's label is taken once."""
    model = make_model()
    chunk = stream()
    learn(model, [chunk])
    (held_id,) = held_all(model, slice_chunk(chunk, 0, 1))
    model.learn_late(held_id, 0)
    with pytest.raises(InputError, match="was learned before"):
        model.learn_late(held_id, 0)


@pytest.mark.parametrize(("label", "weight"), [(9, 1.0), (0, -1.0), (0, np.nan)])
def test_refused_labels(label, weight):
    """A label or weight that is refused leaves the example waiting and the model as it was."""
    model = make_model(classes=[0, 1])
    chunk = stream()
    learn(model, [chunk])
    (held_id,) = held_all(model, slice_chunk(chunk, 0, 1))
    before = picture(model)
    with pytest.raises(InputError):
        model.learn_late(held_id, label, weight)
    assert picture(model) == before
    model.learn_late(held_id, 0)


@pytest.mark.parametrize(("label", "weight"), [(None, 1.0), (1, 0.0)])
def test_nothing_to_learn(label, weight):
    """An example whose label turns out missing, or to weigh nothing, is let go and nothing is learned."""
    model = make_model()
    chunk = stream()
    learn(model, [chunk])
    before = copy.deepcopy(model.state)
    (held_id,) = held_all(model, slice_chunk(chunk, 0, 1))
    model.learn_late(held_id, label, weight)
    assert states_equal(before, model.state)
    assert not model.pending.held


@pytest.mark.parametrize("rule", RULES)
def test_a_class_unknown_then(rule):
    """A late label of a class unknown when the example was answered counts as a mistake of every learner."""
    model = make_model(RULES[rule], vote="hard")
    chunk = stream(2)
    learn(model, [chunk])
    ids = held_all(model, slice_chunk(chunk, 0, 4))
    model.learn_late(ids[0], "new")
    learn(model, [make_chunk(np.eye(4), ["newer", 0, "new", 1])])
    for held_id, label in zip(ids[1:], ["newest", "newer", 0], strict=True):
        if rule == "bayes":
            before = model.state.rule.losses.value().copy()
        model.learn_late(held_id, label)
        if rule == "bayes" and label != 0:
            np.testing.assert_allclose(model.state.rule.losses.value(), before + 1.0)
    assert model.classes[2:] == ["new", "newer", "newest"]
    _, proba = model.predict(chunk.rows, chunk.space)
    assert proba.shape == (60, 5)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)


def test_more_features_than_then():
    """An example held before further features appeared is learned like any other."""
    small, large = Space.of_size(3, open=True), Space.of_size(40, open=True)
    rng = np.random.default_rng(4)
    model = make_model(RULES["bayes"])
    learn(model, [make_chunk(rng.normal(size=(10, 3)), [0, 1] * 5, space=small)])
    (held_id,) = model.hold(make_chunk(np.ones((1, 3)), None).rows, small)
    learn(model, [make_chunk(rng.normal(size=(10, 40)), [0, 1] * 5, space=large)])
    model.learn_late(held_id, 1)
    assert model.n_seen == 21


def test_pickled_while_waiting():
    """Examples that wait survive pickling, and are learned the same afterwards."""
    import pickle

    model = make_model(RULES["bayes"])
    chunk = stream()
    learn(model, [chunk])
    ids = held_all(model, slice_chunk(chunk, 0, 3))
    loaded = pickle.loads(pickle.dumps(model))
    for one in (model, loaded):
        one.learn_late(ids[1], 1)
    assert states_equal(model.state, loaded.state)
    assert list(model.pending.held) == list(loaded.pending.held) == [ids[0], ids[2]]
