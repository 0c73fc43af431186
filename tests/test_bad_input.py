"""Bad input gets one clear error wherever it comes in, and leaves the model as it was."""

from __future__ import annotations

import gzip
import lzma
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import shoal
from shoal.errors import DataFileError, InputError
from shoal.methods import build
from shoal.model import Model
from shoal.streams import open_stream

GOOD_CSV = "age,colour,label\n" + "".join(f"{t % 7},{'red' if t % 3 else 'blue'},{t % 2}\n" for t in range(40))
LONG_CSV = "a,label\n" + "".join(f"{t},{t % 2}\n" for t in range(1100))  # more than one chunk
GOOD_LIBSVM = "".join(f"{t % 2} 1:{t % 7} 3:{(t % 2) + 0.5}\n" for t in range(40))


def voting() -> shoal.VotingEnsembleClassifier:
    return shoal.VotingEnsembleClassifier(n_learners=5, random_state=0)


@pytest.fixture(scope="module")
def taught() -> bytes:
    """A taught estimator, pickled."""
    X, y = np.random.default_rng(0).normal(size=(30, 3)), np.arange(30) % 2
    return pickle.dumps(voting().fit(X, y))


def with_value(value: float) -> np.ndarray:
    X = np.ones((4, 3))
    X[2, 1] = value
    return X


ROWS = {
    "NaN": (with_value(np.nan), [0, 1, 0, 1], "NaN"),
    "infinite": (with_value(np.inf), [0, 1, 0, 1], "infinity"),
    "minus infinite": (with_value(-np.inf), [0, 1, 0, 1], "infinity"),
    "sparse infinite": (sp.csr_array(with_value(np.inf)), [0, 1, 0, 1], "infinity"),
    "too few features": (np.ones((4, 2)), [0, 1, 0, 1], "2 features"),
    "too many features": (np.ones((4, 5)), [0, 1, 0, 1], "5 features"),
    "unknown label": (np.ones((4, 3)), [0, 1, 7, 1], r"label 7 \(row 2\)"),
    "no rows": (np.ones((0, 3)), [], "0 sample"),
    "no features": (np.ones((4, 0)), [0, 1, 0, 1], "0 feature"),
    "one dimension": (np.ones(3), [0, 1, 0], "2D array"),
    "fewer labels": (np.ones((4, 3)), [0, 1], "inconsistent numbers of samples"),
    "words": (np.array([["a", "b", "c"]] * 4), [0, 1, 0, 1], "could not convert string"),
    "words in a frame": (pd.DataFrame([[1, "x", 1], [2, "y", 2]]), [0, 1], "could not convert"),
    "numbers for labels": (np.ones((4, 3)), [0.1, 1.7, 0.3, 1.2], "Unknown label type"),
    "missing labels": (np.ones((4, 3)), [0.0, np.nan, 0.0, 1.0], "NaN"),
    "nothing": (None, [0, 1], "2D array"),
}


@pytest.mark.parametrize("case", ROWS)
def test_partial_fit(case, taught):
    """`partial_fit` refuses the rows with a ValueError that says why, and the estimator is as it was."""
    X, y, message = ROWS[case]
    model = pickle.loads(taught)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(X, np.array(y))
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("case", [c for c in ROWS if "label" not in c])
def test_predict(case, taught):
    """`predict`, `predict_proba` and `predict_hold` refuse the same rows, and the estimator is as it was."""
    X, _, message = ROWS[case]
    model = pickle.loads(taught)
    before = pickle.dumps(model)
    for ask in (model.predict, model.predict_proba, model.predict_hold):
        with pytest.raises(ValueError, match=message):
            ask(X)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([1.0, np.nan, 0.0], 0, "NaN"),
        ([1.0, np.inf, 0.0], 0, "infinity"),
        ([1.0, 2.0], 0, "2 features"),
        ([[1.0, 2.0, 3.0]], 0, "2 dimensions"),
        (["a", "b", "c"], 0, "could not convert"),
        ([1.0, 2.0, 3.0], 7, "label 7"),
        (5.0, 0, "0 dimensions"),
    ],
)
def test_learn_one_array(x, y, message, taught):
    """`learn_one` refuses a bad row or an unknown label, and the estimator is as it was."""
    model = pickle.loads(taught)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=message):
        model.learn_one(x, y)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ({"age": float("inf")}, "'age' is infinite"),
        ({"age": None}, "'age' is missing"),
        ({"age": "old"}, "'age' was a number so far and is now a category"),
        ({"colour": 3.0}, "'colour' was a category so far and is now a number"),
        ({"age": [1, 2]}, "expected a number, a string"),
        ({"new": 1.0, "age": "old"}, "'age' was a number"),
    ],
)
def test_learn_one_dict(x, message):
    """`learn_one` refuses a bad dict, learning nothing of its other features either."""
    model = voting().learn_one({"age": 3.0, "colour": "red"}, 0).learn_one({"age": 4.0, "colour": "blue"}, 1)
    before = pickle.dumps(model)
    with pytest.raises(InputError, match=message):
        model.learn_one(x, 1)
    with pytest.raises(InputError, match=message):
        model.predict_one(x)
    assert pickle.dumps(model) == before


