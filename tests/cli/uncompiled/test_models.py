"""The commands that make model files and use them, in the same process."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from tests.cli.test_commands import CSV, LIBSVM, Y, evaluated, run, self_contained

import shoal
from shoal.errors import InputError
from shoal.files.loading import load_as_saved
from shoal.streams import open_stream
from shoal.testing import states_equal

HALF = ["a,b,c,label", *CSV.splitlines()[1:61]], ["a,b,c,label", *CSV.splitlines()[61:]]
FIT = ["-m", "bayes", "-n", "4", "-q"]


def succeeds(*arguments, given=None):
    result = run(*arguments, given=given)
    assert result.exit_code == 0, result.stderr
    return result


def state_of(path):
    return load_as_saved(path).state


@pytest.fixture
def folder(tmp_path):
    """The rows whole, in halves, and in other forms, and a model that was taught them."""
    (tmp_path / "whole.csv").write_text(CSV)
    (tmp_path / "whole.libsvm").write_text(LIBSVM)
    for i, lines in enumerate(HALF):
        (tmp_path / f"half{i}.csv").write_text("\n".join(lines) + "\n")
    succeeds("fit", str(tmp_path / "whole.csv"), "--save", str(tmp_path / "whole.shoal"), *FIT)
    return tmp_path


def permuted(text, order):
    """The same table with its columns in another order."""
    cells = [line.split(",") for line in text.splitlines()]
    return "".join(",".join(row[j] for j in order) + "\n" for row in cells)


def test_fit_in_parts(folder):
    """One file, two files, a file and a model taught on, and columns in another order give the same model."""
    halves = [str(folder / f"half{i}.csv") for i in (0, 1)]
    expected = state_of(folder / "whole.shoal")
    succeeds("fit", *halves, "--save", str(folder / "two.shoal"), *FIT)
    assert states_equal(state_of(folder / "two.shoal"), expected)
    succeeds("fit", halves[0], "--save", str(folder / "first.shoal"), *FIT)
    (folder / "half1.csv").write_text(permuted((folder / "half1.csv").read_text(), [3, 2, 0, 1]))
    first, then = str(folder / "first.shoal"), str(folder / "then.shoal")
    succeeds("fit", halves[1], "--from", first, "--save", then, "--label", "label", "-q")
    assert states_equal(state_of(then), expected)


def test_categories_in_another_order():
    """Categories that a second stream has in another order are the same features to a model."""

    def rows(*colours):
        return [({"age": float(t), "colour": c}, c == "red") for t, c in enumerate(colours)]

    models = []
    for parts in ([rows("red", "blue", "red", "green", "blue")], [rows("red", "blue"), None]):
        clf = shoal.VotingEnsembleClassifier(n_learners=2, random_state=0)
        if parts[-1] is None:
            later = [
                ({"colour": c, "age": float(t)}, c == "red") for t, c in enumerate(("red", "green", "blue"), 2)
            ]
            shoal.evaluate(clf, open_stream(parts[0]), metrics=["error"])
            shoal.evaluate(clf, open_stream(later), metrics=["error"])
        else:
            shoal.evaluate(clf, open_stream(parts[0]), metrics=["error"])
        models.append(clf.model_)
    assert models[0].space.names == models[1].space.names
    assert states_equal(models[0].state, models[1].state)


def test_predict_any_form(folder):
    """Answers do not depend on the data's form, on labels being there, nor on the order of columns."""
    model = str(folder / "whole.shoal")
    bare_csv = permuted(CSV, [2, 0, 1])
    bare_libsvm = "".join(line.split(" ", 1)[1] + "\n" for line in LIBSVM.splitlines())
    said = succeeds("predict", model, str(folder / "whole.csv"), "--proba").stdout
    for text, form in ((CSV, "csv"), (bare_csv, "csv"), (LIBSVM, "libsvm"), (bare_libsvm, "libsvm")):
        assert succeeds("predict", model, "-", "--proba", given=text).stdout == said, form
    rows = list(csv.DictReader(io.StringIO(said)))
    assert len(rows) == 120
    assert set(rows[0]) == {"prediction", "proba_0", "proba_1"}
    loaded = shoal.load(model)
    X = np.array([line.split(",")[:3] for line in CSV.splitlines()[1:]], dtype=float)
    assert [float(row["prediction"]) for row in rows] == loaded.predict(X).tolist()
    assert [float(row["proba_1"]) for row in rows] == loaded.predict_proba(X)[:, 1].tolist()
    few = succeeds("predict", model, str(folder / "whole.csv"), "--max-rows", "2").stdout
    assert few.splitlines() == ["prediction", *(row["prediction"] for row in rows[:2])]


