"""Shared by the simulator's tests: the chip, the compiled kernels and the schedules.

In: tests/sim/kernels. Out: fixtures. Must never compile one kernel twice in a session.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fiagen.load.hardware import load_chip
from fiagen.sim.build import compile_kernel
from fiagen.sim.chip import ChipConfig
from fiagen.sim.launch import SimReport, launch

KERNELS = Path(__file__).parent / "kernels"
SCHEDULES = [("late", 0), ("early", 0), ("random", 1), ("random", 2), ("random", 3)]


@pytest.fixture(scope="session")
def chip() -> ChipConfig:
    return ChipConfig.from_hardware(load_chip("910B1"))


def twin_runner(chip: ChipConfig) -> Callable[..., SimReport]:
    """What runs one twin: group, number, faulty or not, schedule."""
    library = compile_kernel(KERNELS / "twins.cpp", "twins_kernel", generated=False)

    def run(
        group: int, number: int, bad: bool, schedule: tuple[str, int], budget: int = 200_000, checks: bool = True
    ) -> SimReport:
        policy, seed = schedule
        source = np.ones(4096, np.float32)
        result = np.zeros(4096, np.float32)
        work = np.zeros(4096, np.float32)
        select = np.array([group, number, int(bad), source.size], np.int32)
        arguments = [source, result, work, select]
        return launch(
            library, arguments, block_dim=2, chip=chip, policy=policy, seed=seed, budget=budget, checks=checks,
            roles=("input", "output", "workspace", "input"),
        )  # fmt: skip

    return run


@pytest.fixture(scope="session")
def chip_3510() -> ChipConfig:
    return ChipConfig.from_hardware(load_chip("950"))


@pytest.fixture(scope="session")
def twins(chip: ChipConfig) -> Callable[..., SimReport]:
    return twin_runner(chip)