def test_one_class_only():
    """`fit` on one class only is refused, as is naming one class only."""
    X = np.random.default_rng(0).normal(size=(10, 3))
    with pytest.raises(InputError, match="one class only"):
        voting().fit(X, np.ones(10))
    with pytest.raises(InputError, match="at least two different"):
        voting().partial_fit(X, np.ones(10), classes=[1])


# Files. Each is named with the bytes it holds, and what the message must say.


def truncated(name: str) -> bytes:
    compress = {"gz": gzip.compress, "xz": lzma.compress}[name]
    whole = compress("".join(f"{t % 2} 1:{t * 0.37} 2:{t * 0.11}\n" for t in range(5000)).encode())
    return whole[: len(whole) // 2]


FILES: dict[str, tuple[bytes, str]] = {
    "early-word.csv": (b"a,label\n1,0\n2,1\noops,1\n", "line 4, column 'a': 'oops'"),
    "word.csv": ((LONG_CSV + "oops,1\n1,0\n").encode(), "line 1102"),
    "ragged.csv": ((GOOD_CSV + "1,red\n").encode(), "line 42"),
    "empty.csv": (b"", "is empty"),
    "malformed.libsvm": ((GOOD_LIBSVM + "1 1:2 oops\n").encode(), "line 41"),
    "no-number.libsvm": ((GOOD_LIBSVM + "1 1:two\n").encode(), "line 41"),
    "infinite.libsvm": ((GOOD_LIBSVM + "1 1:inf\n").encode(), "line 41"),
    "falling.libsvm": ((GOOD_LIBSVM + "1 3:1 1:2\n").encode(), "line 41"),
    "empty.libsvm": (b"", "is empty"),
    "one-class.libsvm": (b"".join(b"1 1:%d\n" % t for t in range(20)), "label 1"),
    "one-class.csv": (b"a,label\n" + b"1,yes\n2,yes\n3,yes\n", "label 'yes'"),
    "huge.libsvm": ((GOOD_LIBSVM + "1 2147483646:1\n").encode(), "2,147,483,646 features"),
    "truncated.libsvm.gz": (truncated("gz"), "truncated.libsvm.gz"),
    "truncated.libsvm.xz": (truncated("xz"), "truncated.libsvm.xz"),
    "no-archive.libsvm.gz": (GOOD_LIBSVM.encode(), "no-archive.libsvm.gz"),
    "no-table.parquet": (b"PAR1 is not enough", "no-table.parquet"),
    "no-table.arrow": (b"ARROW1 is not enough", "no-table.arrow"),
}


@pytest.fixture
def bad_file(request, tmp_path) -> tuple[str, str]:
    content, message = FILES[request.param]
    path = tmp_path / request.param
    path.write_bytes(content)
    return str(path), message


def small_model() -> Model:
    return Model(build("voting", {"n_learners": 5}), seed=0)


@pytest.mark.parametrize("bad_file", FILES, indirect=True)
def test_evaluate(bad_file):
    """`evaluate` refuses the file with an InputError that names the line where there is one."""
    path, message = bad_file
    with pytest.raises(InputError, match=message):
        shoal.evaluate(small_model(), open_stream(path))


@pytest.mark.parametrize("bad_file", FILES, indirect=True)
@pytest.mark.parametrize("begun", [False, True], ids=["new", "taught"])
def test_estimator_after_a_bad_file(bad_file, begun):
    """Evaluation that ends in an error leaves the estimator as it was, however much of the file was good."""
    estimator = voting()
    if begun:
        rows = [({f"column {j}": float(t * j % 5) for j in range(2)}, t % 2) for t in range(20)]
        shoal.evaluate(estimator, open_stream(rows))
    before = pickle.dumps(estimator)
    with pytest.raises(InputError):
        shoal.evaluate(estimator, open_stream(bad_file[0]))
    assert pickle.dumps(estimator) == before


def learn_all(model: Model, path: str) -> None:
    for chunk in open_stream(path, chunk_size=8):
        model.answer_and_learn(chunk)


@pytest.mark.parametrize("bad_file", ["word.csv", "malformed.libsvm"], indirect=True)
def test_model_after_a_bad_line(bad_file):
    """A bad line leaves the model with exactly the chunks before it, none of them in part."""
    path, message = bad_file
    model, expected = small_model(), small_model()
    with pytest.raises(DataFileError, match=message):
        learn_all(model, path)
    good = Path(path).with_suffix(".good" + Path(path).suffix)
    good.write_text(LONG_CSV if path.endswith("csv") else GOOD_LIBSVM)
    for chunk in open_stream(str(good), chunk_size=8):
        if expected.n_seen < model.n_seen:
            expected.answer_and_learn(chunk)
    assert model.n_seen % 8 == 0
    assert pickle.dumps(model) == pickle.dumps(expected)


def shoal_command(*arguments: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shoal.cli.main", *arguments],
        input=given,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def one_clear_line(run: subprocess.CompletedProcess[str]) -> str:
    """The one line of complaint; status 2, no traceback, nothing on standard output."""
    assert run.returncode == 2, run.stderr
    assert "Traceback" not in run.stderr
    lines = [line for line in run.stderr.splitlines() if line.strip()]
    assert len(lines) == 1, run.stderr
    assert lines[0].startswith("shoal: ")
    assert run.stdout == ""
    return lines[0]


@pytest.mark.parametrize(
    "bad_file",
    [
        "word.csv",
        "early-word.csv",
        "malformed.libsvm",
        "truncated.libsvm.xz",
        "empty.csv",
        "one-class.libsvm",
        "no-table.parquet",
    ],
    indirect=True,
)
def test_command_line(bad_file):
    """The command line says the same in one line on standard error, with status 2 and no traceback."""
    path, message = bad_file
    assert message in one_clear_line(shoal_command("evaluate", path, "-n", "5", "--quiet"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "nowhere.csv"], "nowhere.csv: no such file and no data set's name"),
        (["evaluate", "."], "is a folder"),
        (["compare", "nowhere.csv"], "nowhere.csv: no such file"),
        (["datasets", "nothing-known"], "nothing-known"),
        (["evaluate", "sea:n=50", "--method", "magic"], "method is 'magic'"),
        (["evaluate", "sea:n=50", "--learner", "nobody"], "learner is 'nobody'"),
        (["evaluate", "sea:n=50", "--set", "theta"], "expected NAME=VALUE"),
        (["evaluate", "sea:n=50", "-m", "bayes", "--set", "theta=-1"], "theta is -1"),
        (["evaluate", "sea:n=50", "--set", "colour=red"], "has no setting 'colour'"),
        (["evaluate", "sea:n=50", "-n", "0"], "n_learners is 0"),
        (["evaluate", "sea:n=50", "--metrics", "beauty"], "unknown metric 'beauty'"),
        (["evaluate", "sea:n=50", "--max-rows", "0"], "max_rows is 0"),
        (["evaluate", "sea:n=50", "--format", "docx"], "format='docx'"),
        (["evaluate", "sea:n=50,noise=loud"], "noise"),
        (["evaluate", "sea:n=50", "-n", "3", "-q", "--json", "no/such/folder/out.json"], "no/such/folder"),
        (["evaluate", "sea:n=50", "-n", "3", "-q", "--html", "no/such/folder/out.html"], "no/such/folder"),
        (["evaluate", "sea:n=50", "-n", "3", "-q", "--json", "."], "it is a folder"),
        (["compare", "sea:n=50", "--methods", "voting,magic"], "method is 'magic'"),
        (["compare", "sea:n=50", "--set", "colour=red"], "no method compared here has a setting 'colour'"),
        (["compare", "sea:n=50", "--trials", "0"], "trials"),
    ],
)
def test_bad_usage(arguments, message):
    """Words that make no sense are named in one line, with status 2."""
    assert message in one_clear_line(shoal_command(*arguments))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evalaute"], "Did you mean 'evaluate'?"),
        (["evaluate"], "Missing argument 'DATA'"),
        (["evaluate", "sea:n=50", "--seed", "-1"], "'--seed'"),
        (["evaluate", "sea:n=50", "--lerner", "ogd"], "--learner"),
    ],
)
def test_usage_unknown_to_the_parser(arguments, message):
    """What the parser of options refuses is told in one line, with status 2, as well."""
    assert message in one_clear_line(shoal_command(*arguments))


