"""Turns a Tree into a model value and pydantic's complaints into Diagnostics.

In: a Tree and a model class. Out: a frozen model value, or a DiagnosticError with every finding at its line and column.
Must never accept a key the model does not have.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from fiagen.diagnostics import Diagnostic, DiagnosticError, in_order, suggestion
from fiagen.load.yaml_loader import Tree

Model = TypeVar("Model", bound=BaseModel)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)


def _known_keys(model: type[BaseModel], path: Sequence[str | int]) -> list[str]:
    """The keys a mapping at `path` inside `model` may have."""
    owners = [model]
    for step in path:
        below: list[type[BaseModel]] = []
        for owner in owners:
            if isinstance(step, str):
                for name, info in owner.model_fields.items():
                    if step in (name, info.alias):
                        below.extend(_models_in(info.annotation))
        owners = below or owners
    return sorted({info.alias or name for owner in owners for name, info in owner.model_fields.items()})


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def _diagnostic(error: Any, tree: Tree, model: type[BaseModel], source: str) -> Diagnostic:
    path, kind, message = tuple(error["loc"]), error["type"], error["msg"]
    where = ".".join(str(step) for step in path) or "the document"
    if kind == "extra_forbidden":
        known = _known_keys(model, path[:-1])
        return Diagnostic("spec.unknown_key", "error", f"key {str(path[-1])!r}", "one of: " + ", ".join(known),
                          "A key nobody reads is a mistake that would pass unnoticed.",
                          suggestion(str(path[-1]), known), source, tree.place(path, key=True))
    if kind == "missing":
        return Diagnostic(
            "spec.missing_key",
            "error",
            f"no key {str(path[-1])!r}",
            f"{where} is given",
            "The fact is needed and has no default.",
            f"Add {str(path[-1])!r}.",
            source,
            tree.place(path[:-1]),
        )
    if kind in ("string_pattern_mismatch", "value_error", "literal_error", "too_short", "string_too_short") or (
        kind.startswith(("greater_", "less_"))
    ):
        return Diagnostic("spec.wrong_value", "error", f"{where} = {_short(error['input'])}",
                          message.removeprefix("Value error, "), "The value is outside what this key may hold.",
                          "Use an allowed value.", source, tree.place(path))
    return Diagnostic("spec.wrong_type", "error", f"{where} = {_short(error['input'])}", message.removeprefix("Input "),
                      "Values are read strictly; text is never taken for a number or a boolean.",
                      "Write a value of the expected type.", source, tree.place(path))


def validate(tree: Tree, model: type[Model], source: str = "the spec file format") -> Model:
    """`tree` as a value of `model`; DiagnosticError with all findings when it does not fit."""
    try:
        return model.model_validate_json(json.dumps(tree.root.plain()))
    except ValidationError as error:
        found = {d.text(): d for d in (_diagnostic(e, tree, model, source) for e in error.errors())}
        raise DiagnosticError(in_order(found.values())) from None
