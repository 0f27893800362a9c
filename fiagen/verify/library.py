"""`fiagen build --library`: an operator library with its headers, for programs written against the vendor's API.

In: a product, the variants to compile ahead of time, a folder. Out: include/ and lib/ of that folder. Must never put
into include/ what is not published.

A kernel that was not compiled ahead is made at its first launch: the library runs the command of lib/fiagen/maker.txt
with the kernel's name, which ends in `print_kernel` below. Nothing is read from the environment; the library finds
lib/fiagen beside itself.
"""

from __future__ import annotations

import os
import shutil
import struct
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from fiagen import paths
from fiagen.acl.build import build_shipped_libraries
from fiagen.diagnostics import DiagnosticError
from fiagen.emit.host import emit_host
from fiagen.load.hardware import load_product
from fiagen.sim.chip import ChipConfig
from fiagen.sim.launch import ABI_VERSION
from fiagen.sim.sealed import whole
from fiagen.verify.engine import kernel_library, place_files

_MAKER = (
    "import sys; sys.path.insert(0, {home!r}); "
    "from fiagen.verify.library import print_kernel; print_kernel({cache!r}, sys.argv[1])"
)


@dataclass(frozen=True)
class LibraryOutcome:
    """What a build of the library folder holds: its headers and libraries, and the kernels compiled ahead."""

    files: int
    kernels: int


def build_library(product: str, ops: Sequence[str], kernels: Sequence[str], out: Path, jobs: int = 1) -> LibraryOutcome:
    """Bring `out` to hold the library of `ops` for the chip of `product`, with `kernels` compiled ahead of time.

    Raises DiagnosticError `sim.compile_failed` or `sim.no_compiler`.
    """
    hardware = load_product(product)
    include, lib = out / "include", out / "lib"
    operators: list[tuple[list[Path], list[Path]]] = []
    for op in ops:
        files = emit_host(op)
        home = place_files(files)
        sources = [home / f.path for f in files if f.path.endswith(".cpp")]
        operators.append((sources, [home / op / "host", home / op / "aclnn"]))
    roots = (paths.ACL_INCLUDE, *(folders[1] for _, folders in operators))
    headers = [
        (header, header.relative_to(root))
        for root in roots
        for header in sorted(root.rglob("*.h"))
        if header.name != "fiagen_runtime.h"
    ]
    for header, place in headers:
        _put(include / place, header.read_bytes())
    build_shipped_libraries(operators, lib)
    own = lib / "fiagen"
    _put(own / "chip.bin", struct.pack("<I", ABI_VERSION) + bytes(ChipConfig.from_hardware(hardware).c_struct()))
    _put(own / "soc.txt", f"{hardware.chip.soc}\n".encode())
    maker = _MAKER.format(home=str(paths.PACKAGE.parent), cache=str(paths.cache_dir()))
    _put(own / "maker.txt", f"{sys.executable}\n-c\n{maker}\n".encode())
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        for name, made in zip(kernels, pool.map(kernel_library, kernels), strict=True):
            _put(own / "kernels" / f"{name}.so", made.read_bytes())
    for stale in (own / "kernels").glob("*.so"):
        if stale.stem not in kernels:
            stale.unlink()
    return LibraryOutcome(len(headers) + 4 + 3, len(kernels))


def print_kernel(cache: str, name: str) -> None:
    """The path of the compiled kernel on stdout; what went wrong on stderr with status 1. The library calls it."""
    paths.set_cache_dir(cache)
    try:
        made = kernel_library(name)
    except (DiagnosticError, KeyError) as error:
        print(f"no kernel {name}: {error}", file=sys.stderr)
        sys.exit(1)
    assert whole(made)
    print(made)


def _put(target: Path, data: bytes) -> None:
    """`target` with these bytes; whole or not at all, untouched when it has them."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() and target.read_bytes() == data:
        return
    handle, name = tempfile.mkstemp(dir=target.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    shutil.copymode(__file__, name)
    os.replace(name, target)
