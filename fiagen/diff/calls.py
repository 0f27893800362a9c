"""Calls whose verdict changes.

In: call files, the operators of both sides. Out: Changes. Must never stop at a call that one side cannot read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fiagen.check.verdict import check_call
from fiagen.diagnostics import DiagnosticError
from fiagen.diff.change import Change
from fiagen.load.calls import load_calls, read_call
from fiagen.load.yaml_loader import load_yaml
from fiagen.model.call import Call
from fiagen.model.catalogue import Catalogue


@dataclass(frozen=True)
class RawCall:
    raw: Any
    place: str


def raw_calls(file: str, catalogue: Catalogue) -> list[RawCall]:
    """The calls of a file as written; what is no call file at all is a DiagnosticError of the loader."""
    path = Path(file)
    try:
        if path.suffix in (".jsonl", ".json"):
            lines = path.read_text(encoding="utf-8").splitlines()
            found = [
                RawCall(json.loads(line), f"{file}:{number}") for number, line in enumerate(lines, 1) if line.strip()
            ]
        else:
            found = [RawCall(raw, f"{file}:{number}") for number, raw in enumerate(load_yaml(path).root.plain(), 1)]
    except (OSError, ValueError, TypeError):
        found = []
    if not found:
        load_calls(file, catalogue)  # says what is wrong with it
    return found


def _verdict(call: RawCall, catalogue: Catalogue) -> tuple[str, list[str]]:
    """(accept, reject or unreadable; the rules or message ids behind it)."""
    read, found = read_call(call.raw, catalogue, call.place)
    if read is None:
        return "unreadable", list(dict.fromkeys(d.rule for d in found))
    verdict = check_call(read, catalogue, opinions=False)
    return verdict.verdict, [d.rule for d in verdict.violations]


def compare_calls(calls: Sequence[RawCall], old: Catalogue, new: Catalogue) -> Iterator[Change]:
    """A Change for each call that the two sides judge differently, or refuse for other rules."""
    for number, call in enumerate(calls, 1):
        (before, why_before), (after, why_after) = _verdict(call, old), _verdict(call, new)
        if (before, why_before) != (after, why_after):
            raw = call.raw if isinstance(call.raw, dict) else {}
            yield Change(
                "call",
                "verdict" if before != after else "reasons",
                str(raw.get("id", f"call-{number}")),
                str(raw.get("op", "")),
                {"verdict": before, "rules": why_before},
                {"verdict": after, "rules": why_after},
                call.place,
            )


def starting_calls(folders: Sequence[Path], more: Sequence[RawCall], catalogues: Sequence[Catalogue]) -> list[Call]:
    """Calls of both spec folders and of the user's files that either side can read: where rules are asked from."""
    found: dict[str, Call] = {}
    for folder in folders:
        for file in sorted([*(folder / "calls").glob("*.jsonl"), *(folder / "calls").glob("*.yaml")]):
            try:
                more = [*more, *raw_calls(str(file), catalogues[-1])]
            except DiagnosticError:
                continue  # calls of another time; the rest will do
    for raw in more:
        read = next(filter(None, (read_call(raw.raw, catalogue, raw.place)[0] for catalogue in catalogues)), None)
        if read is not None:
            found.setdefault(f"{read.op} {sorted(read.args.items(), key=lambda item: item[0])}", read)
    return list(found.values())
