"""Running a table: protocols, orders, workers; what is told of it."""

import json
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from shoal.cli.main import app
from shoal.errors import InputError
from shoal.reproduce import data, images, running
from shoal.reproduce.comparing import compare_with_published
from shoal.reproduce.data import dense, in_range_of_first, sparse, with_both_classes_early
from shoal.reproduce.page import page_of
from shoal.reproduce.printing import notes, print_table
from shoal.reproduce.running import Measured, run_table
from shoal.reproduce.runs import Run, read_records
from shoal.reproduce.tables import Claim, Column, DataSource, Table, load_table
from shoal.types import Chunk, Space

VOTING = {"learner": "perceptron", "n_learners": 5, "feature_fraction": 0.5, "scaling": "unit"}
SINGLE = {**VOTING, "n_learners": 1, "feature_fraction": 1.0}


@pytest.fixture
def table(monkeypatch):
    """A small table over data that scikit-learn ships; one of its data sets cannot be had."""
    sources = {
        "small": DataSource("small", load="sklearn-breast-cancer"),
        "gone": DataSource("gone", missing="it was never found"),
    }
    monkeypatch.setattr(data, "load_sources", lambda: sources)
    monkeypatch.setattr(running, "load_sources", lambda: sources)
    data.examples_of.cache_clear()
    yield Table(
        "small-1",
        "A small table",
        "static",
        (Column("single", "voting", SINGLE), Column("voting", "voting", VOTING)),
        ("small", "gone"),
        {"training_share": 0.1, "features": "first-range"},
        claims=(Claim("voting errs less", better="voting", than="single"),),
        printed={("small", "single"): 0.1, ("small", "voting"): 0.9},
    )
    data.examples_of.cache_clear()


def run_of(dataset, column, trial, wrong):
    wrong = np.array(wrong, dtype=bool)
    return Run(dataset, column, trial, 0, len(wrong), int(wrong.sum()), np.packbits(wrong), 1.0, {})


def made(errors, claim, columns=("a", "b", "c")):
    """A run whose errors, in tenths, are given as {data set: rows of trials}."""
    runs = [
        run_of(dataset, column, t, [1] * n + [0] * (10 - n))
        for dataset, trials in errors.items()
        for t, row in enumerate(trials)
        for column, n in zip(columns, row, strict=True)
    ]
    printed = {(d, c): n / 10 for d, trials in errors.items() for c, n in zip(columns, trials[0], strict=True)}
    table = Table(
        "t",
        "t",
        "stream",
        tuple(Column(c, "voting", {}) for c in columns),
        tuple(errors),
        {},
        {},
        (claim,),
        "",
        printed,
    )
    return Measured(table, tuple(runs), tuple(errors), {}, {}, len(next(iter(errors.values()))), 0)


def test_the_training_part_does_not_count(table):
    """Under the static protocol the mistakes of a tenth of the rows, rounded down, are not counted."""
    measured = run_table(table, trials=1, jobs=1)
    assert {run.n for run in measured.runs} == {569 - 56}
    assert {run.params["frozen"] for run in measured.runs} == {56}


def test_features_take_the_form_that_is_asked_for(table):
    """Features are as published, or have the range of the first part of an order, which changes mistakes."""
    other = replace(table, options={**table.options, "features": "published"})
    one, two = (run_table(t, trials=1, jobs=1).of("small", "voting")[0] for t in (table, other))
    assert one.seed == two.seed
    assert one.errors != two.errors


def test_workers_make_no_difference(table):
    """One worker and two find the same mistakes."""
    alone = run_table(table, trials=2, jobs=1)
    together = run_table(table, trials=2, jobs=2, backend="threading")
    assert [run.wrong.tolist() for run in alone.runs] == [run.wrong.tolist() for run in together.runs]


def test_orders_differ_between_trials_and_seeds(table):
    """Trials have orders of their own, which derive from the seed."""
    runs = [*run_table(table, trials=2, jobs=1).runs, *run_table(table, trials=1, seed=1, jobs=1).runs]
    assert len({run.seed for run in runs}) == 3


