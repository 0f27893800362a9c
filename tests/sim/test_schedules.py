"""Many schedules: which ones there are, what they compare, what they leave behind.

In: small kernels. Out: verdicts. Must never pass because only one order was tried.
"""

from __future__ import annotations

import numpy as np
import pytest
from conftest import KERNELS

from fiagen.sim.build import compile_kernel
from fiagen.sim.chip import ChipConfig
from fiagen.sim.schedules import DEPENDS, Schedule, launch_schedules, schedules


def test_schedules_are_late_early_and_random() -> None:
    assert schedules(4, 7) == (Schedule("late", 0), Schedule("early", 0), Schedule("random", 8), Schedule("random", 9))
    assert schedules(1) == (Schedule("late", 0),)
    assert len(set(schedules(20))) == 20
    assert str(schedules(3)[2]) == "random 1" and str(schedules(1)[0]) == "late"
    with pytest.raises(ValueError, match="at least 1"):
        schedules(0)


def numbers(values: list[float]) -> np.ndarray:
    return np.repeat(np.float32(values), 8)


@pytest.mark.parametrize("roles", [None, ("input", "inout")])
def test_a_sum_whose_value_depends_on_the_order_is_found(chip: ChipConfig, roles: tuple[str, ...] | None) -> None:
    library = compile_kernel(KERNELS / "atomic_order.cpp", "atomic_order", generated=False)
    total = np.zeros(8, np.float32)
    exact = launch_schedules(
        library, [numbers([1, 2, 3, 4]), total], block_dim=2, chip=chip, count=20, roles=roles
    )  # fmt: skip
    assert exact.faults == () and len(exact.tried) == 20 and exact.first.status == 0
    assert (total == 10).all()
    total[:] = 0
    report = launch_schedules(
        library, [numbers([1e8, 1, -1e8, 1]), total], block_dim=2, chip=chip, count=20, roles=roles
    )  # fmt: skip
    fault = report.faults[0]
    assert fault.id == DEPENDS and report.first.faults == ()
    assert "kernel argument 1" in fault.message and "8 of 8 elements differ" in fault.message
    assert f"'{report.tried[-1]}'" in fault.message and len(report.tried) < 20
    assert (total == total[0]).all()


def test_a_fault_ends_the_runs(chip: ChipConfig) -> None:
    library = compile_kernel(KERNELS / "atomic_order.cpp", "atomic_order", generated=False)
    arguments = [numbers([1, 2, 3, 4]), np.zeros(4, np.float32)]
    report = launch_schedules(library, arguments, block_dim=2, chip=chip, count=5)
    assert report.faults[0].id == "sim.gm_out_of_bounds" and len(report.tried) == 1
