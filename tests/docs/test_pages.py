"""The documentation's pages: their code runs, what they name exists."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

import shoal

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(p for p in DOCS.rglob("*.md"))
NAMES = [str(p.relative_to(DOCS)) for p in PAGES]


def extension(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / "extensions" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


run_examples = extension("run_examples")


@pytest.mark.parametrize("page", [p for p in PAGES if run_examples.blocks_of(p)], ids=str)
def test_the_code_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    """A reader can type a page's Python from top to bottom, and it draws the pictures that the page shows."""
    run_examples.run_page(page, tmp_path)
    for picture in run_examples.pictures_of(page):
        assert (tmp_path / picture).read_text(encoding="utf-8").startswith("<svg")


def test_the_tutorials_learner_keeps_the_promises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The learner that the tutorial builds passes the checks that it speaks of."""
    names = run_examples.run_page(DOCS / "tutorials" / "extend.md", tmp_path)
    module = ModuleType(names["__name__"])
    vars(module).update(names)
    monkeypatch.setitem(sys.modules, module.__name__, module)  # where pickle looks for its classes
    shoal.testing.check_bank(names["AboveTheMean"](3), classes=(2, 3))


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_what_a_page_names_is_there(page: Path) -> None:
    """Commands, modules, tests and classes that pages speak of exist."""
    from shoal.cli.main import app

    text = page.read_text(encoding="utf-8")
    for command in re.findall(
        r"^shoal ([a-z]+)", "\n".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)), re.M
    ):
        assert CliRunner().invoke(app, [command, "--help"]).exit_code == 0, command
    for name in re.findall(r"^\.\. auto(?:class|function):: (\S+)", text, re.M):
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name
    for name in re.findall(r"`(shoal(?:\.\w+)+)`", text):
        assert resolves(name), name
    for path in re.findall(r"`((?:tests|experiments|benchmarks|src)/[\w/.]+)`", text):
        assert (ROOT / path).exists(), path


def resolves(name: str) -> bool:
    """Whether a dotted name is a module, or something within one."""
    parts = name.split(".")
    for k in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:k]))
        except ModuleNotFoundError:
            continue
        for part in parts[k:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


def test_every_public_estimator_is_in_the_reference() -> None:
    """What `import shoal` offers is documented."""
    text = "".join(p.read_text(encoding="utf-8") for p in (DOCS / "reference").glob("*.md"))
    for name in shoal.__all__:
        if name[0].isupper() and not name.endswith("Error"):
            assert f"shoal.{name}" in text, name