def test_tuning_uses_an_order_of_its_own(table):
    """A tuned setting is chosen once for a data set, and told with every trial."""
    tuned = replace(table.columns[1], tune=("feature_fraction", (0.1, 1.0)))
    measured = run_table(replace(table, columns=(table.columns[0], tuned)), trials=2, jobs=1)
    chosen = {run.params["feature_fraction"] for run in measured.of("small", "voting")}
    assert len(chosen) == 1
    assert chosen <= {0.1, 1.0}
    comparison = compare_with_published(measured)
    assert any("tuned on an order of its own" in note for note in notes(measured, comparison))


def test_missing_data_sets_are_named(table):
    """A data set that cannot be had is left out, and named with the reason."""
    measured = run_table(table, trials=1, jobs=1)
    told = " ".join(notes(measured, compare_with_published(measured)))
    assert measured.datasets == ("small",)
    assert "gone: not run, it was never found" in told


def test_a_prefix_is_told_and_full_is_whole(table):
    """A large data set is run on a stated number of rows, and whole where all are asked for."""
    short = replace(table, protocol="stream", prefix={"small": 100})
    measured = run_table(short, trials=1, jobs=1)
    assert {run.n for run in measured.runs} == {100}
    assert measured.shortened == {"small": 100}
    assert {run.n for run in run_table(short, trials=1, jobs=1, full=True).runs} == {569}


def test_unknown_data_set_is_refused(table):
    """A data set that the table does not have is refused."""
    with pytest.raises(InputError, match="small"):
        run_table(table, datasets=["iris"], trials=1)


def test_ctrl_c_keeps_what_is_done(table):
    """Interrupted, a table keeps the trials that were finished."""

    def stop(done, of, last):
        raise KeyboardInterrupt

    measured = run_table(table, trials=2, jobs=1, on_done=stop)
    assert measured.interrupted
    assert len(measured.runs) == 1
    assert compare_with_published(measured).cells == {}


def test_the_page_tells_numbers_and_claims(table):
    """The report holds measured and published errors, ranks and claims, and asks nothing of a network."""
    measured = run_table(table, trials=2, jobs=1)
    comparison = compare_with_published(measured)
    text = page_of([(measured, comparison)], "shoal reproduce small-1")
    assert "A small table" in text
    assert "90.00 (" in text
    assert 'class="fails">Claim does NOT hold' in text
    assert ">[]" not in text
    assert "http" not in text


def test_a_page_of_read_back_tables_begins_with_an_overview(table):
    """Several tables have a line each that leads to them; what kept records do not tell is left out."""
    measured = run_table(table, trials=2, jobs=1)
    again = Measured.read_back(table, json.loads(json.dumps(measured.rows())))
    done = [(one, compare_with_published(one)) for one in (measured, again)]
    near, of = map(sum, zip(*done[0][1].close.values(), strict=True))
    text = page_of(done, "shoal reproduce all")
    assert '<a href="#small-1">A small table</a>' in text
    assert text.count(f"<td>{near} of {of}</td><td>{int(done[0][1].verdicts[0].reproduced)} of 1</td>") == 2
    assert text.count("Differences along one order") == 1
    assert "[]" not in text


def test_a_best_column_may_tie():
    """The best column holds a claim also where it is within one standard error of the lowest, trial by trial."""
    claim = Claim("a is best", best="a", exceptions=1)
    errors = {
        "lowest": [(1, 2, 3), (1, 2, 3)],
        "tied": [(3, 1, 5), (1, 2, 5)],
        "worse": [(3, 1, 1), (3, 1, 2)],
    }
    (verdict,) = compare_with_published(made(errors, claim)).verdicts
    assert verdict.holds == ("lowest", "tied")
    assert verdict.fails == ("worse",)
    assert verdict.reproduced
    assert (verdict.printed_holds, verdict.printed_of) == (1, 3)


def test_a_claim_fails_on_more_sets_than_allowed():
    """A claim that fails on more data sets than its exceptions is not reproduced."""
    claim = Claim("a below b", better="a", than="b")
    (verdict,) = compare_with_published(made({"one": [(1, 2, 3)], "two": [(2, 1, 3)]}, claim)).verdicts
    assert not verdict.reproduced


def test_closeness_and_agreement():
    """Cells within 0.02 are counted by column; ranks are compared by Spearman's correlation."""
    measured = made({"one": [(1, 2, 3)]}, Claim("a below b", better="a", than="b"))
    printed = {("one", "a"): 0.11, ("one", "b"): 0.4, ("one", "c"): 0.3}
    comparison = compare_with_published(replace(measured, table=replace(measured.table, printed=printed)))
    assert comparison.close == {"a": (1, 1), "b": (0, 1), "c": (1, 1)}
    assert comparison.agreement["one"] == pytest.approx(0.5)


