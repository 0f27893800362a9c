"""Changes of operators: parameters, layouts, quantities, outputs, tolerances, conflicts, rules.

In: two spec folders. Out: Changes and the operators of both sides. Must never drop an operator that cannot be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fiagen.check.compiled import CompiledOperator
from fiagen.diagnostics import DiagnosticError
from fiagen.diff.change import Change
from fiagen.diff.rules import Side, compare_rules
from fiagen.load.catalogue import load_operator
from fiagen.model.base import Spec
from fiagen.model.call import Call
from fiagen.model.catalogue import Catalogue, Operator

_PLAIN = ("title", "family", "c_api", "since", "summary", "formula", "products", "host_of_edition")


@dataclass
class Operators:
    """The operators of one side, and those that cannot be read with why."""

    found: dict[str, Operator] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)

    def catalogue(self) -> Catalogue:
        return Catalogue(self.found)


def read_operators(specs: Path) -> Operators:
    """Every operator below `specs`, one by one: one that today's format does not fit must not hide the others."""
    operators = Operators()
    for file in sorted((specs / "ops").glob("*/*/op.yaml")):
        try:
            operator = load_operator(file.parent)
            operators.found[operator.name] = operator
        except DiagnosticError as error:
            first = error.diagnostics[0]
            operators.unreadable[file.parent.name] = f"{first.rule}: {first.given}"
    return operators


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json", exclude_defaults=True) if isinstance(value, Spec) else value


def _entries(kind: str, op: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    """Entries by name: came, went, or are others."""
    for name in dict.fromkeys((*old, *new)):
        one, two = _plain(old.get(name)), _plain(new.get(name))
        if one == two:
            continue
        if one is None or two is None:
            yield Change(kind, "added" if one is None else "removed", name, op, one, two)
        elif isinstance(one, dict) and isinstance(two, dict):
            keys = [key for key in dict.fromkeys((*one, *two)) if one.get(key) != two.get(key)]
            yield Change(kind, "changed", name, op, {k: one.get(k) for k in keys}, {k: two.get(k) for k in keys})
        else:
            yield Change(kind, "changed", name, op, one, two)


def _named(items: Sequence[Any], key: str = "name") -> dict[str, Any]:
    return {getattr(item, key): item for item in items}


def _compare(old: Operator, new: Operator, starts: Sequence[Call]) -> Iterator[Change]:
    op = new.name
    one, two = old.spec, new.spec
    for name in _PLAIN:
        if getattr(one, name) != getattr(two, name):
            yield Change("operator", "changed", name, op, getattr(one, name), getattr(two, name))
    yield from _entries("parameter", op, old.parameters, new.parameters)
    if [p for p in old.parameters if p in new.parameters] != [p for p in new.parameters if p in old.parameters]:
        yield Change("parameter", "changed", "order", op, list(old.parameters), list(new.parameters))
    yield from _entries("C argument", op, _named(one.c_parameters), _named(two.c_parameters))
    yield from _entries("output", op, _named(one.outputs), _named(two.outputs))
    yield from _entries("layout", op, old.layouts_by_name, new.layouts_by_name)
    yield from _entries("quantity", op, _named(old.derived), _named(new.derived))
    yield from _entries("tolerance", op, one.tolerances, two.tolerances)
    yield from _entries("conflict", op, _named(one.conflicts, "id"), _named(two.conflicts, "id"))
    yield from _entries("statement", op, *({str(n): text for n, text in enumerate(s.semantics, 1)} for s in (one, two)))
    before, after = _named(old.derived), _named(new.derived)
    moved = {name for name in before if name in after and before[name].expr != after[name].expr}
    yield from compare_rules(Side(CompiledOperator(old)), Side(CompiledOperator(new)), moved, starts)


def compare_operators(old: Operators, new: Operators, calls: Sequence[Call]) -> Iterator[Change]:
    """Operators in order of name; rules are asked about `calls` and their neighbours."""
    for side, operators in (("old", old), ("new", new)):
        for name, why in operators.unreadable.items():
            yield Change("operator", "unreadable", name, name, why=f"{side}: {why}")
    for name in sorted(set(old.found) | set(new.found)):
        if name in old.found and name in new.found:
            yield from _compare(old.found[name], new.found[name], [call for call in calls if call.op == name])
        elif name not in old.unreadable and name not in new.unreadable:
            operator = new.found.get(name) or old.found[name]
            told = f"{len(operator.parameters)} parameters, {len(operator.rules)} rules"
            yield Change("operator", "added" if name in new.found else "removed", name, name, why=told)
