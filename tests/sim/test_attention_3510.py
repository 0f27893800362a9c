"""A small attention kernel in the style of 3510: clean under every schedule, right against NumPy, and nothing of it is idle.

In: tests/sim/kernels/attention_3510.cpp. Out: verdicts. Must never accept a result that depends on the schedule.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import KERNELS

from fiagen.sim.build import compile_kernel
from fiagen.sim.chip import ChipConfig
from fiagen.sim.launch import SimReport, launch

SOURCE = KERNELS / "attention_3510.cpp"
SCHEDULES = [("late", 0), ("early", 0), *(("random", seed) for seed in range(1, 19))]
ROLES = ("input", "input", "input", "output", "input")


def inputs(rows: int, keys: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(rows + keys)
    shapes = (rows, 64), (keys, 64), (keys, 64)
    q, k, v = (rng.standard_normal(shape).astype(np.float16) for shape in shapes)
    return q * np.float16(2), k, v


def run(library: Any, chip: ChipConfig, arrays: tuple[Any, Any, Any], schedule: tuple[str, int]) -> tuple[Any, SimReport]:
    q, k, v = arrays
    out = np.zeros_like(q)
    select = np.array([len(q), len(k)], np.int32)
    report = launch(
        library, [q, k, v, out, select], block_dim=len(q) // 128, chip=chip, policy=schedule[0], seed=schedule[1],
        budget=3_000_000, roles=ROLES,
    )  # fmt: skip
    return out, report


@pytest.mark.parametrize(("rows", "keys"), [(128, 128), (128, 256), (256, 640)])
def test_attention(chip_3510: ChipConfig, rows: int, keys: int) -> None:
    library = compile_kernel(SOURCE, "attention_3510", generated=False, arch=3510)
    q, k, v = arrays = inputs(rows, keys)
    scores = q.astype(np.float64) @ k.astype(np.float64).T / 8
    weights = np.exp(scores - scores.max(1, keepdims=True))
    truth = weights @ v.astype(np.float64) / weights.sum(1, keepdims=True)
    results, cycles = [], set()
    for schedule in SCHEDULES if rows == 256 else SCHEDULES[:5]:
        out, report = run(library, chip_3510, arrays, schedule)
        assert report.faults == (), (schedule, report.faults)
        results.append(out)
        cycles.add(report.cycles)
    np.testing.assert_allclose(results[0].astype(np.float64), truth, atol=3e-3)
    assert all((result == results[0]).all() for result in results)
    assert len(cycles) == 1 and min(cycles) > 0


# Every line that puts something in order, once, and what is found when it is gone.
ORDER = ("Mutex::", "CrossCore", "SetFlag", "WaitFlag", "LocalMemBar", "WaitBoth<", "SetBoth<")


def ordering_lines() -> list[int]:
    lines = SOURCE.read_text().splitlines()
    return [
        number for number, line in enumerate(lines)
        if line.strip().startswith(ORDER) and "template" not in line and line.rstrip().endswith((";", "slot"))
    ]  # fmt: skip


@pytest.mark.parametrize("number", ordering_lines())
def test_no_synchronisation_can_go(chip_3510: ChipConfig, tmp_path: Any, number: int) -> None:
    lines = SOURCE.read_text().splitlines()
    lines[number] = ";"
    (tmp_path / "less.cpp").write_text("\n".join(lines) + "\n")
    library = compile_kernel(tmp_path / "less.cpp", "attention_3510", generated=False, arch=3510)
    for schedule in (("late", 0), ("early", 0), ("random", 1)):
        _, report = run(library, chip_3510, inputs(128, 640), schedule)
        assert report.faults, (schedule, SOURCE.read_text().splitlines()[number])
