"""Formulas as MathML, which browsers draw by themselves: pages ask nothing of any other site."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def inline(self: Any, node: nodes.math) -> None:
    """A formula in a line of text."""
    self.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block(self: Any, node: nodes.math_block) -> None:
    """A formula of its own."""
    self.body.append(convert(node.astext(), display="block"))
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