def test_rows_become_tables_and_back():
    """Rows put into a table and taken out again are the same rows."""
    table = np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0], [3.0, 0.0, -1.0]])
    rows = sparse(table)
    assert rows.indptr.tolist() == [0, 2, 2, 4]
    assert dense(rows, 3).tolist() == table.tolist()


def test_range_comes_from_the_first_rows():
    """Features are moved to [-1, 1] by the first rows alone, cut there, and 0 where these do not differ."""
    table = np.array([[0.0, 5.0], [4.0, 5.0], [3.0, 6.0], [8.0, 5.0]])
    chunk = Chunk(sparse(table), np.zeros(4), None, Space.of_size(2))
    scaled = dense(in_range_of_first(chunk, 2).rows, 2)
    assert scaled.tolist() == [[-1.0, 0.0], [1.0, 0.0], [0.5, 0.0], [1.0, 0.0]]


def test_an_order_of_one_class_is_drawn_again():
    """The first rows of an order always hold both classes, if these are to be had."""
    labels = np.array([0.0] * 30 + [1.0])
    examples = data.Examples(Chunk(sparse(np.ones((31, 1))), labels, None, Space.of_size(1)), (0.0, 1.0))
    for seed in range(20):
        assert 1.0 in with_both_classes_early(examples, seed, 3).labels[:3]


@pytest.mark.data
def test_the_command_writes_json_and_a_report(shoal_data, tmp_path):
    """`shoal reproduce` writes one object for each trial of each cell, and a report."""
    kept, report = tmp_path / "out.json", tmp_path / "out.html"
    arguments = ["reproduce", "bai-fig2", "--datasets", "heart", "--trials", "1", "--jobs", "1"]
    result = CliRunner().invoke(
        app, [*arguments, "--json", str(kept), "--html", str(report)], catch_exceptions=False
    )
    assert result.exit_code == 0
    records = [json.loads(line) for line in kept.read_text().splitlines()]
    assert {record["n"] for record in records} == {243}
    assert {"dataset", "method", "learner", "trial", "errors", "error", "published", "params"} <= records[0].keys()
    assert "sensitivity to beta" in report.read_text()


def test_records_can_be_read_back():
    """The records of a run, read back, make the same comparison."""
    measured = made({"one": [(1, 2, 3), (2, 2, 3)]}, Claim("a is best", best="a"))
    again = Measured.read_back(measured.table, measured.rows())
    assert compare_with_published(again).to_dict() == compare_with_published(measured).to_dict()


def test_kept_runs_are_not_done_again(table):
    """Runs that are kept are taken as they are, if order and settings are the same; new ones are told at once."""
    first = run_table(table, trials=1, jobs=1)
    told = []
    again = run_table(table, trials=2, jobs=1, kept=first.rows(), on_run=told.append)
    assert [(run.column, run.trial) for run in told] == [("single", 1), ("voting", 1)]
    whole = run_table(table, trials=2, jobs=1)
    assert [run.errors for run in again.runs] == [run.errors for run in whole.runs]
    assert "A small table" in page_of([(again, compare_with_published(again))], "shoal reproduce small-1")
    other = replace(table, columns=(Column("single", "voting", {**SINGLE, "n_learners": 2}), table.columns[1]))
    run_table(other, trials=1, jobs=1, kept=first.rows(), on_run=told.append)
    assert [run.column for run in told[2:]] == ["single"]


def test_a_run_on_a_part_is_not_one_on_the_whole(table):
    """A kept run of a prefix does not stand for one of all rows, nor the other way round."""
    short = replace(table, protocol="stream", prefix={"small": 100})
    kept = run_table(short, trials=1, jobs=1).rows()
    assert {run.n for run in run_table(short, trials=1, jobs=1, kept=kept).runs} == {100}
    full = run_table(short, trials=1, jobs=1, kept=kept, full=True)
    assert {run.n for run in full.runs} == {569}
    assert {run.n for run in run_table(short, trials=1, jobs=1, kept=full.rows()).runs} == {100}


