from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evaluation.fakes import MajorityModel, in_chunks, make_chunk

from shoal.errors import InputError
from shoal.evaluation.curve import MOST_POINTS, CurveRecorder
from shoal.evaluation.metrics import METRICS
from shoal.evaluation.progressive import Evaluation, evaluate
from shoal.streams.rows import slice_chunk
from shoal.types import Chunk


def labels(n: int, seed: int = 0) -> np.ndarray:
    return (np.random.default_rng(seed).random(n) < 0.3).astype(int)


def test_counts_and_interval() -> None:
    """The result counts each labelled example once, and its interval holds its error."""
    result = evaluate(MajorityModel(), in_chunks(make_chunk(labels(1000)), 64))
    assert result.n == 1000
    assert result.error == result.errors / 1000 == result.metrics["error"]
    assert result.interval[0] < result.error < result.interval[1]
    assert result.class_counts == {"0": 1000 - labels(1000).sum(), "1": labels(1000).sum()}
    assert not result.interrupted
    assert result.params == {"flip": 0, "seed": 0}


@pytest.mark.parametrize("window", [None, 50])
@pytest.mark.parametrize("size", [1, 7, 999, 5000])
def test_curve_does_not_depend_on_chunks(size: int, window: int | None) -> None:
    """The curve and all metrics of one stream are the same however it is cut."""
    chunk = make_chunk(labels(3000))
    whole = evaluate(MajorityModel(flip=3), [chunk], window=window, metrics=list(METRICS))
    parts = evaluate(MajorityModel(flip=3), in_chunks(chunk, size), window=window, metrics=list(METRICS))
    for one, other in zip(whole.curve, parts.curve, strict=True):
        assert np.array_equal(one, other)
    assert parts.metrics == pytest.approx(whole.metrics, rel=1e-12)


@given(
    losses=st.lists(st.booleans(), min_size=1, max_size=300),
    every=st.integers(1, 9),
    window=st.integers(1, 40),
)
@settings(max_examples=50, deadline=None)
def test_curve_is_what_it_says(losses: list[bool], every: int, window: int) -> None:
    """Each point is the error of all examples, and of the last window, up to there."""
    recorder = CurveRecorder(every, window)
    recorder.update(np.array(losses[:100], dtype=bool))
    recorder.update(np.array(losses[100:], dtype=bool))
    curve = recorder.curve()
    for n, error, recent in zip(curve.examples, curve.error, curve.window_error, strict=True):
        assert error == pytest.approx(np.mean(losses[:n]))
        assert recent == pytest.approx(np.mean(losses[max(0, n - window) : n]))
    assert curve.examples[-1] == len(losses)


@pytest.mark.parametrize("every", [1, 10])
def test_curve_is_bounded(every: int) -> None:
    """A long stream has at most one point more than the bound, evenly spaced and at least half as many."""
    recorder = CurveRecorder(every)
    rng = np.random.default_rng(0)
    for _ in range(40):
        recorder.update(rng.random(5000) < 0.2)
    examples = recorder.curve().examples
    assert MOST_POINTS / 2 <= len(examples) <= MOST_POINTS
    assert len(set(np.diff(examples[:-1]).tolist())) == 1
    assert examples[-1] == 200_000


def test_default_window_is_a_share_of_the_stream() -> None:
    """Without a window given, the windowed error covers about a twentieth of the stream."""
    recorder = CurveRecorder()
    losses = np.random.default_rng(0).random(20_000) < np.linspace(0.5, 0.0, 20_000)
    recorder.update(losses)
    curve = recorder.curve()
    assert 700 < curve.window < 1300
    for n, recent in zip(curve.examples[:-1], curve.window_error[:-1], strict=True):
        assert recent == pytest.approx(np.mean(losses[max(0, n - curve.window) : n]))


class Interrupting:
    """A stream in which Ctrl-C comes after some chunks."""

    def __init__(self, chunks: list[Chunk], after: int) -> None:
        self.chunks, self.after = chunks, after

    def __iter__(self) -> Iterator[Chunk]:
        yield from self.chunks[: self.after]
        raise KeyboardInterrupt


def test_streams_are_opened(tmp_path) -> None:
    """A path, a data set's name, a pair of arrays and a frame are as good as a stream of them."""
    import pandas as pd

    from shoal.streams import open_stream

    X, y = np.arange(60.0).reshape(30, 2), np.arange(30) % 2
    path = tmp_path / "few.libsvm"
    path.write_text("".join(f"{label} 1:{a} 2:{b}\n" for label, (a, b) in zip(y, X, strict=True)))
    for data in (str(path), path, "sea:n=50", (X, y), pd.DataFrame({"a": X[:, 0], "label": y})):
        found = evaluate(MajorityModel(), data)
        assert found.errors == evaluate(MajorityModel(), open_stream(data)).errors


def test_interrupted_run_keeps_what_it_has() -> None:
    """Ctrl-C ends a run cleanly with the chunks that were done."""
    chunks = list(in_chunks(make_chunk(labels(1000)), 100))
    result = evaluate(MajorityModel(), Interrupting(chunks, 4))
    same = evaluate(MajorityModel(), chunks[:4])
    assert result.interrupted
    assert result.n == 400
    assert result.errors == same.errors
    assert "interrupted" in repr(result)


