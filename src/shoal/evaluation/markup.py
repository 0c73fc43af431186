"""HTML and SVG written so that what is not markup is always escaped."""

from __future__ import annotations

from html import escape


class Markup(str):
    """Text that is markup already; every other string is escaped when it is put into a tag."""

    __slots__ = ()


def tag(name: str, *children: object, **attributes: object) -> Markup:
    """An element. Attribute names: `class_` is class, `_` stands for `-`; those that are None are left out."""
    parts = [
        f' {key.rstrip("_").replace("_", "-")}="{escape(_text(value))}"'
        for key, value in attributes.items()
        if value is not None
    ]
    opening = f"<{name}{''.join(parts)}"
    if name in {"br", "meta"}:
        return Markup(f"{opening}>")
    return Markup(f"{opening}>{join(*children)}</{name}>")


def join(*children: object) -> Markup:
    """Several pieces, one after another; None is nothing."""
    return Markup(
        "".join(
            child if isinstance(child, Markup) else escape(_text(child)) for child in children if child is not None
        )
    )


def _text(value: object) -> str:
    """Coordinates need no more than a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
