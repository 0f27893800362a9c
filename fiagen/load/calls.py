"""Reads call files: .jsonl with one call a line, .yaml with a list of calls.

In: a path and the catalogue. Out: Calls, or a DiagnosticError with every finding at its line. Must never judge
legality.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fiagen.diagnostics import Diagnostic, DiagnosticError
from fiagen.load.arguments import Finder, argument, read_tensor_spec
from fiagen.load.hardware import resolve_product
from fiagen.load.yaml_loader import Tree, parse_yaml, read_text
from fiagen.model.call import AUTHORITIES, EDITIONS, Call
from fiagen.model.catalogue import Catalogue
from fiagen.model.op import OpSpec
from fiagen.paths import shown

_KEYS = ("id", "op", "product", "args", "edition", "authority", "outputs", "expect")
_MAX_LINE = 8 << 20


def _choice(find: Finder, raw: Mapping[str, Any], key: str, known: tuple[str, ...], default: Any) -> Any:
    value = raw.get(key)
    if value is None:
        return default
    if value not in known:
        find.unknown(f"call.unknown_{key}", key, str(value), known, (key,))
    return value


def read_call(raw: Any, catalogue: Catalogue, place: str, number: int = 1,
              where: Callable[[tuple[str | int, ...]], str] | None = None) -> tuple[Call | None, list[Diagnostic]]:
    """One call from plain data, with all findings about it. `where` gives the place of a path inside `raw`."""
    find = Finder(where or (lambda path: place))
    if not isinstance(raw, dict):
        find.wrong_type((), "the call", raw, "an object with id, op, product and args")
        return None, find.found
    for key in ("op", "product", "args"):
        if raw.get(key) is None:
            find.add(
                "call.missing_key", (), f"no key {key!r}", "op, product and args", "A call needs them.", f"Add {key!r}."
            )
    if find.found:
        return None, find.found
    operator = catalogue.operators.get(raw["op"]) if isinstance(raw["op"], str) else None
    if operator is None:
        find.unknown("call.unknown_op", "operator", str(raw["op"]), tuple(catalogue.operators), ("op",))
    if not isinstance(raw["product"], str):
        find.wrong_type(("product",), "product", raw["product"], "text such as a2 or a3:9391")
    else:
        try:
            family, _ = resolve_product(raw["product"])
            if operator is not None and family not in operator.spec.products:
                find.unknown(
                    "call.unknown_product", f"product of {operator.name}", family, operator.spec.products, ("product",)
                )
        except DiagnosticError as error:
            find.adopt(error.diagnostics, ("product",))
    edition = _choice(find, raw, "edition", EDITIONS, "seed")
    authority = _choice(find, raw, "authority", AUTHORITIES, "document")
    expect = _choice(find, raw, "expect", ("accept", "reject"), None)
    identity = raw.get("id")
    if identity is None:
        identity = f"call-{number}"
    elif not isinstance(identity, (str, int)) or isinstance(identity, bool):
        find.wrong_type(("id",), "id", identity, "text")
    outputs = raw.get("outputs")
    if outputs is not None and not isinstance(outputs, dict):
        find.wrong_type(("outputs",), "outputs", outputs, "an object of tensors by name")
        outputs = None
    args: dict[str, Any] = {}
    if not isinstance(raw["args"], dict):
        find.wrong_type(("args",), "args", raw["args"], "an object of arguments by name")
    elif operator is not None:
        given, outputs = outputs_apart(raw["args"], outputs, operator.spec)
        args = argument_values(find, given, operator.parameters)
    expected = {name: read_tensor_spec(find, ("outputs", name), value) for name, value in (outputs or {}).items()}
    if find.found:
        return None, find.found
    return Call(
        id=str(identity),
        op=raw["op"],
        product=raw["product"],
        args=args,
        edition=edition,
        authority=authority,
        outputs=None if outputs is None else {k: v for k, v in expected.items() if v is not None},
        expect=expect,
        extra={k: v for k, v in raw.items() if k not in _KEYS},
        place=place,
    ), []


def outputs_apart(args: dict[str, Any], outputs: dict[str, Any] | None,
                  spec: OpSpec) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """(arguments, outputs): outputs that are arguments of the C entry may stand among either, also under their C name.
    """
    renamed = {output.fact: output.name for output in spec.outputs if output.fact}
    found = {renamed.get(name, name): value for name, value in (outputs or {}).items() if value is not None}
    moved = {renamed[name]: value for name, value in args.items() if name in renamed and value is not None}
    if outputs is None and not moved:
        return {name: value for name, value in args.items() if name not in renamed}, None
    return {name: value for name, value in args.items() if name not in renamed}, {**found, **moved}


def parameter_name(given: str, parameters: Mapping[str, Any]) -> str:
    """The parameter that `given` names, with or without the C interface's `Optional`; empty when there is none."""
    if given in parameters:
        return given
    bare = given.removesuffix("Optional")
    if bare in parameters or bare == given:
        return bare if bare in parameters else ""
    return {p.c_name.removesuffix("Optional"): p.name for p in parameters.values() if p.c_name}.get(bare, "")