def test_predict_with_other_columns(folder):
    """Columns that the model does not know are left out; one that it needs is named if it is missing."""
    model = str(folder / "whole.shoal")
    lines = CSV.splitlines()
    more = "\n".join(["id," + lines[0], *(f"row{i},{line}" for i, line in enumerate(lines[1:]))]) + "\n"
    assert succeeds("predict", model, "-", given=more).stdout == succeeds("predict", model, "-", given=CSV).stdout
    with pytest.raises(InputError, match="no column 'b'; the model was taught a, b, c"):
        run("predict", model, "-", given=permuted(CSV, [0, 2, 3]))
    with pytest.raises(InputError, match="no model file"):
        run("predict", str(folder / "whole.csv"), "-", given=CSV)


def test_regression_and_estimators(folder):
    """Numbers are predicted too, and by models that Python has saved."""
    path = folder / "numbers.libsvm"
    path.write_text("".join(f"{0.1 * t:.1f} 1:{t % 7} 2:{t % 3}\n" for t in range(60)))
    model = str(folder / "numbers.shoal")
    succeeds("fit", str(path), "--save", model, "-m", "ogb-span", "-n", "3", "-q")
    said = succeeds("predict", model, str(path)).stdout.split()
    assert said[0] == "prediction"
    assert len(list(map(float, said[1:]))) == 60
    with pytest.raises(InputError, match="no probabilities"):
        run("predict", model, str(path), "--proba")
    X = np.arange(120.0).reshape(40, 3) % 7
    batch = shoal.GradientBoostingRegressor(n_learners=2).fit(X, X[:, 0])
    batch.save(model)
    text = "".join(" ".join(f"{j + 1}:{v}" for j, v in enumerate(x)) + "\n" for x in X)
    said = succeeds("predict", model, "-", given=text).stdout.split()[1:]
    assert list(map(float, said)) == batch.predict(X).tolist()


@pytest.mark.parametrize(
    "options", [["-m", "bayes", "-n", "4"], ["-m", "shoal"], ["-m", "geem", "--set", "size=8"], ["-m", "bbm"]]
)
def test_inspect(folder, options):
    """What a model is, what it has seen and its weights go into a table, an object and a page."""
    model, page = str(folder / "m.shoal"), folder / "m.html"
    succeeds("fit", str(folder / "whole.csv"), "--save", model, "-q", *options)
    result = succeeds("inspect", model, "--top", "3", "--json", "-", "--html", str(page))
    (facts,) = map(json.loads, result.stdout.splitlines())
    assert facts["examples learned"] == 120
    assert facts["features"] == 3
    assert facts["classes"] == [0.0, 1.0]
    assert facts["named"] == "a, b, c"
    loaded = shoal.load(model)
    weights = [each["weight"] for each in facts["learners"]]
    known = loaded.learner_weights_ if hasattr(loaded, "learner_weights_") else loaded.learner_weights()
    assert weights == known.tolist()
    if options[1] == "bayes":
        (belief,) = facts["posterior"]
        assert belief["mean"] == loaded.model_.posterior().mean.tolist()
        assert [belief["low"], belief["high"]] == [
            end.tolist() for end in loaded.model_.posterior().interval(0.95)
        ]
        assert "●" in result.stderr
    elif options[1] == "shoal":
        (belief,) = facts["posterior"]
        assert len(belief["mean"]) == len(weights)
        assert np.maximum(belief["mean"], 0.0) / np.sum(np.maximum(belief["mean"], 0.0)) == pytest.approx(weights)
        assert (np.array(belief["low"]) < np.array(belief["high"])).all()
        assert "●" in result.stderr
    else:
        assert facts["posterior"] == []
        assert "█" in result.stderr
    assert self_contained(page.read_text(encoding="utf-8"))
    assert "<svg" in page.read_text(encoding="utf-8")


def test_evaluate_saves(folder):
    """`evaluate --save` writes the model that it taught."""
    path = folder / "evaluated.shoal"
    run("evaluate", str(folder / "whole.csv"), "--save", str(path), *FIT)
    assert states_equal(state_of(path), state_of(folder / "whole.shoal"))


