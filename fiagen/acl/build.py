"""Compiles the runtime shim and an operator's host code into one shared library.

In: C++ sources and include folders. Out: the path of a library in the cache, named by the content of all that went in.
Must never reuse an object whose source, headers, flags or compiler changed, nor leave a half-written file in the cache.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

from fiagen.diagnostics import fail
from fiagen.paths import ACL_INCLUDE, ACL_SRC, SIM_INCLUDE, cache_dir, shown
from fiagen.sim.build import find_compiler
from fiagen.sim.sealed import seal, whole

COMPILE_FLAGS = ("-O2", "-std=c++17", "-fPIC", "-Wall", "-Wextra", "-Werror")
LINK_FLAGS = ("-shared", "-fPIC", "-Wl,-z,defs")
LINK_LIBRARIES = ("-ldl", "-pthread")
_HEADER_SUFFIXES = frozenset({".h", ".hh", ".hpp", ".inc"})
_SHOWN_LINES = 30  # of the compiler's output; the command reproduces the rest


def shim_sources() -> tuple[Path, ...]:
    """The C++ files of the runtime, in a fixed order."""
    return tuple(sorted(ACL_SRC.glob("*.cpp")))


def build_op_library(sources: Sequence[Path], include_dirs: Sequence[Path]) -> Path:
    """The shared library of the shim and `sources`; compiled only what the cache does not hold.

    `include_dirs` come before the shim's own. Safe to call from several processes at once: each file appears whole or
    not at all. Raises DiagnosticError `sim.compile_failed` when the compiler or the linker refuses.
    """
    compiler = find_compiler()
    objects = _objects(compiler, (*sources, *shim_sources()), (*include_dirs, ACL_INCLUDE, SIM_INCLUDE))
    return _linked(compiler, "libfiagen_op", objects, LINK_LIBRARIES)


def build_shipped_libraries(operators: Sequence[tuple[Sequence[Path], Sequence[Path]]], folder: Path) -> None:
    """The runtime and the operators as two libraries in `folder`, under the names that programs link against.

    `operators`: sources and include folders of each. libascendcl.so and libnnopbase.so are the runtime,
    libcust_opapi.so and libopapi.so the operators. Raises DiagnosticError `sim.compile_failed` when the compiler or the
    linker refuses.
    """
    compiler = find_compiler()
    own = (ACL_INCLUDE, SIM_INCLUDE)
    folder.mkdir(parents=True, exist_ok=True)
    named = (*LINK_LIBRARIES, "-Wl,-soname,libascendcl.so")
    runtime = _linked(compiler, "libascendcl", _objects(compiler, shim_sources(), own), named)
    _placed(runtime, folder, "libascendcl.so", "libnnopbase.so")
    objects = [item for sources, dirs in operators for item in _objects(compiler, sources, (*dirs, *own))]
    beside = (str(runtime), *LINK_LIBRARIES, "-Wl,-rpath,$ORIGIN", "-Wl,-soname,libcust_opapi.so")
    _placed(_linked(compiler, "libcust_opapi", objects, beside), folder, "libcust_opapi.so", "libopapi.so")


def _objects(compiler: tuple[str, ...], sources: Iterable[Path], includes: Sequence[Path]) -> list[Path]:
    """The compiled sources; only what the cache does not hold is compiled."""
    identity = _compiler_identity(compiler)
    headers = _digest_of_files(_headers((*includes, ACL_SRC)))
    flags = (*COMPILE_FLAGS, *(f"-I{folder}" for folder in includes))
    folder = cache_dir() / "acl"
    folder.mkdir(parents=True, exist_ok=True)

    def compiled(source: Path) -> Path:
        key = _digest(identity, *COMPILE_FLAGS, headers, source.name, source.read_bytes())
        return _made(folder / f"{source.stem}-{key}.o", (*compiler, *flags, "-c", str(source)))

    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        return list(pool.map(compiled, sources))


def _linked(compiler: tuple[str, ...], name: str, objects: Sequence[Path], libraries: Sequence[str]) -> Path:
    """A shared library in the cache."""
    key = _digest(_compiler_identity(compiler), *LINK_FLAGS, *libraries, *(item.name for item in objects))
    command = (*compiler, *LINK_FLAGS, *(str(item) for item in objects), *libraries)
    return _made(cache_dir() / "acl" / f"{name}-{key}.so", command)


def _placed(library: Path, folder: Path, name: str, second: str) -> None:
    """A copy of `library` as `name`, and a link to it as `second`; whole or not at all."""
    handle, new = tempfile.mkstemp(dir=folder)
    os.close(handle)
    shutil.copyfile(library, new)
    os.chmod(new, 0o755)
    os.replace(new, folder / name)
    link = folder / second
    if not link.is_symlink():
        link.unlink(missing_ok=True)
        link.symlink_to(name)


def _made(target: Path, command: Sequence[str]) -> Path:
    """`target`, made by `command` + `-o` under another name first, unless it is there already."""
    if whole(target):
        return target
    handle, name = tempfile.mkstemp(prefix=f".{target.stem}-", suffix=target.suffix, dir=target.parent)
    os.close(handle)
    try:
        done = subprocess.run((*command, "-o", name), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            output = (done.stderr or done.stdout).strip().splitlines()
            rest = [f"({len(output) - _SHOWN_LINES} more lines)"] if len(output) > _SHOWN_LINES else []
            raise fail(
                "sim.compile_failed",
                given="\n".join([*output[:_SHOWN_LINES], *rest]) or f"exit status {done.returncode} without a message",
                allowed="host code that compiles without a warning",
                why="The runtime and the generated host code are compiled into the library that serves the call.",
                fix=f"This is our bug. To reproduce it: {shlex.join((*command, '-o', os.devnull))}",
                place=shown(command[-1]) if "-c" in command else "",
            )
        seal(Path(name))
        os.replace(name, target)
    finally:
        Path(name).unlink(missing_ok=True)
    return target


def _headers(folders: Iterable[Path]) -> list[Path]:
    """Every header below the folders, sorted within each."""
    return [file for folder in folders for file in sorted(folder.rglob("*")) if file.suffix in _HEADER_SUFFIXES]


def _digest_of_files(files: Iterable[Path]) -> str:
    return _digest(*(part for file in files for part in (file.name, file.read_bytes())))


def _digest(*parts: str | bytes) -> str:
    """A short name for the parts; where one ends and the next begins counts."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()[:24]


@lru_cache(maxsize=4)
def _compiler_identity(command: tuple[str, ...]) -> str:
    """What tells one compiler from another: its command and what it says of its version and target."""
    said = [
        subprocess.run((*command, flag), capture_output=True, text=True, check=False)
        for flag in ("--version", "-dumpmachine")
    ]
    return _digest(*command, *(answer.stdout for answer in said))