def argument_values(find: Finder, raw: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments under their documented names: nulls dropped, the C interface's `Optional` suffix taken off."""
    values: dict[str, Any] = {}
    for given, value in raw.items():
        name = parameter_name(given, parameters)
        if not name:
            find.unknown("call.unknown_parameter", "parameter", given, tuple(parameters), ("args", given), key=True)
            continue
        if value is None:
            continue
        if name in values:
            find.add("call.repeated_parameter", ("args", given), f"{name} twice", "each parameter once",
                     "It would be unclear which value counts.", "Delete one.")
        read = argument(find, ("args", given), parameters[name], value)
        if read is not None:
            values[name] = read
    for parameter in parameters.values():
        if parameter.required and raw.get(parameter.name) is None and parameter.name not in values and not find.found:
            find.add("call.missing_parameter", ("args",), f"no {parameter.name}", f"{parameter.name} is passed",
                     "It has no default.", f"Pass {parameter.name}.")
    return values


class _Repeated(ValueError):
    pass


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise _Repeated(key)
        result[key] = value
    return result


def _refuse_constant(name: str) -> Any:
    if name == "NaN":
        return float("nan")
    return float("inf") if name == "Infinity" else float("-inf")


def _bad_json(place: str, given: str, why: str) -> Diagnostic:
    return Diagnostic("call.bad_json", "error", given, "one JSON object", why, "Repair the line.",
                      "the call file format", place)


def _jsonl(text: str, file: str, catalogue: Catalogue) -> tuple[list[Call], list[Diagnostic]]:
    calls: list[Call] = []
    found: list[Diagnostic] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        place = f"{file}:{number}"
        try:
            if len(line) > _MAX_LINE:
                raise ValueError(f"a line of {len(line)} characters")
            raw = json.loads(line, object_pairs_hook=_no_duplicates, parse_constant=_refuse_constant)
        except json.JSONDecodeError as error:
            found.append(_bad_json(f"{place}:{error.colno}", error.msg, "The line is not JSON."))
            continue
        except _Repeated as error:
            found.append(_bad_json(place, f"key {str(error)!r} twice", "One of the values would be lost silently."))
            continue
        except (ValueError, RecursionError) as error:
            found.append(_bad_json(place, str(error)[:80] or "nesting too deep", "The line cannot be read."))
            continue
        call, problems = read_call(raw, catalogue, place, number)
        found.extend(problems)
        if call is not None:
            calls.append(call)
    return calls, found


def _yaml(text: str, file: str, catalogue: Catalogue) -> tuple[list[Call], list[Diagnostic]]:
    tree: Tree = parse_yaml(text, file)
    raw = tree.root.plain()
    calls: list[Call] = []
    found: list[Diagnostic] = []
    if not isinstance(raw, list):
        return [], [
            Diagnostic(
                "call.not_a_list",
                "error",
                "a mapping" if isinstance(raw, dict) else "a scalar",
                "a list of calls",
                "A call file is a list.",
                "Begin each call with '- '.",
                "the call file format",
                tree.place(),
            )
        ]
    for index, item in enumerate(raw):
        def where(path: tuple[str | int, ...], index: int = index) -> str:
            return tree.place((index, *path))

        line = tree.place((index,)).rpartition(":")[0]
        call, problems = read_call(item, catalogue, line, index + 1, where)
        found.extend(problems)
        if call is not None:
            calls.append(call)
    return calls, found


def load_calls(path: str | Path, catalogue: Catalogue) -> tuple[Call, ...]:
    """The calls of a `.jsonl`, `.yaml` or `.yml` file, in order; DiagnosticError with the findings of all of them.

    Every call gets an id (`call-<number>` without one) and a place `file:line`. An id may not occur twice.
    """
    file = shown(path)
    suffix = Path(path).suffix.lower()
    if suffix not in (".jsonl", ".json", ".yaml", ".yml"):
        raise DiagnosticError(
            [
                Diagnostic(
                    "call.unreadable",
                    "error",
                    f"a {suffix or 'nameless'} file",
                    ".jsonl or .yaml",
                    "The ending tells the format.",
                    "Rename the file.",
                    "the call file format",
                    file,
                )
            ]
        )
    text = read_text(path, "call.unreadable")
    calls, found = (_yaml if suffix in (".yaml", ".yml") else _jsonl)(text, file, catalogue)
    seen: dict[str, str] = {}
    for call in calls:
        if call.id in seen:
            found.append(Diagnostic("call.repeated_id", "error", f"id {call.id!r}", "each id once",
                                    f"It stands at {seen[call.id]} already; results could not be told apart.",
                                    "Rename one.", "the call file format", call.place))
        seen.setdefault(call.id, call.place)
    if not calls and not found:
        found.append(Diagnostic("call.nothing", "error", "no calls", "at least one call", "Nothing would be looked at.",
                                "Write a call.", "the call file format", file))
    if found:
        raise DiagnosticError(found)
    return tuple(calls)
