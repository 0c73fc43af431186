"""The commands, in the same process: what they print, write and count."""

from __future__ import annotations

import gzip
import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import shoal
from shoal import datasets
from shoal.cli.main import app
from shoal.methods import build
from shoal.model import Model
from shoal.registry import METHODS
from shoal.streams import open_stream

FIELDS = {
    "dataset",
    "method",
    "learner",
    "trial",
    "n",
    "errors",
    "error",
    "seconds",
    "examples_per_second",
    "params",
}
RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(120, 3)), 3)
Y = (X[:, 0] + X[:, 1] > 0).astype(int)
LIBSVM = "".join(f"{y} 1:{a} 2:{b} 3:{c}\n" for y, (a, b, c) in zip(Y, X, strict=True))
CSV = "a,b,c,label\n" + "".join(f"{a},{b},{c},{y}\n" for y, (a, b, c) in zip(Y, X, strict=True))


def run(*arguments: str, given: str | bytes | None = None):
    return CliRunner().invoke(app, list(arguments), input=given, catch_exceptions=False)


def records(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def files(tmp_path):
    """The same stream as LIBSVM and CSV, plain and compressed."""
    found = {"libsvm": LIBSVM, "csv": CSV}
    for form, text in found.items():
        (tmp_path / f"few.{form}").write_text(text)
        with gzip.open(tmp_path / f"few.{form}.gz", "wt") as file:
            file.write(text)
    return tmp_path


def evaluated(*arguments: str, given: str | bytes | None = None, status: int = 0) -> dict:
    """The one record of an evaluation that ends with this status."""
    result = run("evaluate", *arguments, "-n", "5", "-m", "voting", "--quiet", "--json", "-", given=given)
    assert result.exit_code == status, result.stderr
    assert result.stderr == ""
    (record,) = records(result.stdout)
    return record


def test_evaluate_json(files):
    """`evaluate --json` writes one object with the fields that users rely on, and nothing else on stdout."""
    record = evaluated(str(files / "few.libsvm"), "--seed", "3", "--set", "bias=false")
    assert set(record) >= FIELDS
    assert record["method"] == "voting"
    assert record["learner"] == "perceptron"
    assert record["trial"] == 0
    assert record["n"] == 120
    assert record["error"] == record["errors"] / 120
    assert record["params"] == {"bias": False, "n_learners": 5}
    assert record["seconds"] > 0.0


def test_evaluate_agrees_with_python(files):
    """The command counts what `shoal.evaluate` counts."""
    record = evaluated(str(files / "few.libsvm"), "--seed", "3")
    model = Model(build("voting", {"n_learners": 5}), seed=3)
    result = shoal.evaluate(model, open_stream(str(files / "few.libsvm")))
    assert record["errors"] == result.errors
    assert record["metrics"] == pytest.approx(result.metrics)


@pytest.mark.parametrize("form", ["libsvm", "csv"])
def test_standard_input(files, form):
    """The stream gives the same numbers from a file, from its archive, and from standard input."""
    path = files / f"few.{form}"
    from_file = evaluated(str(path))
    for record in (
        evaluated(f"{path}.gz"),
        evaluated("-", given=path.read_bytes()),
        evaluated("-", "--format", form, given=path.read_bytes()),
    ):
        assert record["errors"] == from_file["errors"]
        assert record["metrics"] == from_file["metrics"]
    assert from_file["n"] == 120


def test_forms_agree(tmp_path):
    """The same rows as LIBSVM, CSV, Parquet and through standard input give the same numbers."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sparse = X * (np.arange(X.size).reshape(X.shape) % 3 > 0)
    sparse[:100, 2] = 0.0  # a feature that LIBSVM text shows late
    pairs = [" ".join(f"{j + 1}:{v}" for j, v in enumerate(x) if v) for x in sparse]
    texts = {
        "rows.libsvm": "".join(f"{y} {pair}\n" for y, pair in zip(Y, pairs, strict=True)),
        "rows.csv": "a,b,c,label\n"
        + "".join(f"{a},{b},{c},{y}\n" for y, (a, b, c) in zip(Y, sparse, strict=True)),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    table = {name: sparse[:, j] for j, name in enumerate("abc")} | {"label": Y}
    pq.write_table(pa.table(table), tmp_path / "rows.parquet")
    paths = [str(tmp_path / name) for name in (*texts, "rows.parquet")]
    part = ["--set", "feature_fraction=0.5"]
    found = [evaluated(path, *part) for path in paths] + [evaluated("-", *part, given=t) for t in texts.values()]
    for key in ("errors", "metrics", "curve", "class_counts"):
        assert all(record[key] == found[0][key] for record in found), key


def test_evaluate_table(files):
    """Without --quiet a table goes to standard error; standard output stays empty."""
    result = run("evaluate", str(files / "few.csv"), "-n", "5", "-m", "voting")
    assert result.exit_code == 0
    assert result.stdout == ""
    for word in ("error", "auc", "examples", "120"):
        assert word in result.stderr


def test_label_and_weight_columns(tmp_path):
    """The label's and the weight's columns can be named."""
    path = tmp_path / "named.csv"
    path.write_text(
        "verdict,w,a\n" + "".join(f"{'yes' if y else 'no'},1.5,{x[0]}\n" for y, x in zip(Y, X, strict=True))
    )
    record = evaluated(str(path), "--label", "verdict", "--weight", "w")
    assert record["n"] == 120
    assert set(record["class_counts"]) == {"yes", "no"}


def test_nominal_columns(tmp_path):
    """Columns whose numbers are names can be named."""
    path = tmp_path / "codes.csv"
    path.write_text(
        "code,a,label\n" + "".join(f"{i % 7},{x[0]},{y}\n" for i, (y, x) in enumerate(zip(Y, X, strict=True)))
    )
    given, not_given = evaluated(str(path), "--nominal", "code,label"), evaluated(str(path))
    assert set(given["class_counts"]) == {"0", "1"}
    assert set(not_given["class_counts"]) == {"0.0", "1.0"}


def test_max_rows_and_metrics(files):
    """A run stops after --max-rows, and reports the metrics asked for."""
    record = evaluated(str(files / "few.libsvm"), "--max-rows", "50", "--metrics", "kappa,f1")
    assert record["n"] == 50
    assert set(record["metrics"]) == {"kappa", "f1"}


def test_synthetic_stream():
    """A synthetic stream is named with its settings, and the same seed gives the same errors."""
    one, other = (evaluated("sea:n=200,seed=1") for _ in range(2))
    assert one["n"] == 200
    assert one["errors"] == other["errors"]


def self_contained(page: str) -> bool:
    """Whether the page asks nothing of a network or of other files."""
    loads = re.findall(r"""(?:src|href)\s*=\s*["']([^"'#][^"']*)""", page) + re.findall(r"url\(([^)]+)\)", page)
    return all(load.startswith("data:") for load in loads) and "<link" not in page and "@import" not in page


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_html(files, command):
    """--html writes one file that needs no other, and its path is told."""
    path = files / "report.html"
    options = ["--trials", "2", "--methods", "voting,bayes"] if command == "compare" else ["-m", "voting"]
    result = run(command, str(files / "few.libsvm"), "-n", "5", "--html", str(path), *options)
    assert result.exit_code == 0, result.stderr
    page = path.read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "<svg" in page
    assert self_contained(page)
    assert "report.html" in result.stderr
    assert "shoal " in page, "the report says by which command it was made"


def test_compare_json(files):
    """`compare --json` writes one object per data set, method and trial, all on the same orders."""
    out = files / "out.json"
    result = run(
        *("compare", str(files / "few.libsvm"), "sea:n=150", "--methods", "voting,bayes"),
        *("-n", "5", "--trials", "2", "--set", "theta=0.5", "--json", str(out), "--quiet"),
    )
    assert result.exit_code == 0, result.stderr
    assert result.stdout == result.stderr == ""
    found = records(out.read_text(encoding="utf-8"))
    assert all(set(record) >= FIELDS for record in found)
    seen = {(r["dataset"], r["method"], r["trial"]) for r in found}
    assert len(found) == len(seen) == 8
    assert {r["method"] for r in found} == {"voting", "bayes"}
    assert {r["trial"] for r in found} == {0, 1}
    for record in found:
        assert record["learner"] == "perceptron"
        assert ("theta" in record["params"]) == (record["method"] == "bayes")
        assert record["errors"] == round(record["error"] * record["n"])


def test_compare_is_repeatable(files):
    """The same seed gives the same errors; another gives other orders."""
    runs = []
    for seed in ("1", "1", "2"):
        options = ["--methods", "voting", "-n", "5", "--trials", "3", "--seed", seed, "-q", "--json", "-"]
        runs.append([r["errors"] for r in records(run("compare", str(files / "few.libsvm"), *options).stdout)])
    assert runs[0] == runs[1] != runs[2]


def test_trials_of_evaluate(files):
    """`evaluate --trials` runs that many orders of the rows."""
    result = run(
        *("evaluate", str(files / "few.libsvm"), "-m", "voting", "-n", "5", "--trials", "3", "-q", "--json", "-"),
    )
    assert [r["trial"] for r in records(result.stdout)] == [0, 1, 2]


def test_methods():
    """`methods` lists every method of the registry, with its settings."""
    result = run("methods")
    assert result.exit_code == 0
    for name in METHODS:
        assert f"\n{name}  " in result.stdout
    assert "n_learners" in re.sub(r"[\s│]", "", result.stdout)


def test_datasets():
    """`datasets` lists every data set, and tells all of one that is named."""
    result = run("datasets")
    assert result.exit_code == 0
    for name in datasets.names():
        assert f" {name} " in result.stdout
    one = run("datasets", datasets.names()[0])
    assert one.exit_code == 0
    assert datasets.names()[0] in one.stdout


@pytest.mark.parametrize("command", [[], ["evaluate"], ["compare"], ["methods"], ["datasets"]])
def test_help(command):
    """Every command explains itself."""
    result = run(*command, "--help")
    assert result.exit_code == 0
    assert "Usage" in result.stdout


def test_values_of_settings():
    """Settings typed in a shell are numbers, truth values, None, lists or words."""
    from shoal.methods.values import value_of

    typed = {"0.5": 0.5, "3": 3, "true": True, "False": False, "none": None, "auto": "auto", "(0.9, 1)": (0.9, 1)}
    for text, value in typed.items():
        assert value_of(text) == value
        assert type(value_of(text)) is type(value)
    assert value_of("'quoted'") == "'quoted'"
    assert value_of("__import__('os')") == "__import__('os')"


def test_interrupted_from_the_keyboard(files, monkeypatch):
    """Ctrl-C ends a run with what it has, and with the status that shells give it."""
    learned = Model.answer_and_learn

    def once(self, chunk):
        if self.n_seen:
            raise KeyboardInterrupt
        return learned(self, chunk)

    monkeypatch.setattr(Model, "answer_and_learn", once)
    path = files / "long.libsvm"
    path.write_text(LIBSVM * 20)
    record = evaluated(str(path), status=130)
    assert record["interrupted"] is True
    assert record["n"] == 1024
