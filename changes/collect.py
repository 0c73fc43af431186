"""Writes the section of this version in CHANGELOG.md anew, from the fragments beside this file: `make changelog`.

A fragment is one file for one change, a sentence or two for users. The sections of earlier versions stay as they
are: when a version is out, its fragments are deleted and the number in pyproject.toml is raised.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

HEAD = "# Changes\n\nWhat users notice, the newest version first. Versions are numbered as semver.org has it.\n"
SECTION = re.compile(r"^## ", flags=re.MULTILINE)


def entry(text: str) -> str:
    """A fragment as an item of a list; one that is a list already stays one."""
    lines = text.strip().splitlines()
    if lines[0].startswith("- "):
        return "\n".join(lines)
    return "- " + "\n  ".join(line.strip() for line in lines)


def section(version: str, fragments: list[Path]) -> str:
    """What changed in a version, in the order of the fragments' names."""
    entries = (entry(path.read_text(encoding="utf-8")) for path in sorted(fragments))
    return f"## {version}\n\n" + "\n".join(entries) + "\n"


def collected(before: str, version: str, fragments: list[Path]) -> str:
    """The changelog with the version's section in its place: first, above those of earlier versions."""
    earlier = [f"## {old}" for old in SECTION.split(before)[1:] if old.splitlines()[0].strip() != version]
    parts = [HEAD, section(version, fragments), *earlier]
    return "\n".join(part.strip() + "\n" for part in parts)


def main(root: Path) -> None:
    """Write CHANGELOG.md of the project in a folder."""
    version = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    log = root / "CHANGELOG.md"
    before = log.read_text(encoding="utf-8") if log.exists() else ""
    log.write_text(collected(before, version, list((root / "changes").glob("*.md"))), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1])