def test_resume(folder):
    """Checkpoints are gone on with; what is asked amiss is said."""
    data, kept = str(folder / "whole.csv"), str(folder / "kept")
    whole = evaluated(data)
    evaluated(data, "--max-rows", "50", "--checkpoint", kept)
    resumed = evaluated(data, "--checkpoint", kept, "--resume")
    assert (resumed["errors"], resumed["curve"]) == (whole["errors"], whole["curve"])
    succeeds("inspect", kept + "/rows-000000000000120.checkpoint", "-q")
    with pytest.raises(InputError, match="seed was 0 and is now 1"):
        run("evaluate", data, "-n", "5", "-m", "voting", "--seed", "1", "--checkpoint", kept, "--resume")
    with pytest.raises(InputError, match="--checkpoint DIR"):
        run("evaluate", data, "--resume")
    with pytest.raises(InputError, match="--resume"):
        run("evaluate", data, "-n", "5", "-m", "voting", "--checkpoint", kept)


def test_all_at_once(folder):
    """A method that needs all the data is taught, kept and asked like any other."""
    model = str(folder / "wss.shoal")
    succeeds("fit", str(folder / "whole.csv"), "-m", "wss", "--set", "n_learners=5", "--save", model, "-q")
    said = succeeds("predict", model, str(folder / "whole.csv")).stdout.split()[1:]
    assert np.mean([int(label) == y for label, y in zip(said, Y, strict=True)]) > 0.8
    assert succeeds("inspect", model, "-q", "--json", "-").stdout


def test_completion():
    """A shell is offered methods, learners and data sets, also behind a comma or a plus."""
    from shoal.cli.completion import complete_data, complete_learner, complete_method

    assert "bayes-gamma" in complete_method("bay")
    assert "single,voting" in complete_method("single,vot")
    assert "stump+naive_bayes" in complete_learner("stump+nai")
    assert complete_data("mush") == ["mushrooms"]
    assert complete_data("") == complete_data("my-file") == [], "the shell offers files"
    assert "--install-completion" in run("--help").stdout


@pytest.mark.parametrize("command", ["fit", "predict", "inspect"])
def test_help(command):
    """Each command says what it does, with examples."""
    assert f"shoal {command} " in succeeds(command, "--help").stdout


def test_bad_model_files(folder):
    """What is no model is refused in one line, by every command that reads one."""
    bad = folder / "bad.shoal"
    bad.write_bytes(b"\xff" * 100)
    for arguments in (
        ("predict", str(bad), "-"),
        ("inspect", str(bad)),
        ("fit", str(folder / "whole.csv"), "--from", str(bad), "--save", str(folder / "x.shoal")),
    ):
        with pytest.raises(InputError, match="no model file"):
            run(*arguments)
    with pytest.raises(InputError, match="leave --method"):
        run("fit", "-", "--from", str(folder / "whole.shoal"), "-m", "bayes", "--save", str(folder / "x.shoal"))


@pytest.mark.parametrize(
    ("method", "options", "kind"),
    [
        ("shoal", [], "OnlineEnsembleClassifier"),
        ("bayes-gamma", ["-n", "3"], "BayesianEnsembleClassifier"),
        ("sgd-avg", ["-n", "3", "--set", "scaling=unit"], "SGDWeightedClassifier"),
        ("osboost-ocp", ["-n", "3", "-l", "naive_bayes"], "OSBoostClassifier"),
        ("reservoir-max", ["--set", "size=8"], "ReservoirBoostClassifier"),
        ("single", [], "EnsembleClassifier"),
        ("mixed-regressors", [], "OnlineEnsembleRegressor"),
        ("ogb-hull", ["-n", "3"], "OnlineGradientBoostingRegressor"),
    ],
)
def test_loaded_in_python(folder, method, options, kind):
    """What the shell taught is the estimator of that method in Python, which answers and learns on."""
    model = str(folder / "m.shoal")
    succeeds("fit", str(folder / "whole.csv"), "--save", model, "-q", "-m", method, *options)
    loaded = shoal.load(model)
    assert type(loaded).__name__ == kind
    X = np.array([line.split(",")[:3] for line in CSV.splitlines()[1:]], dtype=float)
    said = succeeds("predict", model, str(folder / "whole.csv")).stdout.split()[1:]
    assert list(map(float, said)) == np.asarray(loaded.predict(X), dtype=float).tolist()
    loaded.partial_fit(X[:5], np.asarray(Y[:5], dtype=float))
