"""The race against the peers: its streams, its timing, its table; no figure is judged."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from benchmarks.speed import cases, report
from benchmarks.speed.contestants import CONTESTANTS, Contestant
from benchmarks.speed.picture import picture
from benchmarks.speed.streams import DENSE, SPARSE, Shape, draw
from benchmarks.speed.worker import measured


@pytest.mark.parametrize("shape", [DENSE, SPARSE, Shape(54, 54, 5), Shape(100_000, 50)])
def test_a_stream_is_the_same_for_all_who_draw_it_and_has_the_shape_asked_for(shape: Shape) -> None:
    """A stream derives from its shape and seed alone; rows rise, and every class occurs."""
    one, other = draw(shape, 200), draw(shape, 200)
    assert all(np.array_equal(a, b) for a, b in zip(one.rows, other.rows, strict=True))
    assert set(one.classes.tolist()) == set(range(shape.n_classes))
    indices = one.rows.indices.reshape(200, shape.n_stored)
    assert (np.diff(indices, axis=1) > 0).all()
    assert indices.max() < shape.n_features


def test_dense_tables_and_items_hold_what_the_rows_hold() -> None:
    """Peers are given the same numbers, as tables or as pairs."""
    stream = draw(SPARSE, 20)
    X = stream.dense(5, 10)
    for t in range(5, 10):
        assert {j: v for j, v in enumerate(X[t - 5].tolist()) if v != 0.0} == dict(stream.items(t))


def test_a_contestant_is_measured_on_a_fresh_model_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run answers the same rows with as many mistakes as the first."""
    made: list[int] = []

    def prepare(stream: Any, n_learners: int) -> Any:
        def race(n: int) -> Any:
            made.append(n)
            return lambda: n // 2

        return race

    monkeypatch.setitem(CONTESTANTS, "counted", Contestant(prepare))
    found = measured("counted", DENSE, 10, 400, 0.01)
    assert found["error"] == pytest.approx(0.5, abs=0.01)
    assert found["rows"] == made[-1]


def test_the_numpy_loop_that_peers_are_compared_with_learns() -> None:
    """The vectorised NumPy loop of OSBoost errs far less than chance on both streams."""
    for shape in (DENSE, SPARSE):
        found = measured("NumPy loop of OSBoost", shape, 10, 1000, 10.0)
        assert found["error"] < 0.4


def test_a_contestant_that_is_not_installed_is_said_to_be_missing() -> None:
    """What is missing is named, and the table says so in place of figures."""
    absent = Contestant(lambda stream, n: lambda rows: lambda: 0, package="no-such-package")
    assert absent.missing() == "no-such-package is not installed"
    found = result_of({}) | {"missing": {"River AdaBoost, perceptrons": "river is not installed"}}
    assert "River AdaBoost, perceptrons (river is not installed) | –" in report.rates(found)


def result_of(speeds: dict[str, float]) -> dict[str, Any]:
    """A run in which time is proportional to learners, and contestants have the speeds given."""
    results = []
    for name, speed in speeds.items():
        for case in [*cases.main_cases(), *cases.swept_cases()]:
            per_second = speed * 100.0 / (case.size if case.sweep == "learners" else 100.0)
            results.append(
                case.for_worker(1.0)
                | {"contestant": name, "rows": case.most, "per_second": per_second, "error": 0.1}
                | {"seconds": case.most / per_second, "megabytes": 1.0, "megabytes_grown": 0.0}
            )
    machine = {"cores": 2, "processor": "p", "python": "3", "load": 0.0}
    return {"machine": machine, "missing": {}, "first": {}, "results": json.loads(json.dumps(results))}


def test_ratios_and_exponents_are_those_of_the_figures(tmp_path: Any) -> None:
    """A contestant 400 times as fast is said to be so; time that grows with learners has exponent 1."""
    found = result_of({"shoal OSBoost": 4000.0, "shoal Bayesian": 2000.0, "River AdaBoost, perceptrons": 10.0})
    text = report.write_report(found, tmp_path)
    assert "400 x as fast (asked: 300 x)" in text
    assert "2.00 x as long (asked: within 1.2 x)" in text
    assert "| shoal OSBoost, learners | 10 to 1,000 | 1.00 | 1.00 |" in text
    assert picture(found) == (tmp_path / "picture.svg").read_text()
