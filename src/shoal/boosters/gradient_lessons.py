"""What learners are taught by gradient boosting; shared by the span, the hull, and no boosting at all.

"linear": the loss k * answer with k = slope / L, handed over as target -sign(k) and weight |k|.
"actual": the loss itself at offset + step * answer (specification C.6).
"""

from __future__ import annotations

import math

from shoal.boosters.regression_losses import AT_THE_END, LINEAR, NOT_SMOOTH, SEPARATE, RegressionLoss
from shoal.errors import InputError
from shoal.kernels.compiler import inlined
from shoal.rules.weighted_losses import check_choice
from shoal.settings import is_number
from shoal.types import Floats, Lesson, Task

FITS = ("linear", "actual")
PLACES = ("auto", "partial", "final")


def check_fit(loss: RegressionLoss, fit: str, gradient_at: str, scale: float, task: Task) -> None:
    """Refuse what has no meaning, or no theory."""
    loss.check()
    check_choice("fit", fit, FITS)
    check_choice("gradient_at", gradient_at, PLACES)
    if not (is_number(scale) and scale > 0.0):
        raise InputError(f"scale is {scale!r}; expected a finite number above 0.")
    if gradient_at == "partial" and loss.name in NOT_SMOOTH:
        raise InputError(f"the loss {loss.name!r} is not smooth: take its gradient at the final prediction.")
    if fit == "actual" and task.n_outputs > 1 and loss.name not in SEPARATE:
        raise InputError(
            f"fit is 'actual' with {task.n_outputs} targets and the loss {loss.name!r}, which is no sum over "
            f"targets; use fit='linear', or one of {', '.join(SEPARATE)}."
        )


def at_the_end(loss: RegressionLoss, gradient_at: str) -> bool:
    """Whether gradients are taken at the final prediction."""
    return gradient_at == "final" or (gradient_at == "auto" and loss.name in AT_THE_END)


@inlined
def teach_linear(lesson: Lesson, i: int, gradient: Floats, lipschitz: float) -> None:
    """The linear loss <gradient, answer> / lipschitz."""
    lesson.loss[0] = LINEAR
    for c in range(len(gradient)):
        k = gradient[c] / lipschitz
        lesson.target[i, c] = -math.copysign(1.0, k)
        lesson.weight[i, c] = abs(k)
        lesson.offset[i, c] = 0.0
        lesson.step[i, c] = 1.0


@inlined
def teach_actual(
    lesson: Lesson,
    i: int,
    kind: int,
    parameter: float,
    target: Floats,
    weight: float,
    before: Floats,
    kept: float,
    step: float,
) -> None:
    """The loss weight * l(target, kept * before + step * answer)."""
    lesson.loss[0] = kind
    lesson.loss[1] = parameter
    for c in range(len(target)):
        lesson.target[i, c] = target[c]
        lesson.weight[i, c] = weight
        lesson.offset[i, c] = kept * before[c]
        lesson.step[i, c] = step
