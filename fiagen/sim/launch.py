"""Runs a kernel library on NumPy arrays.

In: a library of `build.compile_kernel`, arrays, a chip and a schedule. Out: a SimReport; the arrays change in place.
Must never hide a fault: the caller gets every one.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fiagen.sim.abi import FiagenSimReport, FiagenSimSpan, Report, read_report
from fiagen.sim.chip import ChipConfig

SimReport = Report
POLICIES = ("late", "early", "random")
ABI_VERSION = 5
ROLES = ("inout", "input", "output", "workspace")


class FiagenSimLaunch(ctypes.Structure):
    """FiagenSimLaunch of fiagen_sim_abi.h."""

    _fields_ = [
        ("abi_version", ctypes.c_uint32),
        ("block_dim", ctypes.c_uint32),
        ("num_args", ctypes.c_uint32),
        ("args", ctypes.POINTER(ctypes.c_void_p)),
        ("arg_bytes", ctypes.POINTER(ctypes.c_uint64)),
        ("schedule_seed", ctypes.c_uint64),
        ("schedule_policy", ctypes.c_uint32),
        ("instruction_budget", ctypes.c_uint64),
        ("chip", ctypes.c_void_p),
        ("arg_roles", ctypes.POINTER(ctypes.c_uint8)),
        ("checks_off", ctypes.c_uint32),
        ("time_only", ctypes.c_uint32),
        ("spans", ctypes.POINTER(FiagenSimSpan)),
        ("span_capacity", ctypes.c_uint64),
    ]


def launch(
    library: Path,
    args: Sequence[np.ndarray | None],
    *,
    block_dim: int,
    chip: ChipConfig,
    seed: int = 0,
    policy: str = "late",
    budget: int = 0,
    roles: Sequence[str] | None = None,
    checks: bool = True,
    time_only: bool = False,
    spans: ctypes.Array[FiagenSimSpan] | None = None,
) -> SimReport:
    """Run the kernel of `library` on `block_dim` blocks; arrays have to be C-contiguous, None is a null pointer.

    `policy` is 'late', 'early' or 'random' (with `seed`); `budget` limits the instructions, 0 for no limit. `roles`
    says of each argument whether it is 'input', 'output', 'workspace' or, without roles, 'inout'. `checks=False` runs
    without the checks of order, of uninitialised memory and of overlap. `time_only` runs without effects on data, for
    times of a kernel known to be clean whose control flow does not read what it computes. `spans` receives the
    instructions in time; the report says how many there were. Raises ValueError for an array that is not C-contiguous.
    """
    if roles is not None and len(roles) != len(args):
        raise ValueError(f"{len(roles)} roles for {len(args)} arguments")
    for array in args:
        if array is not None and not array.flags.c_contiguous:
            raise ValueError("a kernel argument is not C-contiguous")
    count = len(args)
    pointers = (ctypes.c_void_p * count)(*(None if a is None else a.ctypes.data for a in args))
    sizes = (ctypes.c_uint64 * count)(*(0 if a is None else a.nbytes for a in args))
    raw_roles = (ctypes.c_uint8 * count)(*(0 if roles is None else ROLES.index(roles[i]) for i in range(count)))
    raw_chip = chip.c_struct()
    request = FiagenSimLaunch(
        ABI_VERSION, block_dim, count, ctypes.cast(pointers, ctypes.POINTER(ctypes.c_void_p)), sizes,
        seed, POLICIES.index(policy), budget, ctypes.cast(ctypes.pointer(raw_chip), ctypes.c_void_p),
        raw_roles, 0 if checks else 1, 1 if time_only else 0, spans, 0 if spans is None else len(spans),
    )  # fmt: skip
    report = FiagenSimReport()
    entry = ctypes.CDLL(str(library), mode=ctypes.RTLD_LOCAL).fiagen_sim_launch
    entry.restype = ctypes.c_int
    entry(ctypes.byref(request), ctypes.byref(report))
    return read_report(report)
