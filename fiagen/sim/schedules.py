"""Runs a kernel under many legal orders of pipes, cores and blocks, and compares what comes out bit by bit.

In: a library of `build.compile_kernel`, arrays, a number of schedules. Out: the schedules tried, the first report and
the first fault. Must never call a kernel clean whose outputs depend on the order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fiagen.sim.abi import Fault
from fiagen.sim.chip import ChipConfig
from fiagen.sim.launch import SimReport, launch

DEPENDS = "sim.schedule_dependent"


@dataclass(frozen=True)
class Schedule:
    """One legal order: 'late' and 'early' let copies land last and first, 'random' draws it from the seed."""

    policy: str
    seed: int

    def __str__(self) -> str:
        return self.policy if self.policy != "random" else f"random {self.seed}"


@dataclass(frozen=True)
class ScheduleReport:
    """What many schedules found. `faults` are those of the first schedule that faulted, or say which two differ."""

    tried: tuple[Schedule, ...]
    first: SimReport
    faults: tuple[Fault, ...]


def schedules(count: int, seed: int = 0) -> tuple[Schedule, ...]:
    """`count` schedules: late, early, then random ones from `seed` on. Raises ValueError when there are none."""
    if count < 1:
        raise ValueError(f"{count} schedules; at least 1")
    fixed = (Schedule("late", 0), Schedule("early", 0))
    return (*fixed, *(Schedule("random", seed + number) for number in range(1, count - 1)))[:count]


def launch_schedules(
    library: Path,
    args: Sequence[np.ndarray | None],
    *,
    block_dim: int,
    chip: ChipConfig,
    count: int,
    seed: int = 0,
    budget: int = 0,
    roles: Sequence[str] | None = None,
) -> ScheduleReport:
    """Run the kernel of `library` under `schedules(count, seed)`, each time from the same contents of `args`.

    Stops at the first fault. Afterwards the arrays hold what the first schedule left; those that are no input and no
    workspace are compared. The other parameters and the errors are those of `launch`.
    """
    before = [None if array is None else array.copy() for array in args]
    compared = [
        index
        for index, array in enumerate(args)
        if array is not None and (roles is None or roles[index] in ("inout", "output"))
    ]
    tried: list[Schedule] = []
    first: SimReport | None = None
    for schedule in schedules(count, seed):
        tried.append(schedule)
        arrays = args if first is None else [None if array is None else array.copy() for array in before]
        report = launch(
            library, arrays, block_dim=block_dim, chip=chip, seed=schedule.seed, policy=schedule.policy,
            budget=budget, roles=roles,
        )  # fmt: skip
        first = first or report
        if report.faults:
            return ScheduleReport(tuple(tried), first, report.faults)
        for index in compared:
            expected, got = args[index], arrays[index]
            assert expected is not None and got is not None
            if (fault := _difference(index, expected, got, tried[0], schedule)) is not None:
                return ScheduleReport(tuple(tried), first, (fault,))
    assert first is not None
    return ScheduleReport(tuple(tried), first, ())


def _difference(index: int, expected: np.ndarray, got: np.ndarray, one: Schedule, two: Schedule) -> Fault | None:
    """The fault that says where two runs differ; None when every bit is the same."""
    bits = [array.reshape(-1).view(np.uint8).reshape(array.size, -1) for array in (expected, got) if array.size]
    if not bits:
        return None
    places = np.flatnonzero((bits[0] != bits[1]).any(axis=1))
    if places.size == 0:
        return None
    at = int(places[0])
    values = f"{expected.reshape(-1)[at]!r} and {got.reshape(-1)[at]!r}"
    message = (
        f"kernel argument {index} depends on the order in which pipes and cores run: {places.size} of {got.size} "
        f"elements differ between the schedules '{one}' and '{two}', the first one at {at}: {values}"
    )
    return Fault(id=DEPENDS, block=-1, core="", pipe="", instruction="", line=0, other_line=0, message=message)
