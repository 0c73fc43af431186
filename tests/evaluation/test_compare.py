from __future__ import annotations

import io
import json
import pickle
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from rich.console import Console
from scipy.stats import wilcoxon
from tests.evaluation.fakes import MajorityModel, in_chunks, make_chunk

from shoal.errors import InputError
from shoal.evaluation.compare import Comparison, compare, run_trial
from shoal.evaluation.order import Generated, Held, take
from shoal.evaluation.progress import ProgressBar
from shoal.evaluation.ranking import holm, is_tie, rank, sign_test, signed_rank_test, standard_error
from shoal.types import Chunk

METHODS: dict[str, Callable[[int], MajorityModel]] = {
    "plain": lambda seed: MajorityModel(seed=seed),
    "often wrong": lambda seed: MajorityModel(flip=2, seed=seed),
    "rarely wrong": lambda seed: MajorityModel(flip=10, seed=seed),
}


def plain_model(seed: int) -> MajorityModel:
    return MajorityModel(seed=seed)


def labelled(n: int, seed: int) -> Chunk:
    return make_chunk((np.random.default_rng(seed).random(n) < 0.25).astype(int))


def drifting(seed: int) -> Iterator[Chunk]:
    return in_chunks(labelled(400, seed), 100)


def sources() -> list[Held | Generated]:
    return [Held("one", labelled(300, 0)), Held("two", labelled(500, 1)), Generated("drift", drifting)]


def without_time(comparison: Comparison) -> list[dict[str, object]]:
    return [{k: v for k, v in row.items() if "second" not in k} for row in comparison.rows()]


def test_same_seed_same_rows() -> None:
    """The same seed gives the same results, another seed gives others."""
    first, second = (compare(METHODS, sources(), trials=2, seed=3) for _ in range(2))
    other = compare(METHODS, sources(), trials=2, seed=4)
    assert without_time(first) == without_time(second)
    assert without_time(first) != without_time(other)
    assert len(first.rows()) == 3 * 3 * 2
    json.dumps(first.to_dict(), allow_nan=False)


def test_methods_see_the_same_order() -> None:
    """In one trial two equal methods make the same mistakes, and another trial has another order."""
    twins = {"a": METHODS["often wrong"], "b": METHODS["often wrong"]}
    rows = compare(twins, [Held("one", labelled(301, 0))], trials=3).rows()
    errors = {(row["method"], row["trial"]): row["errors"] for row in rows}
    assert all(errors["a", trial] == errors["b", trial] for trial in range(3))
    assert len({row["seed"] for row in rows}) == 3


def test_streams_keep_their_order() -> None:
    """A stream with an order of its own is given the trial's seed and nothing else."""
    seeds: list[int] = []

    def remember(seed: int) -> Iterator[Chunk]:
        seeds.append(seed)
        return drifting(0)

    rows = compare({"plain": METHODS["plain"]}, [Generated("drift", remember)], trials=2).rows()
    assert seeds == [row["seed"] for row in rows]
    assert rows[0]["errors"] == rows[1]["errors"]


def test_rows_keep_their_values_when_permuted() -> None:
    """Taking rows in another order moves features, labels and weights together."""
    rng = np.random.default_rng(0)
    chunk = make_chunk(np.arange(50.0), weights=np.arange(50.0))
    order = rng.permutation(50)
    moved = take(take(chunk, order[::-1]), np.arange(50)[::-1])
    assert moved.labels is not None
    assert np.array_equal(moved.labels, order)
    assert np.array_equal(moved.rows.values, order + 1.0)
    assert np.array_equal(moved.weights, order)
    assert np.array_equal(moved.rows.indptr, np.arange(51))


def test_gathered_stream_is_held() -> None:
    """A finite stream can be gathered to be permuted, without loss."""
    held = Held.gather("one", drifting(0))
    assert held.chunk.rows.n_rows == 400
    with pytest.raises(InputError, match="has no rows"):
        Held.gather("none", [])


def test_interrupted_comparison() -> None:
    """Ctrl-C keeps the finished trials and marks the comparison."""

    def broken(seed: int) -> Iterator[Chunk]:
        yield from in_chunks(labelled(100, 0), 50)
        raise KeyboardInterrupt

    found = compare(METHODS, [Held("one", labelled(300, 0)), Generated("broken", broken)], trials=2)
    assert found.interrupted
    assert found.datasets == ("one",)
    assert len(found.trials) == 6
    caption = str(found.table().caption)
    assert caption.startswith("Interrupted")
    assert "rank" not in caption.partition("Holm")[2]  # of one data set there is none
    with pytest.raises(KeyboardInterrupt):
        compare(METHODS, [Generated("broken", broken)])


