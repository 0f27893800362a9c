"""The structs of fiagen_sim_abi.h as ctypes sees them.

In: nothing. Out: FiagenSimChip, FiagenSimReport and a plain reading of a report. Must match the header field for field.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

MAX_FAULTS = 16
PIPES = ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX")
_CHIP_BYTES = ("ub_bytes", "l1_bytes", "l0a_bytes", "l0b_bytes", "l0c_bytes", "bt_bytes", "fb_bytes")
_CHIP_COUNTS = ("aic_count", "aiv_count")
_CHIP_RATES = (
    "clock_mhz",
    "gm_to_l1_bytes", "gm_to_ub_bytes", "ub_to_gm_bytes", "l1_to_l0a_bytes", "l1_to_l0b_bytes", "l1_to_bt_bytes",
    "l0c_to_gm_bytes", "l0c_to_l1_bytes",
    "mte1_startup_cycles", "mte2_startup_cycles", "mte3_startup_cycles", "fix_startup_cycles",
    "vector_startup_cycles", "vector_repeat_cycles", "vector_slow_repeat_cycles", "vector_reduce_repeat_cycles",
    "cube_startup_cycles", "cube_fractal_cycles",
    "scalar_issue_cycles", "flag_cycles", "cross_flag_cycles", "sync_all_cycles",
)  # fmt: skip


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
    """The outcome of one launch. Busy cycles are by pipe, of the busiest AIC and of the busiest AIV."""

    status: int
    faults: tuple[Fault, ...]
    cycles: float
    microseconds: float
    instructions: int
    aic_busy_cycles: dict[str, float]
    aiv_busy_cycles: dict[str, float]


def read_report(raw: FiagenSimReport) -> Report:
    """The report as plain values."""
    shown = min(raw.num_faults, MAX_FAULTS)
    aic, aiv = (dict(zip(PIPES, row, strict=True)) for row in raw.pipe_busy_cycles)
    return Report(
        status=raw.status,
        faults=tuple(_read_fault(raw.faults[index]) for index in range(shown)),
        cycles=raw.cycles,
        microseconds=raw.microseconds,
        instructions=raw.instructions,
        aic_busy_cycles=aic,
        aiv_busy_cycles=aiv,
    )


def _read_fault(raw: FiagenSimFault) -> Fault:
    core = "" if raw.block < 0 else ("AIC" if raw.sub_core == 0 else f"AIV{raw.sub_core - 1}")
    text = {name: getattr(raw, name).decode(errors="replace") for name in ("id", "pipe", "instruction", "message")}
    return Fault(block=raw.block, core=core, line=raw.line, other_line=raw.other_line, **text)