def test_interrupt_before_the_first_example() -> None:
    """Ctrl-C before anything was measured is passed on."""
    with pytest.raises(KeyboardInterrupt):
        evaluate(MajorityModel(), Interrupting([], 0))


def test_resumed_run_is_as_if_never_stopped() -> None:
    """A run put away half-way and taken up again gives the same result."""
    chunk = make_chunk(labels(3000))
    chunks = list(in_chunks(chunk, 100))
    names = list(METRICS)
    whole = evaluate(MajorityModel(flip=5), chunks, metrics=names)
    model, run = MajorityModel(flip=5), Evaluation(names)
    evaluate(model, chunks[:11], resume=run)
    again = Evaluation(names)
    again.restore(run.state())
    resumed = evaluate(model, chunks[11:], resume=again)
    for one, other in zip(whole.curve, resumed.curve, strict=True):
        assert np.array_equal(one, other)
    assert resumed.metrics == whole.metrics
    assert resumed.class_counts == whole.class_counts


def test_max_rows() -> None:
    """A run stops after max_rows rows, within a chunk if need be."""
    result = evaluate(MajorityModel(), in_chunks(make_chunk(labels(1000)), 300), max_rows=450)
    assert result.n == 450


def test_unlabelled_rows_are_not_counted() -> None:
    """Rows without a label are learned from or not, but never counted."""
    values = labels(300).astype(object)
    values[::3] = None
    assert evaluate(MajorityModel(), [make_chunk(values)]).n == 200


def test_one_class_is_refused() -> None:
    """A stream of one class is refused, and the message names the label and the number of examples."""
    with pytest.raises(InputError, match="every one of the 40 examples has label 'ham'"):
        evaluate(MajorityModel(["ham", "spam"]), [make_chunk(np.array(["ham"] * 40, dtype=object))])


def test_empty_stream_is_refused() -> None:
    """A stream without rows is refused."""
    with pytest.raises(InputError, match="the stream is empty"):
        evaluate(MajorityModel(), [])


def test_empty_chunks_are_passed_over() -> None:
    """Chunks without rows are not shown to the model."""
    chunk = make_chunk(labels(100))
    result = evaluate(MajorityModel(), [slice_chunk(chunk, 0, 0), chunk])
    assert result.n == 100


def test_stream_without_labels_is_refused() -> None:
    """A stream without any label is refused."""
    with pytest.raises(InputError, match="none of the 12 examples has a label"):
        evaluate(MajorityModel(), [make_chunk(None, 12)])


def test_wrong_arguments_are_refused() -> None:
    """What is not a model, not a stream of chunks, or not a count is refused with a hint."""
    with pytest.raises(InputError, match="cannot evaluate a int"):
        evaluate(3, [make_chunk(labels(10))])
    with pytest.raises(InputError, match="the stream gave a tuple"):
        evaluate(MajorityModel(), [(1, 2)])  # type: ignore[list-item]
    with pytest.raises(InputError, match="max_rows is 0"):
        evaluate(MajorityModel(), [], max_rows=0)


def test_estimators_are_adapted() -> None:
    """An object with evaluated_model() is evaluated through it, and reports its own parameters."""

    class Estimator:
        def evaluated_model(self) -> MajorityModel:
            return MajorityModel()

        def get_params(self, deep: bool = True) -> dict[str, object]:
            return {"n_learners": 7}

    result = evaluate(Estimator(), [make_chunk(labels(50))])
    assert result.params == {"n_learners": 7}


def test_progress() -> None:
    """Progress is told after each chunk, with the share of the stream where it is known."""
    told: list[tuple[int, float, float | None]] = []
    chunk = make_chunk(labels(400))
    evaluate(MajorityModel(), in_chunks(chunk, 100), on_progress=lambda *a: told.append(a))
    assert [n for n, _, _ in told] == [100, 200, 300, 400]
    assert {fraction for *_, fraction in told} == {None}
    told.clear()
    evaluate(MajorityModel(), in_chunks(chunk, 100), on_progress=lambda *a: told.append(a), max_rows=200)
    assert [fraction for *_, fraction in told] == [0.5, 1.0]


def test_positive_class_is_the_greater_label() -> None:
    """One-sided metrics are those of the greater of two labels, whichever came first."""
    chunk = make_chunk(labels(500))
    one = evaluate(MajorityModel([0, 1], flip=2), [chunk], metrics=["f1"])
    other = evaluate(MajorityModel([1, 0], flip=2), [chunk], metrics=["f1"])
    assert one.metrics["f1"] == pytest.approx(other.metrics["f1"], abs=0.02)


def test_to_dict_is_json() -> None:
    """A result goes to JSON, NaN as null."""
    result = evaluate(MajorityModel(), [make_chunk(labels(200))])
    back = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert back["n"] == 200
    assert back["curve"]["examples"][-1] == 200
