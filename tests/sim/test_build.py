"""Kernel libraries: made once, made again when anything changes, and refused with the way to reproduce it.

In: small kernels. Out: verdicts. Must never use the user's cache for what it breaks on purpose.
"""

from __future__ import annotations

import re
import resource
import shlex
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from conftest import KERNELS

from fiagen.diagnostics import DiagnosticError
from fiagen.paths import SIM_INCLUDE
from fiagen.sim import build
from fiagen.sim.abi import FiagenSimChip, FiagenSimFault, FiagenSimReport
from fiagen.sim.build import compile_kernel, find_compiler
from fiagen.sim.chip import ChipConfig
from fiagen.sim.launch import FiagenSimLaunch, SimReport, launch

EMPTY = """#include "kernel_operator.h"
extern "C" __global__ __aicore__ void empty(GM_ADDR x)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    AscendC::GlobalTensor<int32_t> g;
    g.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(x));
    %s
}
"""


def written(folder: Path, statement: str) -> Path:
    path = folder / "empty.cpp"
    path.write_text(EMPTY % statement)
    return path


def test_a_library_is_made_once_and_again_after_a_change(tmp_path: Path) -> None:
    first = compile_kernel(written(tmp_path, "(void)g.GetSize();"), "empty")
    stamp = first.stat().st_mtime_ns
    assert compile_kernel(tmp_path / "empty.cpp", "empty") == first and first.stat().st_mtime_ns == stamp
    second = compile_kernel(written(tmp_path, "(void)g.GetPhyAddr();"), "empty")
    assert second != first
    (tmp_path / "constants.h").write_text("constexpr int UNUSED = 1;\n")
    assert compile_kernel(tmp_path / "empty.cpp", "empty") not in (first, second)


def test_many_at_once_leave_one_whole_library(tmp_path: Path) -> None:
    source = written(tmp_path, "(void)g.GetSize(); /* many */")
    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(lambda _: compile_kernel(source, "empty"), range(4)))
    assert len(found) == 1
    folder = found.pop().parent
    assert not list(folder.glob(".empty-*"))


def test_a_call_that_is_not_simulated_does_not_compile(tmp_path: Path) -> None:
    statement = "AscendC::LocalTensor<int8_t> t; AscendC::Exp(t, t, 8);"
    with pytest.raises(DiagnosticError) as raised:
        compile_kernel(written(tmp_path, statement), "empty", generated=False)
    (finding,) = raised.value.diagnostics
    assert finding.rule == "sim.compile_failed"
    assert "fiagen sim: Exp takes half or float" in finding.given
    command = shlex.split(finding.fix.removeprefix("Reproduce it with: "))
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode != 0 and "Exp takes half or float" in again.stderr


def test_a_generated_file_that_fails_is_called_our_bug(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError) as raised:
        compile_kernel(written(tmp_path, "not C++;"), "empty")
    assert "our bug" in raised.value.diagnostics[0].why


def test_a_machine_without_a_compiler_is_told_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    find_compiler.cache_clear()
    monkeypatch.delenv("FIAGEN_CXX", raising=False)
    monkeypatch.setattr(build.shutil, "which", lambda name: None)
    monkeypatch.setattr(build.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DiagnosticError) as raised:
        find_compiler()
    find_compiler.cache_clear()
    assert raised.value.diagnostics[0].rule == "sim.no_compiler"
    assert raised.value.diagnostics[0].fix == "pip install ziglang"


def test_a_wrong_launch_is_refused(tmp_path: Path, chip: ChipConfig) -> None:
    library = compile_kernel(written(tmp_path, "(void)g.GetSize();"), "empty")
    x = np.zeros(8, np.int32)
    assert launch(library, [x], block_dim=1, chip=chip).faults == ()
    assert launch(library, [x, x], block_dim=1, chip=chip).faults[0].id == "sim.bad_launch"
    assert launch(library, [x], block_dim=0, chip=chip).faults[0].id == "sim.bad_launch"


def test_the_python_structs_are_those_of_the_header() -> None:
    text = (SIM_INCLUDE / "fiagen_sim_abi.h").read_text()
    text = re.sub(r"//[^\n]*", "", text)
    for struct in (FiagenSimChip, FiagenSimFault, FiagenSimReport, FiagenSimLaunch):
        body = re.search(rf"typedef struct {struct.__name__} \{{(.*?)\}} {struct.__name__};", text, re.DOTALL)
        assert body is not None
        names = [
            re.findall(r"\w+", re.sub(r"\[\w+\]", "", part))[-1]
            for line in body[1].split(";")
            if line.strip()
            for part in line.split(",")
        ]
        assert names == [field[0] for field in struct._fields_]


def test_faults_leak_nothing(twins: Callable[..., SimReport]) -> None:
    """Deadlocks and faults unwind every fiber: a thousand of them do not make the process grow."""

    def hundred() -> None:
        for _ in range(100):
            assert twins(2, 0, True, ("late", 0)).status == 1
            assert twins(0, 18, True, ("early", 0)).status == 1

    hundred()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(4):
        hundred()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # KiB


def test_kernels_are_found() -> None:
    assert {path.name for path in KERNELS.glob("*.cpp")} >= {"twins.cpp", "vector_api.cpp", "cube_api.cpp"}


def test_a_tiling_struct_is_copied_and_has_to_be_whole(tmp_path: Path, chip: ChipConfig) -> None:
    statement = """struct Tiling { int32_t rows; int32_t columns; };
    REGISTER_TILING_DEFAULT(Tiling);
    GET_TILING_DATA_WITH_STRUCT(Tiling, tiling, AscendC::GetUserWorkspace(x));
    GET_TILING_DATA_PTR_WITH_STRUCT(Tiling, same, x);
    if (ASCEND_IS_AIC) { g.SetValue(2, tiling.rows + same->columns);
        AscendC::DataCacheCleanAndInvalid<int32_t, AscendC::CacheLine::SINGLE_CACHE_LINE>(g); }"""
    library = compile_kernel(written(tmp_path, statement), "empty")
    x = np.array([3, 4, 0], np.int32)
    assert launch(library, [x], block_dim=1, chip=chip).faults == ()
    assert x[2] == 7
    assert launch(library, [x[:1].copy()], block_dim=1, chip=chip).faults[0].id == "sim.gm_out_of_bounds"


def test_every_header_compiles_alone(tmp_path: Path) -> None:
    headers = sorted((SIM_INCLUDE / "fiagen_sim").glob("*.h"))
    assert len(headers) > 10
    unit = tmp_path / "unit.cpp"
    for header in headers:
        unit.write_text(f'#include "fiagen_sim/{header.name}"\n')
        command = [*find_compiler(), *build.KERNEL_FLAGS, f"-I{SIM_INCLUDE}", "-fsyntax-only", str(unit)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (header.name, done.stderr)


def test_a_loop_without_an_instruction_ends(tmp_path: Path, chip: ChipConfig) -> None:
    statement = "volatile int32_t turns = 1; while (turns != 0) { turns = 1; }"
    library = compile_kernel(written(tmp_path, statement), "empty")
    fault = launch(library, [np.zeros(8, np.int32)], block_dim=1, chip=chip).faults[0]
    assert (fault.id, "does not end" in fault.message) == ("sim.budget", True)


def test_the_environment_chooses_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIAGEN_CXX", "my-c++ -fsanitize=address")
    find_compiler.cache_clear()
    assert find_compiler() == ("my-c++", "-fsanitize=address")
    monkeypatch.undo()
    find_compiler.cache_clear()
