"""The booster's own combination."""

import numpy as np

from shoal.kernels.verbs import rule_combine
from shoal.rules.last import Last
from shoal.types import Task


def test_answers_with_the_last_prefix():
    """The score is the last prefix answer as it is, whatever the votes."""
    state = Last().init(3, Task("classification", 3), 0)
    parts, out = np.arange(9.0).reshape(3, 3), np.zeros(3)
    rule_combine(state, -parts, parts, np.zeros(3, dtype=bool), out)
    assert out.tolist() == [6.0, 7.0, 8.0]
    assert Last().weights(state).tolist() == [1.0, 1.0, 1.0]
