"""The structs of fiagen_sim_abi.h as ctypes sees them.

In: nothing. Out: FiagenSimChip, FiagenSimReport and a plain reading of a report. Must never differ from the
header in a field.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

MAX_FAULTS = 16
PIPES = ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX")
STALLS = (
    *(f"flag from {pipe}" for pipe in PIPES), "issue", "cross-core flag", "SyncAll", "barrier", "queue full", "idle",
)  # fmt: skip
_CHIP_BYTES = ("ub_bytes", "l1_bytes", "l0a_bytes", "l0b_bytes", "l0c_bytes", "bt_bytes", "fb_bytes", "l2_bytes")
_CHIP_COUNTS = (
    "npu_arch", "aic_count", "aiv_count", "queue_depth", "gm_line_bytes", "gm_sector_bytes", "ub_bank_groups",
    "ub_bank_bytes",
)  # fmt: skip
_CHIP_RATES = (
    "clock_mhz", "hbm_bytes", "l2_bytes_per_cycle", "l2_write_bytes_per_cycle",
    "hbm_to_l1_bytes", "hbm_to_ub_bytes", "l2_to_l1_bytes", "l2_to_ub_bytes", "ub_to_gm_bytes", "l0c_to_gm_bytes",
    "l1_to_l0a_bytes", "l1_to_l0b_bytes", "l1_to_bt_bytes", "fixpipe_elements",
    "l0c_to_ub_bytes", "ub_to_l1_bytes", "l1_to_ub_bytes",
    "hbm_latency_cycles", "l2_latency_cycles", "gm_write_latency_cycles",
    "mte1_issue_cycles", "mte1_latency_cycles", "mte1_3d_latency_cycles",
    "mte2_hit_cycles", "mte2_miss_cycles", "mte3_issue_cycles", "fix_issue_cycles",
    "vector_issue_cycles", "vector_latency_cycles", "vector_repeat_cycles",
    "vector_exp_elements", "vector_div_elements", "vector_max_cycles", "vector_sum_cycles",
    "vector_dual_issue",
    "cube_issue_cycles", "cube_latency_cycles", "cube_fractal_cycles", "cube_f32_fractal_cycles",
    "scalar_issue_cycles", "scalar_gm_cycles", "flag_cycles", "cross_flag_cycles", "sync_all_cycles",
    "launch_vector_ns", "launch_vector_block_ns", "launch_cube_ns", "launch_cube_block_ns", "launch_mix_ns",
)  # fmt: skip


_TOTALS = ("hbm_read_bytes", "hbm_write_bytes", "l2_read_bytes", "l2_write_bytes", "cube_macs", "vector_elements")


class FiagenSimChip(ctypes.Structure):
    """Sizes, counts and rates of one chip."""

    _fields_ = [
        *((name, ctypes.c_uint64) for name in _CHIP_BYTES),
        *((name, ctypes.c_uint32) for name in _CHIP_COUNTS),
        *((name, ctypes.c_double) for name in _CHIP_RATES),
    ]


class FiagenSimFault(ctypes.Structure):
    """One fault as the simulator writes it."""

    _fields_ = [
        ("id", ctypes.c_char * 48),
        ("block", ctypes.c_int32),
        ("sub_core", ctypes.c_int32),
        ("pipe", ctypes.c_char * 8),
        ("instruction", ctypes.c_char * 48),
        ("line", ctypes.c_int32),
        ("other_line", ctypes.c_int32),
        ("message", ctypes.c_char * 512),
    ]


class FiagenSimReport(ctypes.Structure):
    """The outcome of one launch as the simulator writes it."""

    _fields_ = [
        ("status", ctypes.c_int32),
        ("num_faults", ctypes.c_uint32),
        ("faults", FiagenSimFault * MAX_FAULTS),
        ("cycles", ctypes.c_double),
        ("microseconds", ctypes.c_double),
        ("instructions", ctypes.c_uint64),
        ("pipe_busy_cycles", (ctypes.c_double * len(PIPES)) * 2),
        ("pipe_mean_cycles", (ctypes.c_double * len(PIPES)) * 2),
        ("stall_cycles", ((ctypes.c_double * len(STALLS)) * len(PIPES)) * 2),
        ("cores", ctypes.c_uint32 * 2),
        ("launch_microseconds", ctypes.c_double),
        *((name, ctypes.c_double) for name in _TOTALS),
        ("num_spans", ctypes.c_uint64),
    ]


class FiagenSimSpan(ctypes.Structure):
    """One instruction in time, in cycles."""

    _fields_ = [
        ("block", ctypes.c_int32),
        ("sub_core", ctypes.c_int32),
        ("pipe", ctypes.c_int32),
        ("line", ctypes.c_int32),
        ("start", ctypes.c_double),
        ("end", ctypes.c_double),
        ("name", ctypes.c_char * 24),
    ]


@dataclass(frozen=True)
class Fault:
    """One fault. `block` is -1 and `core` '' when no core is to blame; `other_line` is 0 without a second place."""

    id: str
    block: int
    core: str
    pipe: str
    instruction: str
    line: int
    other_line: int
    message: str


@dataclass(frozen=True)
class Report:
    """The outcome of one launch; times are 0 when there are faults.

    `microseconds` is `launch_microseconds` and `cycles`. Busy cycles are by pipe, of the busiest AIC and of the busiest
    AIV; means and stalls (pipe -> cause -> cycles) are over the cores that ran, whose counts `cores` holds. Bytes,
    multiply-adds of the cube and lanes of the vector unit are totals.
    """

    status: int
    faults: tuple[Fault, ...]
    cycles: float
    microseconds: float
    launch_microseconds: float
    instructions: int
    cores: tuple[int, int]
    aic_busy_cycles: dict[str, float]
    aiv_busy_cycles: dict[str, float]
    aic_mean_cycles: dict[str, float]
    aiv_mean_cycles: dict[str, float]
    aic_stalls: dict[str, dict[str, float]]
    aiv_stalls: dict[str, dict[str, float]]
    hbm_read_bytes: float
    hbm_write_bytes: float
    l2_read_bytes: float
    l2_write_bytes: float
    cube_macs: float
    vector_elements: float
    num_spans: int


def read_report(raw: FiagenSimReport) -> Report:
    """The report as plain values."""
    shown = min(raw.num_faults, MAX_FAULTS)
    aic, aiv = (dict(zip(PIPES, row, strict=True)) for row in raw.pipe_busy_cycles)
    aic_mean, aiv_mean = (dict(zip(PIPES, row, strict=True)) for row in raw.pipe_mean_cycles)
    aic_stalls, aiv_stalls = (
        {pipe: dict(zip(STALLS, row, strict=True)) for pipe, row in zip(PIPES, rows, strict=True)}
        for rows in raw.stall_cycles
    )
    return Report(
        status=raw.status,
        faults=tuple(_read_fault(raw.faults[index]) for index in range(shown)),
        cycles=raw.cycles,
        microseconds=raw.microseconds,
        launch_microseconds=raw.launch_microseconds,
        instructions=raw.instructions,
        cores=(raw.cores[0], raw.cores[1]),
        aic_busy_cycles=aic,
        aiv_busy_cycles=aiv,
        aic_mean_cycles=aic_mean,
        aiv_mean_cycles=aiv_mean,
        aic_stalls=aic_stalls,
        aiv_stalls=aiv_stalls,
        **{name: getattr(raw, name) for name in _TOTALS},
        num_spans=raw.num_spans,
    )


def _read_fault(raw: FiagenSimFault) -> Fault:
    core = "" if raw.block < 0 else ("AIC" if raw.sub_core == 0 else f"AIV{raw.sub_core - 1}")
    text = {name: getattr(raw, name).decode(errors="replace") for name in ("id", "pipe", "instruction", "message")}
    return Fault(block=raw.block, core=core, line=raw.line, other_line=raw.other_line, **text)
