"""Rates of the simulator, the compiler and the generator, printed as ratios within one run.

In: kernels of specs/kernels and the variants. Out: a table on stdout. Must never assert a time: machines differ, and
so do their neighbours.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fiagen.emit.kernels import emit_kernel
from fiagen.load.launches import kernel_folder, read_launch
from fiagen.load.variants import load_variants
from fiagen.model.launch import KernelLaunch
from fiagen.sim.abi import Report
from fiagen.sim.build import compile_kernel
from fiagen.verify.handwritten import kernel_of, run_kernel

REPEATS = 3
Row = tuple[str, float, str, str]


def best(action: Callable[[], object]) -> float:
    """Seconds of the fastest of some runs."""
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


@pytest.fixture(scope="module")
def rows() -> Iterator[list[Row]]:
    found: list[Row] = []
    yield found
    print("\n\nrates of one run on this machine, one process")
    for what, value, unit, ratio in found:
        print(f"  {what:<52}{value:>12.2f} {unit:<12}{ratio}")


def timed(name: str, request: KernelLaunch, **options: bool) -> tuple[float, Report]:
    """Seconds of the fastest run of a kernel of specs/kernels, and its report."""
    library = kernel_of(kernel_folder(name) / "kernel.cpp", request)
    reports: list[Report] = []
    seconds = best(lambda: reports.append(run_kernel(library, request, **options).report))
    assert reports[-1].faults == ()
    return seconds, reports[-1]


def test_cube(rows: list[Row]):
    fields, shapes = {"m": 512, "n": 512, "k": 2048}, {"a": (512, 2048), "b": (2048, 512), "c": (512, 512)}
    request = read_launch(kernel_folder("matmul_bf16") / "launch.yaml").replaced(fields=fields, shapes=shapes)
    work = {}
    for checks in (False, True):
        seconds, report = timed("matmul_bf16", request, checks=checks)
        assert report.cube_macs == 512 * 512 * 2048
        work[checks] = 2 * report.cube_macs / seconds / 1e9
    rows.append(("cube, checks off", work[False], "GFLOP/s", ""))
    rows.append(("cube, checks on", work[True], "GFLOP/s", f"checks cost {work[False] / work[True]:.2f}x"))


@pytest.mark.parametrize("name", ["muls_chain", "exp_chain"])
def test_vector(rows: list[Row], name: str):
    request = read_launch(kernel_folder(name) / "launch.yaml").replaced(fields={"times": 8192})
    work = {}
    for checks in (False, True):
        seconds, report = timed(name, request, checks=checks)
        assert report.vector_elements == 8192 * 8192
        work[checks] = report.vector_elements / seconds / 1e6
    rows.append((f"vector, {name}, checks off", work[False], "Melements/s", ""))
    cost = f"checks cost {work[False] / work[True]:.2f}x"
    rows.append((f"vector, {name}, checks on", work[True], "Melements/s", cost))


def test_time_alone(rows: list[Row]):
    fields, shapes = {"m": 1024, "n": 1024, "k": 4096}, {"a": (1024, 4096), "b": (4096, 1024), "c": (1024, 1024)}
    request = read_launch(kernel_folder("matmul_bf16") / "launch.yaml").replaced(fields=fields, shapes=shapes)
    seconds, report = timed("matmul_bf16", request, time_only=True)
    rows.append(("time without effects", report.instructions / seconds / 1e6, "Minstr/s", ""))


def test_compiling(rows: list[Row], tmp_path: Path):
    source = kernel_folder("matmul_bf16") / "kernel.cpp"
    start = time.perf_counter()
    first = compile_kernel(source, "matmul_bf16", folder=tmp_path, generated=False)
    everything = time.perf_counter() - start
    first.unlink()
    start = time.perf_counter()
    again = compile_kernel(source, "matmul_bf16", folder=tmp_path, generated=False)
    cold = time.perf_counter() - start
    assert again == first
    cached = best(lambda: compile_kernel(source, "matmul_bf16", folder=tmp_path, generated=False))
    rows.append(("compile the simulator and a kernel, empty cache", everything, "s", ""))
    rows.append(("compile one kernel, cold", cold, "s", f"{everything / cold:.1f}x faster than with the simulator"))
    rows.append(("compile one kernel, cached", cached * 1000, "ms", f"{cold / cached:.0f}x faster than cold"))


def test_generating(rows: list[Row]):
    names = list(load_variants())
    emit_kernel(names[0])  # templates and specs are read once
    start = time.perf_counter()
    texts = {emit_kernel(name).text for name in names}
    seconds = time.perf_counter() - start
    assert len(texts) == len(names)
    rows.append(("generate a variant's kernel", 1000 * seconds / len(names), "ms", f"{len(names)} variants"))
