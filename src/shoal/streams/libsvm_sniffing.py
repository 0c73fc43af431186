"""Whether some text is LIBSVM or CSV, told from its first line that has more than a label."""

from __future__ import annotations


def looks_like_libsvm(head: bytes) -> bool:
    """Whether the first line with more than a label reads as LIBSVM text."""
    for line in head.decode(errors="replace").splitlines():
        tokens = line.split("#", 1)[0].split()
        if len(tokens) == 1 and _is_pair(tokens[0]):
            return True
        if len(tokens) > 1:
            return all(_is_pair(token) for token in tokens[1:])
        if tokens and not _is_number(tokens[0]):
            return False
    return False


def _is_pair(token: str) -> bool:
    index, colon, value = token.partition(":")
    return bool(colon) and (index == "qid" or (index.isdigit() and _is_number(value)))


def _is_number(token: str) -> bool:
    try:
        float(token)
    except ValueError:
        return False
    return True
