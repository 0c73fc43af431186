"""What banks of regressors share: the loss that a lesson describes, tables by input and column, inputs put right.

The answer a of a learner costs weight * l(target, offset + step * a) (`shoal.types.Lesson`); answers are cut
to [-1, 1], and where one lies at the end, a slope that pushes it further out is none.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.banks import arrays
from shoal.boosters.regression_losses import P_NORM, loss_at, slope_at
from shoal.kernels.compiler import inlined
from shoal.types import Floats, Lesson, Row


@inlined
def cut(answer: float) -> float:
    """To [-1, 1]."""
    return min(1.0, max(-1.0, answer))


@inlined
def cost_of(lesson: Lesson, i: int, c: int, answer: float) -> float:
    """What the answer of learner i to output c costs."""
    p = lesson.offset[i, c] + lesson.step[i, c] * answer
    return lesson.weight[i, c] * loss_at(int(lesson.loss[0]), lesson.loss[1], lesson.target[i, c], p)


@inlined
def slope_of(lesson: Lesson, i: int, c: int, answer: float) -> float:
    """Its slope in the answer, which is 0 where it points out of [-1, 1]."""
    p = lesson.offset[i, c] + lesson.step[i, c] * answer
    slope = slope_at(int(lesson.loss[0]), lesson.loss[1], lesson.target[i, c], p)
    slope *= lesson.weight[i, c] * lesson.step[i, c]
    if (answer >= 1.0 and slope < 0.0) or (answer <= -1.0 and slope > 0.0):
        return 0.0
    return slope


@inlined
def damping(lesson: Lesson, i: int, c: int, length: float) -> float:
    """By what factor a step is shortened that moves the answer by `length` times the slope.

    For the squared loss an infinity of small steps that add up to it never overshoots: with q the share of the
    way to the target, 1 - exp(-q) of it is gone (Karampatziakis and Langford 2011). 1 for other losses.
    """
    if lesson.loss[0] != P_NORM or lesson.loss[1] != 2.0:
        return 1.0
    q = 2.0 * lesson.weight[i, c] * lesson.step[i, c] ** 2 * length
    return -np.expm1(-q) / q if q > 1e-9 else 1.0


@inlined
def least_squares(lesson: Lesson, i: int, c: int, answer: float) -> tuple[float, float]:
    """(target, weight) for learners that fit numbers by least squares: what is left over of the squared loss; of
    another the sign against its slope at the learner's own answer, as heavy as the slope.
    """
    if lesson.loss[0] == P_NORM and lesson.loss[1] == 2.0:
        return (lesson.target[i, c] - lesson.offset[i, c]) / lesson.step[i, c], lesson.weight[i, c]
    slope = slope_of(lesson, i, c, answer)
    return -math.copysign(1.0, slope), abs(slope)


@inlined
def length_divided_by(row: Row) -> float:
    """What scaling divided the row by: the bias was 1. Linear functions of the row are linear before that."""
    if len(row.inputs) > 0 and row.input_indices[0] == 0:
        return 1.0 / row.inputs[0]
    return 1.0


def longer(table: Floats, capacity: int) -> Floats:
    """A table by input, with room for the inputs of so many features and the bias."""
    return arrays.longer(table, capacity + 1)
