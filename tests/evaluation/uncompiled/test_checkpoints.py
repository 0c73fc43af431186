"""Checkpoints: a run that was cut off goes on to the same model and the same numbers, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

import shoal
from shoal.errors import InputError
from shoal.evaluation.keeping import Keeping
from shoal.evaluation.progressive import DEFAULT_METRICS, evaluate
from shoal.methods import make_model
from shoal.model import Model
from shoal.streams import open_stream
from shoal.testing import states_equal

RNG = np.random.default_rng(2)
X = RNG.normal(size=(230, 3))
Y = (X[:, 0] + 0.3 * RNG.normal(size=230) > 0).astype(float)
TIMES = ("seconds", "total_seconds", "examples_per_second", "peak_memory")
SETTINGS = {"n_learners": 3, "forgetting": "auto"}


def stream(y=Y):
    return open_stream((X[: len(y)], y), chunk_size=20)


def fresh(seed=1):
    return make_model("bayes", SETTINGS, seed)


def numbers(result):
    """All that a result holds, but for times."""
    return {key: value for key, value in result.to_dict().items() if key not in TIMES}


class Killed(BaseException):
    """Nothing tidies up after it, as after kill -9."""


def killed_after(n_chunks, monkeypatch, folder, model, given=None):
    """A run that ends while it learns the chunk after so many."""
    learn, n_learned = Model.answer_and_learn, [0]

    def until(self, chunk):
        if n_learned[0] == n_chunks:
            raise Killed
        n_learned[0] += 1
        return learn(self, chunk)

    with monkeypatch.context() as patch:
        patch.setattr(Model, "answer_and_learn", until)
        with pytest.raises(Killed):
            evaluate(model, given or stream(), checkpoint=Keeping(folder, every=0.0, resume=True))


def test_resumed_is_as_never_stopped(tmp_path, monkeypatch):
    """Killed again and again, a run ends with the model, the metrics and the curve of one that never stopped."""
    whole_model = fresh()
    whole = evaluate(whole_model, stream())
    for n_chunks in (0, 3, 1, 4):
        killed_after(n_chunks, monkeypatch, tmp_path, fresh())
    model = fresh()
    resumed = evaluate(model, stream(), checkpoint=tmp_path, resume=True)
    assert numbers(resumed) == numbers(whole)
    assert states_equal(model.state, whole_model.state)
    assert model.classes == whole_model.classes
    again = evaluate(fresh(), stream(), checkpoint=tmp_path, resume=True)
    assert numbers(again) == numbers(whole), "a run that is done is done again at once"


def test_regression(tmp_path, monkeypatch):
    """So does a run on numbers."""
    y = X @ [1.0, -2.0, 0.5]

    def made():
        return make_model("ogb-span", {"n_learners": 3}, 1)

    whole = evaluate(made(), stream(y))
    with monkeypatch.context() as patch:
        patch.setattr("shoal.evaluation.keeping.FolderKeeper.learned", after_five(Killed))
        with pytest.raises(Killed):
            evaluate(made(), stream(y), checkpoint=Keeping(tmp_path, every=0.0))
    assert numbers(evaluate(made(), stream(y), checkpoint=tmp_path, resume=True)) == numbers(whole)


def after_five(error):
    """Notes five chunks, and fails at the sixth."""
    from shoal.evaluation.keeping import FolderKeeper

    learned, n = FolderKeeper.learned, [0]

    def counted(self, chunk):
        n[0] += 1
        if n[0] > 5:
            raise error
        learned(self, chunk)

    return counted


def test_two_are_kept_and_damage_is_noticed(tmp_path, monkeypatch):
    """The last two checkpoints are kept; where the last is cut short, the run goes on from the one before."""
    whole = evaluate(fresh(), stream())
    killed_after(6, monkeypatch, tmp_path, fresh())
    files = sorted(tmp_path.glob("rows-*"))
    assert [path.name[:20] for path in files] == ["rows-000000000000100", "rows-000000000000120"]
    files[1].write_bytes(files[1].read_bytes()[:-100])
    (tmp_path / ".rows-000000000000140.checkpoint.7.tmp").write_bytes(b"half")
    assert numbers(evaluate(fresh(), stream(), checkpoint=tmp_path, resume=True)) == numbers(whole)
    assert not list(tmp_path.glob(".rows-*"))
    for path in tmp_path.glob("rows-*"):
        path.write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"no checkpoint in .* is sound"):
        evaluate(fresh(), stream(), checkpoint=tmp_path, resume=True)


def test_only_the_same_run(tmp_path, monkeypatch):
    """Another model, other data, other metrics and other rows are refused, and nothing is begun anew unasked."""
    killed_after(4, monkeypatch, tmp_path, fresh())
    with pytest.raises(InputError, match="resume"):
        evaluate(fresh(), stream(), checkpoint=tmp_path)
    other = make_model("bayes", {"n_learners": 4}, 1)
    with pytest.raises(InputError, match="another run: its made of"):
        evaluate(other, stream(), checkpoint=tmp_path, resume=True)
    with pytest.raises(InputError, match="measure"):
        evaluate(fresh(), stream(), metrics=["f1"], checkpoint=tmp_path, resume=True)
    with pytest.raises(InputError, match="not those that the checkpoint"):
        evaluate(fresh(), stream(1.0 - Y), checkpoint=tmp_path, resume=True)
    with pytest.raises(InputError, match="ends after 50 rows"):
        evaluate(fresh(), stream(Y[:50]), checkpoint=tmp_path, resume=True)
    evaluate(fresh(), stream(), checkpoint=Keeping(tmp_path / "s", run={"seed": 1}))
    with pytest.raises(InputError, match="seed was 1 and is now 2"):
        evaluate(fresh(), stream(), checkpoint=Keeping(tmp_path / "s", resume=True, run={"seed": 2}))
    with pytest.raises(InputError, match="folder"):
        evaluate(fresh(), stream(), resume=True)


def test_estimators(tmp_path, monkeypatch):
    """An estimator goes on too; one of outside models cannot be kept, and says so before it learns."""
    from sklearn.linear_model import SGDClassifier

    def made():
        return shoal.BayesianEnsembleClassifier(n_learners=3, random_state=0)

    whole = evaluate(made(), stream())
    killed_after(5, monkeypatch, tmp_path / "a", made())
    resumed = made()
    assert numbers(evaluate(resumed, stream(), checkpoint=tmp_path / "a", resume=True)) == numbers(whole)
    assert resumed.predict(X).shape == (230,)
    with pytest.raises(InputError, match="pickle"):
        evaluate(shoal.BayesianEnsembleClassifier([SGDClassifier()]), stream(), checkpoint=tmp_path / "b")


def test_compare(tmp_path, monkeypatch):
    """A comparison goes on with the trial it was in, and does none again that was done."""

    def run(**more):
        return shoal.compare({"bayes": lambda seed: fresh(seed)}, [stream()], trials=3, **more)

    whole = run()
    learn, n_rows = Model.answer_and_learn, [0]

    def counted(self, chunk):
        if n_rows[0] + len(chunk.labels) > 400:
            raise Killed
        n_rows[0] += len(chunk.labels)
        return learn(self, chunk)

    with monkeypatch.context() as patch:
        patch.setattr(Model, "answer_and_learn", counted)
        with pytest.raises(Killed):
            run(checkpoint=Keeping(tmp_path, every=0.0))
        n_rows[0] = 400 - 3 * 230 + n_rows[0]  # what is left to be learned, and no row more
        resumed = run(checkpoint=Keeping(tmp_path, every=0.0, resume=True))
    assert [numbers(t.result) for t in resumed.trials] == [numbers(t.result) for t in whole.trials]


def test_ctrl_c_waits_for_the_chunk(tmp_path, monkeypatch):
    """Ctrl-C while a chunk is learned ends the run behind it: model and numbers are of the same rows."""
    import signal

    learn = Model.answer_and_learn

    def interrupted(self, chunk):
        if self.n_seen == 60:
            signal.raise_signal(signal.SIGINT)
        return learn(self, chunk)

    whole, model = evaluate(fresh(), stream()), fresh()
    with monkeypatch.context() as patch:
        patch.setattr(Model, "answer_and_learn", interrupted)
        partial = evaluate(model, stream(), checkpoint=tmp_path)
    assert partial.interrupted
    assert partial.n == model.n_seen == 80
    assert numbers(evaluate(fresh(), stream(), checkpoint=tmp_path, resume=True)) == numbers(whole)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_metrics_named_by_default():
    """The metrics are those that a run without checkpoints has."""
    assert set(evaluate(fresh(), stream()).metrics) == set(DEFAULT_METRICS)
