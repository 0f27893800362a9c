"""Arrays of a call in `.npz` files.

In: arrays named as the parameters. Out: files in which bfloat16, float8 and float4 are raw uint16 or uint8 bits, and
back. Must never change a bit of a value.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from fiagen.diagnostics import Diagnostic, DiagnosticError, suggestion
from fiagen.model.call import Call, TensorArg
from fiagen.verify.dtypes import numpy_dtype, storage_dtype


def save_arrays(path: str | os.PathLike[str], arrays: Mapping[str, Any]) -> None:
    """Write every array of `arrays`; entries that are no arrays (lists of integers, scalars) are left to the call file.

    The arrays of a tensor list are named `name.0`, `name.1` and so on.
    """
    flat: dict[str, np.ndarray] = {}
    for name, value in arrays.items():
        if isinstance(value, np.ndarray):
            flat[name] = value
        elif isinstance(value, (list, tuple)) and value and all(isinstance(part, np.ndarray) for part in value):
            flat.update({f"{name}.{place}": part for place, part in enumerate(value)})
    stored: dict[str, Any] = {n: np.ascontiguousarray(a).view(storage_dtype(a.dtype)) for n, a in flat.items()}
    np.savez(path, **stored)


def load_arrays(path: str | os.PathLike[str], call: Call) -> dict[str, np.ndarray]:
    """The arrays of `path` in the dtypes of the call's tensors.

    DiagnosticError, with every finding, when the file can't be read, holds a name that is no tensor of the call, or an
    array of another shape or dtype.
    """
    expected: dict[str, TensorArg] = {}
    for name, arg in call.args.items():
        if isinstance(arg, TensorArg):
            expected[name] = arg
        elif isinstance(arg, tuple):
            expected.update({f"{name}.{i}": part for i, part in enumerate(arg) if isinstance(part, TensorArg)})
    try:
        with np.load(path, allow_pickle=False) as file:
            stored = {name: file[name] for name in file.files}
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise DiagnosticError(
            [_finding(path, f"{error}", "a .npz file of plain arrays", "Write it with numpy.savez.")]
        ) from None

    findings: list[Diagnostic] = []
    arrays: dict[str, np.ndarray] = {}
    for name, array in sorted(stored.items()):
        tensor = expected.get(name)
        if tensor is None:
            findings.append(
                _finding(path, f"array {name!r}", "tensors that the call passes", suggestion(name, expected))
            )
            continue
        dtype = numpy_dtype(tensor.dtype)
        raw = storage_dtype(dtype)
        if array.dtype != raw or array.shape != tensor.shape:
            allowed = f"{name}: {raw} {tensor.shape}" + ("" if raw == dtype else f", the bits of {tensor.dtype}")
            findings.append(
                _finding(path, f"{name}: {array.dtype} {array.shape}", allowed, "Store it as the call describes it.")
            )
            continue
        arrays[name] = array.view(dtype)
    if findings:
        raise DiagnosticError(findings)
    return arrays


def _finding(path: str | os.PathLike[str], given: str, allowed: str, fix: str) -> Diagnostic:
    return Diagnostic(
        rule="call.inputs",
        severity="error",
        given=given,
        allowed=allowed,
        why="The arrays take the place of the tensors of the call, bit for bit.",
        fix=fix,
        source="contract, `run --inputs`",
        place=os.fspath(path),
    )
