"""The compiled parser of LIBSVM text: a block of whole lines into labels, indices and values.

A decimal whose digits and power of ten are both exact doubles is one correctly rounded operation away
from its value (Clinger 1990), which is the value that Python's float() gives. Any other token is only
located here, and converted by the caller.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.compiler import compiled, inlined
from shoal.types import Floats, Ints

TAB, NEWLINE, RETURN, SPACE, COMMENT, COLON = 9, 10, 13, 32, 35, 58
PLUS, MINUS, POINT, ZERO, CAPITAL_E, SMALL_E, LOWER_CASE = 43, 45, 46, 48, 69, 101, 32

LARGEST_EXACT = 2**53  # integers up to here are doubles
POWERS = 10.0 ** np.arange(23)  # up to 10**22 = 2**22 * 5**22, and 5**22 < 2**53, exact doubles all
DIGITS_KEPT = 10**17  # a mantissa below this can take one more digit in 64 bits
EXPONENT_CAP = 10**6  # far beyond any double, far below overflow
INDEX_CAP = 2**40  # likewise for indices, which are 32 bits wide

NOT_A_NUMBER, EXACT, INEXACT = 0, 1, 2  # what became of a token

OK, NO_INDEX, INDEX_ZERO, INDEX_REPEATED, INDEX_FALLS, INDEX_BEYOND, BAD_VALUE, INFINITE = range(8)


class Parsed(NamedTuple):
    """Where the parser writes; the arrays are as long as a block can need.

    label_kind: EXACT, INEXACT or NOT_A_NUMBER per row; spans: start and end of the label's text.
    slow: entry, start and end of every value that is left to the caller.
    """

    labels: Floats
    label_kind: NDArray[np.int8]
    spans: Ints
    lines: Ints
    indptr: Ints
    indices: NDArray[np.int32]
    values: Floats
    slow: Ints


def space_for(n_lines: int, n_colons: int) -> Parsed:
    """Room for a block with so many lines and colons."""
    return Parsed(
        np.empty(n_lines),
        np.empty(n_lines, dtype=np.int8),
        np.empty((n_lines, 2), dtype=np.int64),
        np.empty(n_lines, dtype=np.int64),
        np.zeros(n_lines + 1, dtype=np.int64),
        np.empty(n_colons, dtype=np.int32),
        np.empty(n_colons),
        np.empty((n_colons, 3), dtype=np.int64),
    )


@inlined
def ends_token(c: Any) -> bool:
    """Whether a character ends a token."""
    return c in (SPACE, NEWLINE, TAB, RETURN, COMMENT)


@inlined
def token_end(text: NDArray[np.uint8], at: int) -> int:
    """Where the token that holds position `at` ends."""
    while not ends_token(text[at]):
        at += 1
    return at


@inlined
def is_word(text: NDArray[np.uint8], at: int, word: Any) -> bool:
    """Whether the letters at `at`, in either case, are those of `word` (small letters, as numbers)."""
    for k in range(len(word)):  # noqa: SIM110 - numba compiles no generators
        if text[at + k] | LOWER_CASE != word[k]:
            return False
    return True


@inlined
def digit_at(text: NDArray[np.uint8], at: int) -> Any:
    """The character's distance from the digit 0, signed so that sums stay integers in compiled code."""
    return np.int64(text[at]) - ZERO


@inlined
def read_exponent(text: NDArray[np.uint8], at: int) -> tuple[int, int, bool]:
    """The exponent after an "e": its value, where it ends, and whether it has digits."""
    sign = 1
    if text[at] == MINUS or text[at] == PLUS:
        sign = -1 if text[at] == MINUS else 1
        at += 1
    start = at
    exponent = 0
    while 0 <= digit_at(text, at) <= 9:
        exponent = min(exponent * 10 + digit_at(text, at), EXPONENT_CAP)
        at += 1
    return sign * exponent, at, at > start


@inlined
def read_decimal(text: NDArray[np.uint8], at: int) -> tuple[int, float, int]:
    """The decimal at `at`: what it is, its value if exact, and where it ends."""
    negative = text[at] == MINUS
    if negative or text[at] == PLUS:
        at += 1
    mantissa, n_digits, scale, fraction, kept = 0, 0, 0, False, True
    while True:
        c = text[at]
        digit = digit_at(text, at)
        if 0 <= digit <= 9:
            n_digits += 1
            if mantissa < DIGITS_KEPT:
                mantissa = mantissa * 10 + digit
                scale -= 1 if fraction else 0
            else:
                kept = False
        elif c == POINT and not fraction:
            fraction = True
        else:
            break
        at += 1
    if n_digits == 0:
        return NOT_A_NUMBER, 0.0, at
    if c in (SMALL_E, CAPITAL_E):
        exponent, at, good = read_exponent(text, at + 1)
        if not good:
            return NOT_A_NUMBER, 0.0, at
        scale += exponent
    if not ends_token(text[at]):
        return NOT_A_NUMBER, 0.0, at
    if not kept or mantissa > LARGEST_EXACT or (mantissa != 0 and abs(scale) > 22):
        return INEXACT, 0.0, at
    value = float(mantissa)
    if mantissa != 0:
        value = value / POWERS[-scale] if scale < 0 else value * POWERS[scale]
    return EXACT, -value if negative else value, at


