"""Runs the Python of a page, block after block, in a folder of its own; what it draws is what the page shows.

The tests run every page through `run_page`; the build does so for pages that show pictures under `made/`.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

BLOCK = re.compile(r"^```python\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)
PICTURE = re.compile(r"\(/made/([\w.-]+)\)")


def blocks_of(page: Path) -> list[str]:
    """The Python on a page."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def pictures_of(page: Path) -> list[str]:
    """The pictures that a page shows and its code makes."""
    return PICTURE.findall(page.read_text(encoding="utf-8"))


def run_page(page: Path, folder: Path) -> dict[str, Any]:
    """Run a page from top to bottom in a folder; the names that it leaves."""
    module = ModuleType("a_page_of_the_documentation")  # dataclasses look their module up by its name
    sys.modules[module.__name__] = module
    before = Path.cwd()
    os.chdir(folder)
    try:
        for number, block in enumerate(blocks_of(page), start=1):
            file = folder / f"block_{number}.py"  # code that is compiled must lie in a file, to be kept on disk
            file.write_text(block, encoding="utf-8")
            exec(compile(block, str(file), "exec"), vars(module))
    finally:
        os.chdir(before)
        del sys.modules[module.__name__]
    return vars(module)


def make_pictures(app: Any) -> None:
    """Draw what pages show, those pages only that are newer than their pictures."""
    source = Path(app.srcdir)
    made = source / "made"
    made.mkdir(exist_ok=True)
    for page in sorted(source.rglob("*.md")):
        wanted = [made / name for name in pictures_of(page)]
        if all(path.exists() and path.stat().st_mtime > page.stat().st_mtime for path in wanted):
            continue
        with tempfile.TemporaryDirectory() as folder:
            run_page(page, Path(folder))
            for path in wanted:
                shutil.copy(Path(folder) / path.name, path)


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx."""
    app.connect("builder-inited", make_pictures)
    return {"parallel_read_safe": True}
