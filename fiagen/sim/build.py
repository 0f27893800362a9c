"""Compiles a kernel with the simulator into one shared library.

In: a kernel source and the name of its entry function. Out: the path of a library in the cache, named by all that went
in. Must never reuse a library whose source, headers, flags or compiler changed, nor leave half a file in the cache.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

from fiagen.diagnostics import fail
from fiagen.paths import SIM_INCLUDE, SIM_SRC, cache_dir, shown
from fiagen.sim.sealed import seal, whole

_WARNINGS = ("-std=c++17", "-Wall", "-Wextra", "-Werror")
KERNEL_FLAGS = ("-O1", "-fPIC", *_WARNINGS, "-fvisibility=hidden")
# No contraction: a Mul followed by an Add rounds twice on the chip. The cube does accumulate fused.
_FAST_MATH = ("-fno-math-errno", "-fno-trapping-math")
_RUNTIME_FLAGS = ("-O3", "-march=native", "-fPIC", *_WARNINGS, "-fvisibility=hidden", *_FAST_MATH)
_CONTRACTION = {"cube.cpp": "-ffp-contract=fast"}
_LINK_FLAGS = ("-shared", "-fPIC", "-pthread")
_HEADER_SUFFIXES = frozenset({".h", ".hpp", ".inc"})
_SHOWN_LINES = 40  # of the compiler's output; the command reproduces the rest


@lru_cache(maxsize=1)
def find_compiler() -> tuple[str, ...]:
    """The command of a C++17 compiler: the one in FIAGEN_CXX, g++, c++ or clang++ on the path, or the package ziglang.

    FIAGEN_CXX may hold options as well; libraries made with other options have other names. Raises DiagnosticError
    `sim.no_compiler` when there is none.
    """
    if chosen := shlex.split(os.environ.get("FIAGEN_CXX", "")):
        return tuple(chosen)
    for name in ("g++", "c++", "clang++"):
        found = shutil.which(name)
        if found:
            return (found,)
    if importlib.util.find_spec("ziglang") is not None:
        return (sys.executable, "-m", "ziglang", "c++")
    raise fail(
        "sim.no_compiler",
        given="no g++, c++ or clang++ on the path, and no Python package ziglang",
        allowed="any C++17 compiler",
        why="Kernels and the simulator are compiled on this machine.",
        fix="pip install ziglang",
        source="fiagen/sim/build.py",
    )


def compile_kernel(
    source: Path,
    entry: str,
    *,
    include_dirs: Sequence[Path] = (),
    folder: Path | None = None,
    generated: bool = True,
    compiler: tuple[str, ...] | None = None,
    arch: int = 2201,
) -> Path:
    """The shared library of the kernel function `entry` in `source`, with its own copy of the simulator.

    `include_dirs` come before the folder of `source` and the simulator's own; headers in them count for the cache key.
    `folder` replaces the cache. `arch` is the core architecture the kernel is compiled for, 2201 (c220) or 3510, which
    is `npu_arch` of the chip it is to run on; a launch on a chip of another one is refused. Safe to call from several
    processes at once. Raises DiagnosticError `sim.compile_failed`; with `generated` it says that the fault is ours.
    """
    compiler = compiler or find_compiler()
    folder = folder or cache_dir() / "sim"
    folder.mkdir(parents=True, exist_ok=True)
    source = source.resolve()
    includes = (*include_dirs, source.parent, SIM_INCLUDE)
    runtime = _runtime_objects(compiler, folder)
    key = _digest(
        *_identity(compiler), *KERNEL_FLAGS, str(arch), entry, source.read_bytes(),
        *_contents(_headers((*include_dirs, source.parent, SIM_INCLUDE))), *(item.name for item in runtime),
    )  # fmt: skip
    target = folder / f"{source.stem}-{key}.so"
    if whole(target):
        return target
    with tempfile.TemporaryDirectory(prefix="kernel-", dir=folder) as work:
        unit = Path(work) / "unit.cpp"
        unit.write_text(f'#include "{source}"\n#include "fiagen_sim/entry.h"\nFIAGEN_SIM_ENTRY({entry})\n')
        flags = (*KERNEL_FLAGS, f"-D__NPU_ARCH__={arch}", *(f"-I{item}" for item in includes))
        command = (*compiler, *flags, str(unit), *(str(item) for item in runtime), *_LINK_FLAGS)
        _run(command, target, source, generated, (*compiler, *flags, "-c", str(source)))
    return target


def _runtime_objects(compiler: tuple[str, ...], folder: Path) -> list[Path]:
    """The compiled files of the simulator's runtime; what the cache lacks is compiled side by side."""
    headers = _contents([*_headers((SIM_INCLUDE,)), *_headers((SIM_SRC,))])

    def compiled(source: Path) -> Path:
        flags = (*_RUNTIME_FLAGS, _CONTRACTION.get(source.name, "-ffp-contract=off"))
        key = _digest(*_identity(compiler), *flags, source.read_bytes(), *headers)
        target = folder / f"runtime-{source.stem}-{key}.o"
        if not whole(target):
            command = (*compiler, *flags, "-c", str(source))
            _run(command, target, source, True, command)
        return target

    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        return list(pool.map(compiled, sorted(SIM_SRC.glob("*.cpp"))))


def _run(command: Sequence[str], target: Path, source: Path, generated: bool, again: Sequence[str]) -> None:
    """Run `command` with an output under another name, then give it its name in one step; `again` shows a failure."""
    handle, name = tempfile.mkstemp(prefix=f".{target.stem}-", suffix=target.suffix, dir=target.parent)
    os.close(handle)
    try:
        done = subprocess.run((*command, "-o", name), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            lines = (done.stderr or done.stdout).strip().splitlines()
            more = [f"({len(lines) - _SHOWN_LINES} more lines)"] if len(lines) > _SHOWN_LINES else []
            raise fail(
                "sim.compile_failed",
                given="\n".join([*lines[:_SHOWN_LINES], *more]),
                allowed="a kernel that compiles without a warning",
                why="This is our bug: the file is generated or part of the simulator." if generated
                else "A call that is not simulated does not compile, and every warning counts.",
                fix="Reproduce it with: " + shlex.join((*again, "-o", os.devnull)),
                source="fiagen/sim/build.py",
                place=shown(source),
            )  # fmt: skip
        seal(Path(name))
        os.replace(name, target)
    finally:
        Path(name).unlink(missing_ok=True)


@lru_cache(maxsize=4)
def _identity(compiler: tuple[str, ...]) -> tuple[str, ...]:
    """What makes two compilers or machines different: version, target and the processor that -march=native means."""
    version = subprocess.run((*compiler, "--version"), capture_output=True, text=True, check=False).stdout
    cpu = ""
    info = Path("/proc/cpuinfo")
    if info.exists():
        cpu = next((line for line in info.read_text().splitlines() if line.startswith(("flags", "Features"))), "")
    return (*compiler, version, platform.machine(), cpu)


def _headers(folders: Iterable[Path]) -> list[Path]:
    """Every header below the folders, in a fixed order."""
    found = {path for folder in folders for path in folder.rglob("*") if path.suffix in _HEADER_SUFFIXES}
    return sorted(found)


def _contents(paths: Iterable[Path]) -> list[bytes]:
    return [part for path in paths for part in (path.name.encode(), path.read_bytes())]


def _digest(*parts: str | bytes) -> str:
    """A short hash of all parts; their boundaries count."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()[:20]
