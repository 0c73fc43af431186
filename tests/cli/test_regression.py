"""Regression from the shell: the default for numbers, and what is said where classes were expected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import shoal
from shoal.cli.main import app
from shoal.errors import InputError
from shoal.registry import REGRESSION_METHODS
from shoal.streams.memory import chunks_of_arrays

FEW = {"n_learners": "4"}


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False)


def records(*arguments: str) -> list[dict[str, Any]]:
    """What a command writes as JSON."""
    result = run(*arguments, "--quiet", "--json", "-")
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def numbers(tmp_path: Path) -> str:
    """A file of numbers to predict."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(80, 2)), 3)
    y = np.round(3.0 * X[:, 0] - X[:, 1] + 20.0, 3)
    path = tmp_path / "numbers.csv"
    path.write_text("a,b,label\n" + "".join(f"{a},{b},{t}\n" for (a, b), t in zip(X, y, strict=True)))
    return str(path)


def test_numbers_are_met_by_regressors(numbers: str) -> None:
    """Where labels have fractions the default is the default regressor, and of given learners boosting."""
    (record,) = records("evaluate", numbers)
    assert record["method"] == "mixed-regressors"
    assert record["errors"] is None
    assert set(record["metrics"]) == {"squared_error", "absolute_error", "r2"}
    assert record["error"] == pytest.approx(1.0 - record["metrics"]["r2"])
    assert {"squared_curve", "absolute_curve", "squared_interval", "absolute_interval"} <= set(record)
    (record,) = records("evaluate", numbers, "--method", "shoal", "--seed", "1")
    assert record["method"] == "mixed-regressors"
    (record,) = records("evaluate", numbers, "--learner", "stump", "-n", "4")
    assert (record["method"], record["learner"]) == ("ogb-span", "stump")


def test_every_method_for_numbers_runs(numbers: str) -> None:
    """`compare` takes every method for regression, and these by themselves where none is named."""
    rows = records("compare", numbers, "--methods", ",".join(REGRESSION_METHODS), "--trials", "1", "-n", "4")
    assert {row["method"] for row in rows} == set(REGRESSION_METHODS)
    rows = records("compare", numbers, "--trials", "1", "-n", "4")
    assert {row["method"] for row in rows} == {"mixed-regressors", "single-regressor", "ogb-span", "ogb-hull"}
    assert all(row["error"] < 1.0 for row in rows)


def test_classes_and_numbers_are_not_mixed(numbers: str) -> None:
    """Methods or data sets of both kinds are refused in one line that says so."""
    for arguments in (
        ("compare", numbers, "--methods", "bayes,ogb-span"),
        ("compare", numbers, "sea:n=50,seed=1"),
    ):
        with pytest.raises(InputError, match="compare one kind"):
            run(*arguments)


def test_many_labels_with_fractions_are_no_classes() -> None:
    """A classifier that meets numbers to predict says so, and is not changed."""
    X = np.random.default_rng(1).normal(size=(300, 2))
    model = shoal.OnlineEnsembleClassifier(random_state=0).evaluated_model()
    with pytest.raises(InputError, match="numbers to predict"):
        shoal.evaluate(model, chunks_of_arrays(X, X[:, 0], 300))
    assert model.state is None
    assert model.classes == []
