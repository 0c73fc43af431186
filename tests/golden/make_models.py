"""Write the golden model files again: `python -m tests.golden.make_models`.

They are of the first format, and every later version must read them: files that are there are left alone.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from tests.files.whole_list import BATCH, CLASSIFIERS, NUMBERS, REGRESSORS, THREE, TWO, X

FOLDER = Path(__file__).parent / "models"
KEPT = {
    "voting": "trees", "bayes": "bayes", "bayes, all at once": "mixed", "sag": "sag", "ozaboost": "ozaboost",
    "ogboost": "ogboost", "feature boost": "feature-boost", "osboost bayes": "additive", "geem": "geem",
    "composed of parts": "composed", "span": "span", "hull": "hull", "madaboost": "madaboost",
    "gradient boosting": "gradient-boosting",
}  # fmt: skip
ASKED = 20


def answers(model) -> list:
    """What a model says of the first rows."""
    ask = model.predict_proba if hasattr(model, "predict_proba") else model.predict
    return ask(X[:ASKED]).tolist()


def main() -> None:
    """Teach each model, keep it and its answers."""
    FOLDER.mkdir(exist_ok=True)
    for name, file in KEPT.items():
        path = FOLDER / f"{file}.shoal"
        if path.exists():
            continue
        made = (CLASSIFIERS | REGRESSORS | BATCH)[name]()
        y = NUMBERS if name in REGRESSORS or name == "gradient boosting" else (TWO if "once" in name else THREE)
        model = made.fit(X[:80], y[:80])
        if hasattr(model, "predict_hold"):
            model.predict_hold(X[80:82])
        model.save(path)
        path.with_suffix(".json").write_text(json.dumps(answers(model)) + "\n", encoding="utf-8")
        print(f"{path.name}: {path.stat().st_size:,} bytes")
    dicts = CLASSIFIERS["bayes"]()
    path = FOLDER / "dicts.shoal"
    if not path.exists():
        for x, y in zip(X[:40], THREE[:40], strict=True):
            dicts.learn_one({"size": x[0], "weight": x[1], "colour": ["red", "blue"][int(x[2] > 0)]}, str(y))
        dicts.save(path)
        row = {"size": 0.5, "colour": "red"}
        path.with_suffix(".json").write_text(json.dumps(dicts.predict_proba_one(row)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    np.seterr(over="ignore")
    main()
