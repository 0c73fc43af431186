"""What may be compared, and on what."""

from __future__ import annotations

import numpy as np
import pytest
from tests.evaluation.fakes import MajorityModel

import shoal
from shoal.errors import InputError
from shoal.evaluation.contestants import as_maker, as_source


def test_an_estimator_is_copied_for_each_trial() -> None:
    """Every trial has a fresh copy with the trial's seed; the estimator itself learns nothing."""
    given = shoal.VotingEnsembleClassifier(n_learners=3, random_state=7)
    found = shoal.compare({"voting": given}, ["sea:n=50"], trials=2)
    seeds = {trial.result.params["random_state"] for trial in found.trials}
    assert len(seeds) == 2
    assert not hasattr(given, "model_")


def test_a_name_stands_for_a_method() -> None:
    """Methods may be named as on the command line; an unknown name is refused before anything runs."""
    found = shoal.compare({"heads": "voting"}, ["sea:n=50"], trials=1)
    assert [(trial.method, trial.result.n) for trial in found.trials] == [("heads", 50)]
    with pytest.raises(InputError, match="expected one of"):
        as_maker("no-such-method")
    with pytest.raises(InputError, match="cannot compare a int"):
        as_maker(3)


def test_rows_in_memory_are_shuffled_and_streams_keep_their_order() -> None:
    """Arrays come in another order in each trial; a drifting stream does not."""
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    held = as_source((X, y))
    first, second = (np.concatenate([chunk.labels for chunk in held.chunks(seed)]) for seed in (1, 2))
    assert not np.array_equal(first, second)
    assert np.array_equal(np.sort(first), np.sort(second))
    stream = shoal.datasets.synthetic("sea", 100, seed=3)
    source = as_source(stream)
    assert source.ordered
    assert sum(chunk.rows.n_rows for chunk in source.chunks(1)) == 100


def test_a_source_of_ones_own_is_taken_as_it_is() -> None:
    """What has a name, an order and chunks needs no help; functions make models."""
    source = as_source("sea:n=10")
    assert as_source(source) is source
    make = MajorityModel
    assert as_maker(make) is make
