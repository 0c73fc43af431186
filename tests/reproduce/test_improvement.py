"""What boosting regressors gains: the protocol of Beygelzimer et al., and what is told of it."""

from dataclasses import replace

import numpy as np
import pytest

from shoal.reproduce import improvement
from shoal.reproduce.comparing import compare_with_published
from shoal.reproduce.improvement import gain_notes, gains, grid
from shoal.reproduce.page import page_of
from shoal.reproduce.printing import notes
from shoal.reproduce.running import Measured, run_table
from shoal.reproduce.runs import Run
from shoal.reproduce.tables import load_table


@pytest.fixture
def table(monkeypatch):
    """The table with the settings that are tried cut down, over 60 made-up rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    numbers = (X, np.tanh(X[:, 0] * X[:, 1]))
    monkeypatch.setattr(improvement, "numbers_of", lambda dataset: numbers)
    monkeypatch.setattr("shoal.reproduce.running.reason_missing", lambda source: "")
    given = load_table("beygelzimer")
    options = given.options | {
        "rates": {"stump": [0.1, 1.0]},
        "sizes": {"stump": [3]},
        "learners": {"stump": "Regression stumps"},
    }
    columns = tuple(column for column in given.columns if column.settings["learner"] == "stump")
    return replace(given, columns=columns, datasets=("abalone", "cadata"), options=options, prefix={"cadata": 50})


def test_losses_are_of_the_second_half(table):
    """Settings are chosen by the first half of an order, and the losses are those of the second."""
    measured = run_table(table, trials=1, jobs=1)
    assert {(run.dataset, run.n) for run in measured.runs} == {("abalone", 30), ("cadata", 25)}
    assert all(run.params["rate"] in (0.1, 1.0) and run.errors > 0.0 for run in measured.runs)


def test_the_settings_chosen_are_best_on_the_first_half(table):
    """No other setting of the grid has a lower loss on the first half; the loss told is its own on the second."""
    column = table.column("stump")
    outcome = improvement.improvement(table, column, column.settings, "abalone", 3, None)
    X, y = improvement.numbers_of("abalone")
    order = np.random.default_rng(3).permutation(60)
    rows = improvement.to_rows(X[order])
    each = [
        improvement.losses(column.method, s, rows, 3, y[order], 3) for s in grid(table, column, column.settings)
    ]
    best = min(each, key=lambda losses: losses[:30].mean())
    assert outcome.wrong.tolist() == best[30:].tolist()


def test_gains_are_averaged_over_data_sets():
    """The improvement is in per cent of the base learner's loss; average and median are over data sets."""
    table = load_table("beygelzimer")
    losses = {"abalone": (1.0, 0.5, 2.0), "cadata": (2.0, 2.0, 1.0), "cpusmall": (1.0, 0.75, 1.0)}
    runs = tuple(
        Run(d, column, t, t, 1, loss, None, 1.0, {})
        for d, row in losses.items()
        for column, loss in zip(("sgd", "sgd_span", "sgd_hull"), row, strict=True)
        for t in range(2)
    )
    span, hull = gains(Measured(table, runs, tuple(losses), {}, {}, 2, 0))
    assert (span.average, span.median, span.n_datasets) == (25.0, 25.0, 3)
    assert (hull.average, hull.median) == (pytest.approx(-50.0 / 3.0), 0.0)
    assert (span.printed_average, hull.printed_median) == (1.65, 0.29)
    told = list(gain_notes([span, hull]))
    assert told[0].startswith("Claim holds: over the span")
    assert told[1].startswith("Claim does NOT hold: over the hull")


def test_the_report_shows_gains(table):
    """Terminal and report tell the improvement beside the published one."""
    measured = run_table(table, trials=2, jobs=1)
    comparison = compare_with_published(measured)
    assert any("span gains more than the hull" in note for note in notes(measured, comparison))
    once = run_table(table, trials=1, jobs=1)
    alone = page_of([(once, compare_with_published(once))], "shoal reproduce beygelzimer")
    assert "nan" not in alone
    text = page_of([(measured, comparison)], "shoal reproduce beygelzimer")
    assert "20.22" in text
    assert "Improvement in per cent" in text