def test_trial_can_be_pickled() -> None:
    """The unit of work and its outcome can travel between processes."""
    work = pickle.loads(pickle.dumps((run_trial, Held("one", labelled(50, 0)))))
    trial = work[0](plain_model, work[1], "plain", 0, 1)
    assert pickle.loads(pickle.dumps(trial)).row() == trial.row()


def test_ranking() -> None:
    """Methods are ranked by mean error within each data set, and the ranks are averaged."""
    ranking = rank(compare(METHODS, sources(), trials=3))
    assert ranking.order == ("plain", "rarely wrong", "often wrong")
    assert [ranking.standings[m].mean_rank for m in ranking.order] == [1.0, 2.0, 3.0]
    assert ranking.standings["often wrong"].wins == 3
    assert ranking.paired_over == "trials"
    assert all(ranking.cells[d, "plain"].best for d in ranking.complete)


def test_tests_pair_data_sets_when_there_are_enough() -> None:
    """From five data sets on, tests compare mean errors of data sets."""
    many = [Held(str(i), labelled(120, i)) for i in range(6)]
    found = compare(METHODS, many, trials=2)
    ranking = rank(found)
    assert ranking.paired_over == "data sets"
    mean = {m: np.array([ranking.cells[d, m].error for d in ranking.complete]) for m in METHODS}
    expected = wilcoxon(mean["often wrong"] - mean["plain"]).pvalue
    assert ranking.standings["often wrong"].wilcoxon_p == pytest.approx(expected)


def test_equal_methods_tie() -> None:
    """Two equal methods tie: shared rank, no wins, p-values of one."""
    found = compare({"a": METHODS["plain"], "b": METHODS["plain"]}, sources(), trials=2)
    standing = rank(found).standings["b"]
    assert (standing.mean_rank, standing.ties, standing.holm_p, standing.sign_p) == (1.5, 3, 1.0, 1.0)


def test_statistics() -> None:
    """The small statistics are what their names say."""
    assert standard_error(np.array([1.0, 2.0, 3.0])) == pytest.approx(1.0 / np.sqrt(3.0))
    assert np.isnan(standard_error(np.array([1.0])))
    assert is_tie(np.array([0.0]))
    assert not is_tie(np.array([0.1]))
    assert sign_test(np.array([1.0, 2.0, 3.0, 0.0])) == pytest.approx(0.25)
    assert signed_rank_test(np.zeros(4)) == 1.0
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx({"a": 0.03, "c": 0.06, "b": 0.06})


def test_bad_plans_are_refused() -> None:
    """A comparison of nothing, on nothing, or with two sets of one name is refused."""
    one = Held("one", labelled(50, 0))
    with pytest.raises(InputError, match="no methods"):
        compare({}, [one])
    with pytest.raises(InputError, match="no data sets"):
        compare(METHODS, [])
    with pytest.raises(InputError, match="trials is 0"):
        compare(METHODS, [one], trials=0)
    with pytest.raises(InputError, match="seed is -1"):
        compare(METHODS, [one], seed=-1)
    with pytest.raises(InputError, match="two data sets are called 'one'"):
        compare(METHODS, [one, one])


def test_text_table() -> None:
    """The text table names every method and data set, with errors in per cent."""
    found = compare(METHODS, sources(), trials=2)
    out = io.StringIO()
    Console(file=out, width=150).print(found.table())
    text = out.getvalue()
    assert all(name in text for name in (*METHODS, "one", "two", "drift", "rank"))
    assert f"{100 * rank(found).cells['one', 'plain'].error:.2f}" in text


def test_progress_bar() -> None:
    """The bar shows the task, examples and error on a terminal, and nothing elsewhere or when quiet."""
    shown = {}
    for name, terminal, quiet in (("terminal", True, False), ("file", False, False), ("quiet", True, True)):
        out = io.StringIO()
        console = Console(file=out, force_terminal=terminal, width=120)
        with ProgressBar(quiet=quiet, console=console) as bar:
            compare(METHODS, sources()[:1], trials=1, on_progress=bar)
        shown[name] = out.getvalue()
    assert "rarely wrong on one, trial 1 of 1" in shown["terminal"]
    assert "300 examples" in shown["terminal"]
    assert shown["file"].strip() == shown["quiet"].strip() == ""
