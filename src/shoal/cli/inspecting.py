"""`shoal inspect`: what a model file holds."""

from __future__ import annotations

from pathlib import Path

from shoal.cli.consoles import error_console
from shoal.cli.work import check_outputs, command_line, write_json
from shoal.inspection.facts import facts_of


def inspect_model(
    path: str, top: int, level: float, json_path: str | None, html_path: str | None, quiet: bool
) -> None:
    """Show it as tables, and write it as asked."""
    check_outputs(json_path, html_path)
    facts = facts_of(path, level)
    write_json([facts.to_dict()], json_path)
    console = error_console()
    if html_path:
        from shoal.inspection.pictures import facts_page

        Path(html_path).write_text(facts_page(facts, top, command_line()), encoding="utf-8")
    if not quiet:
        from shoal.inspection.pictures import facts_table, weights_table

        console.print(facts_table(facts))
        weights = weights_table(facts, top)
        if weights is not None:
            console.print(weights)
        if html_path:
            console.print(f"page: {Path(html_path).resolve()}", soft_wrap=True, markup=False)
