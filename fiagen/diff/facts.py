"""Changes of facts outside the operators: hardware, AscendC calls, variants, dtypes, codes, messages, masks.

In: two spec folders. Out: a Change for each number or text, under its path in the file. Must never need the
models: facts of another time may not fit them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fiagen.diagnostics import DiagnosticError
from fiagen.diff.change import Change
from fiagen.load.yaml_loader import load_yaml

_KEYS = ("id", "name", "code", "value", "constant", "feature", "title", "pipe")
_KINDS = {"hardware": "hardware", "api": "api", "variants": "variants"}
_SKIPPED = ("ops", "calls")


def _kind(file: str) -> str:
    room, _, rest = file.partition("/")
    return _KINDS.get(room, room) if rest else room.removesuffix(".yaml")


def _name(file: str) -> str:
    """A file's name inside its room."""
    room, _, rest = file.partition("/")
    return (rest or room).removesuffix(".yaml")


def _flat(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """(path, value) of everything below; entries of a list are named by what they are called."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _flat(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        seen: dict[str, int] = {}
        for item in value:
            name = str(next((item[key] for key in _KEYS if key in item), ""))
            seen[name] = seen.get(name, 0) + 1
            yield from _flat(item, f"{path}[{name}]" if seen[name] == 1 else f"{path}[{name}#{seen[name]}]")
    else:
        yield path, value


def _files(specs: Path) -> set[str]:
    found = (path.relative_to(specs).as_posix() for path in specs.rglob("*.yaml"))
    return {name for name in found if name.partition("/")[0] not in _SKIPPED}


def _read(file: Path) -> dict[str, Any] | str:
    """The facts of a file by path, or why it cannot be read."""
    try:
        return dict(_flat(load_yaml(file).root.plain(), ""))
    except DiagnosticError as error:
        return f"{error.diagnostics[0].rule}: {error.diagnostics[0].given}"


def compare_facts(old: Path, new: Path) -> Iterator[Change]:
    """Changes in the order of files and of what stands in them; a whole file that came or went is one change."""
    before, after = _files(old), _files(new)
    for file in sorted(before | after):
        kind, stem = _kind(file), _name(file)
        if file not in before or file not in after:
            yield Change(kind, "added" if file in after else "removed", stem)
            continue
        one, two = _read(old / file), _read(new / file)
        if isinstance(one, str) or isinstance(two, str):
            for side, found in (("old", one), ("new", two)):
                if isinstance(found, str):
                    yield Change(kind, "unreadable", stem, why=f"{side}: {found}")
            continue
        for path in dict.fromkeys((*one, *two)):
            if one.get(path) != two.get(path):
                change = "added" if path not in one else "removed" if path not in two else "changed"
                yield Change(kind, change, f"{stem}: {path}", old=one.get(path), new=two.get(path))