@pytest.mark.parametrize(
    ("ask", "meant"),
    [
        (lambda: build("bays", {}), "bayes"),
        (lambda: build("bayes", {"learner": "perceptrn"}), "perceptron"),
        (lambda: build("bayes", {"thetta": 1.0}), "theta"),
        (lambda: build("bayes", {"learner": "hoeffding_tree:grace_perod=3"}), "grace_period"),
        (lambda: open_stream("australain"), "australian"),
        (lambda: open_stream("sae:n=50"), "sea"),
        (lambda: open_stream("sea:noize=0.1"), "noise"),
        (lambda: shoal.evaluate(small_model(), [], metrics=["eror"]), "error"),
    ],
)
def test_mistyped_names(ask, meant):
    """A name that is nearly one that is known is refused with that one."""
    with pytest.raises(InputError, match=f"Did you mean '{meant}'"):
        ask()


def test_standard_input():
    """A bad line on standard input is named like one in a file."""
    run = shoal_command("evaluate", "-", "--format", "libsvm", "-n", "5", "-q", given=GOOD_LIBSVM + "1 1:2 oops\n")
    assert "line 41" in one_clear_line(run)
    run = shoal_command("evaluate", "-", "-n", "5", "-q", given="")
    assert "is empty" in one_clear_line(run)
