"""Twins on 3510: its own, and those of c220 that mean the same there, each blamed by id and line under several schedules.

In: tests/sim/kernels/arch3510_twins*.h and twins*.h. Out: verdicts. Must never accept a fault at another line than the
marked one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from conftest import KERNELS
from score import verdict
from twin_table import CROSS, TWINS, Twin, markers
from twin_table_3510 import NOT_ON_3510, SCHEDULES_3510, SHARE, TWINS_3510, VF, markers_3510

from fiagen.sim.build import compile_kernel
from fiagen.sim.chip import ChipConfig
from fiagen.sim.launch import SimReport, launch

SHARED = [twin for twin in TWINS if (twin.group, twin.number) not in NOT_ON_3510]
Run = Callable[..., SimReport]


def named(twin: Twin) -> str:
    return f"{twin.group}.{twin.number}-{twin.rule}-{twin.blame.split()[1]}"


@pytest.fixture(scope="module")
def twins_3510(chip_3510: ChipConfig) -> Run:
    """Runs one twin: group, number, faulty or not, schedule."""
    library = compile_kernel(KERNELS / "arch3510_twins.cpp", "twins_3510", generated=False, arch=3510)

    def run(group: int, number: int, bad: bool, schedule: tuple[str, int]) -> SimReport:
        arrays = [np.ones(4096, np.float32), np.zeros(4096, np.float32), np.zeros(4096, np.float32)]
        select = np.array([group, number, int(bad), 4096], np.int32)
        return launch(
            library, [*arrays, select], block_dim=2, chip=chip_3510, policy=schedule[0], seed=schedule[1], budget=200_000,
            roles=("input", "output", "workspace", "input"),
        )  # fmt: skip

    return run


def judge(run: Run, twin: Twin, lines: dict[str, int]) -> None:
    for schedule in SCHEDULES_3510:
        clean = run(twin.group, twin.number, False, schedule)
        assert clean.faults == () and clean.status == 0, (schedule, clean.faults)
        faulty = run(twin.group, twin.number, True, schedule)
        assert faulty.status == 1 and verdict(twin, faulty, lines) == "", schedule


@pytest.mark.parametrize("twin", TWINS_3510, ids=named)
def test_own_twins(twins_3510: Run, twin: Twin) -> None:
    judge(twins_3510, twin, markers_3510())


@pytest.mark.parametrize("twin", SHARED, ids=named)
def test_twins_of_c220(twins_3510: Run, twin: Twin) -> None:
    judge(twins_3510, twin, markers())


@pytest.mark.parametrize(("group", "number"), NOT_ON_3510, ids=lambda value: str(value))
def test_what_is_no_fault_here(twins_3510: Run, group: int, number: int) -> None:
    """Where 3510 differs, the faulty twin of c220 is clean, or blamed elsewhere; the clean one stays clean."""
    (twin,) = [twin for twin in TWINS if (twin.group, twin.number) == (group, number)]
    assert twins_3510(group, number, False, ("late", 0)).faults == ()
    faulty = twins_3510(group, number, True, ("late", 0))
    assert faulty.faults == () or verdict(twin, faulty, markers()) != ""


def test_every_twin_is_listed(twins_3510: Run) -> None:
    assert len({(twin.group, twin.number) for twin in TWINS_3510}) == len(TWINS_3510) >= 40
    for group in (VF, SHARE):
        last = max(twin.number for twin in TWINS_3510 if twin.group == group)
        assert twins_3510(group, last + 1, False, ("late", 0)).faults[0].id == "sim.deadlock"


def test_a_library_of_the_other_architecture_is_refused(twins_3510: Run, chip: ChipConfig) -> None:
    library = compile_kernel(KERNELS / "arch3510_twins.cpp", "twins_3510", generated=False, arch=3510)
    arrays = [np.ones(8, np.float32)] * 3
    report = launch(library, [*arrays, np.zeros(4, np.int32)], block_dim=1, chip=chip)
    assert report.faults[0].id == "sim.bad_launch" and "architecture" in report.faults[0].message
    assert twins_3510(CROSS, 0, False, ("late", 0)).faults == ()