def test_the_command_goes_on_where_it_was(table, tmp_path, monkeypatch):
    """With --resume what the file holds is not run again, and stays in it; without, the file is begun anew."""
    monkeypatch.setattr("shoal.cli.reproduce.load_tables", lambda names: [table])
    kept = tmp_path / "kept.jsonl"
    command = ["reproduce", "small-1", "--jobs", "1", "--quiet", "--json", str(kept)]
    assert CliRunner().invoke(app, [*command, "--trials", "2"], catch_exceptions=False).exit_code == 0
    before = kept.read_text().splitlines()
    kept.write_text("\n".join(line.replace('"errors": ', '"errors": 9') for line in before))
    assert CliRunner().invoke(app, [*command, "--trials", "1", "--resume"], catch_exceptions=False).exit_code == 0
    assert len(kept.read_text().splitlines()) == 4
    assert '"errors": 9' in kept.read_text()
    CliRunner().invoke(app, [*command, "--trials", "1"], catch_exceptions=False)
    assert len(kept.read_text().splitlines()) == 2


def test_margins_of_a_claim():
    """ "ahead": by more than the larger deviation of every other; "not-behind": of the best by no more than it."""
    near = {"one": [(2, 3, 5), (3, 4, 6), (4, 5, 7)]}
    far = {"one": [(1, 3, 5), (1, 4, 6), (1, 5, 7)]}
    for errors, ahead in ((near, False), (far, True)):
        (verdict,) = compare_with_published(made(errors, Claim("", best="a", margin="ahead"))).verdicts
        assert verdict.reproduced is ahead
    for best, kept_up in (("a", True), ("b", True), ("c", False)):
        claim = Claim("", best=best, margin="not-behind")
        (verdict,) = compare_with_published(made(near, claim)).verdicts
        assert verdict.reproduced is kept_up


def test_many_columns_are_told_row_by_row(capsys):
    """A table too wide for the terminal is printed with a row for each cell, deviation and published number."""
    columns = tuple("abcdefghijk")
    claim = Claim("a below b", better="a", than="b")
    measured = made({"one": [range(11), range(11)]}, claim, columns)
    told = replace(measured.table, spread="deviation", printed_deviations={("one", "a"): 0.005})
    measured = replace(measured, table=told)
    print_table(measured, compare_with_published(measured), Console(width=80))
    out = capsys.readouterr().out
    assert "± deviation" in out
    assert "0.0000 ±0.0050" in out


@pytest.mark.parametrize("width", [80, 120, 160, 400])
def test_no_number_of_a_table_is_cut_off(width, capsys):
    """However wide the terminal, every error and every difference is printed whole."""
    measured = made({"one": [range(7), range(7)]}, Claim("a below b", better="a", than="b"), tuple("abcdefg"))
    print_table(measured, compare_with_published(measured), Console(width=width))
    out = capsys.readouterr().out
    assert "…" not in out
    assert out.count("±") >= 7


@pytest.fixture
def shapes(monkeypatch):
    """Small images of three classes in place of MNIST."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 900)
    X = rng.integers(0, 100, (900, 12)).astype(np.uint8)
    X[np.arange(900), y] += 100
    monkeypatch.setattr(images, "images_of", lambda dataset: images.Images(X, y, 700, 3))


@pytest.mark.parametrize("name", ["lefakis-3", "lefakis-4", "lefakis-5"])
def test_methods_of_the_image_tables_learn(name, shapes):
    """Each kind of column learns to tell images apart, and the order's seed decides everything."""
    table = load_table(name)
    for column in {column.method: column for column in table.columns}.values():
        small = {"n_learners": 12} | {"size": 20, "initial": 40, "shrinkage": 0.5}
        settings = {**column.settings, **{k: v for k, v in small.items() if k in column.settings}}
        outcomes = [images.images(table, column, settings, "MNIST", seed, None) for seed in (5, 5, 6)]
        assert outcomes[0].wrong.mean() < 0.35, column.name
        assert outcomes[0].wrong.tolist() == outcomes[1].wrong.tolist()


