"""Twins: a small clean kernel passes under every schedule, and the same kernel with one fault is blamed by id and line.

In: tests/sim/kernels/twins*.h. Out: verdicts. Must never accept a fault at another line than the marked one.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import KERNELS, SCHEDULES

from fiagen.sim.launch import SimReport

VECTOR, CUBE, CROSS = 0, 1, 2
# group, number, rule, marker of the blamed line, marker of the other line
TWINS = [
    (VECTOR, 0, "sim.wait_never_set", "wait_never_set", ""),
    (VECTOR, 1, "sim.race", "race_in", "race_in"),
    (VECTOR, 2, "sim.race", "race_out", "race_in"),
    (VECTOR, 3, "sim.flag_left_set", "left_set", ""),
    (VECTOR, 4, "sim.flag_set_twice", "set_twice", "set_twice"),
    (VECTOR, 5, "sim.missing_pipe_barrier", "raw_barrier", "raw_barrier"),
    (VECTOR, 6, "sim.missing_pipe_barrier", "war_barrier", "war_barrier"),
    (VECTOR, 7, "sim.missing_pipe_barrier", "interleaved", "interleaved"),
    (VECTOR, 8, "sim.missing_pipe_barrier", "mte2_barrier", "mte2_barrier"),
    (VECTOR, 9, "sim.race", "reuse_out", ""),
    (VECTOR, 10, "sim.race", "reuse_in", ""),
    (VECTOR, 11, "sim.race", "third", ""),
    (VECTOR, 12, "sim.race", "scalar_read", "scalar_read"),
    (VECTOR, 13, "sim.race", "scalar_write", "scalar_write"),
    (VECTOR, 14, "sim.wait_never_set", "scalar_wait", ""),
    (VECTOR, 15, "sim.wait_never_set", "circle", ""),
    (VECTOR, 16, "sim.misaligned", "misaligned", ""),
    (VECTOR, 17, "sim.misaligned", "partial_block", ""),
    (VECTOR, 18, "sim.ub_out_of_bounds", "past_buffer", ""),
    (VECTOR, 19, "sim.ub_out_of_bounds", "past_memory", ""),
    (VECTOR, 20, "sim.gm_out_of_bounds", "past_argument", ""),
    (VECTOR, 21, "sim.gm_out_of_bounds", "past_tensor", ""),
    (VECTOR, 22, "sim.gm_out_of_bounds", "before_tensor", ""),
    (VECTOR, 23, "sim.buffer_over_size", "too_much_ub", ""),
    (VECTOR, 24, "sim.too_many_buffers", "too_many_buffers", ""),
    (VECTOR, 25, "sim.queue_depth", "queue_alloc", ""),
    (VECTOR, 26, "sim.tensor_not_enqueued", "queue_deque", ""),
    (VECTOR, 27, "sim.tensor_not_freed", "queue_leak", ""),
    (VECTOR, 28, "sim.tensor_freed_twice", "queue_free_twice", ""),
    (VECTOR, 29, "sim.queue_depth", "queue_depth", ""),
    (VECTOR, 30, "sim.tensor_not_dequeued", "queue_free_queued", ""),
    (VECTOR, 31, "sim.tensor_enqueued_twice", "queue_enque_twice", ""),
    (VECTOR, 32, "sim.tensor_of_another_queue", "queue_other", ""),
    (VECTOR, 33, "sim.limit", "mask_too_long", ""),
    (VECTOR, 34, "sim.limit", "zero_stride", ""),
    (VECTOR, 35, "sim.limit", "compare_count", ""),
    (VECTOR, 36, "sim.select_reserved_ub", "select_tail", ""),
    (VECTOR, 37, "sim.limit", "cast_rounding", ""),
    (VECTOR, 38, "sim.limit", "pad_too_wide", ""),
    (VECTOR, 39, "sim.limit", "event_id", ""),
    (VECTOR, 40, "sim.event_ids_exhausted", "event_ids", ""),
    (VECTOR, 41, "sim.event_id_taken", "queue_owns_id", ""),
    (VECTOR, 42, "sim.two_pipes", "two_pipes", ""),
    (VECTOR, 43, "sim.wrong_memory", "no_l1", ""),
    (VECTOR, 44, "sim.overlap", "brcb_in_place", ""),
    (CUBE, 0, "sim.race", "mte2_mte1", ""),
    (CUBE, 1, "sim.race", "first_mmad", ""),
    (CUBE, 2, "sim.race", "fixpipe", "pipe_m"),
    (CUBE, 3, "sim.missing_pipe_barrier", "pipe_m", "first_mmad"),
    (CUBE, 4, "sim.misaligned", "first_mmad", ""),
    (CUBE, 5, "sim.limit", "fixpipe", ""),
    (CUBE, 6, "sim.l0c_out_of_bounds", "first_mmad", ""),
    (CUBE, 7, "sim.l1_out_of_bounds", "l1_past", ""),
    (CUBE, 8, "sim.race", "l0_reuse", "pipe_m"),
    (CUBE, 9, "sim.race", "l0c_reuse", "fixpipe"),
    (CUBE, 10, "sim.wrong_memory", "operands", ""),
    (CUBE, 11, "sim.limit", "first_mmad", ""),
    (CUBE, 12, "sim.wrong_memory", "copy_to_ub", ""),
    (CUBE, 13, "sim.event_id_taken", "taken_id", ""),
    (CROSS, 0, "sim.deadlock", "half_set", ""),
    (CROSS, 1, "sim.cross_flag_left_set", "no_wait", ""),
    (CROSS, 2, "sim.cross_flag_overflow", "overflow", ""),
    (CROSS, 3, "sim.cross_flag_reserved", "reserved", ""),
    (CROSS, 4, "sim.deadlock", "half_set", ""),
    (CROSS, 5, "sim.deadlock", "late_set", ""),
    (CROSS, 6, "sim.deadlock", "sync_skipped", ""),
    (CROSS, 7, "sim.sync_all_kind", "sync_aic", ""),
]


def line_of(kind: str, name: str) -> int:
    """The line that carries `// <kind> <name>`."""
    found = [
        number
        for path in sorted(KERNELS.glob("twins*.h"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if line.rstrip().endswith(f"// {kind} {name}")
    ]
    assert len(found) == 1, f"{kind} {name} is marked {len(found)} times"
    return found[0]


NAMES = [f"{rule}-{blame}" for _, _, rule, blame, _ in TWINS]


@pytest.mark.parametrize(("group", "number", "rule", "blame", "other"), TWINS, ids=NAMES)
def test_the_faulty_twin_is_blamed_and_the_clean_one_passes(
    twins: Callable[..., SimReport], group: int, number: int, rule: str, blame: str, other: str
) -> None:
    for schedule in SCHEDULES:
        clean = twins(group, number, False, schedule)
        assert clean.faults == () and clean.status == 0, (schedule, clean.faults)
        faulty = twins(group, number, True, schedule)
        assert faulty.status == 1
        fault = faulty.faults[0]
        # Under a random order of the cores another core may be the first that stands still.
        blamed = {line_of("blame", blame)} | ({line_of("blame", "no_set")} if rule == "sim.deadlock" else set())
        assert (fault.id, fault.line in blamed) == (rule, True), (schedule, fault, line_of("blame", blame))
        if other:
            kind = "other" if group == VECTOR and (blame, other) != ("race_out", "race_in") else "blame"
            assert fault.other_line == line_of(kind, other), (schedule, fault)


def test_every_twin_is_listed() -> None:
    assert len({(group, number) for group, number, *_ in TWINS}) == len(TWINS)
    assert len(TWINS) >= 25


def test_an_unknown_twin_does_not_pass(twins: Callable[..., SimReport]) -> None:
    assert twins(VECTOR, 999, False, ("late", 0)).faults[0].id == "sim.deadlock"


def test_a_deadlock_names_every_waiting_core(twins: Callable[..., SimReport]) -> None:
    message = twins(CROSS, 0, True, ("late", 0)).faults[0].message
    for who in ("block 0 AIC", "block 0 AIV0", "block 0 AIV1", "block 1 AIC"):
        assert who in message
    assert f"line {line_of('blame', 'no_set')} for cross-core flag 1" in message


def test_a_budget_stops_the_run(twins: Callable[..., SimReport]) -> None:
    assert twins(CROSS, 0, False, ("late", 0), budget=100).faults[0].id == "sim.budget"
    assert twins(CROSS, 0, False, ("late", 0), budget=100000).faults == ()


def test_the_cycles_do_not_depend_on_the_schedule(twins: Callable[..., SimReport]) -> None:
    cycles = {twins(CROSS, 0, False, schedule).cycles for schedule in SCHEDULES}
    assert len(cycles) == 1 and min(cycles) > 0
