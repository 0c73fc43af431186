"""Files of the first format are read by every later version, and answer as they did."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.files.whole_list import NUMBERS, X
from tests.golden.make_models import FOLDER, answers

import shoal

FILES = sorted(path.stem for path in FOLDER.glob("*.shoal") if path.stem != "dicts")


@pytest.mark.parametrize("name", FILES)
def test_golden(name, tmp_path):
    """A golden file is read, answers as it did when it was written, and can be taught and kept again."""
    model = shoal.load(FOLDER / f"{name}.shoal")
    expected = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert np.allclose(answers(model), expected, rtol=1e-9, atol=1e-12)
    if hasattr(model, "predict_hold"):
        y = NUMBERS if name in ("span", "hull") else np.resize(model.classes_, len(X))
        held = next(iter(model.model_.pending.held))
        model.partial_fit(X[80:90], y[80:90]).learn_label(held, y[80])
    model.save(tmp_path / "again.shoal")
    assert answers(shoal.load(tmp_path / "again.shoal")) == answers(model)


def test_golden_dicts():
    """So is one that was taught with dicts."""
    model = shoal.load(FOLDER / "dicts.shoal")
    expected = json.loads((FOLDER / "dicts.json").read_text(encoding="utf-8"))
    found = model.predict_proba_one({"size": 0.5, "colour": "red"})
    assert found == pytest.approx(expected, rel=1e-9)


def test_there_are_golden_files():
    """They are there, and small."""
    sizes = [path.stat().st_size for path in FOLDER.iterdir()]
    assert len(FILES) >= 14
    assert sum(sizes) < 600_000
