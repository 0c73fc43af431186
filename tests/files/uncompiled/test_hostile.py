"""Damaged, foreign and hostile files: a documented error, at once, and no room taken for what they claim."""

from __future__ import annotations

import copy
import json
import time
import tracemalloc

import numpy as np
import pytest
from tests.files.whole_list import BATCH, CLASSIFIERS, NUMBERS, REGRESSORS, THREE, TWO, X

import shoal
from shoal.errors import DataFileError, InputError
from shoal.files.container import packed
from shoal.files.saving import document_of

SMALL = {
    "trees": (CLASSIFIERS["voting"], THREE),
    "stumps": (CLASSIFIERS["ogboost"], THREE),
    "features": (CLASSIFIERS["feature boost"], TWO),
    "additive": (CLASSIFIERS["osboost bayes"], TWO),
    "memory": (CLASSIFIERS["sag"], TWO),
    "reservoir": (CLASSIFIERS["geem"], THREE),
    "composed": (CLASSIFIERS["composed of parts"], TWO),
    "regression": (REGRESSORS["default"], NUMBERS),
    "gaussian stumps": (lambda: shoal.OnlineFeatureBoostClassifier("gaussian_stump", 6, random_state=0), TWO),
    "batch": (BATCH["wss"], THREE),
}
SECONDS, BYTES = 1.0, 60 << 20


def parts(name):
    """(document, arrays) of a model's file."""
    make, y = SMALL[name]
    model = make().fit(X[:60], y[:60])
    if hasattr(model, "predict_hold"):
        model.predict_hold(X[60:62])
    document, packer = document_of(model)
    return json.loads(json.dumps({"format": 1, **document})), {k: np.array(v) for k, v in packer.arrays.items()}


@pytest.fixture(scope="module")
def saved():
    return {name: parts(name) for name in SMALL}


def write(path, document, arrays):
    text = document if isinstance(document, str) else json.dumps(document)
    path.write_bytes(packed(text, arrays))


def refused(path):
    """The message with which the file is refused, without much time or room."""
    began = time.process_time()
    with pytest.raises(DataFileError):
        shoal.load(path)
    assert time.process_time() - began < SECONDS, "slow"
    tracemalloc.start()
    try:
        with pytest.raises(DataFileError) as caught:
            shoal.load(path)
        assert tracemalloc.get_traced_memory()[1] < BYTES, "large"
    finally:
        tracemalloc.stop()
    assert path.name in str(caught.value)
    return str(caught.value)


def test_foreign_and_damaged(tmp_path, saved):
    """What is no model file, is cut short or was altered is told from one that is sound."""
    path = tmp_path / "model.shoal"
    write(path, *saved["trees"])
    whole = path.read_bytes()
    shoal.load(path)
    for stop in (0, 1, 8, 9, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:stop])
        refused(path)
    for place in np.random.default_rng(0).integers(0, len(whole), 60):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x41]) + whole[place + 1 :])
        refused(path)
    for foreign in (b"PK\x03\x04" * 50, b"\x80\x04\x95" * 50, b"1 1:0.5\n" * 50, b'{"format": 1}' * 10):
        path.write_bytes(foreign)
        refused(path)


