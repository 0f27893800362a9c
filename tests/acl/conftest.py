"""An operator library as `fiagen build --library` makes it, for the programs of this folder.

In: nothing. Out: the library's folder, and programs compiled against it. Must never use a header that is not shipped.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from acl_programs import AHEAD, OP, PROGRAMS, Compile, run

from fiagen import paths
from fiagen.emit.host import emit_host
from fiagen.verify.engine import place_files
from fiagen.verify.library import build_library


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    made = build_library("a2", [OP], [AHEAD], folder, jobs=2)
    assert made.kernels == 1
    return folder


@pytest.fixture(scope="session")
def compiled(library: Path) -> Compile:
    """Compiles a program against the shipped headers and libraries, with the link line of the vendor's samples."""

    def compile_program(name: str, compiler: str, *flags: str) -> Path:
        target = library / f"{name}_{compiler}"
        if not target.exists():
            link = [
                f"-L{library}/lib",
                "-lascendcl",
                "-lnnopbase",
                "-lcust_opapi",
                "-pthread",
                f"-Wl,-rpath,{library}/lib",
            ]
            include = f"-I{library}/include"
            run(
                compiler,
                "-std=c++17",
                "-O1",
                "-Wall",
                "-Wextra",
                "-Werror",
                *flags,
                include,
                PROGRAMS / f"{name}.cpp",
                *link,
                "-o",
                target,
            )
        return target

    return compile_program


@pytest.fixture(scope="session")
def sanitized(library: Path) -> Compile:
    """Compiles a program with the runtime and the operator's host code in one, all under a sanitizer.

    It lies in the library's folder, where the runtime in it looks for its chip and kernels.
    """

    def compile_program(name: str, sanitizer: str) -> Path:
        files = emit_host(OP)
        home = place_files(files)
        sources = [*sorted(paths.ACL_SRC.glob("*.cpp")), *(home / f.path for f in files if f.path.endswith(".cpp"))]
        folders = (paths.ACL_INCLUDE, paths.SIM_INCLUDE, home / OP / "host", home / OP / "aclnn")
        target = library / "lib" / f"{name}_{sanitizer.partition(',')[0]}"
        flags = [
            "-std=c++17",
            "-O0",
            "-g1",
            f"-fsanitize={sanitizer}",
            "-fno-sanitize-recover=all",
            *(f"-I{folder}" for folder in folders),
        ]
        objects = []
        work = target.with_suffix(".objects")
        work.mkdir()
        for source in (*sources, PROGRAMS / f"{name}.cpp"):
            objects.append(work / f"{source.stem}.o")
        pairs = list(zip((*sources, PROGRAMS / f"{name}.cpp"), objects, strict=True))
        running = [subprocess.Popen(["g++", *flags, "-c", str(s), "-o", str(o)]) for s, o in pairs[::2]]
        for s, o in pairs[1::2]:
            run("g++", *flags, "-c", s, "-o", o)
        assert not any(process.wait() for process in running)
        run("g++", f"-fsanitize={sanitizer}", *objects, "-ldl", "-pthread", "-o", target)
        return target

    return compile_program