def test_a_method_beyond_the_paper_is_held_against_the_best_printed(table):
    """A column that the paper does not have learns throughout on the same rows, and is told where it is not below
    the best printed error.
    """
    extra = Column("shoal", "voting", VOTING, beyond=True)
    wider = replace(table, columns=(*table.columns, extra), best={"small": 0.001})
    measured = run_table(wider, trials=1, jobs=1)
    assert {run.n for run in measured.of("small", "shoal")} == {569 - 56}
    comparison = compare_with_published(measured)
    assert comparison.beyond == {"shoal": ((), ("small",))}
    assert comparison.close.keys() == {"single", "voting"}
    assert "shoal is below the best error printed in the row on 0 of 1; not on small." in list(
        notes(measured, comparison)
    )


def test_a_column_may_have_a_prefix_of_its_own(table):
    """A slow column is run on fewer rows than the others, which is told."""
    short = Column("shoal", "voting", VOTING, beyond=True, prefix={"small": 50})
    wider = replace(table, protocol="stream", prefix={"small": 100}, columns=(*table.columns, short))
    measured = run_table(wider, trials=1, jobs=1)
    assert [run.n for run in measured.runs] == [100, 100, 50]
    told = " ".join(notes(measured, compare_with_published(measured)))
    assert "shoal: the first rows of each random order only, 50 of small; --full runs them all." in told


def test_columns_that_do_not_agree_are_told_with_the_reason(table):
    """A column of which fewer than half of the cells agree is named, with what was found of it."""
    explained = replace(table, reasons={"voting": "it was made up."})
    measured = run_table(explained, trials=1, jobs=1)
    told = list(notes(measured, compare_with_published(measured)))
    assert "Fewer than half of voting agree: it was made up." in told


def test_a_file_of_something_else_is_refused(tmp_path):
    """A file that is no record of a table is refused with the line."""
    other = tmp_path / "other.jsonl"
    other.write_text("[1]\n[2]\n")
    with pytest.raises(InputError, match="line 1"):
        read_records(other)


def test_a_figure_keeps_its_curve(table):
    """The records of a figure hold the mistakes made up to places along the stream."""
    measured = run_table(replace(table, figure="curves"), trials=1, jobs=1)
    again = Measured.read_back(measured.table, json.loads(json.dumps(measured.rows())))
    assert [run.marks for run in again.runs] == [run.marks for run in measured.runs]
    assert [run.marks[-1] for run in again.runs] == [run.errors for run in measured.runs]


def test_a_line_that_was_cut_off_is_left_out(tmp_path):
    """The last record of a run that was cut off while it was written is done again, not refused."""
    measured = made({"one": [(1, 2, 3)]}, Claim("a is best", best="a"))
    kept = tmp_path / "kept.jsonl"
    lines = [json.dumps(row) for row in measured.rows()]
    kept.write_text("\n".join([*lines[:2], lines[2][:30]]))
    assert read_records(kept) == json.loads(json.dumps(measured.rows()[:2]))


def test_a_column_with_its_own_prefix_is_gone_on_with(table):
    """A kept run of a column's own prefix stands for it, and not for all rows."""
    short = Column("shoal", "voting", VOTING, beyond=True, prefix={"small": 50})
    wider = replace(table, protocol="stream", columns=(*table.columns, short))
    kept = run_table(wider, trials=1, jobs=1).rows()
    fresh = []
    run_table(wider, trials=1, jobs=1, kept=kept, on_run=fresh.append)
    assert fresh == []
    run_table(wider, trials=1, jobs=1, kept=kept, on_run=fresh.append, full=True)
    assert [run.column for run in fresh] == ["shoal"]


def test_tables_of_one_protocol_share_runs():
    """What one table has found is taken by another that has the same column, settings and orders; not by one of
    another protocol, nor under other settings.
    """
    first, second, third = (load_table(name) for name in ("chen-1", "bai-3", "chen-2"))
    assert first.shares(second)
    assert not first.shares(load_table("bai-1"))
    runs = tuple(
        Run("heart", column.name, 0, running.trial_seed(0, 0), 270, 60, None, 1.0, dict(column.settings))
        for column in first.columns
    )
    earlier = [Measured(first, runs, ("heart",), {}, {}, 1, 0)]
    known = {}
    for table in (second, third):
        tasks = [
            running.Task(table, "heart", column, 0, running.trial_seed(0, 0), None) for column in table.columns
        ]
        known[table.name] = {run.column for run in running._known(tasks, running._usable(table, (), earlier))[0]}
    assert known == {"bai-3": {"perceptron", "ozaboost", "ogboost", "osboost", "shoal"}, "chen-2": {"shoal"}}
