"""What is installed: everything that is needed, nothing that is not."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import shoal

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BUILD = "import sys; to = sys.argv[1]; from setuptools.build_meta import *; build_wheel(to); build_sdist(to)"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of wheel and source archive, built by what is installed, from a copy of what git keeps of it."""
    pytest.importorskip("setuptools", minversion="77", reason="the licence is named as setuptools 77 reads it")
    folder = tmp_path_factory.mktemp("packaging")
    tree = folder / "tree"
    tree.mkdir()
    for name in (
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "constraints.txt",
        "MANIFEST.in",
    ):
        shutil.copy(ROOT / name, tree / name)
    for name in ("src", "tests"):
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "corpus", "models", "data")
        shutil.copytree(ROOT / name, tree / name, ignore=ignored)
    subprocess.run([sys.executable, "-c", BUILD, str(folder)], cwd=tree, check=True, capture_output=True)
    return folder


def test_the_wheel_holds_the_whole_package(built: Path) -> None:
    """Every file of the package is in the wheel, with the licence, and none but these: no tests, no data sets."""
    (wheel,) = built.glob("*.whl")
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    package = ROOT / "src" / "shoal"
    files = {p.relative_to(ROOT / "src").as_posix() for p in package.rglob("*") if p.is_file()}
    assert inside == {name for name in files if "__pycache__" not in name}
    assert "shoal/py.typed" in inside
    assert any(name.endswith("licenses/LICENSE") for name in zipfile.ZipFile(wheel).namelist())


def test_the_wheel_says_what_it_is(built: Path) -> None:
    """Its metadata name version, licence, the Pythons that are supported, and the command."""
    (wheel,) = built.glob("*.whl")
    archive = zipfile.ZipFile(wheel)
    (metadata,) = (archive.read(n).decode() for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
    for line in (f"Version: {shoal.__version__}", "License-Expression: BSD-3-Clause", "Requires-Python: >=3.11"):
        assert line in metadata
    (commands,) = (archive.read(n).decode() for n in archive.namelist() if n.endswith("entry_points.txt"))
    assert "shoal = shoal.cli.main:main" in commands


def test_the_source_archive_can_be_built_and_read(built: Path) -> None:
    """It holds the sources, the licence and the changelog, and no tests."""
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        inside = {name.partition("/")[2] for name in opened.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "src/shoal/py.typed"} <= inside
    assert not any(name.startswith("tests") for name in inside)


def test_versions_agree() -> None:
    """The package, its metadata and the changelog name one version; the Pythons stated begin with the least."""
    assert PROJECT["version"] == shoal.__version__
    assert f"## {shoal.__version__}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    least = PROJECT["requires-python"].removeprefix(">=")
    stated = [
        c.rpartition(" ")[2]
        for c in PROJECT["classifiers"]
        if c.startswith("Programming Language :: Python :: 3.")
    ]
    assert stated[0] == least


def test_the_changelog_is_made_of_the_fragments(tmp_path: Path) -> None:
    """`make changelog` writes this version's section anew and leaves earlier ones."""
    (tmp_path / "changes").mkdir()
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "0.3.0"\n')
    (tmp_path / "changes" / "b.md").write_text("One thing,\nin two lines.\n")
    (tmp_path / "changes" / "a.md").write_text("- Two\n- things.\n")
    earlier = "## 0.2.0\n\n- Was there.\n"
    (tmp_path / "CHANGELOG.md").write_text(f"# Changes\n\nWords.\n\n## 0.3.0\n\n- Replaced.\n\n{earlier}")
    for _ in range(2):
        subprocess.run([sys.executable, str(ROOT / "changes" / "collect.py"), str(tmp_path)], check=True)
        log = (tmp_path / "CHANGELOG.md").read_text()
        assert log.endswith(f"## 0.3.0\n\n- Two\n- things.\n- One thing,\n  in two lines.\n\n{earlier}")
