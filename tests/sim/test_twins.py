"""Twins: a small clean kernel passes under every schedule, and the same kernel with one fault is blamed by id and line.

In: tests/sim/kernels/twins*.h and twin_table.py. Out: verdicts. Must never accept a fault at another line than the
marked one.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from score import verdict
from twin_table import CROSS, MEMORY, SCHEDULES, TWINS, VECTOR, Twin, markers

from fiagen.sim.launch import SimReport


@pytest.mark.parametrize("twin", TWINS, ids=[f"{t.group}.{t.number}-{t.rule}-{t.blame.split()[1]}" for t in TWINS])
def test_the_faulty_twin_is_blamed_and_the_clean_one_passes(twins: Callable[..., SimReport], twin: Twin) -> None:
    for schedule in SCHEDULES:
        clean = twins(twin.group, twin.number, False, schedule)
        assert clean.faults == () and clean.status == 0, (schedule, clean.faults)
        faulty = twins(twin.group, twin.number, True, schedule)
        assert faulty.status == 1 and verdict(twin, faulty) == "", schedule


def test_every_twin_is_listed() -> None:
    assert len({(twin.group, twin.number) for twin in TWINS}) == len(TWINS)
    assert len(TWINS) >= 120


@pytest.mark.parametrize("group", range(7))
def test_an_unknown_twin_does_not_pass(twins: Callable[..., SimReport], group: int) -> None:
    if group != CROSS:
        assert twins(group, 999, False, ("late", 0)).faults[0].id == "sim.deadlock"


def test_a_deadlock_names_every_waiting_core(twins: Callable[..., SimReport]) -> None:
    message = twins(CROSS, 0, True, ("late", 0)).faults[0].message
    for who in ("block 0 AIC", "block 0 AIV0", "block 0 AIV1", "block 1 AIC"):
        assert who in message
    assert f"line {markers()['blame no_set']} for cross-core flag 1" in message


def test_a_budget_stops_the_run(twins: Callable[..., SimReport]) -> None:
    assert twins(CROSS, 0, False, ("late", 0), budget=100).faults[0].id == "sim.budget"
    assert twins(CROSS, 0, False, ("late", 0), budget=100000).faults == ()


def test_a_missing_order_explains_what_nobody_wrote(twins: Callable[..., SimReport]) -> None:
    """The vector core that does not wait reads its workspace before anybody wrote it, in some orders: still a race."""
    for schedule in SCHEDULES:
        assert {fault.id for fault in twins(CROSS, 10, True, schedule).faults} == {"sim.race_between_cores"}


def test_without_checks_only_what_needs_none_is_found(twins: Callable[..., SimReport]) -> None:
    assert twins(VECTOR, 5, True, ("late", 0), checks=False).faults == ()
    assert twins(MEMORY, 0, True, ("late", 0), checks=False).faults == ()
    assert twins(VECTOR, 18, True, ("late", 0), checks=False).faults[0].id == "sim.ub_out_of_bounds"


def test_the_cycles_do_not_depend_on_the_schedule(twins: Callable[..., SimReport]) -> None:
    cycles = {twins(CROSS, 0, False, schedule).cycles for schedule in SCHEDULES}
    assert len(cycles) == 1 and min(cycles) > 0
