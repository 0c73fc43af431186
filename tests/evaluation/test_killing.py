"""Real processes, really killed."""

from __future__ import annotations

import os

import pytest
from tests.evaluation.killing import kill_and_resume

RUN = ["evaluate", "sea:n=20000,seed=1", "-m", "bayes", "-n", "10"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are made by fork, which this system has not")
def test_killed_at_random_moments(tmp_path):
    """Runs that were killed (kill -9) and gone on with end in the model and the numbers of one never stopped."""
    found = kill_and_resume(RUN, 5, tmp_path, seed=0)
    assert found["kills"] == 5
    assert found["the same to the last bit"] == found["runs ended"] >= 1
