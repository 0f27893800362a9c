"""Runs calls through the generated C entry points, generating and compiling what they need on the way.

In: legal calls with their arguments. Out: RunResults. Must never judge a result, nor keep a kernel whose text changed.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from fiagen.acl.build import build_op_library
from fiagen.acl.session import RunResult, Session
from fiagen.check import output_specs
from fiagen.emit.host import emit_host
from fiagen.emit.kernels import emit_kernel
from fiagen.emit.writer import Emitted
from fiagen.load.catalogue import load_catalogue
from fiagen.load.hardware import load_product, numpy_dtype
from fiagen.model.call import Call, TensorArg
from fiagen.paths import cache_dir
from fiagen.sim.abi import FiagenSimSpan
from fiagen.sim.build import compile_kernel
from fiagen.sim.chip import ChipConfig

INSTRUCTION_BUDGET = 200_000_000  # far beyond the largest call of the models; an endless loop ends here
UNSUPPORTED = "fiagen.unsupported"


def place_files(files: tuple[Emitted, ...]) -> Path:
    """A cache folder that holds `files`, named by their content; each file appears whole or not at all."""
    digest = hashlib.sha256("\0".join(f"{f.path}\0{f.sha256}" for f in files).encode()).hexdigest()[:20]
    folder = cache_dir() / "generated" / digest
    for item in files:
        target = folder / item.path
        if target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(item.text)
        os.replace(name, target)
    return folder


def kernel_library(name: str) -> Path:
    """The compiled kernel of a variant by name, from the cache or made now."""
    file = emit_kernel(name)
    return compile_kernel(place_files((file,)) / file.path, name)


@lru_cache(maxsize=8)
def op_library(op: str) -> Path:
    """The compiled host code of an operator, from the cache or made now."""
    files = emit_host(op)
    folder = place_files(files) / op
    sources = [folder.parent / f.path for f in files if f.path.endswith(".cpp")]
    return build_op_library(sources, [folder / "host", folder / "aclnn"])


@lru_cache(maxsize=16)
def session(op: str, product: str) -> Session:
    """A session of `op` on the chip that `product` names."""
    chip = ChipConfig.from_hardware(load_product(product))
    return Session(op_library(op), kernel_library, chip.c_struct(), load_catalogue().operators[op].spec)


def run_call(call: Call, values: dict[str, Any], *, seed: int = 0, policy: str = "late", time_only: bool = False,
             spans: ctypes.Array[FiagenSimSpan] | None = None) -> RunResult:
    """One run of `call` with `values` for its arguments; with `time_only` its outputs mean nothing."""
    specs = output_specs(call, load_catalogue().operators[call.op])
    outputs = {name: (spec.shape, np.dtype(numpy_dtype(spec.dtype))) for name, spec in specs.items()}
    formats = {name: arg.format for name, arg in call.args.items() if isinstance(arg, TensorArg)}
    return session(call.op, call.product).run(
        values, outputs, seed=seed, policy=policy, instruction_budget=INSTRUCTION_BUDGET, formats=formats,
        time_only=time_only, spans=spans,
        edition=call.edition, authority=call.authority)