@inlined
def special_value(text: NDArray[np.uint8], at: int) -> tuple[int, float]:
    """The value of a token that is no decimal: NaN, infinite (a problem) or malformed."""
    end = token_end(text, at)
    if text[at] == MINUS or text[at] == PLUS:
        at += 1
    if end - at == 3 and is_word(text, at, (110, 97, 110)):  # nan
        return OK, np.nan
    if (end - at == 3 or end - at == 8) and is_word(text, at, (105, 110, 102)):  # inf, infinity
        return INFINITE, 0.0
    return BAD_VALUE, 0.0


@inlined
def read_index(text: NDArray[np.uint8], at: int, last: int) -> tuple[int, int, int]:
    """The feature's number before a colon (from 1): a problem or OK, the number, and where its value starts."""
    index, start = 0, at
    while 0 <= digit_at(text, at) <= 9:
        index = min(index * 10 + digit_at(text, at), INDEX_CAP)
        at += 1
    if at == start or text[at] != COLON:
        return NO_INDEX, 0, start
    if index == 0:
        return INDEX_ZERO, 0, start
    if index <= last:
        return (INDEX_REPEATED if index == last else INDEX_FALLS), 0, start
    return OK, index, at + 1


@inlined
def skip_blanks(text: NDArray[np.uint8], at: int) -> int:
    """Where the next token or the line's end is, past spaces and a comment."""
    while text[at] == SPACE or text[at] == TAB or text[at] == RETURN:
        at += 1
    if text[at] == COMMENT:
        while text[at] != NEWLINE:
            at += 1
    return at


@inlined
def starts_query(text: NDArray[np.uint8], at: int) -> bool:
    """Whether the token is qid:..., which ranking tools put first."""
    return text[at] == 113 and text[at + 1] == 105 and text[at + 2] == 100 and text[at + 3] == COLON


@inlined
def read_value(text: NDArray[np.uint8], at: int) -> tuple[int, bool, float, int]:
    """The value after a colon: a problem or OK, whether it is left to the caller, the value, and its end."""
    kind, value, end = read_decimal(text, at)
    if kind == EXACT:
        return OK, False, value, end
    if kind == INEXACT:
        return OK, True, 1.0, end  # anything but zero, until the caller knows better
    problem, value = special_value(text, at)
    return problem, False, value, token_end(text, at)


@compiled
def parse(
    text: NDArray[np.uint8], out: Parsed, first_line: int, largest: int, bare: bool
) -> tuple[int, int, int, int, int, int]:
    """Parse a block that ends with a newline. bare: a line may begin with its first feature, without a label.

    Returns the numbers of rows, of entries and of values left to the caller, then a problem (or OK), its
    position in the text and its line.
    """
    at, line, row, entry, n_slow = 0, first_line, 0, 0, 0
    while at < len(text):
        at = skip_blanks(text, at)
        if text[at] == NEWLINE:
            at += 1
            line += 1
            continue
        out.label_kind[row], out.labels[row], _ = read_decimal(text, at)
        out.lines[row], out.spans[row, 0] = line, at
        if not (bare and read_index(text, at, 0)[0] == OK):
            at = token_end(text, at)
        out.spans[row, 1] = at
        last = 0
        while True:
            at = skip_blanks(text, at)
            if text[at] == NEWLINE:
                break
            if starts_query(text, at):
                at = token_end(text, at)
                continue
            start = at
            problem, last, at = read_index(text, at, last)
            if problem != OK:
                return row, entry, n_slow, problem, start, line
            problem, slow, value, end = read_value(text, at)
            if value != 0.0 and last > largest and problem == OK:
                problem = INDEX_BEYOND
            if problem != OK:
                return row, entry, n_slow, problem, start, line
            if slow:
                out.slow[n_slow, 0], out.slow[n_slow, 1], out.slow[n_slow, 2] = entry, at, end
                n_slow += 1
            if value != 0.0:
                out.indices[entry], out.values[entry] = last - 1, value
                entry += 1
            at = end
        row += 1
        out.indptr[row] = entry
    return row, entry, n_slow, OK, 0, line


@compiled
def gather(text: NDArray[np.uint8], spans: Ints, offsets: NDArray[np.int32], out: NDArray[np.uint8]) -> None:
    """Copy the spans (start, end) of the text one after the other."""
    for k in range(len(spans)):
        for j in range(spans[k, 1] - spans[k, 0]):
            out[offsets[k] + j] = text[spans[k, 0] + j]
