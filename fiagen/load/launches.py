"""Reads launch descriptions of hand-written kernels.

In: a YAML file. Out: a KernelLaunch, or a DiagnosticError with every finding at its line. Must never guess a shape, a
type or a chip.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from fiagen.diagnostics import DiagnosticError
from fiagen.load.arguments import Finder, read_tensor
from fiagen.load.hardware import chip_names, load_dtypes, load_products, resolve_product
from fiagen.load.validate import validate
from fiagen.load.yaml_loader import load_yaml
from fiagen.model.launch import ROLES, KernelArgument, KernelLaunch, PointsSpec, StructField
from fiagen.paths import SPECS

_KEYS = ("entry", "blocks", "chip", "arguments")
_TENSOR = ("shape", "dtype", "values", "init")
_OF_ROLE = {"workspace": ("bytes",), "struct": ("fields",)}
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_STRUCT_TYPES = ("int8", "uint8", "int32", "int64", "uint32", "uint64", "uint16", "int16", "bool", "float32", "float64")
_MAX_BLOCKS, _MAX_BYTES = 65535, 1 << 36


def read_launch(path: str | Path) -> KernelLaunch:
    """The launch described in `path`. Keys: entry, blocks, chip (of specs/hardware, or a product such as a2:910B4) and
    arguments. DiagnosticError for anything else."""
    tree = load_yaml(path)
    find = Finder(tree.place)
    raw = tree.root.plain()
    if not isinstance(raw, dict):
        find.wrong_type((), "the launch", raw, "a mapping with entry, blocks, chip and arguments")
        raise DiagnosticError(find.found)
    for key in raw:
        if key not in _KEYS:
            find.unknown("launch.unknown_key", "key of a launch", str(key), _KEYS, (key,))
    for key in _KEYS:
        if raw.get(key) is None:
            find.add(
                "launch.missing_key",
                (),
                f"no key {key!r}",
                ", ".join(_KEYS),
                "A launch needs them all.",
                f"Add {key!r}.",
            )
    entry, blocks = raw.get("entry"), raw.get("blocks")
    if entry is not None and not (isinstance(entry, str) and _IDENTIFIER.match(entry)):
        find.wrong_type(("entry",), "entry", entry, "the name of the kernel function")
    if blocks is not None and not (_is_count(blocks) and blocks <= _MAX_BLOCKS):
        find.wrong_type(("blocks",), "blocks", blocks, f"an integer from 1 to {_MAX_BLOCKS}")
    chip = _chip(find, raw.get("chip"))
    arguments: list[KernelArgument] = []
    given = raw.get("arguments")
    if given is not None and not isinstance(given, list):
        find.wrong_type(("arguments",), "arguments", given, "a list, in the order of the kernel's parameters")
        given = None
    for index, item in enumerate(given or []):
        argument = _argument(find, ("arguments", index), item, index)
        if argument is not None and argument.name in {a.name for a in arguments}:
            find.add(
                "launch.two_of_a_name",
                ("arguments", index),
                f"a second argument {argument.name!r}",
                "names that differ",
                "Arrays of --inputs and --save go by name.",
                "Rename one.",
            )
        elif argument is not None:
            arguments.append(argument)
    if find.found:
        raise DiagnosticError(find.found)
    return KernelLaunch(str(entry), int(blocks or 0), chip, tuple(arguments), tree.place())


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _chip(find: Finder, value: Any) -> str:
    if value is None:
        return ""
    text = str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
    if text in chip_names():
        return text
    if text.partition(":")[0] in load_products():
        try:
            return resolve_product(text)[1]
        except DiagnosticError as error:
            find.adopt(error.diagnostics, ("chip",))
            return ""
    find.unknown("launch.unknown_chip", "chip", str(value), [*chip_names(), *load_products()], ("chip",))
    return ""


def _argument(find: Finder, path: tuple[str | int, ...], raw: Any, index: int) -> KernelArgument | None:
    if not isinstance(raw, dict):
        find.wrong_type(path, f"argument {index + 1}", raw, "a mapping with name, role and what the role needs")
        return None
    before = len(find.found)
    role: Any = raw.get("role", "in")
    name: Any = raw.get("name")
    if not (isinstance(name, str) and _IDENTIFIER.match(name)):
        find.wrong_type(path, "name", name, "an identifier")
    if role not in ROLES:
        find.unknown("launch.unknown_role", "role", str(role), ROLES, (*path, "role"))
        return None
    allowed = ("name", "role", *_OF_ROLE.get(role, _TENSOR))
    for key in raw:
        if key not in allowed:
            find.unknown("launch.unknown_key", f"key of an argument with role {role}", str(key), allowed, (*path, key))
    if len(find.found) > before:
        return None
    if role == "workspace":
        size: Any = raw.get("bytes")
        if not (_is_count(size) and size <= _MAX_BYTES):
            find.wrong_type((*path, "bytes"), f"{name}.bytes", size, f"an integer from 1 to {_MAX_BYTES}")
            return None
        return KernelArgument(name, role, bytes=size)
    if role == "struct":
        fields = raw.get("fields")
        if not isinstance(fields, list) or not fields:
            find.wrong_type((*path, "fields"), f"{name}.fields", fields, "a list of {name, dtype, value}")
            return None
        read = [_field(find, (*path, "fields", i), field) for i, field in enumerate(fields)]
        return KernelArgument(name, role, fields=tuple(f for f in read if f is not None))
    tensor = read_tensor(find, (*path[:-1], name), {key: value for key, value in raw.items() if key in _TENSOR})
    return None if tensor is None else KernelArgument(name, role, tensor)


def _field(find: Finder, path: tuple[str | int, ...], raw: Any) -> StructField | None:
    known = ("name", "dtype", "value")
    if not isinstance(raw, dict) or set(raw) != set(known):
        find.wrong_type(path, "a field", raw, "a mapping with name, dtype and value")
        return None
    name, dtype, value = (raw[key] for key in known)
    if dtype not in _STRUCT_TYPES or (dtype not in load_dtypes() and dtype not in ("uint32", "uint16", "int16")):
        find.unknown("launch.unknown_dtype", "type of a struct field", str(dtype), _STRUCT_TYPES, (*path, "dtype"))
        return None
    values = tuple(value) if isinstance(value, list) else (value,)
    numbers = (int, float) if dtype.startswith("float") else bool if dtype == "bool" else int
    if not values or not all(isinstance(v, numbers) and (dtype == "bool" or not isinstance(v, bool)) for v in values):
        find.wrong_type((*path, "value"), f"{name}", value, f"a value of {dtype}, or a list of them")
        return None
    if not dtype.startswith(("float", "bool")):
        bits, signed = int(dtype.lstrip("uint")), not dtype.startswith("u")
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        if not all(low <= v <= high for v in values):
            find.wrong_type((*path, "value"), f"{name}", value, f"{low} to {high}, what {dtype} holds")
            return None
    return StructField(str(name), dtype, values)


def load_points(path: Path = SPECS / "kernels" / "points.yaml") -> PointsSpec:
    """The measured times to calibrate against."""
    return validate(load_yaml(path), PointsSpec)


def kernel_folder(name: str) -> Path:
    """The folder of a hand-written kernel of the project: kernel.cpp and launch.yaml."""
    return SPECS / "kernels" / name