HEADERS = {
    "too long": (1 << 62).to_bytes(8, "little") + b"{" + b" " * 100,
    "deep": b'{"__metadata__":' + b'{"a":' * 200_000,
    "of arrays": b'{"a":{"dtype":"F64","shape":[1000000000,1000000000],"data_offsets":[0,8000000000000000000]}}',
    "overflowing": b'{"a":{"dtype":"F64","shape":[4294967296,4294967296,8],"data_offsets":[0,0]}}',
    "of an unknown type": b'{"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}} ',
    "overlapping": b'{"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},'
    b'"b":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}}',
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers(name, tmp_path):
    """Headers that claim more than there is are refused before room is made."""
    header = HEADERS[name]
    start = b"" if name == "too long" else len(header).to_bytes(8, "little")
    path = tmp_path / "model.shoal"
    path.write_bytes(start + header + b"\0" * 8)
    refused(path)


DOCUMENTS = {
    "deep": '{"format": 1, "model": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "wide": '{"format": 1, "model": [' + "[]," * 600_000 + "[]]}",
    "long": '{"format": 1, "model": "' + "x" * (3 << 20) + '"}',
    "a number": "1e999",
    "a long number": '{"format": ' + "9" * 100_000 + "}",
    "of the future": '{"format": 99}',
    "of no format": '{"model": {}}',
    "a list": "[1, 2]",
    "no JSON": "hello",
    "a shell": '{"format": 1, "model": {"kind": "os.system", "params": {}, "fitted": {}}}',
    "another class": '{"format": 1, "model": {"kind": "InputError", "params": {}, "fitted": {}}}',
    "a function": '{"format": 1, "model": {"kind": "load", "params": {"path": "x"}, "fitted": {}}}',
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents(name, tmp_path):
    """So are documents that are none, too deep, too long, or name what is no estimator."""
    path = tmp_path / "model.shoal"
    write(path, DOCUMENTS[name], {})
    refused(path)


def spec(document):
    return document["model"]["fitted"]["model_"]["ensemble"]["fields"]


CLAIMS = {
    "a billion learners": ("trees", lambda d: spec(d)["bank"]["fields"].update(n_learners=10**9)),
    "learners by the text": ("trees", lambda d: spec(d)["bank"]["fields"].update(n_learners="many")),
    "learners by half": ("trees", lambda d: spec(d)["bank"]["fields"].update(n_learners=2.5)),
    "a trillion bins": ("stumps", lambda d: spec(d)["bank"]["fields"]["bank"]["fields"].update(bins=10**12)),
    "a large reservoir": ("reservoir", lambda d: spec(d).update(size=10**9, batch=10**9)),
    "many stumps": ("reservoir", lambda d: spec(d).update(n_learners=10**12)),
    "no seed": ("trees", lambda d: d["model"]["fitted"]["model_"].update(seed=-1)),
    "a class of no kind": ("trees", lambda d: spec(d)["rule"].update(spec="Popen")),
    "a part in a wrong place": ("trees", lambda d: spec(d).update(bank=spec(d)["rule"])),
    "an unknown parameter": ("trees", lambda d: spec(d)["bank"]["fields"].update(run="rm")),
    "a method for a number": ("trees", lambda d: d["model"]["fitted"].update(predict=1)),
    "no number for a scalar": (
        "trees",
        lambda d: state(d)["bank"]["fields"]["growth"]["fields"].update(max_slots=9),
    ),
    "more classes than there are": ("trees", lambda d: classes(d).append("d")),
    "one class twice": ("trees", lambda d: classes(d).append("a")),
    "classes that are lists": ("trees", lambda d: classes(d).append([1])),
    "an unknown kind of value": ("trees", lambda d: d["model"]["params"].update(learner={"pickle": "x"})),
    "many waiting": ("trees", lambda d: d["model"]["fitted"]["model_"]["pending"].update(next_id=10**30)),
    "another state": ("trees", lambda d: state(d).update(rule=state(d)["bank"])),
    "no state": ("trees", lambda d: d["model"]["fitted"]["model_"].update(state=None)),
    "stumps of other features": ("batch", lambda d: d["model"]["fitted"].update(n_features_in_=1)),
}


def state(document):
    return document["model"]["fitted"]["model_"]["state"]["fields"]


def classes(document):
    return document["model"]["fitted"]["model_"]["classes"]


@pytest.mark.parametrize("name", CLAIMS)
def test_claims(name, saved, tmp_path):
    """A document, its checksum right, that says what is not so of its arrays."""
    which, alter = CLAIMS[name]
    document, arrays = copy.deepcopy(saved[which])
    alter(document)
    path = tmp_path / "model.shoal"
    write(path, document, arrays)
    refused(path)


def altered(array):
    """The same array in other shapes, of other types, and with other numbers."""
    if array.size:
        yield "shape", np.concatenate([array, array])
    yield "shape", array[..., None]
    yield "type", array.astype(np.float64 if array.dtype != np.float64 else np.int64)
    if array.dtype.kind in "iu" and array.size:
        for number in (-1, 10**6, np.iinfo(array.dtype).max, np.iinfo(array.dtype).min):
            if np.iinfo(array.dtype).min <= number <= np.iinfo(array.dtype).max:
                yield "numbers", np.full_like(array, number)
    if array.dtype.kind == "f":
        for number in (np.nan, np.inf, -1.0):
            yield "numbers", np.full_like(array, number)


@pytest.mark.parametrize("name", SMALL)
def test_arrays(name, saved, tmp_path):
    """Whatever an array is made to be, the file is refused, or gives a model that answers and learns, or says
    with an error of its own why it cannot: no place outside of an array is ever asked for.
    """
    document, arrays = saved[name]
    path = tmp_path / "model.shoal"
    kinds = set()
    for key, array in arrays.items():
        for what, other in altered(array):
            write(path, document, {**arrays, key: other})
            try:
                model = shoal.load(path)
            except DataFileError:
                kinds.add(what)
                continue
            assert what == "numbers", f"{key}: another {what} was taken"
            _use(model, name, key)
        without = {k: v for k, v in arrays.items() if k != key}
        write(path, document, without)
        refused(path)
    assert kinds >= {"shape", "type"}


def _use(model, name, key):
    try:
        with np.errstate(all="ignore"):
            model.predict(X[:3])
            if hasattr(model, "partial_fit"):
                model.partial_fit(X[:12], SMALL[name][1][:12])
    except IndexError as error:
        raise AssertionError(f"{key}: {error}") from error
    except (InputError, ArithmeticError, ValueError):
        pass  # numbers without meaning may have no answer
