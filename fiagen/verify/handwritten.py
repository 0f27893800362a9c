"""Runs hand-written kernels on the simulator.

In: a kernel source, a KernelLaunch, optional arrays. Out: a KernelRun with the report and what the kernel wrote. Must
never compare with an operator's oracle: a hand-written kernel has none here.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fiagen.diagnostics import Diagnostic, DiagnosticError, fail, suggestion
from fiagen.load.hardware import load_chip
from fiagen.model.launch import KernelArgument, KernelLaunch
from fiagen.paths import shown
from fiagen.sim.abi import FiagenSimSpan, Report
from fiagen.sim.build import compile_kernel
from fiagen.sim.chip import ChipConfig
from fiagen.sim.launch import launch
from fiagen.verify.draw import POOL, bell, generator, spread
from fiagen.verify.dtypes import numpy_dtype, storage_dtype

_ROLES = {"in": "input", "out": "output", "inout": "inout", "workspace": "workspace", "struct": "input"}
INSTRUCTION_BUDGET = 500_000_000
MAX_SPANS = 2_000_000


@dataclass(frozen=True)
class KernelRun:
    """One run: the report, and the arrays of role out and inout by name."""

    report: Report
    outputs: dict[str, np.ndarray]
    spans: ctypes.Array[FiagenSimSpan] | None = None

    @property
    def digest(self) -> str:
        """A hash of everything the kernel wrote."""
        total = hashlib.sha256()
        for name in sorted(self.outputs):
            total.update(name.encode() + self.outputs[name].tobytes())
        return total.hexdigest()


def struct_bytes(argument: KernelArgument) -> np.ndarray:
    """The fields of a struct argument, at the offsets a C compiler gives them."""
    data, widest = bytearray(), 1
    for field in argument.fields:
        array = np.array(field.value, dtype=np.dtype(field.dtype))
        data += b"\0" * (-len(data) % array.itemsize) + array.tobytes()
        widest = max(widest, array.itemsize)
    data += b"\0" * (-len(data) % widest)
    return np.frombuffer(bytes(data), np.uint8).copy()


def array_of(argument: KernelArgument, given: Mapping[str, np.ndarray], draw: bool = True) -> np.ndarray:
    """The array behind an argument: given, written out or drawn; without `draw` only its memory."""
    if argument.role == "struct":
        return struct_bytes(argument)
    if argument.role == "workspace":
        return np.zeros(argument.bytes, np.uint8)
    tensor = argument.tensor
    assert tensor is not None  # the loader gives every other role one
    dtype = numpy_dtype(tensor.dtype)
    if argument.name in given:
        return np.ascontiguousarray(given[argument.name]).copy()
    if argument.role == "out" or not draw:
        return np.zeros(tensor.shape, dtype)
    if tensor.values is not None:
        return np.asarray(tensor.values).astype(dtype)
    start = tensor.init
    dist = start.dist if start else "normal"
    if dist == "zeros":
        return np.zeros(tensor.shape, dtype)
    if dist == "arange":
        return np.arange(tensor.numel).reshape(tensor.shape).astype(dtype)
    rng = generator("kernel", argument.name, start.seed if start and start.seed is not None else 0)
    count = min(POOL, tensor.numel)
    if np.issubdtype(dtype, np.integer) or dist == "uniform":
        low = start.low if start and start.low is not None else 0.0
        high = start.high if start and start.high is not None else (8.0 if np.issubdtype(dtype, np.integer) else 1.0)
        pool = (low + (high - low) * rng.random(count)).astype(dtype)
    else:
        pool = (bell(rng, count) * np.float32(start.scale if start and start.scale is not None else 1.0)).astype(dtype)
    return spread(pool, tensor.numel).reshape(tensor.shape)


def load_inputs(path: str | os.PathLike[str], request: KernelLaunch) -> dict[str, np.ndarray]:
    """Arrays of a .npz file for the tensors of a launch; DiagnosticError for names, shapes or dtypes that don't fit."""
    known = {a.name: a.tensor for a in request.arguments if a.tensor is not None}
    try:
        with np.load(path, allow_pickle=False) as file:
            stored = {name: file[name] for name in file.files}
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise fail(
            "launch.inputs",
            given=f"{error}",
            allowed="a .npz file of plain arrays",
            place=os.fspath(path),
            why="The arrays become the kernel's arguments.",
            fix="Write it with numpy.savez.",
        ) from None
    arrays: dict[str, np.ndarray] = {}
    findings: list[Diagnostic] = []
    for name, array in sorted(stored.items()):
        tensor = known.get(name)
        dtype = numpy_dtype(tensor.dtype) if tensor is not None else None
        if tensor is None or dtype is None or array.dtype != storage_dtype(dtype) or array.shape != tensor.shape:
            allowed = ", ".join(known) if tensor is None or dtype is None else f"{storage_dtype(dtype)} {tensor.shape}"
            findings.extend(
                fail(
                    "launch.inputs",
                    given=f"{name}: {array.dtype} {array.shape}",
                    allowed=allowed,
                    place=os.fspath(path),
                    why="The arrays take the place of the tensors of the launch, bit for bit.",
                    fix=suggestion(name, known) if tensor is None else "Store it as the launch describes it.",
                ).diagnostics
            )
        else:
            arrays[name] = array.view(dtype)
    if findings:
        raise DiagnosticError(findings)
    return arrays


def kernel_of(source: Path, request: KernelLaunch) -> Path:
    """The compiled kernel; DiagnosticError when the source is missing or does not compile."""
    if not source.is_file():
        raise fail(
            "launch.no_kernel",
            given=shown(source),
            allowed="a C++ file with the kernel function",
            why="There is no such file.",
            fix="Check the path.",
        )
    return compile_kernel(source, request.entry, generated=False, arch=load_chip(request.chip).arch.npu_arch)


def run_kernel(
    library: Path,
    request: KernelLaunch,
    given: Mapping[str, np.ndarray] | None = None,
    *,
    seed: int = 0,
    policy: str = "late",
    checks: bool = True,
    time_only: bool = False,
    trace: bool = False,
) -> KernelRun:
    """One run of a compiled kernel. `time_only` leaves data alone and only tells time; `trace` keeps the
    instructions."""
    chip = ChipConfig.from_hardware(load_chip(request.chip))
    arrays = [array_of(argument, given or {}, draw=not time_only) for argument in request.arguments]
    spans = (FiagenSimSpan * MAX_SPANS)() if trace else None
    report = launch(
        library,
        arrays,
        block_dim=request.blocks,
        chip=chip,
        seed=seed,
        policy=policy,
        budget=INSTRUCTION_BUDGET,
        roles=[_ROLES[a.role] for a in request.arguments],
        checks=checks,
        time_only=time_only,
        spans=spans,
    )
    written = {a.name: array for a, array in zip(request.arguments, arrays, strict=True) if a.role in ("out", "inout")}
    return KernelRun(report, written, spans)


def fault_json(report: Report, source: Path) -> list[dict[str, Any]]:
    """Faults as the command line prints them."""
    return [
        {
            "id": f.id,
            "block": f.block,
            "core": f.core,
            "pipe": f.pipe,
            "instruction": f.instruction,
            "file": shown(source),
            "line": f.line,
            "other_line": f.other_line,
            "message": f.message,
        }
        for f in report.faults
    ]
