"""Every River class of shoal's passes all of River's own checks."""

from __future__ import annotations

from collections import Counter

import pytest
from river import base
from river.checks import yield_checks

import shoal
import shoal.river

OUTSIDE = 53  # checks of a classifier from outside River that takes many classes, and no mini-batches or seed
NAMES = [name for name in shoal.river.__all__ if name != "wrap"]


def model_of(name):
    """A small model, as River's checks would make it."""
    kind = getattr(shoal.river, name)
    return kind(**next(kind._unit_test_params()))


def cases():
    for name in NAMES:
        seen = Counter()
        for check in yield_checks(model_of(name)):
            seen[check.__name__] += 1
            label = f"{name}-{check.__name__.removeprefix('check_')}-{seen[check.__name__]}"
            yield pytest.param(name, check, id=label)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("name", "check"), list(cases()))
def test_river_check(name, check):
    """The check passes on a clone, as `river.checks.check_estimator` runs it, and none is asked to be skipped."""
    model = model_of(name)
    assert not model._unit_test_skips()
    check(model.clone())


class Plain(base.Classifier):
    """The least that River takes for a classifier of many classes."""

    _multiclass = True

    def learn_one(self, x, y):
        """Nothing."""


def test_no_check_is_missing():
    """A classifier faces all checks of a model from outside River, and those of mini-batches and seeds besides."""
    plain = Counter(check.__name__ for check in yield_checks(Plain()))
    assert plain.total() == OUTSIDE
    for name in NAMES:
        faced = Counter(check.__name__ for check in yield_checks(model_of(name)))
        if name.endswith("Classifier"):
            assert plain <= faced
            assert faced.total() == OUTSIDE + 4 * 3  # of four kinds, on three data sets each
        assert {"check_learn_many_matches_learn_one", "check_seeding_is_idempotent"} <= set(faced)
