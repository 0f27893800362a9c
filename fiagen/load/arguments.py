"""Plain data of one argument -> TensorArg, tuple or scalar.

In: values of a call file and the parameter they are for. Out: typed values, and findings. Must never guess a type.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from fiagen.diagnostics import Diagnostic, suggestion
from fiagen.load.hardware import load_dtypes
from fiagen.model.call import DISTRIBUTIONS, InitSpec, TensorArg, TensorSpec
from fiagen.model.op import Parameter

_SOURCE = "the call file format"
_FORMATS = ("ND", "NCHW", "NHWC", "NCDHW", "FRACTAL_NZ")
_MAX_RANK, _MAX_AXIS, _MAX_NUMEL = 8, 2**40, 2**48
_INT64 = range(-(2**63), 2**63)
_INT32 = range(-(2**31), 2**31)
_TENSOR_KEYS = ("shape", "dtype", "format", "strides", "values", "init")
Path = tuple[str | int, ...]


def _brief(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


class Finder:
    """Collects findings; `where` turns a path inside the call into a place."""

    def __init__(self, where: Callable[[Path], str]) -> None:
        self.where = where
        self.found: list[Diagnostic] = []

    def add(self, rule: str, path: Path, given: str, allowed: str, why: str, fix: str) -> None:
        self.found.append(Diagnostic(rule, "error", given, allowed, why, fix, _SOURCE, self.where(path)))

    def adopt(self, diagnostics: Collection[Diagnostic], path: Path) -> None:
        for d in diagnostics:
            self.found.append(
                Diagnostic(d.rule, d.severity, d.given, d.allowed, d.why, d.fix, d.source, self.where(path))
            )

    def wrong_type(self, path: Path, name: str, value: Any, allowed: str) -> None:
        self.add("call.wrong_type", path, f"{name} = {_brief(value)}", allowed,
                 "Values are read strictly; text is never taken for a number.", "Write a value of the expected type.")

    def unknown(
        self, rule: str, what: str, name: str, known: Collection[str], path: Path, *, key: bool = False
    ) -> None:
        self.add(rule, path, f"{what} {name[:80]!r}", f"a known {what}", "Nothing of that name exists.",
                 suggestion(name[:80], known))


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value in _INT64


def _sizes(find: Finder, path: Path, name: str, value: Any, low: int) -> tuple[int, ...] | None:
    if not isinstance(value, (list, tuple)) or not all(_is_int(v) and low <= v for v in value):
        find.wrong_type(path, name, value, f"a list of integers from {low}")
        return None
    if len(value) > _MAX_RANK:
        find.add("call.bad_shape", path, f"{name} with {len(value)} axes", f"at most {_MAX_RANK} axes",
                 "No tensor here has more.", "Reshape it.")
        return None
    return tuple(value)


def read_tensor_spec(find: Finder, path: Path, value: Any) -> TensorSpec | None:
    """Shape, dtype, format and strides of a tensor; None when a finding was added."""
    name = str(path[-1])
    if not isinstance(value, dict):
        find.wrong_type(path, name, value, "a tensor: an object with shape and dtype")
        return None
    for key in value:
        if key not in _TENSOR_KEYS:
            find.unknown("call.unknown_key", "key of a tensor", str(key), _TENSOR_KEYS, (*path, key))
    before = len(find.found)
    for key in ("shape", "dtype"):
        if value.get(key) is None:
            find.add("call.missing_key", path, f"{name} without {key}", "shape and dtype", "A tensor needs both.",
                     f"Add {key!r}.")
    if len(find.found) > before:
        return None
    shape = _sizes(find, (*path, "shape"), f"{name}.shape", value["shape"], 0)
    dtype, layout, strides = value["dtype"], value.get("format", "ND"), value.get("strides")
    if dtype not in load_dtypes():
        find.unknown("call.unknown_dtype", "dtype", str(dtype), load_dtypes(), (*path, "dtype"))
    if layout not in _FORMATS:
        find.unknown("call.unknown_format", "format", str(layout), _FORMATS, (*path, "format"))
    if shape is not None:
        numel = 1
        for size in shape:
            numel *= size
        if max(shape, default=0) > _MAX_AXIS or numel > _MAX_NUMEL:
            find.add("call.bad_shape", (*path, "shape"), f"{name}.shape = {_brief(list(shape))}",
                     f"axes up to {_MAX_AXIS}, {_MAX_NUMEL} elements", "No memory holds it.", "Correct the shape.")
    if strides is not None:
        strides = _sizes(find, (*path, "strides"), f"{name}.strides", strides, 0)
        if strides is not None and shape is not None and len(strides) != len(shape):
            find.add(
                "call.bad_strides",
                (*path, "strides"),
                f"{name} with {len(shape)} axes and {len(strides)} strides",
                "one stride for each axis",
                "A stride belongs to its axis.",
                "Correct the strides.",
            )
    if len(find.found) > before or shape is None:
        return None
    return TensorSpec(shape, dtype, layout, strides)


def _freeze(value: Any) -> Any:
    return tuple(_freeze(v) for v in value) if isinstance(value, (list, tuple)) else value


def _fits(value: Any, shape: Sequence[int]) -> bool:
    if not shape:
        return isinstance(value, (int, float, bool))
    return isinstance(value, (list, tuple)) and len(value) == shape[0] and all(_fits(v, shape[1:]) for v in value)


def _init(find: Finder, path: Path, value: Any) -> InitSpec | None:
    if not isinstance(value, Mapping) or not isinstance(value.get("dist"), str):
        find.wrong_type(path, "init", value, "an object with dist")
        return None
    if value["dist"] not in DISTRIBUTIONS:
        find.unknown("call.unknown_distribution", "dist", value["dist"], DISTRIBUTIONS, (*path, "dist"))
        return None
    numbers: dict[str, Any] = {}
    for key, number in value.items():
        if key == "dist" or number is None:
            continue
        if key not in ("low", "high", "scale", "seed"):
            find.unknown(
                "call.unknown_key", "key of init", str(key), ("dist", "low", "high", "scale", "seed"), (*path, key)
            )
        elif key == "seed" and not (_is_int(number) and number >= 0):
            find.wrong_type((*path, key), key, number, "an integer from 0")
        elif key != "seed" and (isinstance(number, bool) or not isinstance(number, (int, float))):
            find.wrong_type((*path, key), key, number, "a number")
        else:
            numbers[key] = number if key == "seed" else float(number)
    return InitSpec(value["dist"], **numbers)


def read_tensor(find: Finder, path: Path, value: Any) -> TensorArg | None:
    """A tensor argument; None when a finding was added."""
    if isinstance(value, TensorArg):
        return value
    if isinstance(value, TensorSpec):
        return TensorArg(value.shape, value.dtype, value.format, value.strides)
    before = len(find.found)
    spec = read_tensor_spec(find, path, value)
    if spec is None:
        return None
    values, init = value.get("values"), value.get("init")
    if values is not None and not _fits(values, spec.shape):
        find.add(
            "call.bad_values",
            (*path, "values"),
            f"values of {path[-1]} not in the shape {list(spec.shape)}",
            "nested lists of numbers in the shape of the tensor",
            "Every element needs its place.",
            "Correct the values.",
        )
    start = _init(find, (*path, "init"), init) if init is not None else None
    if len(find.found) > before:
        return None
    return TensorArg(spec.shape, spec.dtype, spec.format, spec.strides, _freeze(values), start)


def argument(find: Finder, path: Path, parameter: Parameter, value: Any) -> Any:
    """The typed value of one argument; None when a finding was added."""
    name, kind = parameter.name, parameter.type
    if kind == "tensors":
        members = value if isinstance(value, (list, tuple)) else [value]
        read = [read_tensor(find, (*path, index), item) for index, item in enumerate(members)]
        return None if None in read else tuple(read)
    if kind == "tensor":
        if isinstance(value, (list, tuple)) and parameter.c_type.startswith("aclTensorList"):
            tensors = [read_tensor(find, (*path, index), item) for index, item in enumerate(value)]
            if len(tensors) != 1:
                find.add("call.tensor_list", path, f"{name} as a list of {len(tensors)} tensors", "one tensor",
                         "This interface passes a single tensor.", "Pass the tensor itself.")
            return tensors[0] if len(tensors) == 1 else None
        if isinstance(value, (list, tuple)) and parameter.listed:
            if not all(_is_int(v) and v in _INT32 for v in value):
                find.wrong_type(path, name, value, "a tensor, or the list of its 32-bit integers")
                return None
            return TensorArg((len(value),), parameter.dtypes[0], values=tuple(value))
        return read_tensor(find, path, value)
    if kind == "ints":
        if not isinstance(value, (list, tuple)) or not all(_is_int(v) for v in value):
            find.wrong_type(path, name, value, "a list of integers")
            return None
        return tuple(value)
    if kind == "int" and not _is_int(value):
        find.wrong_type(path, name, value, "a 64-bit integer")
        return None
    if kind == "float":
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            find.wrong_type(path, name, value, "a number")
            return None
        try:
            return float(value)
        except OverflowError:
            find.wrong_type(path, name, value, "a number that a double holds")
            return None
    if (kind == "str" and not isinstance(value, str)) or (kind == "bool" and not isinstance(value, bool)):
        find.wrong_type(path, name, value, {"str": "text", "bool": "true or false"}[kind])
        return None
    return value
