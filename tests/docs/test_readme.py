"""The README's Python runs as it stands, and its shell commands exist."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_python_examples_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A newcomer can type the README's Python from top to bottom."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), names)
    assert Path("curve.html").read_text().startswith("<!")


def test_every_command_named_has_help() -> None:
    """Each `shoal` command in the README is one that the command line has."""
    from shoal.cli.main import app

    named = set(re.findall(r"^(?:.*\| )?shoal ([a-z]+)", "\n".join(blocks("sh")), flags=re.MULTILINE))
    assert named
    for command in named:
        assert CliRunner().invoke(app, [command, "--help"]).exit_code == 0, command


def test_every_folder_named_is_there() -> None:
    """The README's map shows only what exists."""
    for place in re.findall(r"^\| `([^`|]+)`.*\|$", README, flags=re.MULTILINE):
        if "/" in place:
            assert (ROOT / place).exists(), place
