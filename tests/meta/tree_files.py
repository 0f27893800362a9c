"""The files of the tree as the meta tests see them.

In: the tree. Out: paths and parsed modules. Must never look into what tools leave behind.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEFT_BEHIND = {
    ".git", ".venv", "__pycache__", ".pytest_cache", ".ruff_cache", ".mypy_cache", ".hypothesis", "build", "dist",
}  # fmt: skip
TEXT = {
    "", ".py", ".yaml", ".yml", ".jinja", ".cpp", ".h", ".md", ".json", ".jsonl", ".errors", ".toml", ".txt", ".css",
    ".js", ".svg",
}  # fmt: skip
BROKEN_ON_PURPOSE = ("tests/bad/specs/", "tests/bad/calls/")


def files(*rooms: str) -> list[Path]:
    """Every file below the rooms (the whole tree without any), sorted."""
    return sorted(path for room in rooms or (".",) for path in _walk(ROOT / room))


def _walk(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name in LEFT_BEHIND or path.name.endswith((".egg-info", ".pyc")):
            continue
        if path.is_dir():
            yield from _walk(path)
        else:
            yield path


def python_files(*rooms: str) -> list[Path]:
    found = [path for path in files(*rooms) if path.suffix == ".py"]
    assert found
    return found


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
