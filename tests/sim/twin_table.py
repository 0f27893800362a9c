"""The twins: which small kernels there are, and what has to be said of each faulty one.

In: the markers in tests/sim/kernels/twins*.h. Out: TWINS, and the lines to blame. Must never list a twin twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

KERNELS = Path(__file__).parent / "kernels"
SCHEDULES = [("late", 0), ("early", 0), *(("random", seed) for seed in range(1, 19))]
VECTOR, CUBE, CROSS, GLOBAL, MEMORY, VECTOR_LIMITS, CUBE_LIMITS = range(7)
MARKER = re.compile(r"\b(blame|other) (\w+)")


@dataclass(frozen=True)
class Twin:
    """A kernel of one group: the rule its faulty version breaks, markers of the lines that may be blamed, and of the
    second line, '' when there is none to check. With `swaps` either of the two may be found first."""

    group: int
    number: int
    rule: str
    blame: str
    other: str = ""
    also: tuple[str, ...] = ()
    swaps: bool = False


def _numbered(group: int, rows: list[tuple[object, ...]]) -> list[Twin]:
    return [Twin(group, number, *row) for number, row in enumerate(rows)]  # type: ignore[arg-type]


RACE, CORES, BARRIER = "sim.race", "sim.race_between_cores", "sim.missing_pipe_barrier"
LIMIT, NOBODY, OVERLAP, ALIGN = "sim.limit", "sim.uninitialized", "sim.overlap", "sim.misaligned"
TWINS: list[Twin] = [
    *_numbered(VECTOR, [
        ("sim.wait_never_set", "blame wait_never_set"),
        (RACE, "blame race_in", "other race_in"),
        (RACE, "blame race_out", "blame race_in"),
        ("sim.flag_left_set", "blame left_set"),
        ("sim.flag_set_twice", "blame set_twice", "other set_twice"),
        (BARRIER, "blame raw_barrier", "other raw_barrier"),
        (BARRIER, "blame war_barrier", "other war_barrier"),
        (BARRIER, "blame interleaved", "other interleaved"),
        (BARRIER, "blame mte2_barrier", "other mte2_barrier"),
        (RACE, "blame reuse_out", "blame race_out"),
        (RACE, "blame reuse_in", "blame race_in"),
        (RACE, "blame third", "blame race_in"),
        (RACE, "blame scalar_read", "other scalar_read"),
        (RACE, "blame scalar_write", "other scalar_write"),
        ("sim.wait_never_set", "blame scalar_wait"),
        ("sim.wait_never_set", "blame circle"),
        (ALIGN, "blame misaligned"),
        (ALIGN, "blame partial_block"),
        ("sim.ub_out_of_bounds", "blame past_buffer"),
        ("sim.ub_out_of_bounds", "blame past_memory"),
        ("sim.gm_out_of_bounds", "blame past_argument"),
        ("sim.gm_out_of_bounds", "blame past_tensor"),
        ("sim.gm_out_of_bounds", "blame before_tensor"),
        ("sim.buffer_over_size", "blame too_much_ub"),
        ("sim.too_many_buffers", "blame too_many_buffers"),
        ("sim.queue_depth", "blame queue_alloc"),
        ("sim.tensor_not_enqueued", "blame queue_deque"),
        ("sim.tensor_not_freed", "blame queue_leak"),
        ("sim.tensor_freed_twice", "blame queue_free_twice"),
        ("sim.queue_depth", "blame queue_depth"),
        ("sim.tensor_not_dequeued", "blame queue_free_queued"),
        ("sim.tensor_enqueued_twice", "blame queue_enque_twice"),
        ("sim.tensor_of_another_queue", "blame queue_other"),
        (LIMIT, "blame mask_too_long"),
        (LIMIT, "blame zero_stride"),
        (LIMIT, "blame compare_count"),
        ("sim.select_reserved_ub", "blame select_tail"),
        (LIMIT, "blame cast_rounding"),
        (LIMIT, "blame pad_too_wide"),
        (LIMIT, "blame event_id"),
        ("sim.event_ids_exhausted", "blame event_ids"),
        ("sim.event_id_taken", "blame queue_owns_id"),
        ("sim.two_pipes", "blame two_pipes"),
        ("sim.wrong_memory", "blame no_l1"),
        (OVERLAP, "blame brcb_in_place"),
    ]),
    *_numbered(CUBE, [
        (RACE, "blame mte2_mte1", "blame l1_past"),
        (RACE, "blame first_mmad"),
        (RACE, "blame fixpipe", "blame pipe_m"),
        (BARRIER, "blame pipe_m", "blame first_mmad"),
        (ALIGN, "blame first_mmad"),
        (LIMIT, "blame fixpipe"),
        ("sim.l0c_out_of_bounds", "blame first_mmad"),
        ("sim.l1_out_of_bounds", "blame l1_past"),
        (RACE, "blame l0_reuse", "blame pipe_m"),
        (RACE, "blame l0c_reuse", "blame fixpipe"),
        ("sim.wrong_memory", "blame operands"),
        (LIMIT, "blame first_mmad"),
        ("sim.wrong_memory", "blame copy_to_ub"),
        ("sim.event_id_taken", "blame taken_id"),
    ]),
    *_numbered(CROSS, [
        ("sim.deadlock", "blame half_set", "", ("blame no_set",)),
        ("sim.cross_flag_left_set", "blame no_wait"),
        ("sim.cross_flag_overflow", "blame overflow"),
        ("sim.cross_flag_reserved", "blame reserved"),
        ("sim.deadlock", "blame half_set", "", ("blame no_set",)),
        ("sim.deadlock", "blame late_set", "", ("blame no_set",)),
        ("sim.deadlock", "blame sync_skipped"),
        ("sim.sync_all_kind", "blame sync_aic"),
        (CORES, "blame fixpipe", "other ping_pong", (), True),
        (CORES, "blame fixpipe", "other ping_pong", (), True),
        (CORES, "blame fixpipe", "other ping_pong", (), True),
    ]),
    *_numbered(GLOBAL, [
        (CORES, "blame neighbour", "other neighbour", (), True),
        (CORES, "blame pair", "other pair", (), True),
        (CORES, "blame pair_pipe", "other pair_pipe", (), True),
        (CORES, "blame set_early", "other set_early", (), True),
        (CORES, "blame overwrites", "other overwrites", (), True),
        (CORES, "blame outputs", "blame outputs"),
        ("sim.shared_block", "blame shared_block", "blame shared_block"),
        (CORES, "blame parts_by_pad", "blame parts_by_pad"),
        (CORES, "blame atomic", "blame atomic"),
        (CORES, "blame fixpipe", "blame beside_fixpipe", (), True),
        (RACE, "blame read_back", "other read_back"),
        (RACE, "blame store_over_load", "other store_over_load"),
        (BARRIER, "blame store_twice", "other store_twice"),
        (RACE, "blame scalar_reads_store", "other scalar_reads_store"),
        (RACE, "blame load_behind_scalar", "other load_behind_scalar"),
        ("sim.cache_not_cleaned", "blame left_in_cache"),
        ("sim.cache_not_cleaned", "blame loads_before_clean", "other loads_before_clean"),
        ("sim.stale_read", "blame stale_line"),
        ("sim.shared_line", "blame shared_line", "blame shared_line"),
        ("sim.shared_line", "blame beside_line", "other beside_line"),
        ("sim.input_written", "blame writes_input"),
        ("sim.gm_out_of_bounds", "blame past_workspace"),
        ("sim.gm_out_of_bounds", "blame nowhere"),
    ]),
    *_numbered(MEMORY, [
        (NOBODY, "blame never_written"),
        (NOBODY, "blame short_load"),
        (NOBODY, "blame masked_fill"),
        (NOBODY, "blame store_unwritten"),
        (NOBODY, "blame scalar_unwritten"),
        (NOBODY, "blame unwritten_workspace"),
        (NOBODY, "blame atomic_unwritten"),
        (NOBODY, "blame follows_copies"),
        (NOBODY, "blame follows_brcb"),
        (NOBODY, "blame buffers_again"),
        ("sim.tensor_freed", "blame uses_freed", "other uses_freed"),
        ("sim.tensor_in_queue", "blame uses_enqueued", "other uses_enqueued"),
        ("sim.tensor_freed", "blame before_alloc"),
        (OVERLAP, "blame shifted"),
        (OVERLAP, "blame next_repeat"),
        (OVERLAP, "blame accumulates"),
        (OVERLAP, "blame widens"),
        (OVERLAP, "blame select_shifted"),
        (OVERLAP, "blame max_shifted"),
        ("sim.budget", "blame never_ends"),
        ("sim.crash", "blame bad_address"),
        ("sim.crash", "blame divides"),
        ("sim.crash", "blame stack_used_up"),
        ("sim.kernel_exception", "blame throws_itself"),
    ]),
    *_numbered(VECTOR_LIMITS, [
        (LIMIT, "blame burst_count"),
        (LIMIT, "blame burst_length"),
        (ALIGN, "blame odd_element"),
        (LIMIT, "blame pad_bursts"),
        (ALIGN, "blame copy_out_misaligned"),
        (ALIGN, "blame reduce_misaligned"),
        (ALIGN, "blame block_reduce"),
        (LIMIT, "blame half_mask"),
        (LIMIT, "blame int_compare"),
        (LIMIT, "blame select_mode"),
        (LIMIT, "blame cast_from_half"),
        (LIMIT, "blame cast_to_int"),
        (LIMIT, "blame brcb_stride"),
        (ALIGN, "blame brcb_misaligned"),
        (LIMIT, "blame queue_buffers"),
        ("sim.queue_not_initialised", "blame queue_unknown"),
        (LIMIT, "blame cross_flag_id"),
        ("sim.cross_flag_reserved", "blame wait_reserved"),
        ("sim.ub_out_of_bounds", "blame spread_past"),
        ("sim.ub_out_of_bounds", "blame counter_past"),
        ("sim.gm_out_of_bounds", "blame scalar_past"),
        ("sim.ub_out_of_bounds", "blame local_scalar_past"),
    ]),
    *_numbered(CUBE_LIMITS, [
        (LIMIT, "blame nd_load"),
        (LIMIT, "blame nd_load"),
        (ALIGN, "blame nd_load"),
        (LIMIT, "blame fill_blocks"),
        (ALIGN, "blame right_to_l0"),
        ("sim.l1_out_of_bounds", "blame right_to_l0"),
        ("sim.wrong_memory", "blame right_to_l0"),
        (LIMIT, "blame mmad"),
        (LIMIT, "blame mmad"),
        (LIMIT, "blame mmad"),
        (ALIGN, "blame mmad"),
        (LIMIT, "blame fixed"),
        (LIMIT, "blame fixed"),
        (LIMIT, "blame fixed"),
        (LIMIT, "blame fixed"),
        ("sim.gm_out_of_bounds", "blame fixed"),
        (NOBODY, "blame short_rows"),
        (NOBODY, "blame fixed"),
        (NOBODY, "blame fixed"),
        (NOBODY, "blame fixed"),
        ("sim.wrong_memory", "blame no_vectors"),
        (RACE, "blame mmad", "other bias_again"),
        (BARRIER, "blame fix_twice", "blame fixed"),
        (RACE, "blame l1_reuse", "other l1_reuse"),
        (RACE, "blame fix_read_back", "blame fixed"),
    ]),
]  # fmt: skip


@lru_cache(maxsize=1)
def markers() -> dict[str, int]:
    """Line by marker, 'blame name' or 'other name'."""
    found: dict[str, int] = {}
    for path in sorted(KERNELS.glob("twins*.h")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for kind, name in MARKER.findall(line.partition("//")[2]):
                assert f"{kind} {name}" not in found, f"{kind} {name} is marked twice"
                found[f"{kind} {name}"] = number
    return found
