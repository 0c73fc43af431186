"""Teaching on the first rows and testing on the last: batch boosters, and any other model beside them."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import shoal
from shoal.cli.main import app
from shoal.errors import InputError
from shoal.evaluation.compare import compare
from shoal.evaluation.holdout import evaluate_held_out
from shoal.evaluation.progressive import evaluate
from shoal.methods import make_model
from shoal.registry import BATCH_METHODS
from shoal.streams.rows import to_rows
from shoal.types import Chunk, Space

SMALL = {"size": 60, "n_learners": 20}


def rows(n=600, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    names = np.array(["low", "middle", "high"])
    y = np.digitize(X[:, 0], np.linspace(-0.5, 0.5, n_classes - 1) if n_classes > 2 else [0.0])
    return Chunk(to_rows(X), names[y], None, Space.of_size(5))


@pytest.mark.parametrize("method", BATCH_METHODS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_batch_methods_are_tested_on_rows_held_out(method, n_classes):
    """Only the last share of the rows counts, and it is answered well; cutting the stream makes no difference."""
    chunk = rows(n_classes=n_classes)
    found = evaluate_held_out(make_model(method, SMALL, 0), [chunk], 0.25, metrics=("error", "logloss"))
    assert found.n == 150
    assert found.error < 0.1
    assert found.params == SMALL
    parts = [shoal.streams.rows.slice_chunk(chunk, at, at + 100) for at in range(0, 600, 100)]
    again = evaluate_held_out(make_model(method, SMALL, 0), parts, 0.25, metrics=("error", "logloss"))
    assert again.metrics == found.metrics


def test_what_is_held_out_is_not_learned():
    """A streaming model learns the first rows as ever, and nothing of the test, nor a class seen only there."""
    chunk = rows(400, 3)
    strange = chunk.labels.copy()
    strange[390:] = "never seen"
    model = make_model("geem", {"size": 20, "n_learners": 10}, 0)
    found = evaluate_held_out(model, [chunk._replace(labels=strange)], 0.5, metrics=("error",))
    assert model.n_seen == 200
    assert found.errors >= 10
    batch = make_model("wss", SMALL, 0)
    assert (
        evaluate_held_out(batch, [chunk._replace(labels=strange)], 0.5, metrics=("error", "logloss")).errors >= 10
    )


def test_the_classifiers_can_be_compared():
    """An estimator with fit only takes part in a comparison that holds rows out."""
    kinds = {
        "wss": shoal.WeightedSamplingBoostClassifier(size=40, n_learners=10),
        "fixed": "fixed",
        "bayes": "bayes",
    }
    found = compare(kinds, ["sklearn-breast-cancer"], trials=2, holdout=0.4)
    assert {trial.result.n for trial in found.trials} == {228}
    assert all(trial.result.error < 0.15 for trial in found.trials)


def test_learning_row_by_row_is_refused():
    """Without rows held out, a method that needs all the data says what to do."""
    with pytest.raises(InputError, match="--holdout"):
        evaluate(make_model("madaboost", SMALL, 0), [rows()])


@pytest.mark.parametrize("share", [0.0, 1.0, -1.0])
def test_a_share_without_meaning_is_refused(share):
    """A share outside (0, 1), one row, or one class to learn from is refused."""
    with pytest.raises(InputError, match="holdout"):
        evaluate_held_out(make_model("wss", SMALL, 0), [rows()], share, metrics=("error",))
    with pytest.raises(InputError, match="at least 2"):
        evaluate_held_out(make_model("wss", SMALL, 0), [rows(1)], 0.5, metrics=("error",))
    alike = rows()._replace(labels=np.array(["low"] * 600))
    with pytest.raises(InputError, match="two classes"):
        evaluate_held_out(make_model("wss", SMALL, 0), [alike], 0.5, metrics=("error",))


def test_settings_are_checked():
    """A setting that a batch method does not have, or a senseless one, is refused before anything is learned."""
    with pytest.raises(InputError, match="has no setting 'learner'"):
        make_model("wss", {"learner": "perceptron"}, 0)
    with pytest.raises(InputError, match="size is 0"):
        make_model("fixed", {"size": 0}, 0)


def test_the_commands_hold_rows_out():
    """`compare` and `evaluate` hold rows out where a method needs it, for all methods alike, and say so."""
    given = ["--trials", "1", "--set", "n_learners=10", "--json", "-", "sklearn-breast-cancer"]
    done = CliRunner().invoke(app, ["compare", "--methods", "wss,geem", *given], catch_exceptions=False)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert {(row["method"], row["n"], row["holdout"]) for row in records} == {
        ("wss", 171, 0.3),
        ("geem", 171, 0.3),
    }
    assert "tested on the last 30%" in done.stderr
    given = ["--json", "-", "--holdout", "0.5", "sklearn-breast-cancer", "--method", "fixed", "-n", "10"]
    done = CliRunner().invoke(app, ["evaluate", *given], catch_exceptions=False)
    (record,) = map(json.loads, done.stdout.splitlines())
    assert (record["n"], record["holdout"]) == (284, 0.5)
