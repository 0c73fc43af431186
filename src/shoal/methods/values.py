"""Values of settings, as typed in a shell or in the name of a learner."""

from __future__ import annotations

import ast
from typing import Any

WORDS = {"true": True, "false": False, "none": None}


def value_of(text: str) -> Any:
    """A number, a truth value, None or a tuple if the text reads as one; else the text itself."""
    text = text.strip()
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    return value if isinstance(value, int | float | tuple | list) else text
